//! Calls that are marked in unusual ways, and how much of calls is taken.

use super::calls::{complete, started, stream};
use super::{STOP, document, events_of, failed, streamed};
use flarebot_model::{FailureKind, MAXIMUM_CALL_BYTES, MAXIMUM_CALLS};
use serde_json::{Value, json};

#[test]
fn a_piece_without_a_name_goes_on_with_the_call_that_it_can_belong_to() {
    let begun = json!([{ "index": 0, "id": "x", "function": { "name": "f", "arguments": "{\"a\":" } }]);
    let other = json!([{ "index": 1, "id": "y", "function": { "name": "g", "arguments": "{" } }]);
    for (rest, wrong) in [
        (
            json!([{ "index": 7, "function": { "arguments": "1}" } }]),
            "an index of no call",
        ),
        (
            json!([{ "index": 7, "id": "x", "function": { "arguments": "1}" } }]),
            "a known id at another index",
        ),
    ] {
        let events = [begun.clone(), rest];
        assert_eq!(
            streamed(&(stream(&events) + &events_of(&[STOP]))),
            complete(&[("x", "f", json!({ "a": 1 }))]),
            "{wrong}"
        );
    }
    let first = json!([{ "index": 9, "id": "x", "function": { "arguments": "1}" } }]);
    let second = json!([{ "index": 9, "id": "y", "function": { "arguments": "}" } }]);
    assert_eq!(
        streamed(&(stream(&[begun, other, first, second]) + &events_of(&[STOP]))),
        complete(&[("x", "f", json!({ "a": 1 })), ("y", "g", json!({}))])
    );
}

#[test]
fn the_one_call_of_older_servers_is_read() {
    let piece = |call: Value| json!({ "choices": [{ "delta": { "function_call": call } }] }).to_string();
    let stop = r#"{"choices":[{"delta":{},"finish_reason":"function_call"}]}"#;
    let events = streamed(&events_of(&[
        &piece(json!({ "name": "f", "arguments": "" })),
        &piece(json!({ "arguments": "{\"a\":" })),
        &piece(json!({ "arguments": "1}" })),
        stop,
    ]));
    assert_eq!(events, complete(&[("call_1", "f", json!({ "a": 1 }))]));

    let body = json!({ "choices": [{
        "message": { "content": null, "function_call": { "name": "f", "arguments": "{\"a\":1}" } },
        "finish_reason": "function_call",
    }] });
    assert_eq!(
        document(&body.to_string()),
        complete(&[("call_1", "f", json!({ "a": 1 }))])
    );

    let both = json!({ "choices": [{ "delta": {
        "tool_calls": [{ "index": 0, "id": "x", "function": { "name": "f", "arguments": "{}" } }],
        "function_call": { "name": "f", "arguments": "{}" },
    } }] });
    assert_eq!(
        streamed(&events_of(&[&both.to_string(), STOP])),
        complete(&[("x", "f", json!({}))])
    );
}

#[test]
fn calls_beyond_the_limit_are_dropped_with_all_their_pieces() {
    let event = |index: usize, function: Value| json!([{ "index": index, "function": function }]);
    let surplus = MAXIMUM_CALLS + 3;
    let mut events: Vec<Value> = (0..surplus)
        .map(|index| {
            event(
                index,
                json!({ "name": format!("f{index}"), "arguments": "{\"a\":" }),
            )
        })
        .collect();
    events.extend((0..surplus).map(|index| event(index, json!({ "arguments": "1}" }))));
    let answered = streamed(&(stream(&events) + &events_of(&[STOP])));
    let expected: Vec<(String, String)> = (0..MAXIMUM_CALLS)
        .map(|index| (format!("call_{}", index + 1), format!("f{index}")))
        .collect();
    let expected: Vec<(&str, &str, Value)> = expected
        .iter()
        .map(|(id, name)| (id.as_str(), name.as_str(), json!({ "a": 1 })))
        .collect();
    assert_eq!(answered, complete(&expected));
}

#[test]
fn too_many_bytes_of_calls_end_the_answer() {
    let begin = json!([{ "index": 0, "id": "x", "function": { "name": "f", "arguments": "" } }]);
    let more = json!([{ "index": 0, "function": { "arguments": " ".repeat(16 * 1024) } }]);
    let long = |count: usize| {
        let events: Vec<Value> = [begin.clone()]
            .into_iter()
            .chain(vec![more.clone(); count])
            .collect();
        streamed(&(stream(&events) + &events_of(&[STOP])))
    };
    let most = MAXIMUM_CALL_BYTES / (16 * 1024) - 1;
    assert_eq!(long(most), complete(&[("x", "f", json!({}))]));
    assert_eq!(long(most + 1), [started("x", "f"), failed(FailureKind::TooLong)]);
}
