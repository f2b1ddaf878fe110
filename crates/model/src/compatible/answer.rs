//! The answer of a model as its pieces arrive, and the rule for when it is complete.
//!
//! A streamed answer is complete with `[DONE]`, or with a finish reason and then the stream's end: some servers leave
//! out the one, some the other. After the finish reason only the count of tokens is still read. Anything that ends
//! before is cut off, however clean the end of the connection looks. An event that is no JSON of the expected shape
//! is skipped, [`MALFORMED_TOLERATED`] times in one answer, but never once a call of a tool has begun: a call with a
//! hole in it must not run.

use super::completion::{Completion, Content};
use super::problem;
use crate::calls::Calls;
use crate::decode;
use crate::{FailureKind, ModelEvent, ModelFailure, Thought, ThoughtContent, sse};
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::Usage;

/// How many malformed events one answer may hold.
const MALFORMED_TOLERATED: u32 = 3;

/// An answer in the form of chat completions.
#[derive(Debug, Default)]
pub struct Answer {
    /// The model that was asked, if what it thought may be told.
    model: Option<String>,
    finish: Option<FinishReason>,
    usage: Option<Usage>,
    calls: Calls,
    malformed: u32,
}

impl Answer {
    /// The answer of this model.
    #[must_use]
    pub fn of(model: String) -> Self {
        Self {
            model: Some(model),
            ..Self::default()
        }
    }

    /// Reads one event of a stream that is no error; nothing stands for one that cannot be read.
    pub(crate) fn take_completion(
        &mut self,
        completion: Option<Completion>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFailure> {
        self.usage = completion.as_ref().and_then(Completion::usage).or(self.usage);
        if self.finish.is_some() {
            return Ok(());
        }
        let Some(completion) = completion else {
            return self.skip();
        };
        if let Some(choice) = completion.choice() {
            let finish = choice.finish();
            self.take(choice.delta.unwrap_or_default(), events)?;
            self.finish = finish?;
        }
        Ok(())
    }

    /// Reads a whole answer that is no error.
    pub(crate) fn take_document(
        &mut self,
        completion: Completion,
        events: &mut Vec<ModelEvent>,
    ) -> Result<FinishReason, ModelFailure> {
        self.usage = completion.usage();
        let malformed = || ModelFailure::new(FailureKind::Malformed);
        let choice = completion.choice().ok_or_else(malformed)?;
        let finish = choice.finish();
        self.take(choice.message.ok_or_else(malformed)?, events)?;
        Ok(finish?.unwrap_or(FinishReason::Other))
    }

    fn take(&mut self, content: Content, events: &mut Vec<ModelEvent>) -> Result<(), ModelFailure> {
        let parts = content.into_parts();
        events.extend(parts.reasoning.map(ModelEvent::Reasoning));
        events.extend(parts.text.map(ModelEvent::Text));
        self.calls.take(parts.calls, events)
    }

    fn skip(&mut self) -> Result<(), ModelFailure> {
        self.malformed += 1;
        if self.malformed > MALFORMED_TOLERATED || !self.calls.is_empty() {
            Err(ModelFailure::new(FailureKind::Malformed))
        } else {
            Ok(())
        }
    }
}

impl decode::Answer for Answer {
    fn event(
        &mut self,
        event: &sse::Event,
        events: &mut Vec<ModelEvent>,
    ) -> Result<Option<FinishReason>, ModelFailure> {
        let data = event.data.trim();
        match data {
            "" => return Ok(None),
            "[DONE]" => return Ok(Some(self.finish.unwrap_or(FinishReason::Other))),
            _ => {}
        }
        let completion = serde_json::from_str::<Completion>(data).ok();
        let is_error = event.name == "error" || completion.as_ref().is_some_and(Completion::is_error);
        if is_error && self.finish.is_none() {
            self.usage = completion.as_ref().and_then(Completion::usage).or(self.usage);
            return Err(problem::reported(data.as_bytes()));
        }
        self.take_completion(completion, events).map(|()| None)
    }

    fn document(&mut self, body: &[u8], events: &mut Vec<ModelEvent>) -> Result<FinishReason, ModelFailure> {
        let completion: Completion = serde_json::from_slice(body).map_err(|error| broken(&error))?;
        if completion.is_error() {
            return Err(problem::reported(body));
        }
        self.take_document(completion, events)
    }

    fn finish(&self) -> Option<FinishReason> {
        self.finish
    }

    fn settle(&mut self, events: &mut Vec<ModelEvent>) -> Result<bool, ModelFailure> {
        if let Some(model) = &self.model {
            events.extend(self.calls.signatures().map(|(calls_before, signature)| {
                ModelEvent::Thought(Thought {
                    model: model.clone(),
                    content: ThoughtContent::CallSignature {
                        signature: signature.to_owned(),
                    },
                    text_before: 0,
                    calls_before,
                })
            }));
        }
        self.calls.settle(events)
    }

    fn usage(&self) -> Option<Usage> {
        self.usage
    }

    fn refused(&self, status: u16, body: &[u8], retry_after_seconds: Option<u64>) -> ModelFailure {
        problem::refused(status, body, retry_after_seconds)
    }
}

/// What it means that a whole answer is no JSON of the expected shape.
pub(crate) fn broken(error: &serde_json::Error) -> ModelFailure {
    ModelFailure::new(if error.is_eof() {
        FailureKind::Truncated
    } else {
        FailureKind::Malformed
    })
}
