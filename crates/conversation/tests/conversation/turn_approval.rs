//! Turns that wait for the owner before a tool runs.

use crate::script::{finished, run, text};
use crate::support::{claimed, context};
use flarebot_conversation::ledger::ClaimedTurn;
use flarebot_conversation::stream_log::LoggedStream;
use flarebot_conversation::turn::{Effect, Event, MAXIMUM_INTERRUPTIONS, Turn, TurnContext, TurnState};
use flarebot_model::{ModelEvent, ModelMessage, ModelRequest, ToolCall};
use flarebot_protocol::chunk::{Chunk, FinishReason};
use flarebot_protocol::message::{Message, Outcome, Part, ToolState};
use flarebot_protocol::tool_activity::ActivityKind;
use flarebot_tool::{ActivityDescriptor, Approval, Repetition, ToolDescriptor};
use serde_json::{Value, json};

fn tools() -> TurnContext {
    let tool = |name, approval| ToolDescriptor {
        name,
        description: "A tool.",
        parameters: json!({ "type": "object" }),
        repetition: Repetition::Harmless,
        approval,
        deadline_milliseconds: 30_000,
        activity: ActivityDescriptor::new(ActivityKind::Other, "Test"),
    };
    TurnContext {
        tools: vec![tool("look", Approval::NotNeeded), tool("sign", Approval::Needed)],
        ..context()
    }
}

fn call(id: &str, name: &str) -> Event {
    Event::Model(ModelEvent::ToolCall(ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: json!({ "key": id }),
    }))
}

fn returned(id: &str, output: Value) -> Event {
    Event::ToolFinished {
        call_id: id.to_owned(),
        result: Ok(output),
    }
}

fn says(call: &str, approved: bool) -> Chunk {
    Chunk::ToolApprovalResponse {
        approval_id: format!("answer-a/{call}"),
        approved,
        reason: None,
    }
}

/// The begun turn after the model has called these tools, with what was logged of it.
fn begun(calls: &[(&str, &str)]) -> (Turn, Vec<Effect>, Vec<Chunk>) {
    let mut turn = Turn::new(claimed(), tools());
    let mut events = vec![Event::Accepted, text("So.")];
    events.extend(calls.iter().map(|(id, name)| call(id, name)));
    events.push(finished(FinishReason::ToolCalls));
    let effects = run(&mut turn, events);
    let chunks = logged(&effects);
    (turn, effects, chunks)
}

fn logged(effects: &[Effect]) -> Vec<Chunk> {
    let appended = effects.iter().filter_map(|effect| match effect {
        Effect::Append { chunks, .. } => Some(chunks.clone()),
        _ => None,
    });
    appended.flatten().collect()
}

fn pause(effects: &[Effect]) -> (&TurnState, &Message) {
    match effects.last() {
        Some(Effect::Pause { state, message }) => (state, message),
        other => panic!("the last effect is {other:?}"),
    }
}

fn run_tools(effects: &[Effect]) -> Vec<&str> {
    let runs = effects.iter().filter_map(|effect| match effect {
        Effect::RunTool { call, .. } => Some(call.id.as_str()),
        _ => None,
    });
    runs.collect()
}

fn request(effects: &[Effect]) -> &ModelRequest {
    match effects.last() {
        Some(Effect::CallModel(request)) => request,
        other => panic!("the last effect is {other:?}"),
    }
}

/// What the model is told of a call.
fn told<'a>(request: &'a ModelRequest, call: &str) -> &'a str {
    let mut messages = request.messages.iter();
    let output = messages.find_map(|message| match message {
        ModelMessage::Tool { call_id, output, .. } if call_id == call => Some(output.as_str()),
        _ => None,
    });
    output.expect("every call has a result")
}

fn call_states(message: &Message) -> Vec<&ToolState> {
    let calls = message.parts.iter().filter_map(|part| match part {
        Part::Tool(call) => Some(&call.state),
        _ => None,
    });
    calls.collect()
}

/// The turn as it goes on as the attempt number `attempts`.
fn continued(context: TurnContext, state: &TurnState, chunks: Vec<Chunk>, attempts: u32) -> Turn {
    let claimed = ClaimedTurn {
        attempts,
        ..claimed()
    };
    let next_seq = chunks.len() as u64;
    Turn::resume(claimed, context, state.clone(), LoggedStream { chunks, next_seq })
}

