//! Turns that use tools.

use crate::script::{finished, run, text};
use crate::support::{claimed, context};
use flarebot_conversation::turn::{Effect, Event, MAXIMUM_STEPS, StopReason, Turn, TurnContext};
use flarebot_model::{ModelEvent, ModelMessage, ModelRequest, ToolCall, ToolChoice};
use flarebot_protocol::chunk::{Chunk, FinishReason};
use flarebot_protocol::message::{Message, Outcome, Part, ToolPart, ToolState};
use flarebot_protocol::tool_activity::ActivityKind;
use flarebot_tool::{ActivityDescriptor, Approval, Repetition, ToolDescriptor};
use serde_json::{Value, json};

pub(crate) fn turn() -> Turn {
    Turn::new(claimed(), context_with_tools())
}

pub(crate) fn context_with_tools() -> TurnContext {
    let tool = |name, deadline_milliseconds| ToolDescriptor {
        name,
        description: "A tool.",
        parameters: json!({ "type": "object" }),
        repetition: Repetition::Harmless,
        approval: Approval::NotNeeded,
        deadline_milliseconds,
        activity: ActivityDescriptor::new(ActivityKind::Other, "Test"),
    };
    TurnContext {
        tools: vec![tool("look", 1_000), tool("wait", 30_000)],
        ..context()
    }
}

pub(crate) fn call(id: &str, name: &str) -> Event {
    Event::Model(ModelEvent::ToolCall(ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: json!({ "key": id }),
    }))
}

pub(crate) fn returned(id: &str, output: Value) -> Event {
    Event::ToolFinished {
        call_id: id.to_owned(),
        result: Ok(output),
    }
}

pub(crate) fn requests(effects: &[Effect]) -> Vec<&ModelRequest> {
    let requests = effects.iter().filter_map(|effect| match effect {
        Effect::CallModel(request) => Some(request),
        _ => None,
    });
    requests.collect()
}

pub(crate) fn tool_runs(effects: &[Effect]) -> Vec<&str> {
    let runs = effects.iter().filter_map(|effect| match effect {
        Effect::RunTool { call, .. } => Some(call.id.as_str()),
        _ => None,
    });
    runs.collect()
}

pub(crate) fn end(effects: &[Effect]) -> (Outcome, &Message, &Option<String>) {
    match effects.last() {
        Some(Effect::Finish {
            outcome,
            message,
            notice,
        }) => (*outcome, message, notice),
        other => panic!("the last effect is {other:?}"),
    }
}

pub(crate) fn calls(message: &Message) -> Vec<&ToolPart> {
    let calls = message.parts.iter().filter_map(|part| match part {
        Part::Tool(call) => Some(call),
        _ => None,
    });
    calls.collect()
}

#[test]
fn the_results_of_a_step_go_to_the_model_with_the_next_one() {
    let mut turn = turn();
    let mut effects = run(
        &mut turn,
        [
            Event::Accepted,
            text("Let me look."),
            call("one", "look"),
            call("two", "wait"),
            finished(FinishReason::ToolCalls),
        ],
    );
    assert_eq!(tool_runs(&effects), ["one", "two"]);
    assert_eq!(requests(&effects).len(), 1, "the model waits for both");
    effects = turn.handle(returned("two", json!("plain text")), 10);
    assert_eq!(requests(&effects).len(), 0);
    effects = turn.handle(returned("one", json!({ "value": 1 })), 11);
    let request = requests(&effects)[0];
    let asked = |id: &str, name: &str| ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: json!({ "key": id }),
    };
    let result = |id: &str, name: &str, output: &str| ModelMessage::Tool {
        call_id: id.to_owned(),
        name: name.to_owned(),
        output: output.to_owned(),
    };
    let expected = [
        ModelMessage::Assistant {
            text: "Let me look.".to_owned(),
            calls: vec![asked("one", "look"), asked("two", "wait")],
            thoughts: Vec::new(),
        },
        result("one", "look", r#"{"value":1}"#),
        result("two", "wait", "plain text"),
    ];
    assert_eq!(request.messages, expected);
    assert_eq!(request.tools.len(), 2);

    let effects = run(&mut turn, [text("There."), finished(FinishReason::Stop)]);
    let (outcome, message, notice) = end(&effects);
    assert_eq!((outcome, notice), (Outcome::Completed, &None));
    assert_eq!(message.text(), "Let me look.There.");
    assert!(calls(message).iter().all(|call| call.state.is_settled()));
}

#[test]
fn a_result_is_durable_before_anybody_sees_it() {
    let mut turn = turn();
    run(
        &mut turn,
        [
            Event::Accepted,
            call("one", "look"),
            finished(FinishReason::ToolCalls),
        ],
    );
    let effects = turn.handle(returned("one", json!(1)), 9);
    let appended = effects.iter().position(|effect| {
        matches!(effect, Effect::Append { chunks, .. } if matches!(chunks[..], [Chunk::ToolOutputAvailable { .. }]))
    });
    let sent = effects.iter().position(|effect| {
        matches!(
            effect,
            Effect::Send {
                chunk: Chunk::ToolOutputAvailable { .. },
                ..
            }
        )
    });
    assert!(appended.unwrap() < sent.unwrap());
}

