//! A tool's call in an answer only ever moves forward, whatever a provider or a replay repeats.

use crate::support::{empty_answer, text_delta, text_start};
use flarebot_protocol::chunk::{Chunk, merge};
use flarebot_protocol::message::{Part, ToolPart, ToolState};
use flarebot_protocol::reduce;
use proptest::prelude::*;
use serde_json::{Value, json};

fn begins(call: &str) -> Chunk {
    Chunk::ToolInputStart {
        tool_call_id: call.to_owned(),
        tool_name: "clock".to_owned(),
    }
}

pub(crate) fn called(call: &str, input: Value) -> Chunk {
    Chunk::ToolInputAvailable {
        tool_call_id: call.to_owned(),
        tool_name: "clock".to_owned(),
        input,
    }
}

fn miscalled(call: &str, input: Value) -> Chunk {
    Chunk::ToolInputError {
        tool_call_id: call.to_owned(),
        tool_name: "clock".to_owned(),
        input,
        error_text: "There is no zone.".to_owned(),
    }
}

pub(crate) fn returned(call: &str, output: &str) -> Chunk {
    Chunk::ToolOutputAvailable {
        tool_call_id: call.to_owned(),
        output: json!(output),
        preliminary: None,
    }
}

pub(crate) fn progressed(call: &str, output: &str) -> Chunk {
    Chunk::ToolOutputAvailable {
        tool_call_id: call.to_owned(),
        output: json!(output),
        preliminary: Some(true),
    }
}

pub(crate) fn failed(call: &str, error_text: &str) -> Chunk {
    Chunk::ToolOutputError {
        tool_call_id: call.to_owned(),
        error_text: error_text.to_owned(),
    }
}

pub(crate) fn asked(call: &str) -> Chunk {
    Chunk::ToolApprovalRequest {
        approval_id: format!("answer/{call}"),
        tool_call_id: call.to_owned(),
    }
}

pub(crate) fn decided(call: &str, approved: bool) -> Chunk {
    Chunk::ToolApprovalResponse {
        approval_id: format!("answer/{call}"),
        approved,
        reason: None,
    }
}

pub(crate) fn denied(call: &str) -> Chunk {
    Chunk::ToolOutputDenied {
        tool_call_id: call.to_owned(),
    }
}

pub(crate) fn input() -> Value {
    json!({"zone": "UTC"})
}

pub(crate) fn available(output: &str, preliminary: Option<bool>) -> ToolState {
    ToolState::OutputAvailable {
        input: input(),
        output: json!(output),
        preliminary,
    }
}

pub(crate) fn error(input: Value, error_text: &str) -> ToolState {
    ToolState::OutputError {
        input,
        error_text: error_text.to_owned(),
    }
}

pub(crate) fn tools(chunks: &[Chunk]) -> Vec<ToolPart> {
    let parts = reduce(empty_answer("a"), chunks).parts;
    let tools = parts.into_iter().filter_map(|part| match part {
        Part::Tool(tool) => Some(tool),
        _ => None,
    });
    tools.collect()
}

/// The state of the one call that the chunks tell of.
pub(crate) fn state(chunks: &[Chunk]) -> ToolState {
    let tools = tools(chunks);
    assert_eq!(tools.len(), 1);
    tools[0].state.clone()
}

#[test]
fn a_call_goes_from_its_input_to_its_output() {
    let chunks = [
        begins("1"),
        called("1", input()),
        progressed("1", "10 %"),
        progressed("1", "90 %"),
        returned("1", "noon"),
    ];
    let states = [
        ToolState::InputStreaming,
        ToolState::InputAvailable { input: input() },
        available("10 %", Some(true)),
        available("90 %", Some(true)),
        available("noon", None),
    ];
    for (place, expected) in states.into_iter().enumerate() {
        assert_eq!(state(&chunks[..=place]), expected);
    }
    assert_eq!(
        tools(&chunks),
        [ToolPart::new("1", "clock", available("noon", None))]
    );
}

