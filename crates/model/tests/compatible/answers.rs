//! The rules by which an answer is read, one by one.

use super::{STOP, answer, document, events_of, failed, piece, streamed, text};
use flarebot_model::compatible::Decoder;
use flarebot_model::{FailureKind, ModelEvent};
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::Usage;
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn nothing_is_finished_before_the_stream_says_so() {
    let mut decoder = Decoder::new(200, Some("text/event-stream"), None);
    assert_eq!(
        decoder.push(events_of(&[&piece("a"), STOP]).as_bytes()),
        [text("a")]
    );
    assert_eq!(
        decoder.push(b"data: [DONE]\n\n"),
        [ModelEvent::Finished(FinishReason::Stop)]
    );
    assert_eq!(decoder.push(events_of(&[&piece("b")]).as_bytes()), []);
    assert_eq!(decoder.end(), []);
    assert_eq!(decoder.end(), []);
}

#[test]
fn a_finish_reason_or_the_done_mark_is_enough() {
    let finished = |reason| vec![text("a"), ModelEvent::Finished(reason)];
    assert_eq!(
        streamed(&events_of(&[&piece("a"), STOP])),
        finished(FinishReason::Stop)
    );
    assert_eq!(
        streamed(&events_of(&[&piece("a"), "[DONE]"])),
        finished(FinishReason::Other)
    );
    assert_eq!(
        streamed(&events_of(&[&piece("a")])),
        [text("a"), failed(FailureKind::Truncated)]
    );
    assert_eq!(streamed(""), [failed(FailureKind::Truncated)]);
    assert_eq!(streamed("\r\n\n"), [failed(FailureKind::Truncated)]);
}

