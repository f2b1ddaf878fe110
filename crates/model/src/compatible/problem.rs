//! What a server's error means. Servers agree on little: the error is an object under `error`, a bare text there, the
//! whole body, or the first of a list, and its code is a number, a number in a text, or a word. The provider's words
//! are searched here and go no further.

use crate::{FailureKind, ModelFailure};
use serde_json::Value;

/// How servers say that the conversation does not fit, in codes, types and messages.
const CONTEXT_WORDS: [&str; 7] = [
    "context_length",
    "context length",
    "context_size",
    "context size",
    "context window",
    "prompt is too long",
    "input is too long",
];

/// The failure that an answer with a status other than 200 stands for.
pub(super) fn refused(status: u16, body: &[u8], retry_after_seconds: Option<u64>) -> ModelFailure {
    ModelFailure {
        kind: by_status(status, &Words::of(body)),
        status: Some(status),
        retry_after_seconds,
    }
}

/// The failure that an error inside a 200 stands for.
pub(super) fn reported(body: &[u8]) -> ModelFailure {
    let words = Words::of(body);
    let status = words
        .code
        .parse()
        .ok()
        .filter(|status| (400..600).contains(status));
    ModelFailure {
        kind: status.map_or_else(|| by_words(&words), |status| by_status(status, &words)),
        status,
        retry_after_seconds: None,
    }
}

/// What an error says of itself, in lower case.
struct Words {
    code: String,
    kind: String,
    message: String,
}

impl Words {
    /// A body that is no JSON says nothing.
    fn of(body: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let body = body.get(0).unwrap_or(&body);
        let error = body.get("error").unwrap_or(body);
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

    fn tell_of_context(&self) -> bool {
        let said = [&self.code, &self.kind, &self.message];
        CONTEXT_WORDS
            .iter()
            .any(|words| said.iter().any(|text| text.contains(words)))
    }

    fn name(&self, words: &str) -> bool {
        self.code.contains(words) || self.kind.contains(words)
    }
}

fn by_status(status: u16, words: &Words) -> FailureKind {
    match status {
        401 | 403 => FailureKind::Authentication,
        404 => FailureKind::NotFound,
        429 => FailureKind::RateLimited,
        // A body that is too large can only be the conversation.
        413 => FailureKind::ContextTooLong,
        400..=599 if words.tell_of_context() => FailureKind::ContextTooLong,
        // The server waited too long for something: worth another try, unlike the other statuses around it.
        408 | 500..=599 => FailureKind::Unavailable,
        400..=499 => FailureKind::Refused,
        // Redirects are not followed: the configured address is not the right one.
        300..=399 => FailureKind::NotFound,
        _ => FailureKind::Malformed,
    }
}

fn by_words(words: &Words) -> FailureKind {
    if words.tell_of_context() {
        FailureKind::ContextTooLong
    } else if words.name("api_key") || words.name("authentication") || words.name("permission") {
        FailureKind::Authentication
    } else if words.name("rate_limit") || words.name("quota") {
        FailureKind::RateLimited
    } else if words.name("not_found") {
        FailureKind::NotFound
    } else if words.name("invalid_request") {
        FailureKind::Refused
    } else {
        FailureKind::Unavailable
    }
}
