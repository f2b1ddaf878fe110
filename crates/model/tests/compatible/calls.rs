//! How the calls of tools are read, from whole ones and from pieces.

use super::{STOP, document, events_of, failed, piece, streamed, text};
use flarebot_model::compatible::Decoder;
use flarebot_model::{FailureKind, ModelEvent, ToolCall};
use flarebot_protocol::chunk::FinishReason;
use serde_json::{Value, json};

const FINISHED: ModelEvent = ModelEvent::Finished(FinishReason::ToolCalls);

/// One event of a stream with these pieces of calls.
fn pieces(pieces: Value) -> String {
    json!({ "choices": [{ "delta": { "tool_calls": pieces }, "finish_reason": null }] }).to_string()
}

/// A stream with one event for each list of pieces.
pub(super) fn stream(events: &[Value]) -> String {
    events
        .iter()
        .map(|event| events_of(&[&pieces(event.clone())]))
        .collect()
}

pub(super) fn started(id: &str, name: &str) -> ModelEvent {
    ModelEvent::ToolCallStarted {
        id: id.to_owned(),
        name: name.to_owned(),
    }
}

fn call(id: &str, name: &str, arguments: Value) -> ModelEvent {
    ModelEvent::ToolCall(ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments,
    })
}

/// What a complete answer with these calls becomes.
pub(super) fn complete(calls: &[(&str, &str, Value)]) -> Vec<ModelEvent> {
    let started = calls.iter().map(|(id, name, _)| started(id, name));
    let called = calls
        .iter()
        .map(|(id, name, arguments)| call(id, name, arguments.clone()));
    started.chain(called).chain([FINISHED]).collect()
}

