//! How the owner learns how far a call is: at once at first, four times a second then, and never of something stale for
//! long.

use crate::script::{finished, run};
use crate::turn_tools::{call, requests, returned, turn};
use flarebot_conversation::turn::{Effect, Event, StopReason, Turn};
use flarebot_model::ModelMessage;
use flarebot_protocol::chunk::{Chunk, FinishReason};
use serde_json::{Value, json};

fn report(id: &str, at: i64) -> Event {
    Event::ToolProgress {
        call_id: id.to_owned(),
        progress: json!({ "at": at }),
    }
}

/// A turn whose tools run since 3 or 4 ms.
fn running(calls: &[&str]) -> Turn {
    let mut turn = turn();
    let called = calls.iter().map(|id| call(id, "wait"));
    let events = std::iter::once(Event::Accepted)
        .chain(called)
        .chain([finished(FinishReason::ToolCalls)]);
    run(&mut turn, events);
    turn
}

/// What the owner is told of calls, each with its call: `at` of a report, or the output.
fn told(effects: &[Effect]) -> Vec<(String, Value)> {
    let told = effects.iter().filter_map(|effect| match effect {
        Effect::Send {
            chunk: Chunk::ToolOutputAvailable {
                tool_call_id, output, ..
            },
            ..
        } => Some((tool_call_id.clone(), output.clone())),
        _ => None,
    });
    told.collect()
}

fn one(at: i64) -> Vec<(String, Value)> {
    vec![("one".to_owned(), json!({ "at": at }))]
}

#[test]
fn progress_is_shown_four_times_a_second_and_never_to_the_model() {
    let mut turn = turn();
    run(
        &mut turn,
        [
            Event::Accepted,
            call("one", "wait"),
            finished(FinishReason::ToolCalls),
        ],
    );
    let mut told = 0;
    for now in 100..1_100 {
        let progress = Event::ToolProgress {
            call_id: "one".to_owned(),
            progress: json!({ "at": now }),
        };
        let effects = turn.handle(progress, now);
        told += effects
            .iter()
            .filter(|effect| matches!(effect, Effect::Send { .. }))
            .count();
    }
    assert_eq!(told, 4);
    let effects = turn.handle(returned("one", json!("done")), 1_200);
    assert!(matches!(
        requests(&effects)[0].messages.last(),
        Some(ModelMessage::Tool { output, .. }) if output == "done"
    ));
}

#[test]
fn the_first_report_is_told_at_once_and_the_latest_of_the_others_a_quarter_of_a_second_later() {
    let mut turn = running(&["one"]);
    assert_eq!(told(&turn.handle(report("one", 1_000), 1_000)), one(1_000));
    for at in [1_010, 1_100, 1_249] {
        assert_eq!(told(&turn.handle(report("one", at), at)), []);
    }
    assert_eq!(turn.deadline(), Some(1_250), "somebody looks again by then");
    assert_eq!(told(&turn.handle(Event::Tick, 1_249)), []);
    assert_eq!(told(&turn.handle(Event::Tick, 1_250)), one(1_249));
    assert_eq!(
        told(&turn.handle(Event::Tick, 1_600)),
        [],
        "nothing is told twice"
    );
    assert_eq!(turn.deadline(), Some(30_002), "the call's own deadline");
    assert_eq!(told(&turn.handle(report("one", 2_000), 2_000)), one(2_000));
}

#[test]
fn what_is_told_of_progress_is_durable_before_it_is_seen() {
    let mut turn = running(&["one"]);
    let effects = turn.handle(report("one", 1_000), 1_000);
    assert!(matches!(
        effects[..],
        [Effect::Append { .. }, Effect::Send { .. }]
    ));
}

#[test]
fn each_call_has_a_pace_of_its_own() {
    let mut turn = running(&["one", "two"]);
    assert_eq!(told(&turn.handle(report("one", 100), 100)).len(), 1);
    assert_eq!(told(&turn.handle(report("two", 150), 150)).len(), 1);
    assert_eq!(told(&turn.handle(report("one", 160), 160)), []);
    assert_eq!(told(&turn.handle(report("two", 170), 170)), []);
    assert_eq!(turn.deadline(), Some(350));
    assert_eq!(told(&turn.handle(Event::Tick, 360)), one(160));
    assert_eq!(turn.deadline(), Some(400));
}

#[test]
fn what_was_withheld_is_told_with_the_end_of_the_call() {
    let withheld = |turn: &mut Turn| {
        turn.handle(report("one", 1_000), 1_000);
        assert_eq!(told(&turn.handle(report("one", 1_001), 1_001)), []);
    };
    let mut turn = running(&["one"]);
    withheld(&mut turn);
    let effects = turn.handle(returned("one", json!("done")), 1_002);
    assert_eq!(
        told(&effects),
        [one(1_001), vec![("one".to_owned(), json!("done"))]].concat()
    );

    let mut turn = running(&["one"]);
    withheld(&mut turn);
    let effects = turn.handle(Event::Tick, 31_000);
    assert_eq!(told(&effects), one(1_001));
    let told_at = effects
        .iter()
        .position(|effect| matches!(effect, Effect::Append { .. }));
    let stopped = Effect::StopTool {
        call_id: "one".to_owned(),
        reason: StopReason::TimedOut,
    };
    assert!(told_at < effects.iter().position(|effect| *effect == stopped));

    let mut turn = running(&["one"]);
    withheld(&mut turn);
    assert_eq!(told(&turn.handle(Event::Cancel, 1_002)), one(1_001));
}

#[test]
fn nothing_is_told_of_a_call_that_does_not_run() {
    let mut turn = running(&["one", "two"]);
    turn.handle(returned("one", json!(1)), 900);
    assert_eq!(turn.handle(report("one", 1_000), 1_000), []);
    assert_eq!(turn.handle(report("three", 1_000), 1_000), []);
    assert_eq!(turn.deadline(), Some(30_003));
}

#[test]
fn a_report_without_end_is_cut_where_it_enters() {
    let mut turn = running(&["one"]);
    let endless = Event::ToolProgress {
        call_id: "one".to_owned(),
        progress: json!("a".repeat(1_000_000)),
    };
    let told = told(&turn.handle(endless, 1_000));
    assert!(told[0].1.to_string().len() <= flarebot_tool::OUTPUT_CHARACTERS);
}