#[test]
fn a_tool_that_fails_or_takes_too_long_does_not_end_the_turn() {
    let mut turn = turn();
    run(
        &mut turn,
        [
            Event::Accepted,
            call("one", "look"),
            call("two", "wait"),
            finished(FinishReason::ToolCalls),
        ],
    );
    assert_eq!(turn.handle(Event::Tick, 900), []);
    let effects = turn.handle(Event::Tick, 1_010);
    assert_eq!(
        effects.first(),
        Some(&Effect::StopTool {
            call_id: "one".to_owned(),
            reason: StopReason::TimedOut,
        })
    );
    assert_eq!(
        turn.handle(returned("one", json!("late")), 1_011),
        [],
        "a late result is not taken"
    );
    let failed = Event::ToolFinished {
        call_id: "two".to_owned(),
        result: Err("No such file.".to_owned()),
    };
    let effects = turn.handle(failed, 1_012);
    let results: Vec<&str> = requests(&effects)[0]
        .messages
        .iter()
        .filter_map(|message| match message {
            ModelMessage::Tool { output, .. } => Some(output.as_str()),
            _ => None,
        })
        .collect();
    assert!(results[0].contains("took too long"), "{results:?}");
    assert_eq!(results[1], r#"{"error":"No such file."}"#);
}

#[test]
fn the_silence_of_a_tool_is_not_the_silence_of_the_model() {
    let mut turn = turn();
    run(
        &mut turn,
        [
            Event::Accepted,
            call("one", "wait"),
            finished(FinishReason::ToolCalls),
        ],
    );
    let effects = turn.handle(returned("one", json!(1)), 29_000);
    assert_eq!(requests(&effects).len(), 1);
    turn.handle(Event::Tick, 29_250);
    assert_eq!(turn.deadline(), Some(29_000 + 60_000));
}

#[test]
fn a_call_of_an_unknown_tool_is_answered_with_what_there_is() {
    let mut turn = turn();
    let effects = run(
        &mut turn,
        [
            Event::Accepted,
            call("one", "fly"),
            finished(FinishReason::ToolCalls),
        ],
    );
    assert!(tool_runs(&effects).is_empty());
    let next = requests(&effects)[1];
    let Some(ModelMessage::Tool { output, .. }) = next.messages.last() else {
        panic!("{next:?}")
    };
    assert!(
        output.contains("fly") && output.contains("look, wait"),
        "{output}"
    );
}

#[test]
fn the_last_step_is_offered_no_tools_and_the_turn_ends_there() {
    let mut turn = turn();
    let mut effects = run(&mut turn, [Event::Accepted]);
    for step in 1..MAXIMUM_STEPS {
        assert_eq!(
            requests(&effects)[0].tool_choice,
            ToolChoice::Automatic,
            "step {step}"
        );
        effects = run(
            &mut turn,
            [call("same", "look"), finished(FinishReason::ToolCalls)],
        );
        let id = tool_runs(&effects)[0].to_owned();
        effects = turn.handle(returned(&id, json!(step)), 50);
    }
    assert_eq!(requests(&effects)[0].tool_choice, ToolChoice::None);
    effects = run(
        &mut turn,
        [call("same", "look"), finished(FinishReason::ToolCalls)],
    );
    assert!(tool_runs(&effects).is_empty());
    let (outcome, message, notice) = end(&effects);
    assert_eq!(outcome, Outcome::Completed);
    assert!(notice.as_ref().unwrap().contains("more tools"));
    let mut ids: Vec<&str> = calls(message)
        .iter()
        .map(|call| call.tool_call_id.as_str())
        .collect();
    assert_eq!(ids.len(), MAXIMUM_STEPS);
    ids.dedup();
    assert_eq!(ids.len(), MAXIMUM_STEPS, "each call has an id of its own");
}

#[test]
fn stopping_the_answer_stops_its_tools() {
    let mut turn = turn();
    run(
        &mut turn,
        [
            Event::Accepted,
            call("one", "wait"),
            finished(FinishReason::ToolCalls),
        ],
    );
    let effects = turn.handle(Event::Cancel, 20);
    assert!(effects.contains(&Effect::StopTool {
        call_id: "one".to_owned(),
        reason: StopReason::AnswerEnds,
    }));
    let (outcome, message, _) = end(&effects);
    assert_eq!(outcome, Outcome::Aborted);
    assert!(
        matches!(&calls(message)[0].state, ToolState::OutputError { error_text, .. } if error_text.contains("stopped"))
    );
    assert_eq!(turn.handle(returned("one", json!(1)), 21), []);
}

#[test]
fn a_call_that_the_model_broke_off_is_asked_for_again() {
    let mut turn = turn();
    let started = Event::Model(ModelEvent::ToolCallStarted {
        id: "one".to_owned(),
        name: "look".to_owned(),
    });
    let effects = run(
        &mut turn,
        [Event::Accepted, text("So."), started, Event::ModelClosed],
    );
    let again = requests(&effects)[1];
    assert!(matches!(
        again.messages.as_slice(),
        [ModelMessage::Assistant { text, calls, .. }, ModelMessage::User { .. }] if text == "So." && calls.is_empty()
    ));
    let effects = run(
        &mut turn,
        [call("one", "look"), finished(FinishReason::ToolCalls)],
    );
    assert_eq!(tool_runs(&effects), ["one-2"]);
}
