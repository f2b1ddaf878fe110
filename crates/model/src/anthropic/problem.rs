//! What an error of Anthropic's means. Its type is named in the body; the status alone counts where a proxy answered.

use crate::said::Said;
use crate::{FailureKind, ModelFailure};

/// The failure that an answer with a status other than 200 stands for.
pub(super) fn refused(status: u16, body: &[u8], retry_after_seconds: Option<u64>) -> ModelFailure {
    let said = Said::in_body(body);
    ModelFailure {
        status: Some(status),
        retry_after_seconds,
        ..ModelFailure::new(by_type(&said).unwrap_or_else(|| by_status(status)))
    }
}

/// The failure that an error inside a 200 stands for.
pub(super) fn reported(body: &[u8]) -> ModelFailure {
    ModelFailure::new(by_type(&Said::in_body(body)).unwrap_or(FailureKind::Unavailable))
}

fn by_type(said: &Said) -> Option<FailureKind> {
    Some(match said.kind.as_str() {
        "authentication_error" => FailureKind::Authentication,
        "permission_error" if said.tells_of_credit() => FailureKind::NoCredit,
        "permission_error" => FailureKind::NotPermitted,
        "billing_error" => FailureKind::NoCredit,
        "not_found_error" => FailureKind::NotFound,
        "rate_limit_error" => FailureKind::RateLimited,
        "overloaded_error" => FailureKind::Overloaded,
        "request_too_large" => FailureKind::ContextTooLong,
        "api_error" | "timeout_error" => FailureKind::Unavailable,
        // The provider has no types of their own for these.
        "invalid_request_error" if said.tells_of_credit() => FailureKind::NoCredit,
        "invalid_request_error" if said.tells_of_context() => FailureKind::ContextTooLong,
        "invalid_request_error" if said.tells_of_a_filter() => FailureKind::Filtered,
        "invalid_request_error" => FailureKind::Refused,
        _ => return None,
    })
}

const fn by_status(status: u16) -> FailureKind {
    match status {
        401 => FailureKind::Authentication,
        402 => FailureKind::NoCredit,
        403 => FailureKind::NotPermitted,
        404 => FailureKind::NotFound,
        413 => FailureKind::ContextTooLong,
        429 => FailureKind::RateLimited,
        529 => FailureKind::Overloaded,
        408 | 500..=599 => FailureKind::Unavailable,
        400..=499 => FailureKind::Refused,
        300..=399 => FailureKind::NotAnAnswer,
        _ => FailureKind::Malformed,
    }
}