/// A turn that paused for these calls of `sign`, as it goes on with these decisions.
fn decided(calls: &[&str], decisions: &[Chunk]) -> (Turn, Vec<Effect>) {
    let calls: Vec<_> = calls.iter().map(|id| (*id, "sign")).collect();
    let (_, effects, chunks) = begun(&calls);
    let (state, _) = pause(&effects);
    let chunks = [chunks.as_slice(), decisions].concat();
    let mut turn = continued(tools(), state, chunks, 2);
    let effects = turn.handle(Event::Decided, 90);
    (turn, effects)
}

#[test]
fn a_turn_pauses_once_all_else_of_its_step_is_done() {
    let (mut turn, effects, _) = begun(&[("one", "sign"), ("two", "look")]);
    assert_eq!(run_tools(&effects), ["two"]);
    let mut effects = turn.handle(returned("two", json!(2)), 20);
    let (_, message) = pause(&effects);
    let states = call_states(message);
    assert!(
        states[0].waits_for_approval() && states[1].is_settled(),
        "{states:?}"
    );
    assert_eq!(message.metadata.as_ref().unwrap().outcome, None);
    assert!(turn.is_finished());
    effects.retain(|effect| matches!(effect, Effect::CallModel(_) | Effect::Finish { .. }));
    assert_eq!(effects, [], "it neither ends nor goes on");
    assert_eq!(turn.handle(Event::Tick, 21), []);
}

#[test]
fn a_question_is_durable_before_anybody_sees_it() {
    let (_, effects, chunks) = begun(&[("one", "sign")]);
    let question = Chunk::ToolApprovalRequest {
        approval_id: "answer-a/one".to_owned(),
        tool_call_id: "one".to_owned(),
    };
    assert!(chunks.contains(&question));
    let logged = effects
        .iter()
        .position(|effect| matches!(effect, Effect::Append { chunks, .. } if chunks.contains(&question)));
    let sent = effects
        .iter()
        .position(|effect| matches!(effect, Effect::Send { chunk, .. } if *chunk == question));
    assert!(logged.unwrap() < sent.unwrap());
    assert!(run_tools(&effects).is_empty());
    let (_, message) = pause(&effects);
    assert_eq!(message.text(), "So.");
}

#[test]
fn an_allowed_call_runs_as_one_that_is_never_repeated_and_the_model_goes_on() {
    let (mut turn, effects) = decided(&["one"], &[says("one", true)]);
    assert_eq!(turn.stream_id().as_str(), "request-a~2");
    assert!(matches!(effects[0], Effect::Checkpoint(_)) && matches!(effects[1], Effect::Rewind(_)));
    let Some(Effect::RunTool { call, repetition }) = effects.last() else {
        panic!("{effects:?}")
    };
    assert_eq!(
        (call.arguments.clone(), *repetition),
        (json!({ "key": "one" }), Repetition::Never)
    );
    let effects = turn.handle(returned("one", json!("signed")), 95);
    assert_eq!(told(request(&effects), "one"), "signed");
    let effects = run(&mut turn, [text(" Done."), finished(FinishReason::Stop)]);
    let Some(Effect::Finish { outcome, message, .. }) = effects.last() else {
        panic!("{effects:?}")
    };
    assert_eq!(
        (*outcome, message.text().as_str()),
        (Outcome::Completed, "So. Done.")
    );
}

#[test]
fn a_declined_call_is_denied_and_the_model_is_told() {
    let (_, effects) = decided(&["one"], &[says("one", false)]);
    assert!(run_tools(&effects).is_empty());
    let denied = Chunk::ToolOutputDenied {
        tool_call_id: "one".to_owned(),
    };
    assert!(logged(&effects).contains(&denied));
    let told = told(request(&effects), "one");
    assert!(told.contains("owner declined"), "{told}");
}

#[test]
fn of_two_calls_the_allowed_one_runs() {
    let (mut turn, effects) = decided(&["one", "two"], &[says("two", true), says("one", false)]);
    assert_eq!(run_tools(&effects), ["two"]);
    let effects = turn.handle(returned("two", json!(2)), 95);
    let request = request(&effects);
    assert!(told(request, "one").contains("declined"));
    assert_eq!(told(request, "two"), "2");
}

