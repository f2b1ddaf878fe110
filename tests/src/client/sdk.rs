//! An answer as a client of the Agents SDK follows it: live from its beginning, or from the offer to join it, which it
//! accepts each time.

use super::Socket;
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::frame::{ChatResponse, ServerFrame};
use flarebot_protocol::message::{Message, Role};
use flarebot_protocol::{MessageId, Reduction, RequestId};
use serde_json::json;
use std::time::{Duration, Instant};

/// What such a client has of the newest answer.
#[derive(Debug)]
pub struct SdkAnswer {
    socket: Socket,
    /// The stream that it follows; none between the end of one and the offer of the next.
    stream: Option<RequestId>,
    /// The stream whose offer it accepted last.
    accepted: Option<RequestId>,
    reduction: Option<Reduction>,
    is_complete: bool,
}

impl SdkAnswer {
    /// Follows on a socket that was just opened, or that has shown nothing of an answer yet.
    #[must_use]
    pub fn join(socket: Socket) -> Self {
        Self {
            socket,
            stream: None,
            accepted: None,
            reduction: None,
            is_complete: false,
        }
    }

    /// The text so far.
    #[must_use]
    pub fn text(&self) -> String {
        let reduction = self.reduction.as_ref();
        reduction.map_or(String::new(), |reduction| reduction.message.text())
    }

    /// The id of the answer's message, once it has begun.
    #[must_use]
    pub fn message_id(&self) -> Option<&MessageId> {
        self.reduction.as_ref().map(|reduction| &reduction.message.id)
    }

    /// Whether the answer ended as the model meant it to.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Takes frames until `enough` has come.
    ///
    /// # Panics
    /// When it does not within `patience`; the message names `what` was waited for.
    pub fn follow_until(&mut self, what: &str, patience: Duration, enough: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + patience;
        while !enough(self) {
            let left = deadline.saturating_duration_since(Instant::now());
            let Some(frame) = self.socket.next_within(left) else {
                panic!("{what}: not within {patience:?}, but {self:#?}");
            };
            self.take(frame);
        }
    }

    fn take(&mut self, frame: ServerFrame) {
        match frame {
            // It may be offered twice, on connecting and on request; one acceptance is enough.
            ServerFrame::StreamResuming { id, .. } if self.accepted.as_ref() != Some(&id) => {
                self.socket
                    .send(&json!({ "type": "cf_agent_stream_resume_ack", "id": id }));
                // What is replayed begins with the answer's beginning.
                self.reduction = None;
                self.stream = Some(id.clone());
                self.accepted = Some(id);
            }
            ServerFrame::ChatResponse(response) => self.take_response(&response),
            _ => {}
        }
    }

    fn take_response(&mut self, response: &ChatResponse) {
        if self.stream.as_ref().is_some_and(|stream| *stream != response.id) {
            return;
        }
        self.stream = Some(response.id.clone());
        if response.error != Some(true) && !response.body.is_empty() {
            let chunk: Chunk = serde_json::from_str(&response.body).expect("a body is a chunk");
            self.is_complete |= matches!(chunk, Chunk::Finish { .. });
            self.reduction.get_or_insert_with(empty).apply(&chunk);
        }
        if response.done {
            self.stream = None;
        }
    }
}

fn empty() -> Reduction {
    Reduction::new(Message {
        id: MessageId::new("not-started").unwrap(),
        role: Role::Assistant,
        parts: Vec::new(),
        metadata: None,
    })
}