#[test]
fn a_call_may_fail_at_every_point() {
    assert_eq!(
        state(&[called("1", input()), failed("1", "It is late.")]),
        error(input(), "It is late.")
    );
    assert_eq!(
        state(&[
            called("1", input()),
            progressed("1", "10 %"),
            failed("1", "It is late.")
        ]),
        error(input(), "It is late.")
    );
    let bad = || json!("{zone");
    let expected = || error(bad(), "There is no zone.");
    assert_eq!(state(&[miscalled("1", bad())]), expected());
    assert_eq!(state(&[begins("1"), miscalled("1", bad())]), expected());
    assert_eq!(state(&[called("1", input()), miscalled("1", bad())]), expected());
    assert_eq!(
        state(&[begins("1"), failed("1", "It is late.")]),
        error(json!({}), "It is late."),
        "an input is an object"
    );
}

#[test]
fn an_input_makes_the_part_if_its_beginning_was_not_told() {
    assert_eq!(
        state(&[called("1", input())]),
        ToolState::InputAvailable { input: input() }
    );
}

#[test]
fn what_is_said_of_an_unknown_call_changes_nothing() {
    assert_eq!(
        tools(&[
            returned("1", "noon"),
            progressed("1", "10 %"),
            failed("1", "It is late.")
        ]),
        []
    );
}

#[test]
fn an_input_that_is_complete_stays() {
    let later = json!({"zone": "CET"});
    let again = [begins("1"), called("1", later.clone()), called("1", Value::Null)];
    let mut chunks = vec![called("1", input())];
    chunks.extend(again);
    assert_eq!(state(&chunks), ToolState::InputAvailable { input: input() });
    chunks.extend([returned("1", "noon"), called("1", later)]);
    assert_eq!(state(&chunks), available("noon", None));
}

#[test]
fn a_settled_call_stays_as_it_is() {
    let endings = [
        (returned("1", "noon"), available("noon", None)),
        (failed("1", "It is late."), error(input(), "It is late.")),
    ];
    for (ending, expected) in endings {
        for late in [
            begins("1"),
            called("1", json!({})),
            miscalled("1", json!({})),
            progressed("1", "10 %"),
            returned("1", "midnight"),
            failed("1", "It is early."),
        ] {
            assert_eq!(state(&[called("1", input()), ending.clone(), late]), expected);
        }
    }
}

#[test]
fn calls_of_one_step_are_kept_apart() {
    let chunks = [
        called("1", input()),
        called("2", input()),
        returned("2", "two"),
        failed("1", "It is late."),
    ];
    let expected = [
        ToolPart::new("1", "clock", error(input(), "It is late.")),
        ToolPart::new("2", "clock", available("two", None)),
    ];
    assert_eq!(tools(&chunks), expected);
}

#[test]
fn a_provider_that_repeats_an_earlier_call_changes_nothing() {
    let step = [
        Chunk::StartStep,
        begins("1"),
        called("1", input()),
        returned("1", "noon"),
        Chunk::FinishStep,
    ];
    let mut chunks = step.to_vec();
    chunks.extend([
        Chunk::StartStep,
        begins("1"),
        called("1", json!({})),
        text_start("t"),
        text_delta("t", "Noon."),
    ]);
    let parts = reduce(empty_answer("a"), &chunks).parts;
    assert_eq!(parts.len(), 4, "two steps, the call and the text");
    assert_eq!(
        parts[1],
        Part::Tool(ToolPart::new("1", "clock", available("noon", None)))
    );
}

#[test]
fn of_what_a_tool_told_on_its_way_the_latest_is_kept() {
    let under_way = [
        called("1", input()),
        progressed("1", "10 %"),
        progressed("1", "20 %"),
    ];
    assert_eq!(
        merge(under_way.clone()),
        [called("1", input()), progressed("1", "20 %")]
    );
    let ended = under_way.into_iter().chain([returned("1", "noon")]);
    assert_eq!(merge(ended), [called("1", input()), returned("1", "noon")]);
}

