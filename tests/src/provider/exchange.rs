//! What the provider remembers of each request, so that a test can ask what was sent and whether the caller hung up.

use serde_json::Value;

/// One request to the provider and how far its answer got.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The label of its script.
    pub label: String,
    /// The path that was asked.
    pub path: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Value,
    /// The messages that the model was sent, in order.
    pub messages: Vec<SentMessage>,
    /// When the request was complete, in microseconds of [`super::Clock`].
    pub received_at: u64,
    /// How many pieces of text have been written.
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
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// Its text.
    pub text: String,
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

/// The messages of a request body. Content may be text or a list of text parts.
pub(super) fn sent_messages(body: &Value) -> Vec<SentMessage> {
    let messages = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    messages
        .iter()
        .map(|message| SentMessage {
            role: message["role"].as_str().unwrap_or_default().to_owned(),
            text: match &message["content"] {
                Value::String(text) => text.clone(),
                Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
                _ => String::new(),
            },
        })
        .collect()
}
