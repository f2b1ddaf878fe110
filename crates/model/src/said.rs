//! What a provider says of an error. Providers agree on little: the error is an object under `error`, a bare text there,
//! the whole body, or the first of a list, and its code is a number, a number in a text, or a word. The provider's
//! words are searched here and go no further.

use serde_json::Value;

/// How providers say that the conversation does not fit, in codes, types and messages.
const CONTEXT_WORDS: [&str; 8] = [
    "context_length",
    "context length",
    "context_size",
    "context size",
    "context window",
    "prompt is too long",
    "input is too long",
    "too many tokens",
];

/// How they say that nobody pays.
const CREDIT_WORDS: [&str; 9] = [
    "insufficient_quota",
    "insufficient credit",
    "insufficient balance",
    "credit balance",
    "billing_error",
    "billing_hard_limit",
    "billing_not_active",
    "usage limits",
    "neurons",
];

/// How they say that what was said is against their rules.
const FILTER_WORDS: [&str; 4] = ["content_filter", "content filter", "content_policy", "moderation"];

/// How they say that the key is wrong.
const KEY_WORDS: [&str; 3] = ["api_key", "api key", "apikey"];

/// What an error says of itself, in lower case.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) code: String,
    pub(crate) kind: String,
    pub(crate) message: String,
}

impl Said {
    /// What a body says. One that is no JSON says nothing.
    pub(crate) fn in_body(body: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        Self::of(body.get(0).unwrap_or(&body))
    }

    /// What an object says, itself or under `error`.
    pub(crate) fn of(value: &Value) -> Self {
        let error = value.get("error").unwrap_or(value);
        let word = |name| match error.get(name) {
            Some(Value::String(text)) => text.to_lowercase(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        Self {
            code: word("code"),
            kind: word("type"),
            message: error.as_str().map_or_else(|| word("message"), str::to_lowercase),
        }
    }

    /// What a bare text says.
    pub(crate) fn text(message: &str) -> Self {
        Self {
            message: message.to_lowercase(),
            ..Self::default()
        }
    }

    pub(crate) fn tells_of_context(&self) -> bool {
        self.mentions_any(&CONTEXT_WORDS)
    }

    pub(crate) fn tells_of_credit(&self) -> bool {
        self.mentions_any(&CREDIT_WORDS)
    }

    pub(crate) fn tells_of_a_filter(&self) -> bool {
        self.mentions_any(&FILTER_WORDS)
    }

    pub(crate) fn tells_of_the_key(&self) -> bool {
        self.mentions_any(&KEY_WORDS)
    }

    pub(crate) fn mentions_any(&self, words: &[&str]) -> bool {
        let said = [&self.code, &self.kind, &self.message];
        words
            .iter()
            .any(|word| said.iter().any(|text| text.contains(word)))
    }

    /// Whether its code or its type holds this word.
    pub(crate) fn names(&self, word: &str) -> bool {
        self.code.contains(word) || self.kind.contains(word)
    }
}
