//! A conversation as a person has it: say something, read the answer as it grows, stop it, look at the history.

use super::Socket;
use crate::PATIENCE;
use flarebot_protocol::call::{GetHistory, HistoryPage};
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::frame::{ChatResponse, HistoryFrame, ServerFrame};
use flarebot_protocol::message::{Message, Outcome, Role};
use flarebot_protocol::{MessageId, Reduction, RequestId};
use serde_json::json;
use std::time::Duration;
use uuid::Uuid;

/// One answer as far as it has arrived, reduced by the product's own reducer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The request that it answers.
    pub request: RequestId,
    /// The message so far.
    pub reduction: Reduction,
    /// The number that the next chunk must have.
    pub next_seq: u64,
    /// The sentence of an error frame.
    pub error: Option<String>,
    /// How it ended.
    pub outcome: Option<Outcome>,
}

impl Answer {
    /// An answer of which nothing has arrived.
    #[must_use]
    pub fn to(request: &RequestId) -> Self {
        let message = Message {
            id: MessageId::new("not-started").unwrap(),
            role: Role::Assistant,
            parts: Vec::new(),
            metadata: None,
        };
        Self {
            request: request.clone(),
            reduction: Reduction::new(message),
            next_seq: 0,
            error: None,
            outcome: None,
        }
    }

    /// Its text so far.
    #[must_use]
    pub fn text(&self) -> String {
        self.reduction.message.text()
    }

    /// Takes one frame of this answer in.
    ///
    /// # Panics
    /// When a chunk is missing, comes twice, or is no chunk.
    pub fn take(&mut self, response: &ChatResponse) {
        assert_eq!(response.id, self.request);
        if response.error == Some(true) {
            self.error = Some(response.body.clone());
        } else if !response.body.is_empty() {
            assert_eq!(
                response.seq,
                Some(self.next_seq),
                "chunks come in order, each once: {response:?}"
            );
            self.next_seq += 1;
            let chunk: Chunk = serde_json::from_str(&response.body).expect("a body is a chunk");
            self.reduction.apply(&chunk);
        }
        if response.done {
            assert!(response.outcome.is_some(), "the last frame says how it ended");
            self.outcome = response.outcome;
        }
    }
}

impl Socket {
    /// Says something. The ids are those that the page would choose.
    pub fn say(&mut self, text: &str) -> RequestId {
        let request = RequestId::from_uuid(Uuid::new_v4());
        let frame = chat_request(&request, text);
        self.send(&frame);
        request
    }

    /// Follows the answer to `request` until it ended.
    ///
    /// # Panics
    /// When it has not ended within `patience`.
    pub fn answer_within(&mut self, request: &RequestId, patience: Duration) -> Answer {
        self.follow("the end of the answer", request, patience, |answer| {
            answer.outcome.is_some()
        })
    }

    /// As [`Socket::answer_within`], with the usual patience.
    pub fn answer(&mut self, request: &RequestId) -> Answer {
        self.answer_within(request, PATIENCE)
    }

    /// Follows the answer to `request` until `enough` of it has arrived.
    ///
    /// # Panics
    /// When it has not within `patience`; the message names `what` was waited for.
    pub fn follow(
        &mut self,
        what: &str,
        request: &RequestId,
        patience: Duration,
        enough: impl Fn(&Answer) -> bool,
    ) -> Answer {
        let mut answer = Answer::to(request);
        self.follow_on(what, &mut answer, patience, enough);
        answer
    }

    /// Follows an answer of which some has arrived already.
    ///
    /// # Panics
    /// As [`Socket::follow`].
    pub fn follow_on(
        &mut self,
        what: &str,
        answer: &mut Answer,
        patience: Duration,
        enough: impl Fn(&Answer) -> bool,
    ) {
        while !enough(answer) {
            let request = answer.request.clone();
            let response = self.find_within(patience, |frame| match frame {
                ServerFrame::ChatResponse(response) if response.id == request => Some(response.clone()),
                _ => None,
            });
            let response = response
                .unwrap_or_else(|| panic!("{what}: not within {patience:?}, but {answer:#?} and {self:#?}"));
            answer.take(&response);
        }
    }

    /// Says something and waits for the whole answer.
    pub fn ask(&mut self, text: &str) -> Answer {
        let request = self.say(text);
        self.answer(&request)
    }

    /// Stops the answer to `request`.
    pub fn stop(&mut self, request: &RequestId) {
        self.send(&json!({ "type": "cf_agent_chat_request_cancel", "id": request }));
    }

    /// The first frame of a conversation for our own page.
    pub fn expect_history(&mut self) -> HistoryFrame {
        self.expect("the history", |frame| match frame {
            ServerFrame::History(history) => Some(history.clone()),
            _ => None,
        })
    }

    /// The newest page of messages, asked for by a call.
    ///
    /// # Panics
    /// When the call fails.
    pub fn history(&mut self) -> HistoryPage {
        self.call(&GetHistory { before: None })
            .expect("the history can be read")
    }
}

/// The frame that says `text` and asks for an answer.
#[must_use]
pub fn chat_request(request: &RequestId, text: &str) -> serde_json::Value {
    let body = json!({
        "messages": [{
            "id": Uuid::new_v4(),
            "role": "user",
            "parts": [{ "type": "text", "text": text }],
        }],
        "trigger": "submit-message",
    });
    json!({
        "type": "cf_agent_use_chat_request",
        "id": request,
        "init": { "method": "POST", "body": body.to_string() },
    })
}
