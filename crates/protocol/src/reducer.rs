//! The one reducer: chunks in, message out. Server and browser both run it, so both hold the same message.

use crate::chunk::Chunk;
use crate::message::{Message, Metadata, Part, PartState};
use std::collections::BTreeMap;

/// A message in the making, with the places of its open parts.
///
/// Text is routed by part id, so interleaved parts never mix; a part that is not open is never written to.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduction {
    /// The message so far.
    pub message: Message,
    open: BTreeMap<String, usize>,
}

impl Reduction {
    /// Starts from an empty message, or from a stored one that further chunks are to extend.
    #[must_use]
    pub fn new(message: Message) -> Self {
        Self {
            message,
            open: BTreeMap::new(),
        }
    }

    /// Applies one chunk. A chunk that does not fit (a delta for a part that is not open) changes nothing.
    pub fn apply(&mut self, chunk: &Chunk) {
        match chunk {
            Chunk::Start {
                message_id,
                message_metadata,
            } => {
                self.message.id = message_id.clone();
                self.merge_metadata(message_metadata.as_ref());
            }
            Chunk::StartStep => self.message.parts.push(Part::StepStart),
            Chunk::TextStart { id } => {
                self.open(
                    id,
                    Part::Text {
                        text: String::new(),
                        state: Some(PartState::Streaming),
                    },
                );
            }
            Chunk::ReasoningStart { id } => {
                self.open(
                    id,
                    Part::Reasoning {
                        text: String::new(),
                        state: Some(PartState::Streaming),
                    },
                );
            }
            Chunk::TextDelta { id, delta } | Chunk::ReasoningDelta { id, delta } => self.append(id, delta),
            Chunk::TextEnd { id } | Chunk::ReasoningEnd { id } => self.close(id),
            Chunk::FinishStep => {}
            Chunk::Finish { message_metadata, .. } => {
                self.close_all();
                self.merge_metadata(message_metadata.as_ref());
            }
            Chunk::Abort | Chunk::Error { .. } => self.close_all(),
        }
    }

    fn open(&mut self, id: &str, part: Part) {
        self.open.insert(id.to_owned(), self.message.parts.len());
        self.message.parts.push(part);
    }

    fn append(&mut self, id: &str, delta: &str) {
        let Some(part) = self
            .open
            .get(id)
            .and_then(|place| self.message.parts.get_mut(*place))
        else {
            return;
        };
        match part {
            Part::Text { text, .. } | Part::Reasoning { text, .. } => text.push_str(delta),
            Part::StepStart => {}
        }
    }

    fn close(&mut self, id: &str) {
        let Some(part) = self
            .open
            .remove(id)
            .and_then(|place| self.message.parts.get_mut(place))
        else {
            return;
        };
        match part {
            Part::Text { state, .. } | Part::Reasoning { state, .. } => *state = Some(PartState::Done),
            Part::StepStart => {}
        }
    }

    fn close_all(&mut self) {
        while let Some((id, _)) = self.open.first_key_value() {
            let id = id.clone();
            self.close(&id);
        }
    }

    fn merge_metadata(&mut self, incoming: Option<&Metadata>) {
        let Some(incoming) = incoming else { return };
        let metadata = self.message.metadata.get_or_insert_default();
        metadata.created_at = incoming.created_at.or(metadata.created_at);
        metadata.outcome = incoming.outcome.or(metadata.outcome);
        metadata.usage = incoming.usage.or(metadata.usage);
        if incoming.notice.is_some() {
            metadata.notice.clone_from(&incoming.notice);
        }
        if incoming.model.is_some() {
            metadata.model.clone_from(&incoming.model);
        }
    }
}

/// Reduces a whole sequence of chunks onto `message`.
#[must_use]
pub fn reduce<'a>(message: Message, chunks: impl IntoIterator<Item = &'a Chunk>) -> Message {
    let mut reduction = Reduction::new(message);
    for chunk in chunks {
        reduction.apply(chunk);
    }
    reduction.message
}
