//! What the provider remembers of each request, so that a test can ask what was sent and whether the caller hung up.

use super::protocol::Protocol;
use super::script::Call;
use serde_json::Value;

/// One request to the provider and how far its answer got.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The label of its script.
    pub label: String,
    /// How it was put.
    pub protocol: Protocol,
    /// The path that was asked.
    pub path: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Value,
    /// The messages that the model was sent, in order.
    pub messages: Vec<SentMessage>,
    /// What these messages hold of the answer that is asked for.
    pub standing: Standing,
    /// The names of the tools that the model may call.
    pub offered: Vec<String>,
    /// The proof of the thinking in its answer, if there is any.
    pub proof: String,
    /// When the request was complete, in microseconds of [`super::Clock`].
    pub received_at: u64,
    /// When the first piece of text was written, on the same clock.
    pub first_piece_at: Option<u64>,
    /// How many pieces of text have been written, those of earlier requests for the same answer among them.
    pub pieces: u32,
    /// How the exchange ended; `None` while it goes on.
    pub end: Option<ExchangeEnd>,
}

/// How an exchange ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeEnd {
    /// The script was played to its end.
    Played,
    /// The caller closed the connection before that.
    ClosedByCaller,
}

/// One message that the model was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMessage {
    /// `system`, `user`, `assistant` or `tool`.
    pub role: String,
    /// Its text.
    pub text: String,
    /// The tools that it calls, each with the id of its call.
    pub calls: Vec<(String, Call)>,
    /// The call whose result it is.
    pub call_id: Option<String>,
}

/// What a request holds of the answer that it asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// The owner's message that is answered.
    pub question: String,
    /// The text of the answer so far, all steps of it.
    pub said: String,
    /// How many steps of calls are complete.
    pub step: usize,
    /// The text of the step that was broken off, if the caller asks for its rest.
    pub partial: Option<String>,
    /// The results of the calls so far: the id of the call, and what its tool returned.
    pub results: Vec<(String, String)>,
}

impl Exchange {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(candidate, _)| candidate == name)
            .map(|(_, value)| value.as_str())
    }

    /// The messages without instructions, each as the first letter of its role and its text.
    #[must_use]
    pub fn conversation(&self) -> Vec<(char, &str)> {
        self.messages
            .iter()
            .filter(|message| message.role != "system")
            .map(|message| (message.role.chars().next().unwrap_or('?'), message.text.as_str()))
            .collect()
    }
}

impl Standing {
    /// Finds the owner's newest message and what follows it. A request for the rest of an answer is the runtime's own
    /// message and no question.
    pub(super) fn of(messages: &[SentMessage]) -> Self {
        let asks_for_the_rest = messages.len() > 1 && wants_the_rest(&messages[messages.len() - 2..]);
        let (before, partial) = if asks_for_the_rest {
            let border = messages.len() - 2;
            (&messages[..border], Some(messages[border].text.clone()))
        } else {
            (messages, None)
        };
        let Some(place) = before.iter().rposition(|message| message.role == "user") else {
            return Self::default();
        };
        let answer = &before[place + 1..];
        Self {
            question: before[place].text.clone(),
            said: answer
                .iter()
                .filter(|message| message.role == "assistant")
                .map(|message| message.text.as_str())
                .chain(partial.as_deref())
                .collect(),
            step: answer.iter().filter(|message| !message.calls.is_empty()).count(),
            partial,
            results: answer
                .iter()
                .filter_map(|message| Some((message.call_id.clone()?, message.text.clone())))
                .collect(),
        }
    }
}

/// Whether the runtime asks for a summary of a conversation.
pub(super) fn asks_for_a_summary(messages: &[SentMessage]) -> bool {
    let mut instructions = messages.iter().filter(|message| message.role == "system");
    instructions.any(|message| message.text.contains("write the summary"))
}

/// Whether two messages are a part of an answer and the runtime's request to go on with it. No owner of a test speaks
/// like that.
fn wants_the_rest(messages: &[SentMessage]) -> bool {
    let [partial, request] = messages else {
        return false;
    };
    let words = request.text.to_lowercase();
    partial.role == "assistant"
        && !partial.text.is_empty()
        && partial.calls.is_empty()
        && request.role == "user"
        && !words.starts_with(super::script::PREFIX)
        && request.text.len() > 40
        && ["continue", "go on", "cut off", "interrupted"]
            .iter()
            .any(|word| words.contains(word))
}
