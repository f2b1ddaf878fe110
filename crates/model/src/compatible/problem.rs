//! What a server's error means.

use crate::said::Said;
use crate::{FailureKind, ModelFailure};

/// The failure that an answer with a status other than 200 stands for.
pub(super) fn refused(status: u16, body: &[u8], retry_after_seconds: Option<u64>) -> ModelFailure {
    ModelFailure {
        status: Some(status),
        retry_after_seconds,
        ..ModelFailure::new(by_status(status, &Said::in_body(body)))
    }
}

/// The failure that an error inside a 200 stands for.
pub(super) fn reported(body: &[u8]) -> ModelFailure {
    let said = Said::in_body(body);
    let status = said
        .code
        .parse()
        .ok()
        .filter(|status| (400..600).contains(status));
    let kind = status.map_or_else(|| by_words(&said), |status| by_status(status, &said));
    ModelFailure {
        status,
        ..ModelFailure::new(kind)
    }
}

fn by_status(status: u16, said: &Said) -> FailureKind {
    match status {
        402 => FailureKind::NoCredit,
        400 | 403 | 429 if said.tells_of_credit() => FailureKind::NoCredit,
        400 | 403 | 422 if said.tells_of_a_filter() => FailureKind::Filtered,
        401 => FailureKind::Authentication,
        400 | 403 if said.tells_of_the_key() => FailureKind::Authentication,
        403 => FailureKind::NotPermitted,
        404 => FailureKind::NotFound,
        429 => FailureKind::RateLimited,
        // A body that is too large can only be the conversation.
        413 => FailureKind::ContextTooLong,
        400..=599 if said.tells_of_context() => FailureKind::ContextTooLong,
        503 | 529 => FailureKind::Overloaded,
        // The server waited too long for something: worth another try, unlike the other statuses around it.
        408 | 500..=599 => FailureKind::Unavailable,
        400..=499 => FailureKind::Refused,
        // Redirects are not followed: the configured address is not the right one.
        300..=399 => FailureKind::NotFound,
        _ => FailureKind::Malformed,
    }
}

fn by_words(said: &Said) -> FailureKind {
    if said.tells_of_context() {
        FailureKind::ContextTooLong
    } else if said.tells_of_the_key() || said.names("authentication") {
        FailureKind::Authentication
    } else if said.names("permission") {
        FailureKind::NotPermitted
    } else if said.tells_of_credit() || said.names("quota") {
        FailureKind::NoCredit
    } else if said.names("rate_limit") {
        FailureKind::RateLimited
    } else if said.names("not_found") {
        FailureKind::NotFound
    } else if said.tells_of_a_filter() {
        FailureKind::Filtered
    } else if said.names("invalid_request") {
        FailureKind::Refused
    } else if said.names("overloaded") {
        FailureKind::Overloaded
    } else {
        FailureKind::Unavailable
    }
}
