//! What an error of Workers AI means. The binding throws a text that begins with a number, sometimes behind the name of
//! an error; its numbers are documented, its words are not.

use crate::said::Said;
use crate::{FailureKind, ModelFailure};
use serde_json::Value;

/// The failure that the message of a thrown error stands for. A message without a known number is judged by its words,
/// and one that says nothing is a problem of the provider's.
#[must_use]
pub fn thrown(message: &str) -> ModelFailure {
    // Only a number before a colon: the id of a request may hold any digits.
    let known = message.match_indices(':').find_map(|(end, _)| {
        let before = message.get(..end)?.trim_end();
        let start = before.trim_end_matches(|character: char| character.is_ascii_digit());
        by_number(before.get(start.len()..)?.parse().ok()?)
    });
    ModelFailure::new(known.unwrap_or_else(|| by_words(&Said::text(message))))
}

/// The failure that an error inside a stream, or instead of an answer, stands for.
pub(super) fn reported(error: &Value) -> ModelFailure {
    let first = error.get("errors").and_then(|errors| errors.get(0));
    let said = Said::of(first.unwrap_or(error));
    let number = said.code.parse().ok();
    match number.and_then(by_number) {
        Some(kind) => ModelFailure::new(kind),
        None => thrown(&said.message),
    }
}

/// See <https://developers.cloudflare.com/workers-ai/platform/errors/>. 4006, 5006, 5021 and
/// 10000 are not in that list, but they are thrown.
const fn by_number(number: u32) -> Option<FailureKind> {
    Some(match number {
        3036 | 4006 => FailureKind::NoCredit,
        3040 => FailureKind::Overloaded,
        10_000 => FailureKind::Authentication,
        5007 | 3042 => FailureKind::NotFound,
        5016 | 5018 | 3023 | 3041 => FailureKind::NotPermitted,
        3006 | 5021 => FailureKind::ContextTooLong,
        3003 | 5004 | 5005 | 5006 | 5019 | 3039 => FailureKind::Refused,
        3007 | 3008 => FailureKind::Unavailable,
        _ => return None,
    })
}

fn by_words(said: &Said) -> FailureKind {
    if said.tells_of_context() {
        FailureKind::ContextTooLong
    } else if said.tells_of_credit() {
        FailureKind::NoCredit
    } else if said.mentions_any(&["capacity", "overloaded"]) {
        FailureKind::Overloaded
    } else if said.mentions_any(&["rate limit", "too many requests"]) {
        FailureKind::RateLimited
    } else if said.mentions_any(&["no such model", "model not found", "deprecated"]) {
        FailureKind::NotFound
    } else if said.mentions_any(&["unauthorized", "authentication"]) {
        FailureKind::Authentication
    } else if said.mentions_any(&["not allowed", "agree", "forbidden"]) {
        FailureKind::NotPermitted
    } else if said.tells_of_a_filter() {
        FailureKind::Filtered
    } else if said.mentions_any(&["network connection lost"]) {
        FailureKind::Unreachable
    } else if said.mentions_any(&["invalid", "required propert", "oneof"]) {
        FailureKind::Refused
    } else {
        FailureKind::Unavailable
    }
}