#[test]
fn finish_reasons_are_named() {
    for (word, reason) in [
        ("stop", FinishReason::Stop),
        ("length", FinishReason::Length),
        ("tool_calls", FinishReason::ToolCalls),
        ("function_call", FinishReason::ToolCalls),
        ("content_filter", FinishReason::ContentFilter),
        ("eos_token", FinishReason::Other),
    ] {
        let last = format!(r#"{{"choices":[{{"delta":{{"content":"a"}},"finish_reason":"{word}"}}]}}"#);
        assert_eq!(
            streamed(&events_of(&[&last, "[DONE]"])),
            [text("a"), ModelEvent::Finished(reason)]
        );
    }
}

#[test]
fn an_empty_finish_reason_is_none() {
    let running = r#"{"choices":[{"delta":{"content":"a"},"finish_reason":""}]}"#;
    assert_eq!(
        streamed(&events_of(&[running])),
        [text("a"), failed(FailureKind::Truncated)]
    );
}

#[test]
fn after_the_finish_reason_only_tokens_count() {
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#;
    let late = [
        &piece("a"),
        STOP,
        &piece("b"),
        r#"{"error":{"message":"late"}}"#,
        "{",
        usage,
        "[DONE]",
    ];
    assert_eq!(
        streamed(&events_of(&late)),
        [
            text("a"),
            ModelEvent::Usage(Usage {
                input_tokens: 3,
                output_tokens: 2,
                ..Usage::default()
            }),
            ModelEvent::Finished(FinishReason::Stop)
        ]
    );
}

#[test]
fn the_last_count_of_tokens_wins_and_strange_ones_are_ignored() {
    let counted = |usage: &str| format!(r#"{{"choices":[{{"delta":{{"content":"a"}}}}],"usage":{usage}}}"#);
    let stream = [
        counted(r#"{"prompt_tokens":3,"completion_tokens":1}"#),
        counted(r#"{"prompt_tokens":3,"completion_tokens":2}"#),
        counted(r#"{"prompt_tokens":-1,"completion_tokens":"many"}"#),
        counted("null"),
        counted("[]"),
    ];
    let events = streamed(&events_of(&stream.each_ref().map(String::as_str)));
    assert_eq!(
        events[events.len() - 2..],
        [
            ModelEvent::Usage(Usage {
                input_tokens: 3,
                output_tokens: 2,
                ..Usage::default()
            }),
            failed(FailureKind::Truncated)
        ]
    );
}

#[test]
fn reasoning_that_is_sent_under_both_names_is_taken_once() {
    let both = r#"{"choices":[{"delta":{"content":"b","reasoning":"a","reasoning_content":"a"}}]}"#;
    assert_eq!(
        streamed(&events_of(&[both, STOP])),
        [
            ModelEvent::Reasoning("a".to_owned()),
            text("b"),
            ModelEvent::Finished(FinishReason::Stop)
        ]
    );
}

#[test]
fn reasoning_is_found_under_the_names_of_the_common_servers() {
    let thinking = json!([{ "type": "thinking", "thinking": [{ "type": "text", "text": "a" }] }]);
    for delta in [
        json!({ "reasoning_content": "a" }),
        json!({ "reasoning": "a", "reasoning_details": [{ "text": "a" }] }),
        json!({ "reasoning_text": "a" }),
        json!({ "content": thinking }),
        json!({ "content": [{ "type": "thinking", "thinking": "a" }] }),
    ] {
        let event = json!({ "choices": [{ "delta": delta }] }).to_string();
        assert_eq!(
            streamed(&events_of(&[&event, STOP])),
            [
                ModelEvent::Reasoning("a".to_owned()),
                ModelEvent::Finished(FinishReason::Stop)
            ],
            "{event}"
        );
    }
}

#[test]
fn text_is_found_in_lists_of_parts_and_other_forms_say_nothing() {
    let said = |content: Value| {
        let event = json!({ "choices": [{ "delta": { "content": content, "reasoning": { "effort": 1 } } }] });
        streamed(&events_of(&[&event.to_string(), STOP]))
    };
    let parts =
        json!([{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }, 7, { "type": "image" }]);
    assert_eq!(
        said(parts),
        [text("ab"), ModelEvent::Finished(FinishReason::Stop)]
    );
    for strange in [json!(7), json!({}), json!(null), json!([])] {
        assert_eq!(said(strange), [ModelEvent::Finished(FinishReason::Stop)]);
    }
}

#[test]
fn cached_tokens_are_counted_apart() {
    for usage in [
        r#"{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":7}}"#,
        r#"{"prompt_tokens":9,"completion_tokens":2,"prompt_cache_hit_tokens":7,"prompt_cache_miss_tokens":2}"#,
    ] {
        let event = format!(r#"{{"choices":[],"usage":{usage}}}"#);
        let counted = ModelEvent::Usage(Usage {
            input_tokens: 9,
            output_tokens: 2,
            cache_read_tokens: 7,
            cache_write_tokens: 0,
        });
        assert_eq!(
            streamed(&events_of(&[STOP, &event])),
            [counted, ModelEvent::Finished(FinishReason::Stop)]
        );
    }
}

#[test]
fn a_server_that_does_not_stream_is_read_too() {
    let body = r#"{"id":"x","object":"chat.completion","error":null,"choices":[{"index":0,"message":{"role":"assistant",
        "content":"Grüezi","reasoning_content":"hm"},"finish_reason":"stop"}],
        "usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}"#;
    let expected = [
        ModelEvent::Reasoning("hm".to_owned()),
        text("Grüezi"),
        ModelEvent::Usage(Usage {
            input_tokens: 3,
            output_tokens: 2,
            ..Usage::default()
        }),
        ModelEvent::Finished(FinishReason::Stop),
    ];
    assert_eq!(document(body), expected);
    assert_eq!(streamed(body), expected);
    for cut in 0..body.len() {
        let decoder = Decoder::new(200, Some("application/json"), None);
        let events = answer(decoder, [&body.as_bytes()[..cut]]);
        assert_eq!(events, [failed(FailureKind::Truncated)], "cut at {cut}");
    }
}

proptest! {
    #[test]
    fn text_arrives_whole_however_it_is_cut_into_deltas(texts in prop::collection::vec("\\PC{0,8}", 0..12)) {
        let mut data: Vec<String> = texts.iter().map(|text| piece(text)).collect();
        data.push(STOP.to_owned());
        let events = streamed(&data.iter().map(|data| events_of(&[data])).collect::<String>());
        let mut received = String::new();
        for event in &events {
            if let ModelEvent::Text(text) = event {
                received.push_str(text);
            }
        }
        prop_assert_eq!(received, texts.concat());
        prop_assert_eq!(events.last(), Some(&ModelEvent::Finished(FinishReason::Stop)));
    }
}
