//! The answer's message in the making: which part is open, and how much of it may still be stored.

use super::repetition;
use crate::model_view::{self, Detail};
use flarebot_model::ModelMessage;
use flarebot_protocol::Reduction;
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::message::{Message, Part, ToolPart, ToolState};
use serde_json::Value;

/// The most that an answer may take as stored, in bytes of JSON. Far below the limit of one stored value, and more
/// than any model writes in one turn.
pub const MAXIMUM_ANSWER_BYTES: usize = 1_000_000;

/// What a part takes as stored beside its text, rounded up.
const PART_BYTES: usize = 100;

/// What a piece of an answer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Reasoning,
}

/// Whether an answer may grow further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    Left,
    Full,
}

#[derive(Debug)]
pub(super) struct Answer {
    reduction: Reduction,
    open: Option<OpenPart>,
    parts: u32,
    stored_bytes: usize,
}

#[derive(Debug)]
struct OpenPart {
    kind: Kind,
    id: String,
}

impl Answer {
    pub(super) fn new(message: Message) -> Self {
        Self {
            reduction: Reduction::new(message),
            open: None,
            parts: 0,
            stored_bytes: 0,
        }
    }

    /// The answer that these chunks have made so far. A text part that is open in them takes what comes next.
    pub(super) fn restore(message: Message, chunks: &[Chunk]) -> Self {
        let mut answer = Self::new(message);
        for chunk in chunks {
            answer.apply(chunk);
            answer.stored_bytes = answer.stored_bytes.saturating_add(stored_bytes(chunk));
            let opened = if let Chunk::TextStart { id } = chunk {
                Some((Kind::Text, id))
            } else if let Chunk::ReasoningStart { id } = chunk {
                Some((Kind::Reasoning, id))
            } else {
                None
            };
            if matches!(chunk, Chunk::TextEnd { .. } | Chunk::ReasoningEnd { .. }) {
                answer.open = None;
            }
            if let Some((kind, id)) = opened {
                answer.parts = answer.parts.saturating_add(1);
                answer.open = Some(OpenPart { kind, id: id.clone() });
            }
        }
        answer
    }

    /// Takes one chunk into the message.
    pub(super) fn apply(&mut self, chunk: &Chunk) {
        self.reduction.apply(chunk);
    }

    /// Counts what a tool's call or result takes; says whether it may still be stored.
    pub(super) fn take_room(&mut self, chunk: &Chunk) -> Room {
        let bytes = self.stored_bytes.saturating_add(stored_bytes(chunk));
        if bytes > MAXIMUM_ANSWER_BYTES {
            return Room::Full;
        }
        self.stored_bytes = bytes;
        Room::Left
    }

    /// The chunk that ends an open part of reasoning.
    pub(super) fn close_reasoning(&mut self) -> Option<Chunk> {
        match &self.open {
            Some(open) if open.kind == Kind::Reasoning => self.close(),
            Some(_) | None => None,
        }
    }

    /// How much there is that an interruption must not lose: bytes of text, calls, and results. Only what a model or a
    /// tool has made counts.
    pub(super) fn content(&self) -> u64 {
        let parts = self.reduction.message.parts.iter().map(|part| match part {
            Part::Text { text, .. } | Part::Reasoning { text, .. } => text.len() as u64,
            Part::Tool(call) => 1 + u64::from(call.state.is_settled()),
            Part::StepStart => 0,
        });
        parts.sum()
    }

    /// How many calls of the model the answer consists of.
    pub(super) fn steps(&self) -> usize {
        let border = |part: &&Part| matches!(part, Part::StepStart);
        self.reduction.message.parts.iter().filter(border).count()
    }

    /// The tool calls of the last step that the model wrote to their end.
    pub(super) fn calls(&self) -> impl Iterator<Item = &ToolPart> {
        model_view::complete_calls(model_view::last_step(&self.reduction.message.parts))
    }

    /// Whether the model does again and again what fails.
    pub(super) fn is_stuck(&self) -> bool {
        repetition::is_stuck(&self.reduction.message.parts)
    }

    /// The chunks that end the calls whose input the model never finished. They keep no input, by which
    /// [`model_view::complete_calls`] knows them.
    pub(super) fn reject_broken_calls(&self, error_text: &str) -> Vec<Chunk> {
        let parts = self.reduction.message.parts.iter();
        let broken = parts.filter_map(|part| match part {
            Part::Tool(call) if call.state == ToolState::InputStreaming => Some(Chunk::ToolInputError {
                tool_call_id: call.tool_call_id.clone(),
                tool_name: call.tool_name.clone(),
                input: Value::Null,
                error_text: error_text.to_owned(),
            }),
            Part::Tool(_) | Part::Text { .. } | Part::Reasoning { .. } | Part::StepStart => None,
        });
        broken.collect()
    }

    /// Whether the answer holds a call with this id.
    pub(super) fn has_call(&self, id: &str) -> bool {
        let mut parts = self.reduction.message.parts.iter();
        parts.any(|part| matches!(part, Part::Tool(call) if call.tool_call_id == id))
    }

    /// The text of the last step, which its model goes on with when it is called again.
    pub(super) fn partial_text(&self) -> String {
        model_view::step_text(model_view::last_step(&self.reduction.message.parts))
    }

