//! The rules by which a message is read, one by one.

use super::{MODEL, answer, failed, streamed};
use flarebot_model::{
    AnswerHead, FailureKind, MAXIMUM_THOUGHT_BYTES, ModelEvent, ModelFailure, Thought, ThoughtContent,
    ToolCall,
};
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::Usage;
use serde_json::{Value, json};

fn stream(events: &[Value]) -> String {
    let event = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    events.iter().map(event).collect()
}

fn begin(index: u64, block: Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

fn delta(index: u64, delta: Value) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

fn stop(index: u64) -> Value {
    json!({ "type": "content_block_stop", "index": index })
}

fn end(reason: &str) -> Value {
    json!({ "type": "message_delta", "delta": { "stop_reason": reason } })
}

#[test]
fn stop_reasons_are_named() {
    for (word, reason) in [
        ("end_turn", FinishReason::Stop),
        ("stop_sequence", FinishReason::Stop),
        ("tool_use", FinishReason::ToolCalls),
        ("max_tokens", FinishReason::Length),
        ("model_context_window_exceeded", FinishReason::Length),
        ("refusal", FinishReason::ContentFilter),
        ("pause_turn", FinishReason::Other),
        ("sunset", FinishReason::Other),
    ] {
        assert_eq!(
            streamed(&stream(&[end(word)])),
            [ModelEvent::Finished(reason)],
            "{word}"
        );
    }
}

#[test]
fn a_call_without_input_has_an_empty_object() {
    let call = |id: &str, arguments: Value| {
        ModelEvent::ToolCall(ToolCall {
            id: id.to_owned(),
            name: "f".to_owned(),
            arguments,
        })
    };
    let used = |id: &str, input: Value| json!({ "type": "tool_use", "id": id, "name": "f", "input": input });
    let text = |text: &str| json!({ "type": "input_json_delta", "partial_json": text });
    let events = streamed(&stream(&[
        begin(0, used("a", json!({}))),
        stop(0),
        begin(1, used("b", json!({}))),
        delta(1, text("")),
        stop(1),
        begin(2, used("c", json!({ "at": "once" }))),
        stop(2),
        end("tool_use"),
    ]));
    assert_eq!(
        events[events.len() - 4..],
        [
            call("a", json!({})),
            call("b", json!({})),
            call("c", json!({ "at": "once" })),
            ModelEvent::Finished(FinishReason::ToolCalls)
        ]
    );
}

#[test]
fn a_thought_is_handed_over_whole_with_its_place() {
    let events = streamed(&stream(&[
        begin(0, json!({ "type": "text", "text": "Grüezi" })),
        stop(0),
        begin(
            1,
            json!({ "type": "thinking", "thinking": "h", "signature": "s" }),
        ),
        delta(1, json!({ "type": "thinking_delta", "thinking": "m" })),
        delta(1, json!({ "type": "signature_delta", "signature": "ig" })),
        stop(1),
        end("end_turn"),
    ]));
    assert_eq!(
        events,
        [
            ModelEvent::Text("Grüezi".to_owned()),
            ModelEvent::Reasoning("h".to_owned()),
            ModelEvent::Reasoning("m".to_owned()),
            ModelEvent::Thought(Thought {
                model: MODEL.to_owned(),
                content: ThoughtContent::Thinking {
                    text: "hm".to_owned(),
                    signature: "sig".to_owned(),
                },
                text_before: "Grüezi".len(),
                calls_before: 0,
            }),
            ModelEvent::Finished(FinishReason::Stop)
        ]
    );
}

#[test]
fn a_thought_that_breaks_off_is_not_handed_over() {
    let events = streamed(&stream(&[
        begin(0, json!({ "type": "thinking", "thinking": "", "signature": "" })),
        delta(0, json!({ "type": "thinking_delta", "thinking": "hm" })),
    ]));
    assert_eq!(
        events,
        [
            ModelEvent::Reasoning("hm".to_owned()),
            failed(FailureKind::Truncated)
        ]
    );
}

#[test]
fn endless_thinking_ends_the_answer() {
    let piece = delta(
        0,
        json!({ "type": "thinking_delta", "thinking": "x".repeat(64 * 1024) }),
    );
    let mut events = vec![begin(
        0,
        json!({ "type": "thinking", "thinking": "", "signature": "" }),
    )];
    events.extend(vec![piece; MAXIMUM_THOUGHT_BYTES / (64 * 1024) + 1]);
    assert_eq!(
        streamed(&stream(&events)).last(),
        Some(&failed(FailureKind::TooLong))
    );
}

#[test]
fn cached_tokens_are_counted_into_the_prompt() {
    let message = json!({ "usage": {
        "input_tokens": 10, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 1000, "output_tokens": 1,
    } });
    let ending = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 7 } });
    let events = streamed(&stream(&[
        json!({ "type": "message_start", "message": message }),
        ending,
    ]));
    let usage = Usage {
        input_tokens: 1110,
        output_tokens: 7,
        cache_read_tokens: 1000,
        cache_write_tokens: 100,
    };
    assert_eq!(
        events,
        [ModelEvent::Usage(usage), ModelEvent::Finished(FinishReason::Stop)]
    );
}

