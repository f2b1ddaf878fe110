//! Refusals, errors inside an answer, and answers that nobody can read.

use super::{STOP, answer, document, events_of, failed, piece, streamed, text};
use flarebot_model::compatible::Decoder;
use flarebot_model::{FailureKind, ModelEvent, ModelFailure};
use flarebot_protocol::chunk::FinishReason;

fn refused(status: u16, body: &str) -> ModelFailure {
    match answer(
        Decoder::new(status, Some("application/json"), None),
        [body.as_bytes()],
    )
    .as_slice()
    {
        [ModelEvent::Failed(failure)] => *failure,
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn three_malformed_events_are_skipped_and_a_fourth_ends_the_answer() {
    let stream = |count: usize| {
        let mut data = vec![piece("a")];
        data.extend(std::iter::repeat_n(r#"{"choices":[{"delta":"#.to_owned(), count));
        data.extend([piece("b"), STOP.to_owned()]);
        streamed(&data.iter().map(|data| events_of(&[data])).collect::<String>())
    };
    for count in 0..=3 {
        assert_eq!(
            stream(count),
            [text("a"), text("b"), ModelEvent::Finished(FinishReason::Stop)]
        );
    }
    assert_eq!(stream(4), [text("a"), failed(FailureKind::Malformed)]);
}

#[test]
fn an_error_inside_a_stream_ends_the_answer() {
    for (error, kind, status) in [
        (
            r#"{"error":{"message":"boom","type":"server_error"}}"#,
            FailureKind::Unavailable,
            None,
        ),
        (
            r#"{"error":"model runner has stopped"}"#,
            FailureKind::Unavailable,
            None,
        ),
        (
            r#"{"error":{"code":429,"message":"slow down"}}"#,
            FailureKind::RateLimited,
            Some(429),
        ),
        (
            r#"{"error":{"code":"503","message":"busy"}}"#,
            FailureKind::Overloaded,
            Some(503),
        ),
        (
            r#"{"error":{"code":"rate_limit_exceeded"}}"#,
            FailureKind::RateLimited,
            None,
        ),
        (
            r#"{"error":{"code":"insufficient_quota"}}"#,
            FailureKind::NoCredit,
            None,
        ),
        (
            r#"{"error":{"code":"invalid_api_key"}}"#,
            FailureKind::Authentication,
            None,
        ),
        (
            r#"{"error":{"code":"model_not_found"}}"#,
            FailureKind::NotFound,
            None,
        ),
        (
            r#"{"error":{"type":"invalid_request_error"}}"#,
            FailureKind::Refused,
            None,
        ),
        (
            r#"{"error":{"code":400,"type":"exceed_context_size_error"}}"#,
            FailureKind::ContextTooLong,
            Some(400),
        ),
        (
            r#"{"object":"error","message":"maximum context length is 4096","code":400}"#,
            FailureKind::ContextTooLong,
            Some(400),
        ),
    ] {
        let expected = ModelFailure {
            status,
            ..ModelFailure::new(kind)
        };
        assert_eq!(
            streamed(&events_of(&[&piece("a"), error, &piece("b"), "[DONE]"])),
            [text("a"), ModelEvent::Failed(expected)],
            "{error}"
        );
        assert_eq!(document(error), [ModelEvent::Failed(expected)], "{error}");
        assert_eq!(streamed(error), [ModelEvent::Failed(expected)], "{error}");
    }
}

#[test]
fn an_event_named_error_ends_the_answer_whatever_it_holds() {
    for data in ["boom", r#"{"message":"boom"}"#] {
        let stream = format!("{}event: error\ndata: {data}\n\n", events_of(&[&piece("a")]));
        assert_eq!(streamed(&stream), [text("a"), failed(FailureKind::Unavailable)]);
    }
}

#[test]
fn a_document_without_an_answer_is_malformed() {
    for body in [
        "{}",
        "[]",
        "null",
        "true",
        r#"{"choices":[]}"#,
        r#"{"choices":[{"finish_reason":"stop"}]}"#,
        "not json",
    ] {
        assert_eq!(document(body), [failed(FailureKind::Malformed)], "{body}");
    }
    assert_eq!(
        streamed("\n<!doctype html><title>Sign in</title>"),
        [failed(FailureKind::NotAnAnswer)]
    );
}

#[test]
fn a_status_other_than_200_is_a_failure_of_its_kind() {
    let context =
        r#"{"error":{"message":"This model's maximum context length is 4096 tokens.","code":null}}"#;
    for (status, body, kind) in [
        (400, "", FailureKind::Refused),
        (
            400,
            r#"{"error":{"code":"context_length_exceeded"}}"#,
            FailureKind::ContextTooLong,
        ),
        (400, context, FailureKind::ContextTooLong),
        (422, context, FailureKind::ContextTooLong),
        (500, context, FailureKind::ContextTooLong),
        (401, r#"{"error":"context length"}"#, FailureKind::Authentication),
        (403, "<html>", FailureKind::NotPermitted),
        (402, "{}", FailureKind::NoCredit),
        (
            404,
            r#"{"error":{"message":"model 'x' not found"}}"#,
            FailureKind::NotFound,
        ),
        (307, "", FailureKind::NotFound),
        (408, "", FailureKind::Unavailable),
        (413, "<html>", FailureKind::ContextTooLong),
        (429, "[]", FailureKind::RateLimited),
        (500, "null", FailureKind::Unavailable),
        (503, r#"[{"error":{"code":503}}]"#, FailureKind::Overloaded),
        (529, "", FailureKind::Overloaded),
        (204, "", FailureKind::Malformed),
    ] {
        let failure = refused(status, body);
        assert_eq!(
            (failure.kind, failure.status),
            (kind, Some(status)),
            "{status} {body}"
        );
    }
}

#[test]
fn the_wait_that_a_provider_asks_for_is_kept() {
    for (header, seconds) in [
        (Some("30"), Some(30)),
        (Some(" 0 "), Some(0)),
        (Some("Wed, 21 Oct 2026 07:28:00 GMT"), None),
        (Some("-1"), None),
        (None, None),
    ] {
        let events = answer(Decoder::new(429, None, header), []);
        let expected = ModelFailure {
            status: Some(429),
            retry_after_seconds: seconds,
            ..ModelFailure::new(FailureKind::RateLimited)
        };
        assert_eq!(events, [ModelEvent::Failed(expected)]);
    }
}

#[test]
fn an_endless_error_takes_no_more_room_than_its_bound() {
    let mut decoder = Decoder::new(500, None, None);
    for _ in 0..100 {
        assert_eq!(decoder.push(&[b'x'; 4096]), []);
    }
    assert!(matches!(decoder.end().as_slice(), [ModelEvent::Failed(_)]));
}

#[test]
fn a_single_event_or_document_larger_than_the_bound_is_refused() {
    let endless = "x".repeat(3 * 1024 * 1024);
    assert_eq!(document(&endless), [failed(FailureKind::TooLong)]);
    assert_eq!(streamed(&endless), [failed(FailureKind::TooLong)]);
}
