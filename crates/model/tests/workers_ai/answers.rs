//! The rules by which an answer is read, and what errors mean.

use super::{answer, failed, streamed};
use flarebot_model::workers_ai::thrown;
use flarebot_model::{AnswerHead, FailureKind, ModelEvent, ToolCall};
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::Usage;
use proptest::prelude::*;
use serde_json::{Value, json};

fn stream(chunks: &[Value]) -> String {
    let events: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    events + "data: [DONE]\n\n"
}

fn texts(chunks: &[Value]) -> String {
    let mut texts = String::new();
    for event in streamed(&stream(chunks)) {
        if let ModelEvent::Text(text) = event {
            texts.push_str(&text);
        }
    }
    texts
}

#[test]
fn words_that_stand_twice_in_one_chunk_are_taken_once() {
    let both =
        |own: Value, delta: &str| json!({ "response": own, "choices": [{ "delta": { "content": delta } }] });
    assert_eq!(texts(&[both("a".into(), "a"), both("b".into(), "b")]), "ab");
    assert_eq!(texts(&[both("".into(), "a"), both(Value::Null, "b")]), "ab");
    assert_eq!(texts(&[both("a".into(), ""), both("b".into(), "other")]), "ab");
}

#[test]
fn calls_that_stand_twice_in_one_chunk_are_taken_once() {
    let events = streamed(&stream(&[json!({
        "response": null,
        "tool_calls": [{ "name": "f", "arguments": { "a": 1 } }],
        "choices": [{ "delta": { "tool_calls": [
            { "index": 0, "id": "x", "function": { "name": "f", "arguments": "{\"a\":1}" } },
        ] }, "finish_reason": "tool_calls" }],
    })]));
    let call = ToolCall {
        id: "call_1".to_owned(),
        name: "f".to_owned(),
        arguments: json!({ "a": 1 }),
    };
    assert_eq!(
        events[1..],
        [
            ModelEvent::ToolCall(call),
            ModelEvent::Finished(FinishReason::ToolCalls)
        ]
    );
}

#[test]
fn a_value_where_words_were_expected_is_told_as_json() {
    let responses = [json!("n: "), json!(42), json!(" "), json!({ "a": [true] })];
    assert_eq!(
        texts(&responses.map(|response| json!({ "response": response }))),
        r#"n: 42 {"a":[true]}"#
    );
}

#[test]
fn a_reason_outside_of_choices_counts_too() {
    for (word, reason) in [
        ("stop", FinishReason::Stop),
        ("length", FinishReason::Length),
        ("tool_calls", FinishReason::ToolCalls),
    ] {
        let events = streamed(&stream(&[json!({ "response": "a", "finish_reason": word })]));
        assert_eq!(events[1..], [ModelEvent::Finished(reason)]);
    }
}

#[test]
fn an_answer_that_was_not_streamed_is_read_too() {
    let head = AnswerHead {
        content_type: Some("application/json"),
        ..AnswerHead::STREAM
    };
    let own = json!({ "response": "Grüezi", "tool_calls": [], "usage": { "prompt_tokens": 3, "completion_tokens": 2 } });
    let expected = [
        ModelEvent::Text("Grüezi".to_owned()),
        ModelEvent::Usage(Usage {
            input_tokens: 3,
            output_tokens: 2,
            ..Usage::default()
        }),
        ModelEvent::Finished(FinishReason::Stop),
    ];
    let wrapped = json!({ "result": own, "success": true, "errors": [], "messages": [] });
    let completion = json!({
        "choices": [{ "message": { "content": "Grüezi" }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 3, "completion_tokens": 2 },
    });
    for body in [own, wrapped, completion] {
        assert_eq!(answer(head, [body.to_string().as_bytes()]), expected, "{body}");
    }
    let called = json!({ "response": null, "tool_calls": [{ "name": "f", "arguments": {} }] });
    assert_eq!(
        answer(head, [called.to_string().as_bytes()]).last(),
        Some(&ModelEvent::Finished(FinishReason::ToolCalls))
    );
    for body in ["{}", "[]", "null", "7"] {
        assert_eq!(
            answer(head, [body.as_bytes()]),
            [failed(FailureKind::Malformed)],
            "{body}"
        );
    }
}

#[test]
fn an_error_inside_a_stream_ends_the_answer() {
    for (error, kind) in [
        (
            json!({ "errors": [{ "code": 3036, "message": "x" }] }),
            FailureKind::NoCredit,
        ),
        (
            json!({ "error": { "code": 3040, "message": "x" } }),
            FailureKind::Overloaded,
        ),
        (
            json!({ "error": "AiError: 5007: No such model" }),
            FailureKind::NotFound,
        ),
        (
            json!({ "error": { "message": "exceeded this model context window limit" } }),
            FailureKind::ContextTooLong,
        ),
        (json!({ "success": false }), FailureKind::Unavailable),
    ] {
        let events = streamed(&stream(&[
            json!({ "response": "a" }),
            error.clone(),
            json!({ "response": "b" }),
        ]));
        assert_eq!(
            events,
            [ModelEvent::Text("a".to_owned()), failed(kind)],
            "{error}"
        );
    }
}

#[test]
fn what_the_binding_throws_has_a_kind() {
    for (message, kind) in [
        (
            "3036: You have used up your daily free allocation of 10,000 neurons.",
            FailureKind::NoCredit,
        ),
        (
            "4006: you have used up your daily free allocation of 10,000 neurons, please upgrade",
            FailureKind::NoCredit,
        ),
        (
            "you have used up your daily free allocation of 10,000 neurons",
            FailureKind::NoCredit,
        ),
        (
            "InferenceUpstreamError: 3040: Capacity temporarily exceeded, please try again.",
            FailureKind::Overloaded,
        ),
        ("Capacity temporarily exceeded", FailureKind::Overloaded),
        ("5007: No such model @cf/x/y or task", FailureKind::NotFound),
        ("3042: The model name is invalid", FailureKind::NotFound),
        ("AiError: This model has been deprecated", FailureKind::NotFound),
        (
            "5018: The account is not allowed to access this model",
            FailureKind::NotPermitted,
        ),
        (
            "5016: User has not agreed to Llama3.2 model terms",
            FailureKind::NotPermitted,
        ),
        ("3023: Service unavailable for account", FailureKind::NotPermitted),
        ("3006: Request is too large", FailureKind::ContextTooLong),
        (
            "5021: The estimated number of input and maximum output tokens (30000) exceeded this model context window",
            FailureKind::ContextTooLong,
        ),
        ("AiError: 5006: Error: oneOf at '/' not met", FailureKind::Refused),
        (
            "5004: Invalid data type for base64 input: number",
            FailureKind::Refused,
        ),
        ("3007: Request timeout", FailureKind::Unavailable),
        (
            "AiError: Request timeout (a613c7db-3036-4c07-4006-a5702bc99d52)",
            FailureKind::Unavailable,
        ),
        ("Too many requests", FailureKind::RateLimited),
        ("Network connection lost.", FailureKind::Unreachable),
        ("9999: something new", FailureKind::Unavailable),
        ("", FailureKind::Unavailable),
        (":::", FailureKind::Unavailable),
    ] {
        assert_eq!(thrown(message).kind, kind, "{message}");
    }
}

proptest! {
    #[test]
    fn no_message_makes_the_classification_panic(message in "(\\PC|:|[0-9]{3,5}:){0,20}") {
        let failure = thrown(&message);
        prop_assert_eq!((failure.status, failure.retry_after_seconds), (None, None));
    }
}