    /// The answer so far as the model sees it.
    pub(super) fn for_model(&self) -> Vec<ModelMessage> {
        model_view::answer(&self.reduction.message.parts, Detail::Whole)
    }

    /// The chunks that add `text`, cut where the answer is full. They are not applied yet.
    pub(super) fn extend(&mut self, kind: Kind, text: &str) -> (Vec<Chunk>, Room) {
        let mut chunks = Vec::new();
        if text.is_empty() {
            return (chunks, Room::Left);
        }
        let id = match &self.open {
            Some(open) if open.kind == kind => open.id.clone(),
            Some(_) | None => {
                chunks.extend(self.close());
                self.open(kind, &mut chunks)
            }
        };
        let room = MAXIMUM_ANSWER_BYTES.saturating_sub(self.stored_bytes);
        let (kept, bytes) = fitting(text, room);
        self.stored_bytes = self.stored_bytes.saturating_add(bytes);
        if !kept.is_empty() {
            let delta = kept.to_owned();
            chunks.push(match kind {
                Kind::Text => Chunk::TextDelta { id, delta },
                Kind::Reasoning => Chunk::ReasoningDelta { id, delta },
            });
        }
        let room = if kept.len() < text.len() {
            Room::Full
        } else {
            Room::Left
        };
        (chunks, room)
    }

    /// The chunk that ends the open part.
    pub(super) fn close(&mut self) -> Option<Chunk> {
        self.open.take().map(|open| match open.kind {
            Kind::Text => Chunk::TextEnd { id: open.id },
            Kind::Reasoning => Chunk::ReasoningEnd { id: open.id },
        })
    }

    /// Whether there is anything for a reader.
    pub(super) fn has_text(&self) -> bool {
        self.reduction.message.parts.iter().any(|part| match part {
            Part::Text { text, .. } => !text.trim().is_empty(),
            Part::Reasoning { .. } | Part::StepStart | Part::Tool(_) => false,
        })
    }

    /// The message as it stands.
    pub(super) fn into_message(self) -> Message {
        self.reduction.message
    }

    fn open(&mut self, kind: Kind, chunks: &mut Vec<Chunk>) -> String {
        let number = self.parts;
        self.parts = number.saturating_add(1);
        self.stored_bytes = self.stored_bytes.saturating_add(PART_BYTES);
        let (id, chunk) = match kind {
            Kind::Text => {
                let id = format!("text-{number}");
                (id.clone(), Chunk::TextStart { id })
            }
            Kind::Reasoning => {
                let id = format!("reasoning-{number}");
                (id.clone(), Chunk::ReasoningStart { id })
            }
        };
        chunks.push(chunk);
        self.open = Some(OpenPart { kind, id: id.clone() });
        id
    }
}

/// What a chunk takes as stored, rounded up. A part of a tool holds no more than the chunks that made it.
fn stored_bytes(chunk: &Chunk) -> usize {
    match chunk {
        Chunk::TextDelta { delta, .. } | Chunk::ReasoningDelta { delta, .. } => fitting(delta, usize::MAX).1,
        Chunk::TextStart { .. }
        | Chunk::ReasoningStart { .. }
        | Chunk::ToolApprovalRequest { .. }
        | Chunk::ToolApprovalResponse { .. } => PART_BYTES,
        // How far a tool is gives way to its result.
        Chunk::ToolOutputAvailable {
            preliminary: Some(true),
            ..
        } => 0,
        Chunk::ToolInputAvailable { .. }
        | Chunk::ToolInputError { .. }
        | Chunk::ToolOutputAvailable { .. }
        | Chunk::ToolOutputError { .. } => {
            let json = serde_json::to_string(chunk).map_or(usize::MAX, |json| json.len());
            json.saturating_add(PART_BYTES)
        }
        Chunk::Start { .. }
        | Chunk::StartStep
        | Chunk::TextEnd { .. }
        | Chunk::ReasoningEnd { .. }
        | Chunk::ToolInputStart { .. }
        | Chunk::ToolOutputDenied { .. }
        | Chunk::FinishStep
        | Chunk::Finish { .. }
        | Chunk::Abort
        | Chunk::Error { .. } => 0,
    }
}

/// The longest beginning of `text` that takes at most `room` bytes inside a JSON string, with what it takes.
fn fitting(text: &str, room: usize) -> (&str, usize) {
    let mut taken = 0_usize;
    for (place, character) in text.char_indices() {
        let bytes = match character {
            '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
            '\0'..='\u{1f}' => 6,
            _ => character.len_utf8(),
        };
        if taken.saturating_add(bytes) > room {
            return (text.get(..place).unwrap_or_default(), taken);
        }
        taken = taken.saturating_add(bytes);
    }
    (text, taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_measured_as_json_stores_it() {
        let text = "plain \"quoted\" \\ \n\t\u{1}\u{7f} ünï 漢 😀";
        let json = serde_json::to_string(text).unwrap();
        assert_eq!(fitting(text, usize::MAX), (text, json.len() - 2));
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(fitting("a漢字", 6), ("a漢", 4));
        assert_eq!(fitting("a漢字", 0), ("", 0));
    }
}