/// The arguments that a tool gets when a server sends these.
fn read(arguments: &Value) -> Value {
    let event = json!([{ "index": 0, "id": "a", "function": { "name": "f", "arguments": arguments } }]);
    match streamed(&(stream(&[event]) + &events_of(&[STOP]))).as_slice() {
        [_, ModelEvent::ToolCall(call), FINISHED] => call.arguments.clone(),
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn pieces_are_joined_however_a_server_marks_them() {
    let a = || json!({ "a": 1 });
    let two_calls = || complete(&[("x", "f", a()), ("y", "g", json!({}))]);
    let numbered = || complete(&[("call_1", "f", a()), ("call_2", "g", json!({}))]);
    let f = |arguments: &str| json!({ "name": "f", "arguments": arguments });
    let g = |arguments: &str| json!({ "name": "g", "arguments": arguments });
    let more = |arguments: &str| json!({ "arguments": arguments });
    for (what, events, expected) in [
        (
            "indexes and ids",
            vec![
                json!([{ "index": 0, "id": "x", "function": f("") }]),
                json!([{ "index": 0, "function": more("{\"a\"") }]),
                json!([{ "index": 0, "function": more(":1}") }]),
                json!([{ "index": 1, "id": "y", "function": g("") }]),
                json!([{ "index": 1, "function": more("{}") }]),
            ],
            two_calls(),
        ),
        (
            "pieces of two calls in turns and in one event",
            vec![
                json!([{ "index": 0, "id": "x", "function": f("{") }, { "index": 1, "id": "y", "function": g("{") }]),
                json!([{ "index": 1, "function": more("}") }, { "index": 0, "function": more("\"a\":1}") }]),
            ],
            two_calls(),
        ),
        (
            "indexes that begin elsewhere and leave numbers out",
            vec![
                json!([{ "index": 7, "id": "x", "function": f("{\"a\":1}") }]),
                json!([{ "index": 3, "id": "y", "function": g("{}") }]),
            ],
            two_calls(),
        ),
        (
            "one index for all",
            vec![
                json!([{ "index": 0, "id": "x", "function": f("{\"a\"") }]),
                json!([{ "index": 0, "id": "x", "function": more(":1}") }]),
                json!([{ "index": 0, "id": "y", "function": g("") }]),
            ],
            two_calls(),
        ),
        (
            "no index, one event a call",
            vec![
                json!([{ "id": "x", "function": f("{\"a\":1}") }]),
                json!([{ "id": "y", "function": g("{}") }]),
            ],
            two_calls(),
        ),
        (
            "no index, one event for all",
            vec![json!([{ "id": "x", "function": f("{\"a\":1}") }, { "id": "y", "function": g("{}") }])],
            two_calls(),
        ),
        (
            "neither index nor id",
            vec![
                json!([{ "function": f("{\"a\":1}") }]),
                json!([{ "id": "", "function": g("{}") }]),
            ],
            numbered(),
        ),
        (
            "an index and no id",
            vec![
                json!([{ "index": 0, "id": null, "function": f("{\"a\":1}") }]),
                json!([{ "index": 1, "function": g("{}") }]),
            ],
            numbered(),
        ),
        (
            "the same id twice",
            vec![json!([
                { "index": 0, "id": "f", "function": f("{\"a\":1}") },
                { "index": 1, "id": "f", "function": f("{}") },
            ])],
            complete(&[("f", "f", a()), ("call_2", "f", json!({}))]),
        ),
        (
            "a missing id beside one that looks like ours",
            vec![json!([
                { "index": 0, "function": f("{\"a\":1}") },
                { "index": 1, "id": "call_2", "function": f("") },
                { "index": 2, "function": g("") },
                { "index": 3, "id": "call_1", "function": g("") },
            ])],
            complete(&[
                ("call_1", "f", a()),
                ("call_2", "f", json!({})),
                ("call_3", "g", json!({})),
                ("call_4", "g", json!({})),
            ]),
        ),
        (
            "a name in pieces",
            vec![
                json!([{ "index": 0, "id": "x", "function": { "name": "current" } }]),
                json!([{ "index": 0, "function": { "name": "_time", "arguments": "" } }]),
                json!([{ "index": 0, "function": more("{}") }]),
            ],
            complete(&[("x", "current_time", json!({}))]),
        ),
        (
            "a name with every piece",
            vec![
                json!([{ "index": 0, "id": "x", "function": f("") }]),
                json!([{ "index": 0, "function": f("{\"a\":") }]),
                json!([{ "index": 0, "function": f("1}") }]),
                json!([{ "index": 0, "function": f("") }]),
            ],
            complete(&[("x", "f", a())]),
        ),
        (
            "a whole call again after its pieces",
            vec![
                json!([{ "index": 0, "id": "x", "function": f("{\"a\"") }]),
                json!([{ "index": 0, "id": "x", "function": f(":1}") }]),
                json!([{ "index": 0, "id": "x", "function": f("{\"a\":1}") }]),
            ],
            complete(&[("x", "f", a())]),
        ),
        (
            "id and name after the arguments",
            vec![
                json!([{ "index": 0, "function": more("{\"a\":1}") }]),
                json!([{ "index": 0, "id": "x", "function": { "name": "f" } }]),
            ],
            complete(&[("x", "f", a())]),
        ),
        (
            "pieces that hold nothing",
            vec![
                json!([]),
                json!([{}]),
                json!([{ "index": 0, "id": "", "function": null }]),
                json!([{ "index": 0, "id": "x", "function": f("{\"a\":1}") }]),
                json!([{ "index": 4, "id": "announced, but never named" }]),
            ],
            complete(&[("x", "f", a())]),
        ),
    ] {
        assert_eq!(
            streamed(&(stream(&events) + &events_of(&[STOP]))),
            expected,
            "{what}"
        );
    }
}

#[test]
fn arguments_become_an_object_whatever_a_server_sends() {
    for (sent, object) in [
        (json!("{\"a\": [1, {}]}"), json!({ "a": [1, {}] })),
        (json!({ "a": 1 }), json!({ "a": 1 })),
        (json!("\"{\\\"a\\\":1}\""), json!({ "a": 1 })),
        (json!(" {} \n"), json!({})),
        (json!(""), json!({})),
        (json!(null), json!({})),
        (json!("null"), json!({})),
        (json!([1]), json!({})),
        (json!("[{\"a\":1}]"), json!({})),
        (json!("\"\\\"{}\\\"\""), json!({})),
        (json!("{\"a\":"), json!({})),
        (json!("{\"a\":1}}"), json!({})),
        (json!("a=1"), json!({})),
        (json!(7), json!({})),
        (json!("[".repeat(10_000)), json!({})),
    ] {
        assert_eq!(read(&sent), object, "{sent}");
    }
}

#[test]
fn a_call_is_announced_with_its_first_argument_and_handed_out_at_the_end() {
    let mut decoder = Decoder::new(200, Some("text/event-stream"), None);
    let mut push = |event: Value| decoder.push(stream(&[event]).as_bytes());
    assert_eq!(
        push(json!([{ "index": 0, "id": "x", "function": { "name": "f", "arguments": "" } }])),
        []
    );
    assert_eq!(
        push(json!([{ "index": 0, "function": { "arguments": "{" } }])),
        [started("x", "f")]
    );
    assert_eq!(
        push(json!([{ "index": 0, "function": { "arguments": "}" } }])),
        []
    );
    assert_eq!(
        push(json!([{ "index": 1, "id": "y", "function": { "name": "g" } }])),
        []
    );
    assert_eq!(
        push(json!([{ "index": 2, "id": "z", "function": { "name": "h" } }])),
        [started("y", "g")]
    );
    assert_eq!(decoder.push(events_of(&[STOP]).as_bytes()), []);
    assert_eq!(
        decoder.end(),
        [
            started("z", "h"),
            call("x", "f", json!({})),
            call("y", "g", json!({})),
            call("z", "h", json!({})),
            FINISHED
        ]
    );
}

#[test]
fn a_server_that_names_another_reason_has_still_called() {
    let event = json!([{ "index": 0, "id": "x", "function": { "name": "f", "arguments": "{}" } }]);
    let reason = |word: &str| json!({ "choices": [{ "delta": {}, "finish_reason": word }] }).to_string();
    for last in [
        reason("stop"),
        reason("tool_calls"),
        reason("eos"),
        "[DONE]".to_owned(),
    ] {
        let events = streamed(&(stream(std::slice::from_ref(&event)) + &events_of(&[&last])));
        assert_eq!(events, complete(&[("x", "f", json!({}))]), "{last}");
    }
}

#[test]
fn an_answer_that_is_cut_or_ran_into_a_limit_calls_nothing() {
    let event = json!([{ "index": 0, "id": "x", "function": { "name": "f", "arguments": "{}" } }]);
    let begun = stream(&[event]);
    let reason = |word: &str| {
        events_of(&[&json!({ "choices": [{ "delta": {}, "finish_reason": word }] }).to_string()])
    };
    for (rest, end) in [
        (String::new(), failed(FailureKind::Truncated)),
        (reason("length"), ModelEvent::Finished(FinishReason::Length)),
        (
            reason("content_filter"),
            ModelEvent::Finished(FinishReason::ContentFilter),
        ),
        (reason("error"), failed(FailureKind::Unavailable)),
        (
            events_of(&[r#"{"error":"gone"}"#]),
            failed(FailureKind::Unavailable),
        ),
    ] {
        assert_eq!(streamed(&(begun.clone() + &rest)), [started("x", "f"), end]);
    }
}

#[test]
fn a_call_with_a_hole_in_it_does_not_run() {
    let event = json!([{ "index": 0, "id": "x", "function": { "name": "f", "arguments": "{\"a\":1" } }]);
    let broken = stream(&[event]) + &events_of(&["{", STOP]);
    assert_eq!(
        streamed(&broken),
        [started("x", "f"), failed(FailureKind::Malformed)]
    );

    let nameless = json!([{ "index": 0, "id": "x", "function": { "arguments": "{}" } }]);
    assert_eq!(
        streamed(&(stream(&[nameless]) + &events_of(&[STOP]))),
        [failed(FailureKind::Malformed)]
    );
}

#[test]
fn text_before_and_after_a_call_is_kept() {
    let event = pieces(json!([{ "index": 0, "id": "x", "function": { "name": "f", "arguments": "{}" } }]));
    assert_eq!(
        streamed(&events_of(&[&piece("a"), &event, &piece("b"), STOP])),
        [
            text("a"),
            started("x", "f"),
            text("b"),
            call("x", "f", json!({})),
            FINISHED
        ]
    );
}

#[test]
fn a_server_that_does_not_stream_calls_too() {
    let body = json!({
        "choices": [{
            "message": {
                "content": "Let me see.",
                "tool_calls": [
                    { "id": "x", "type": "function", "function": { "name": "f", "arguments": "{\"a\":1}" } },
                    { "id": "", "type": "function", "function": { "name": "g", "arguments": {} } },
                ],
            },
            "finish_reason": "stop",
        }],
    });
    let mut expected = vec![text("Let me see.")];
    expected.extend(complete(&[
        ("x", "f", json!({ "a": 1 })),
        ("call_2", "g", json!({})),
    ]));
    assert_eq!(document(&body.to_string()), expected);
}
