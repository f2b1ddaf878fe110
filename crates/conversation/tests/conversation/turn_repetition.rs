//! A model that does again and again what fails.

use crate::script::{finished, run, text};
use crate::support::claimed;
use crate::turn_tools::{call, calls, context_with_tools, end, requests, returned, tool_runs, turn};
use flarebot_conversation::ledger::ClaimedTurn;
use flarebot_conversation::stream_log::LoggedStream;
use flarebot_conversation::turn::{Effect, Event, Turn, TurnState};
use flarebot_model::{ModelEvent, ToolCall, ToolChoice};
use flarebot_protocol::chunk::{Chunk, FinishReason};
use flarebot_protocol::message::{Outcome, Part};
use serde_json::{Value, json};

/// How a call ends.
#[derive(Debug, Clone)]
enum Ends {
    Fails(&'static str),
    Returns(Value),
}

/// One call: its tool, what it is given, and how it ends.
type Made = (&'static str, &'static str, Ends);

fn fails(argument: &'static str, why: &'static str) -> Made {
    ("look", argument, Ends::Fails(why))
}

fn called(number: usize, (tool, argument, _): &Made) -> Event {
    Event::Model(ModelEvent::ToolCall(ToolCall {
        id: format!("call-{number}"),
        name: (*tool).to_owned(),
        arguments: json!({ "of": argument }),
    }))
}

/// Lets the model make these calls in one step, and gives what comes of it.
fn step(turn: &mut Turn, made: &[Made]) -> Vec<Effect> {
    let events = made.iter().enumerate().map(|(number, made)| called(number, made));
    let mut effects = run(turn, events.chain([finished(FinishReason::ToolCalls)]));
    let running: Vec<String> = tool_runs(&effects).into_iter().map(str::to_owned).collect();
    for (id, (_, _, ends)) in running.into_iter().zip(made) {
        effects.extend(turn.handle(
            Event::ToolFinished {
                call_id: id,
                result: match ends {
                    Ends::Fails(why) => Err((*why).to_owned()),
                    Ends::Returns(output) => Ok(output.clone()),
                },
            },
            50,
        ));
    }
    effects
}

/// After how many of these steps the turn ended.
fn ended_after(steps: &[Vec<Made>]) -> Option<usize> {
    let mut turn = turn();
    run(&mut turn, [Event::Accepted]);
    (1..=steps.len()).find(|number| {
        step(&mut turn, &steps[number - 1]);
        turn.is_finished()
    })
}

#[test]
fn the_third_identical_failure_in_a_row_ends_the_answer_with_a_sentence() {
    let mut turn = turn();
    run(&mut turn, [Event::Accepted, text("Let me look.")]);
    for asked_again in [true, true] {
        let effects = step(&mut turn, &[fails("a", "No such file.")]);
        assert_eq!(requests(&effects).len() == 1, asked_again);
    }
    let effects = step(&mut turn, &[fails("a", "No such file.")]);
    assert_eq!(requests(&effects).len(), 0, "the model is not called again");
    let (outcome, message, notice) = end(&effects);
    assert_eq!(outcome, Outcome::Completed);
    assert!(notice.as_ref().unwrap().contains("three times"));
    assert_eq!(message.text(), "Let me look.", "what was said is kept");
    assert_eq!(calls(message).len(), 3);
    assert!(calls(message).iter().all(|call| call.state.is_settled()));
}

#[test]
fn in_a_row_means_in_steps_that_follow_each_other() {
    let same = || vec![fails("a", "No.")];
    let fine = || vec![("look", "a", Ends::Returns(json!(1)))];
    let envelope = || vec![("look", "a", Ends::Returns(json!({ "ok": false, "why": 1 })))];
    let refused = || vec![("fly", "a", Ends::Fails("never run"))];
    let (other, elsewhere) = (|| vec![fails("a", "Not now.")], || vec![fails("b", "No.")]);
    let another_tool = || vec![("wait", "a", Ends::Fails("No."))];
    for (steps, ends) in [
        (vec![same(), same(), same()], Some(3)),
        // Anything else about it, and it is not the same failure.
        (vec![same(), other(), same(), same(), other(), same()], None),
        (
            vec![same(), same(), elsewhere(), same(), same(), elsewhere()],
            None,
        ),
        (vec![same(), same(), another_tool(), same(), same()], None),
        (vec![same(), same(), fine(), same(), same(), fine(), same()], None),
        (vec![fine(), fine(), fine(), fine()], None),
        // The count begins anew, and ends.
        (vec![same(), other(), same(), same(), same()], Some(5)),
        // An output that says by itself that it is a failure, and a call that cannot be run.
        (vec![envelope(), envelope(), envelope()], Some(3)),
        (vec![refused(), refused(), refused()], Some(3)),
    ] {
        assert_eq!(ended_after(&steps), ends, "{steps:?}");
    }
}

#[test]
fn side_by_side_the_same_failure_counts_once_in_each_step() {
    let three = || vec![fails("a", "No."), fails("a", "No."), fails("a", "No.")];
    assert_eq!(ended_after(&[three()]), None);
    assert_eq!(ended_after(&[three(), three()]), None);
    assert_eq!(ended_after(&[three(), three(), three()]), Some(3));
    // One of many is enough, wherever it stands, and whatever comes of the others.
    let among = |others: [Made; 2]| {
        let [first, second] = others;
        vec![first, fails("a", "No."), second]
    };
    let fine = |argument| ("look", argument, Ends::Returns(json!(1)));
    let steps = [
        among([fails("b", "Gone."), fine("c")]),
        vec![fails("a", "No."), fine("d"), fails("e", "No.")],
        among([fine("f"), fails("g", "No.")]),
    ];
    assert_eq!(ended_after(&steps), Some(3));
}

#[test]
fn calls_of_one_step_run_side_by_side_and_may_end_in_any_order() {
    let mut turn = turn();
    let ids = ["one", "two", "three", "four"];
    let events = ids.iter().map(|id| call(id, "look"));
    let events = std::iter::once(Event::Accepted)
        .chain(events)
        .chain([finished(FinishReason::ToolCalls)]);
    let effects = run(&mut turn, events);
    assert_eq!(tool_runs(&effects), ids, "all begin before any has ended");
    for id in ["three", "one", "four"] {
        assert_eq!(requests(&turn.handle(returned(id, json!(id)), 20)).len(), 0);
    }
    assert_eq!(requests(&turn.handle(returned("two", json!("two")), 21)).len(), 1);
}

#[test]
fn a_later_instance_sees_the_repetition_as_the_one_before_did() {
    let mut turn = turn();
    let mut effects = run(&mut turn, [Event::Accepted]);
    for _ in 0..3 {
        effects.extend(step(&mut turn, &[fails("a", "No.")]));
    }
    // What is durable of it before its settlement, with any number of its last chunks lost.
    let logged: Vec<Chunk> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Append { chunks, .. } => Some(chunks.clone()),
            _ => None,
        })
        .flatten()
        .collect();
    let third = logged
        .iter()
        .rposition(|chunk| matches!(chunk, Chunk::ToolOutputError { .. }))
        .unwrap();
    for kept in [third + 1, third] {
        let mut resumed = Turn::resume(
            ClaimedTurn {
                attempts: 2,
                ..claimed()
            },
            context_with_tools(),
            TurnState::new(claimed().request_id, claimed().assistant_message_id, 0),
            LoggedStream {
                chunks: logged[..kept].to_vec(),
                next_seq: 100,
            },
        );
        let mut effects = resumed.handle(Event::Resumed, 100);
        for id in tool_runs(&effects.clone()) {
            let failed = Event::ToolFinished {
                call_id: id.to_owned(),
                result: Err("No.".to_owned()),
            };
            effects.extend(resumed.handle(failed, 110));
        }
        assert_eq!(requests(&effects).len(), 0);
        let (outcome, message, notice) = end(&effects);
        assert_eq!((outcome, calls(message).len()), (Outcome::Completed, 3));
        assert!(notice.as_ref().unwrap().contains("three times"));
    }
}

#[test]
fn a_repetition_in_the_last_step_is_told_as_what_it_is() {
    let mut turn = turn();
    run(&mut turn, [Event::Accepted]);
    for number in 0..5 {
        let effects = step(&mut turn, &[fails("a", ["1", "2", "3", "4", "No."][number])]);
        assert_eq!(requests(&effects)[0].tool_choice, ToolChoice::Automatic);
    }
    step(&mut turn, &[fails("a", "No.")]);
    let effects = step(&mut turn, &[fails("a", "No.")]);
    let (_, message, notice) = end(&effects);
    assert!(notice.as_ref().unwrap().contains("three times"));
    let steps = message
        .parts
        .iter()
        .filter(|part| matches!(part, Part::StepStart));
    assert_eq!(steps.count(), 7);
}
