//! The one reducer: chunks in, message out. Server and browser both run it, so both hold the same message.

use crate::chunk::Chunk;
use crate::message::{Message, Metadata, Part, PartState};
use std::collections::BTreeMap;

mod tools;

/// A message in the making, with the places of its open parts.
///
/// Text is routed by part id, so interleaved parts never mix; a part that is not open is never written to.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduction {
    /// The message so far.
    pub message: Message,
    open: BTreeMap<(Kind, String), usize>,
}

/// Text and reasoning are numbered apart, so an id alone does not name a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Text,
    Reasoning,
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
            Chunk::TextStart { id } => self.open(Kind::Text, id),
            Chunk::TextDelta { id, delta } => self.append(Kind::Text, id, delta),
            Chunk::TextEnd { id } => self.close(Kind::Text, id),
            Chunk::ReasoningStart { id } => self.open(Kind::Reasoning, id),
            Chunk::ReasoningDelta { id, delta } => self.append(Kind::Reasoning, id, delta),
            Chunk::ReasoningEnd { id } => self.close(Kind::Reasoning, id),
            Chunk::ToolInputStart {
                tool_call_id,
                tool_name,
            } => tools::begin(&mut self.message.parts, tool_call_id, tool_name),
            Chunk::ToolInputAvailable {
                tool_call_id,
                tool_name,
                input,
            } => tools::take_input(&mut self.message.parts, tool_call_id, tool_name, input),
            Chunk::ToolInputError {
                tool_call_id,
                tool_name,
                input,
                error_text,
            } => tools::reject(
                &mut self.message.parts,
                tool_call_id,
                tool_name,
                input,
                error_text,
            ),
            Chunk::ToolApprovalRequest {
                approval_id,
                tool_call_id,
            } => tools::ask(&mut self.message.parts, tool_call_id, approval_id),
            Chunk::ToolApprovalResponse {
                approval_id,
                approved,
                reason,
            } => tools::decide(&mut self.message.parts, approval_id, *approved, reason.as_ref()),
            Chunk::ToolOutputDenied { tool_call_id } => tools::deny(&mut self.message.parts, tool_call_id),
            Chunk::ToolOutputAvailable {
                tool_call_id,
                output,
                preliminary,
            } => tools::take_output(&mut self.message.parts, tool_call_id, output, *preliminary),
            Chunk::ToolOutputError {
                tool_call_id,
                error_text,
            } => tools::fail(&mut self.message.parts, tool_call_id, error_text),
            Chunk::FinishStep => {}
            Chunk::Finish { message_metadata, .. } => {
                self.close_all();
                self.merge_metadata(message_metadata.as_ref());
            }
            Chunk::Abort | Chunk::Error { .. } => self.close_all(),
        }
    }

    fn open(&mut self, kind: Kind, id: &str) {
        self.close(kind, id);
        let (text, state) = (String::new(), Some(PartState::Streaming));
        let place = self.message.parts.len();
        self.message.parts.push(match kind {
            Kind::Text => Part::Text { text, state },
            Kind::Reasoning => Part::Reasoning { text, state },
        });
        self.open.insert((kind, id.to_owned()), place);
    }

    fn append(&mut self, kind: Kind, id: &str, delta: &str) {
        let place = self.open.get(&(kind, id.to_owned()));
        match place.and_then(|place| self.message.parts.get_mut(*place)) {
            Some(Part::Text { text, .. } | Part::Reasoning { text, .. }) => text.push_str(delta),
            Some(Part::StepStart | Part::Tool(_)) | None => {}
        }
    }

    fn close(&mut self, kind: Kind, id: &str) {
        if let Some(place) = self.open.remove(&(kind, id.to_owned())) {
            self.finish(place);
        }
    }

    fn close_all(&mut self) {
        for place in std::mem::take(&mut self.open).into_values() {
            self.finish(place);
        }
    }

    fn finish(&mut self, place: usize) {
        match self.message.parts.get_mut(place) {
            Some(Part::Text { state, .. } | Part::Reasoning { state, .. }) => *state = Some(PartState::Done),
            Some(Part::StepStart | Part::Tool(_)) | None => {}
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
