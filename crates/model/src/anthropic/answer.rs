//! A message as its events arrive.
//!
//! Text and thinking are handed on as they come; a thought and its signature once its block ends; calls at the end of a
//! message that is complete. A message is complete with `message_stop`, or with a stop reason and then the stream's end;
//! after the stop reason only the count of tokens is still read.
//! An event that cannot be read breaks the answer at once: the provider sends none, so the stream is damaged.

use super::problem;
use super::sent::{Block, Counted, Delta, Message, Sent, finish_reason};
use crate::calls::{Calls, Piece};
use crate::compatible::answer::broken;
use crate::thought::MAXIMUM_THOUGHT_BYTES;
use crate::{FailureKind, ModelEvent, ModelFailure, Thought, ThoughtContent, decode, sse};
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::Usage;
use serde_json::Value;

/// An answer in the form of a message.
#[derive(Debug)]
pub struct Answer {
    /// The model that was asked. Its thoughts bear its name.
    model: String,
    finish: Option<FinishReason>,
    counted: Counted,
    calls: Calls,
    text_bytes: usize,
    thought_bytes: usize,
    thinking: Option<Thinking>,
}

/// A block of thinking that has not ended.
#[derive(Debug)]
struct Thinking {
    index: u64,
    text: String,
    signature: String,
}

impl Answer {
    /// The answer of this model.
    #[must_use]
    pub fn of(model: String) -> Self {
        Self {
            model,
            finish: None,
            counted: Counted::default(),
            calls: Calls::default(),
            text_bytes: 0,
            thought_bytes: 0,
            thinking: None,
        }
    }

    fn begin(&mut self, index: u64, block: Block, events: &mut Vec<ModelEvent>) -> Result<(), ModelFailure> {
        match block {
            Block::Text { text } => self.text(text, events),
            Block::Thinking { thinking, signature } => {
                self.thinking = Some(Thinking {
                    index,
                    text: String::new(),
                    signature,
                });
                self.think(index, thinking, events)?;
            }
            Block::RedactedThinking { data } => {
                self.count_thought(data.len())?;
                self.thought(ThoughtContent::Redacted { data }, events);
            }
            Block::ToolUse { id, name, input } => {
                // In a stream the input is an empty object here, and its text follows in deltas.
                let is_whole = input.as_object().is_some_and(|fields| !fields.is_empty());
                let arguments = if is_whole {
                    input.to_string()
                } else {
                    String::new()
                };
                self.calls.take(
                    [Piece {
                        index,
                        id: Some(id),
                        name,
                        arguments,
                        signature: None,
                    }],
                    events,
                )?;
            }
            Block::Unknown => {}
        }
        Ok(())
    }

    fn go_on(&mut self, index: u64, delta: Delta, events: &mut Vec<ModelEvent>) -> Result<(), ModelFailure> {
        match delta {
            Delta::Text { text } => self.text(text, events),
            Delta::Thinking { thinking } => self.think(index, thinking, events)?,
            Delta::Signature { signature } => {
                self.count_thought(signature.len())?;
                if let Some(block) = self.thinking.as_mut().filter(|block| block.index == index) {
                    block.signature.push_str(&signature);
                }
            }
            Delta::InputJson { partial_json } => {
                // Blocks of the provider's own tools stream their input too; no call has begun at their index.
                if self.calls.has(index) {
                    let piece = Piece {
                        index,
                        arguments: partial_json,
                        ..Piece::default()
                    };
                    self.calls.take([piece], events)?;
                }
            }
            Delta::Unknown => {}
        }
        Ok(())
    }

    fn stop(&mut self, index: u64, events: &mut Vec<ModelEvent>) {
        if let Some(Thinking { text, signature, .. }) = self.thinking.take_if(|block| block.index == index) {
            self.thought(ThoughtContent::Thinking { text, signature }, events);
        }
    }

    fn text(&mut self, text: String, events: &mut Vec<ModelEvent>) {
        if !text.is_empty() {
            self.text_bytes += text.len();
            events.push(ModelEvent::Text(text));
        }
    }