#[test]
fn a_tool_that_is_gone_when_it_is_allowed_has_failed_and_the_turn_goes_on() {
    let (_, effects, chunks) = begun(&[("one", "sign")]);
    let (state, _) = pause(&effects);
    let chunks = [chunks.as_slice(), &[says("one", true)]].concat();
    let mut turn = continued(context(), state, chunks, 2);
    let effects = turn.handle(Event::Decided, 90);
    assert!(run_tools(&effects).is_empty());
    let told = told(request(&effects), "one");
    assert!(told.contains("error") && told.contains("no tool"), "{told}");
}

#[test]
fn a_turn_that_was_lost_before_it_could_pause_asks_nothing_twice() {
    let (_, effects, chunks) = begun(&[("one", "sign")]);
    let (state, _) = pause(&effects);
    // The pause was not stored, so neither was the state that counts it.
    let _ = state;
    let state = TurnState::new(claimed().request_id, claimed().assistant_message_id, 7);
    let mut turn = continued(tools(), &state, chunks, 2);
    let effects = turn.handle(Event::Resumed, 90);
    assert!(logged(&effects).is_empty() && run_tools(&effects).is_empty());
    let (_, message) = pause(&effects);
    assert!(call_states(message)[0].waits_for_approval());
}

#[test]
fn a_stop_while_a_call_waits_ends_it_as_not_run() {
    let (mut turn, _, _) = begun(&[("one", "sign"), ("two", "look")]);
    let effects = turn.handle(Event::Cancel, 20);
    let Some(Effect::Finish { outcome, message, .. }) = effects.last() else {
        panic!("{effects:?}")
    };
    assert_eq!(*outcome, Outcome::Aborted);
    let states = call_states(message);
    let error = |state: &ToolState| match state {
        ToolState::OutputError { error_text, .. } => error_text.clone(),
        other => panic!("{other:?}"),
    };
    assert!(error(states[0]).contains("was not run"), "{states:?}");
    assert!(error(states[1]).contains("not known"), "{states:?}");
}

/// Plays a turn in which every step but the last waits for the owner, and gives what follows the last pause.
fn paused_again_and_again() -> (Turn, Vec<Effect>, TurnState, Vec<Chunk>, u32) {
    let (_, effects, mut chunks) = begun(&[("call-1", "sign")]);
    let mut state = pause(&effects).0.clone();
    let mut attempts = 1;
    loop {
        let waiting = format!("call-{attempts}");
        chunks.push(says(&waiting, true));
        attempts += 1;
        let mut turn = continued(tools(), &state, chunks.clone(), attempts);
        let mut effects = turn.handle(Event::Decided, 90);
        effects.extend(turn.handle(returned(&waiting, json!(1)), 91));
        let may_call = request(&effects).tool_choice == flarebot_model::ToolChoice::Automatic;
        if !may_call {
            return (turn, effects, state, chunks, attempts);
        }
        let next = format!("call-{attempts}");
        effects.extend(run(
            &mut turn,
            [call(&next, "sign"), finished(FinishReason::ToolCalls)],
        ));
        chunks.extend(logged(&effects));
        state = pause(&effects).0.clone();
    }
}

#[test]
fn the_steps_of_an_answer_are_counted_over_its_pauses() {
    let (_, _, _, _, attempts) = paused_again_and_again();
    assert_eq!(
        attempts, 8,
        "seven steps wait for the owner, and the eighth has to answer"
    );
}

#[test]
fn pauses_take_nothing_from_the_budget_of_recovery() {
    let (_, effects, state, mut chunks, attempts) = paused_again_and_again();
    chunks.extend(logged(&effects));
    let mut state = effects
        .iter()
        .rev()
        .find_map(|effect| match effect {
            Effect::Checkpoint(state) => Some(state.clone()),
            _ => None,
        })
        .unwrap_or(state);
    for lost in 1..=MAXIMUM_INTERRUPTIONS + 1 {
        let mut turn = continued(tools(), &state, chunks.clone(), attempts + lost);
        let effects = turn.handle(Event::Resumed, 100);
        assert_eq!(turn.is_finished(), lost > MAXIMUM_INTERRUPTIONS, "loss {lost}");
        if let Some(Effect::Checkpoint(next)) = effects.first() {
            state = next.clone();
        }
    }
}
