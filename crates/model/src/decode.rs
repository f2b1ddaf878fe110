//! Turns the bytes of an answer into model events, whatever form the answer has: an event stream, one JSON document, or
//! an error. What the events of a provider's stream mean is its [`Answer`]'s business; that there is exactly one end is
//! decided here, for all of them.

use crate::{FailureKind, ModelEvent, ModelFailure, sse};
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::Usage;

/// The most bytes of a whole answer that is not streamed.
const MAXIMUM_DOCUMENT_BYTES: usize = 1024 * 1024;

/// The most bytes of an error's body that are looked at.
const MAXIMUM_ERROR_BYTES: usize = 64 * 1024;

/// How one provider's answers are read. What they bring goes to `events`, but never an end: that is returned.
pub trait Answer {
    /// Reads one event of a stream. The finish reason is returned once the answer is complete.
    ///
    /// # Errors
    /// When the provider reports one, or when the event breaks the answer.
    fn event(
        &mut self,
        event: &sse::Event,
        events: &mut Vec<ModelEvent>,
    ) -> Result<Option<FinishReason>, ModelFailure>;

    /// Reads a whole answer that was not streamed.
    ///
    /// # Errors
    /// When it is an error, or no answer.
    fn document(&mut self, body: &[u8], events: &mut Vec<ModelEvent>) -> Result<FinishReason, ModelFailure>;

    /// Why the model stopped, once it has said so. After that a stream may end; before it, the end of a stream means that
    /// the answer was cut off.
    fn finish(&self) -> Option<FinishReason>;

    /// Ends an answer that is complete and was not stopped by a limit or a filter: what is still owed goes to `events`,
    /// the calls of tools last. Says whether there are any, because many finish reasons do not.
    ///
    /// # Errors
    /// When what was received makes no whole.
    fn settle(&mut self, events: &mut Vec<ModelEvent>) -> Result<bool, ModelFailure>;

    /// The tokens that were counted so far.
    fn usage(&self) -> Option<Usage>;

    /// The failure that an answer with a status other than 200 stands for. The body may be cut.
    fn refused(&self, status: u16, body: &[u8], retry_after_seconds: Option<u64>) -> ModelFailure;
}

/// What is known of an answer before its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerHead<'a> {
    /// The HTTP status.
    pub status: u16,
    /// The header `content-type`.
    pub content_type: Option<&'a str>,
    /// The header `retry-after`. It counts only where it is a number of seconds: a date would need a clock.
    pub retry_after: Option<&'a str>,
}

impl AnswerHead<'static> {
    /// A stream that was opened without HTTP.
    pub const STREAM: Self = Self {
        status: 200,
        content_type: Some("text/event-stream"),
        retry_after: None,
    };
}

/// Reads the answer to one request.
///
/// Between them, [`push`](Self::push) and [`end`](Self::end) return exactly one `Finished` or `Failed`, and nothing
/// after it. A finish comes as soon as it is certain, which may be before the connection ends; the rest need not be
/// read.
#[derive(Debug)]
pub struct AnswerDecoder<A> {
    body: Body,
    answer: A,
}

#[derive(Debug)]
enum Body {
    /// A 200 of which no telling byte came yet.
    Undecided,
    Stream(sse::Decoder),
    Document(Vec<u8>),
    /// A page for people. Nothing of it is read.
    Page,
    Error {
        status: u16,
        retry_after_seconds: Option<u64>,
        body: Vec<u8>,
    },
    /// The last event was returned.
    Over,
}

impl<A: Answer + Default> AnswerDecoder<A> {
    /// A decoder for an answer with this status and these headers; see [`AnswerHead`].
    #[must_use]
    pub fn new(status: u16, content_type: Option<&str>, retry_after: Option<&str>) -> Self {
        let head = AnswerHead {
            status,
            content_type,
            retry_after,
        };
        Self::of(A::default(), head)
    }
}

impl<A: Answer> AnswerDecoder<A> {
    /// A decoder that reads with `answer`, which has read nothing yet.
    #[must_use]
    pub fn of(answer: A, head: AnswerHead<'_>) -> Self {
        let content_type = head.content_type.unwrap_or_default().to_ascii_lowercase();
        let body = if head.status != 200 {
            Body::Error {
                status: head.status,
                retry_after_seconds: head.retry_after.and_then(|seconds| seconds.trim().parse().ok()),
                body: Vec::new(),
            }
        } else if content_type.contains("json") {
            Body::Document(Vec::new())
        } else if content_type.contains("html") {
            Body::Page
        } else {
            Body::Undecided
        };
        Self { body, answer }
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
            Body::Undecided | Body::Stream(_) => {
                let cut = || ModelFailure::new(FailureKind::Truncated);
                Some(self.answer.finish().ok_or_else(cut))
            }
            Body::Document(body) => Some(self.answer.document(body, &mut events)),
            Body::Page => Some(Err(ModelFailure::new(FailureKind::NotAnAnswer))),
            Body::Error {
                status,
                retry_after_seconds,
                body,
            } => Some(Err(self.answer.refused(*status, body, *retry_after_seconds))),
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
            Body::Page if bytes.is_empty() => {}
            Body::Page => return Err(ModelFailure::new(FailureKind::NotAnAnswer)),
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
        let end = end.and_then(|reason| self.settle(reason, events));
        events.extend(self.answer.usage().map(ModelEvent::Usage));
        events.push(end.map_or_else(ModelEvent::Failed, ModelEvent::Finished));
    }

    /// An answer that ran into a limit or a filter may have been stopped inside its last call, so it has none.
    fn settle(
        &mut self,
        reason: FinishReason,
        events: &mut Vec<ModelEvent>,
    ) -> Result<FinishReason, ModelFailure> {
        match reason {
            FinishReason::Length | FinishReason::ContentFilter => Ok(reason),
            FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other => {
                let calls = self.answer.settle(events)?;
                Ok(if calls { FinishReason::ToolCalls } else { reason })
            }
        }
    }
}

/// Some servers send a JSON error, or a proxy's page, and call it an event stream or nothing. No line of an event stream
/// starts like these.
fn decide(bytes: &[u8]) -> Body {
    match bytes.first() {
        None => Body::Undecided,
        Some(b'{') => Body::Document(Vec::new()),
        Some(b'<') => Body::Page,
        Some(_) => Body::Stream(sse::Decoder::default()),
    }
}

/// Empty lines at the start mean nothing in any form of answer.
fn without_empty_lines(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n'));
    start.and_then(|start| bytes.get(start..)).unwrap_or_default()
}