fn chunk() -> impl Strategy<Value = Chunk> {
    let call = || prop::sample::select(vec!["1", "2"]);
    let word = || prop::sample::select(vec!["x", "y"]);
    prop_oneof![
        call().prop_map(begins),
        (call(), word()).prop_map(|(call, word)| called(call, json!({ "word": word }))),
        call().prop_map(|call| miscalled(call, json!("{"))),
        (call(), word()).prop_map(|(call, word)| progressed(call, word)),
        (call(), word()).prop_map(|(call, word)| returned(call, word)),
        (call(), word()).prop_map(|(call, word)| failed(call, word)),
        call().prop_map(asked),
        (call(), any::<bool>()).prop_map(|(call, approved)| decided(call, approved)),
        call().prop_map(denied),
        Just(Chunk::StartStep),
        Just(text_start("t")),
        word().prop_map(|word| text_delta("t", word)),
    ]
}

/// The calls of a well-behaved run: each begins, gets its input, and may end.
fn run() -> impl Strategy<Value = Vec<Chunk>> {
    let word = prop::option::of(any::<bool>());
    let call = (
        any::<bool>(),
        prop::option::of(word),
        prop::collection::vec("[a-z]{0,3}", 0..3),
        0..3_u8,
    );
    prop::collection::vec(call, 1..4).prop_map(|calls| {
        let mut chunks = Vec::new();
        for (number, (begun, question, progress, end)) in calls.into_iter().enumerate() {
            let call = number.to_string();
            chunks.extend(begun.then(|| begins(&call)));
            chunks.push(called(&call, input()));
            if let Some(word) = question {
                chunks.push(asked(&call));
                chunks.extend(word.map(|approved| decided(&call, approved)));
                if word != Some(true) {
                    chunks.extend(word.map(|_| denied(&call)));
                    continue;
                }
            }
            chunks.extend(progress.iter().map(|text| progressed(&call, text)));
            match end {
                0 => chunks.push(returned(&call, "done")),
                1 => chunks.push(failed(&call, "It is late.")),
                _ => {}
            }
        }
        chunks
    })
}

proptest! {
    #[test]
    fn replaying_everything_changes_no_call(chunks in run()) {
        let twice = [chunks.clone(), chunks.clone()].concat();
        prop_assert_eq!(tools(&twice), tools(&chunks));
    }

    #[test]
    fn no_chunk_takes_a_call_back(chunks in prop::collection::vec(chunk(), 0..24)) {
        let mut before: Vec<ToolPart> = Vec::new();
        for end in 1..=chunks.len() {
            let now = tools(&chunks[..end]);
            prop_assert!(now.len() >= before.len(), "no call vanishes");
            for (before, now) in before.iter().zip(&now) {
                prop_assert_eq!(&before.tool_call_id, &now.tool_call_id);
                prop_assert!(rank(&before.state) <= rank(&now.state));
                let has_returned = matches!(now.state, ToolState::OutputAvailable { .. });
                prop_assert!(!(before.state.is_declined() || before.state.waits_for_approval()) || !has_returned);
                let was_allowed = matches!(before.state, ToolState::ApprovalResponded { .. }) && !before.state.is_declined();
                prop_assert!(!was_allowed || !now.state.is_declined());
                if before.state.is_settled() {
                    prop_assert_eq!(before, now);
                }
            }
            before = now;
        }
        prop_assert_eq!(reduce(empty_answer("a"), &merge(chunks.clone())), reduce(empty_answer("a"), &chunks));
    }
}

fn rank(state: &ToolState) -> u8 {
    match state {
        ToolState::InputStreaming => 0,
        ToolState::InputAvailable { .. } => 1,
        ToolState::ApprovalRequested { .. } => 2,
        ToolState::ApprovalResponded { .. } => 3,
        _ if state.is_settled() => 5,
        _ => 4,
    }
}
