//! The answer of a model as its pieces arrive, and the rule for when it is complete.
//!
//! A streamed answer is complete with `[DONE]`, or with a finish reason and then the stream's end: some servers leave
//! out the one, some the other. After the finish reason only the count of tokens is still read. Anything that ends
//! before is cut off, however clean the end of the connection looks. An event that is no JSON of the expected shape
//! is skipped, [`MALFORMED_TOLERATED`] times in one answer, but never once a call of a tool has begun: a call with a
//! hole in it must not run.

use super::calls::Calls;
use super::completion::{Completion, Content};
use super::problem;
use crate::{FailureKind, ModelEvent, ModelFailure, sse};
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::Usage;

/// How many malformed events one answer may hold.
const MALFORMED_TOLERATED: u32 = 3;

#[derive(Debug, Default)]
pub(super) struct Answer {
    finish: Option<FinishReason>,
    usage: Option<Usage>,
    calls: Calls,
    malformed: u32,
}

impl Answer {
    /// Reads one event of a stream. What it brings goes to `events`; the finish reason is returned once the answer is
    /// complete.
    pub(super) fn event(
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
        self.usage = completion.as_ref().and_then(Completion::usage).or(self.usage);
        if self.finish.is_some() {
            return Ok(None);
        }
        if event.name == "error" || completion.as_ref().is_some_and(Completion::is_error) {
            return Err(problem::reported(data.as_bytes()));
        }
        let Some(completion) = completion else {
            return self.skip().map(|()| None);
        };
        if let Some(choice) = completion.choice() {
            let finish = choice.finish();
            self.take(choice.delta.unwrap_or_default(), events)?;
            self.finish = finish?;
        }
        Ok(None)
    }

    /// Reads a whole answer from a server that does not stream.
    pub(super) fn document(
        &mut self,
        body: &[u8],
        events: &mut Vec<ModelEvent>,
    ) -> Result<FinishReason, ModelFailure> {
        let completion: Completion = serde_json::from_slice(body).map_err(|error| {
            ModelFailure::new(if error.is_eof() {
                FailureKind::Truncated
            } else {
                FailureKind::Malformed
            })
        })?;
        if completion.is_error() {
            return Err(problem::reported(body));
        }
        self.usage = completion.usage();
        let malformed = || ModelFailure::new(FailureKind::Malformed);
        let choice = completion.choice().ok_or_else(malformed)?;
        let finish = choice.finish();
        self.take(choice.message.ok_or_else(malformed)?, events)?;
        Ok(finish?.unwrap_or(FinishReason::Other))
    }

    /// Ends an answer that is complete. Its calls go to `events`, and the finish reason says that there are some: many
    /// servers do not. An answer that ran into a limit or a filter was stopped inside its last call, so it has none.
    pub(super) fn finish(
        &mut self,
        reason: FinishReason,
        events: &mut Vec<ModelEvent>,
    ) -> Result<FinishReason, ModelFailure> {
        Ok(match reason {
            FinishReason::Length | FinishReason::ContentFilter => reason,
            FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other => {
                if self.calls.settle(events)? {
                    FinishReason::ToolCalls
                } else {
                    reason
                }
            }
        })
    }

    /// What the end of the stream means at this point.
    pub(super) fn cut(&self) -> Result<FinishReason, ModelFailure> {
        self.finish
            .ok_or_else(|| ModelFailure::new(FailureKind::Truncated))
    }

    /// The tokens that were counted, as far as the server said.
    pub(super) fn usage(&self) -> Option<Usage> {
        self.usage
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