    fn think(
        &mut self,
        index: u64,
        thinking: String,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFailure> {
        self.count_thought(thinking.len())?;
        if let Some(block) = self.thinking.as_mut().filter(|block| block.index == index)
            && !thinking.is_empty()
        {
            block.text.push_str(&thinking);
            events.push(ModelEvent::Reasoning(thinking));
        }
        Ok(())
    }

    fn count_thought(&mut self, bytes: usize) -> Result<(), ModelFailure> {
        self.thought_bytes += bytes;
        if self.thought_bytes > MAXIMUM_THOUGHT_BYTES {
            Err(ModelFailure::new(FailureKind::TooLong))
        } else {
            Ok(())
        }
    }

    fn thought(&self, content: ThoughtContent, events: &mut Vec<ModelEvent>) {
        events.push(ModelEvent::Thought(Thought {
            model: self.model.clone(),
            content,
            text_before: self.text_bytes,
            calls_before: self.calls.count(),
        }));
    }

    fn finish_with(&mut self, word: Option<&str>) {
        self.finish = word.map(finish_reason).or(self.finish);
    }
}

impl decode::Answer for Answer {
    fn event(
        &mut self,
        event: &sse::Event,
        events: &mut Vec<ModelEvent>,
    ) -> Result<Option<FinishReason>, ModelFailure> {
        if event.data.trim().is_empty() {
            return Ok(None);
        }
        let sent = serde_json::from_str::<Sent>(&event.data);
        match sent {
            Ok(Sent::MessageStop) => return Ok(Some(self.finish.unwrap_or(FinishReason::Other))),
            Ok(Sent::MessageDelta { delta, usage }) => {
                self.counted.update(usage);
                self.finish_with(delta.stop_reason.as_deref());
            }
            // The words are all there.
            _ if self.finish.is_some() => {}
            _ if event.name == "error" => return Err(problem::reported(event.data.as_bytes())),
            Ok(Sent::Error) => return Err(problem::reported(event.data.as_bytes())),
            Err(_) => return Err(ModelFailure::new(FailureKind::Malformed)),
            Ok(Sent::MessageStart { message }) => self.counted.update(message.usage),
            Ok(Sent::ContentBlockStart { index, content_block }) => {
                self.begin(index, content_block, events)?;
            }
            Ok(Sent::ContentBlockDelta { index, delta }) => self.go_on(index, delta, events)?,
            Ok(Sent::ContentBlockStop { index }) => self.stop(index, events),
            Ok(Sent::Unknown) => {}
        }
        Ok(None)
    }

    fn document(&mut self, body: &[u8], events: &mut Vec<ModelEvent>) -> Result<FinishReason, ModelFailure> {
        let document: Value = serde_json::from_slice(body).map_err(|error| broken(&error))?;
        match document.get("type").and_then(Value::as_str) {
            Some("message") => {}
            Some("error") => return Err(problem::reported(body)),
            _ if document.get("error").is_some() => return Err(problem::reported(body)),
            _ => return Err(ModelFailure::new(FailureKind::Malformed)),
        }
        let message: Message =
            serde_json::from_value(document).map_err(|_| ModelFailure::new(FailureKind::Malformed))?;
        self.counted.update(message.usage);
        for (index, block) in (0..).zip(message.content) {
            self.begin(index, block, events)?;
            self.stop(index, events);
        }
        self.finish_with(message.stop_reason.as_deref());
        Ok(self.finish.unwrap_or(FinishReason::Other))
    }

    fn finish(&self) -> Option<FinishReason> {
        self.finish
    }

    fn settle(&mut self, events: &mut Vec<ModelEvent>) -> Result<bool, ModelFailure> {
        self.calls.settle(events)
    }

    fn usage(&self) -> Option<Usage> {
        self.counted.usage()
    }

    fn refused(&self, status: u16, body: &[u8], retry_after_seconds: Option<u64>) -> ModelFailure {
        problem::refused(status, body, retry_after_seconds)
    }
}