#[test]
fn strange_counts_are_none_and_break_nothing() {
    for usage in [
        json!(null),
        json!([]),
        json!({ "input_tokens": -1, "output_tokens": "many" }),
    ] {
        let start = json!({ "type": "message_start", "message": { "usage": usage } });
        let ending =
            json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": usage });
        assert_eq!(
            streamed(&stream(&[start, ending])),
            [ModelEvent::Finished(FinishReason::Stop)],
            "{usage}"
        );
    }
}

#[test]
fn after_the_stop_reason_only_tokens_count() {
    let counted =
        json!({ "type": "message_delta", "delta": {}, "usage": { "input_tokens": 1, "output_tokens": 2 } });
    let late = [
        end("end_turn"),
        begin(0, json!({ "type": "text", "text": "late" })),
        json!({ "type": "error", "error": { "type": "api_error" } }),
        counted,
    ];
    let usage = Usage {
        input_tokens: 1,
        output_tokens: 2,
        ..Usage::default()
    };
    assert_eq!(
        streamed(&(stream(&late) + "data: [DONE]\n\n")),
        [ModelEvent::Usage(usage), ModelEvent::Finished(FinishReason::Stop)]
    );
}

#[test]
fn an_error_inside_a_200_ends_the_answer() {
    for (kind, expected) in [
        ("overloaded_error", FailureKind::Overloaded),
        ("api_error", FailureKind::Unavailable),
        ("rate_limit_error", FailureKind::RateLimited),
        ("authentication_error", FailureKind::Authentication),
        ("brand_new_error", FailureKind::Unavailable),
    ] {
        let error = json!({ "type": "error", "error": { "type": kind, "message": "secret" } });
        let begun = begin(0, json!({ "type": "text", "text": "a" }));
        let events = streamed(&stream(&[begun, error.clone(), end("end_turn")]));
        assert_eq!(events, [ModelEvent::Text("a".to_owned()), failed(expected)]);
        assert_eq!(streamed(&error.to_string()), [failed(expected)]);
    }
}

#[test]
fn an_event_that_cannot_be_read_ends_the_answer() {
    for data in ["{", "[]", r#"{"type":"content_block_delta","index":0}"#] {
        let text = stream(&[begin(0, json!({ "type": "text", "text": "a" }))]) + &format!("data: {data}\n\n");
        assert_eq!(
            streamed(&text),
            [ModelEvent::Text("a".to_owned()), failed(FailureKind::Malformed)],
            "{data}"
        );
    }
}

#[test]
fn a_message_that_is_not_streamed_is_read_too() {
    let body = json!({
        "type": "message", "role": "assistant", "model": "x", "stop_reason": "tool_use",
        "content": [
            { "type": "thinking", "thinking": "hm", "signature": "s" },
            { "type": "text", "text": "Let me see." },
            { "type": "tool_use", "id": "x", "name": "f", "input": { "a": 1 } },
        ],
        "usage": { "input_tokens": 3, "output_tokens": 2 },
    })
    .to_string();
    let head = AnswerHead {
        content_type: Some("application/json"),
        ..AnswerHead::STREAM
    };
    let events = answer(head, [body.as_bytes()]);
    assert!(matches!(
        events.as_slice(),
        [
            ModelEvent::Reasoning(_),
            ModelEvent::Thought(_),
            ModelEvent::Text(_),
            ModelEvent::ToolCallStarted { .. },
            ModelEvent::ToolCall(ToolCall { arguments, .. }),
            ModelEvent::Usage(_),
            ModelEvent::Finished(FinishReason::ToolCalls),
        ] if arguments == &json!({ "a": 1 })
    ));
    for cut in 0..body.len() {
        assert_eq!(
            answer(head, [&body.as_bytes()[..cut]]),
            [failed(FailureKind::Truncated)],
            "{cut}"
        );
    }
    for body in [
        "{}",
        "[]",
        "null",
        r#"{"type":"completion"}"#,
        r#"{"type":"message","content":1}"#,
    ] {
        assert_eq!(
            answer(head, [body.as_bytes()]),
            [failed(FailureKind::Malformed)],
            "{body}"
        );
    }
}

#[test]
fn the_wait_that_is_asked_for_is_kept() {
    let head = AnswerHead {
        status: 429,
        content_type: Some("application/json"),
        retry_after: Some("17"),
    };
    let body = br#"{"type":"error","error":{"type":"rate_limit_error","message":"x"},"request_id":"req_1"}"#;
    let expected = ModelFailure {
        status: Some(429),
        retry_after_seconds: Some(17),
        ..ModelFailure::new(FailureKind::RateLimited)
    };
    assert_eq!(answer(head, [body.as_slice()]), [ModelEvent::Failed(expected)]);
}
