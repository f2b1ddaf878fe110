//! Turns the bytes of an HTTP answer into model events, whatever form the answer has: an event stream, one JSON
//! document, or an error.

use super::answer::Answer;
use super::problem;
use crate::{FailureKind, ModelEvent, ModelFailure, sse};
use flarebot_protocol::chunk::FinishReason;

/// The most bytes of a whole answer that is not streamed.
const MAXIMUM_DOCUMENT_BYTES: usize = 1024 * 1024;

/// The most bytes of an error's body that are looked at.
const MAXIMUM_ERROR_BYTES: usize = 64 * 1024;

/// Reads the answer to one request of [`super::encode`].
///
/// Between them, [`push`](Self::push) and [`end`](Self::end) return exactly one `Finished` or `Failed`, and nothing
/// after it. A finish comes as soon as it is certain, which may be before the connection ends; the rest need not be
/// read.
#[derive(Debug)]
pub struct Decoder {
    body: Body,
    answer: Answer,
}

#[derive(Debug)]
enum Body {
    /// A 200 of which no telling byte came yet.
    Undecided,
    Stream(sse::Decoder),
    Document(Vec<u8>),
    Error {
        status: u16,
        retry_after_seconds: Option<u64>,
        body: Vec<u8>,
    },
    /// The last event was returned.
    Over,
}

impl Decoder {
    /// A decoder for an answer with this status and these headers. `retry_after` counts only where it is a number of
    /// seconds: a date would need a clock.
    #[must_use]
    pub fn new(status: u16, content_type: Option<&str>, retry_after: Option<&str>) -> Self {
        let content_type = content_type.unwrap_or_default().to_ascii_lowercase();
        let body = if status != 200 {
            Body::Error {
                status,
                retry_after_seconds: retry_after.and_then(|seconds| seconds.trim().parse().ok()),
                body: Vec::new(),
            }
        } else if content_type.contains("json") {
            Body::Document(Vec::new())
        } else {
            Body::Undecided
        };
        Self {
            body,
            answer: Answer::default(),
        }
    }

    /// Takes the next bytes of the body, split anywhere.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<ModelEvent> {
        let mut events = Vec::new();
        let end = self.read(bytes, &mut events);
        self.close(end.transpose(), &mut events);
        events
    }

    /// Takes the end of the body, clean or not: many transports cannot tell, so only what was read counts.
    pub fn end(&mut self) -> Vec<ModelEvent> {
        let mut events = Vec::new();
        let end = match &self.body {
            Body::Undecided | Body::Stream(_) => Some(self.answer.cut()),
            Body::Document(body) => Some(self.answer.document(body, &mut events)),
            Body::Error {
                status,
                retry_after_seconds,
                body,
            } => Some(Err(problem::refused(*status, body, *retry_after_seconds))),
            Body::Over => None,
        };
        self.close(end, &mut events);
        events
    }

    fn read(
        &mut self,
        mut bytes: &[u8],
        events: &mut Vec<ModelEvent>,
    ) -> Result<Option<FinishReason>, ModelFailure> {
        if matches!(self.body, Body::Undecided) {
            bytes = without_empty_lines(bytes);
            self.body = decide(bytes);
        }
        match &mut self.body {
            Body::Undecided | Body::Over => {}
            Body::Stream(decoder) => {
                for event in decoder.push(bytes) {
                    let event = event.map_err(|sse::EventTooLong| ModelFailure::new(FailureKind::TooLong))?;
                    if let Some(reason) = self.answer.event(&event, events)? {
                        return Ok(Some(reason));
                    }
                }
            }
            Body::Document(body) => {
                if body.len() + bytes.len() > MAXIMUM_DOCUMENT_BYTES {
                    return Err(ModelFailure::new(FailureKind::TooLong));
                }
                body.extend_from_slice(bytes);
            }
            Body::Error { body, .. } => {
                let room = MAXIMUM_ERROR_BYTES - body.len();
                body.extend(bytes.iter().take(room));
            }
        }
        Ok(None)
    }

    fn close(&mut self, end: Option<Result<FinishReason, ModelFailure>>, events: &mut Vec<ModelEvent>) {
        let Some(end) = end else { return };
        self.body = Body::Over;
        let end = end.and_then(|reason| self.answer.finish(reason, events));
        events.extend(self.answer.usage().map(ModelEvent::Usage));
        events.push(end.map_or_else(ModelEvent::Failed, ModelEvent::Finished));
    }
}

/// Some servers send a JSON error, or a proxy's page, and call it an event stream or nothing. No line of an event stream
/// starts like these.
fn decide(bytes: &[u8]) -> Body {
    match bytes.first() {
        None => Body::Undecided,
        Some(b'{' | b'<') => Body::Document(Vec::new()),
        Some(_) => Body::Stream(sse::Decoder::default()),
    }
}

/// Empty lines at the start mean nothing in any form of answer.
fn without_empty_lines(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n'));
    start.and_then(|start| bytes.get(start..)).unwrap_or_default()
}
