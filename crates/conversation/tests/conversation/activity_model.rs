//! Anything in any order: what is recorded of calls is what a plain model says of them, and never what cannot be.

mod plain;

use crate::activity_world::World;
use flarebot_conversation::activity;
use flarebot_protocol::message::Decision;
use flarebot_protocol::tool_activity::{
    ActivityFailure, ActivityProgress, ActivityStatus, LIVE_ACTIVITIES, ToolActivity,
};
use plain::{Model, Stands};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// How many interleavings are tried.
const INTERLEAVINGS: u32 = 500;

/// One thing that happens. Numbers pick a call among those that it may happen to.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Happening {
    /// The model writes calls of these tools; if nothing is being answered, the owner asks something first.
    Calls([Option<&'static str>; 3]),
    /// The model begins to write a call, and is not done.
    Writes(&'static str),
    /// The model says the rest.
    Answers,
    Reports(usize, u64),
    Returns(usize),
    SaysThatItFailed(usize),
    Fails(usize),
    /// All that run take too long.
    TakesTooLong,
    /// A call that does not run reports and returns.
    ComesLate(usize),
    Decides(usize, Decision),
    Stops,
    Clears,
    Dies,
    /// A call does what it should, and the instance dies before it is heard of.
    DiesUnheard(usize),
}

/// What no record may be, whatever has happened.
fn possible(activity: &ToolActivity) -> Result<(), TestCaseError> {
    let open = matches!(activity.status, ActivityStatus::Pending | ActivityStatus::Running);
    prop_assert_eq!(activity.ended_at.is_none(), open, "{:?}", activity);
    prop_assert_eq!(
        activity.failure.is_some(),
        activity.status == ActivityStatus::Failed,
        "{:?}",
        activity
    );
    prop_assert_eq!(
        activity.started_at.is_some(),
        activity.attempts > 0,
        "{:?}",
        activity
    );
    prop_assert!(
        activity.status != ActivityStatus::Running || activity.attempts > 0,
        "{:?}",
        activity
    );
    let interrupted = activity.failure == Some(ActivityFailure::Interrupted);
    prop_assert!(
        !interrupted || activity.interrupted_at == activity.ended_at,
        "{:?}",
        activity
    );
    prop_assert!(
        activity.progress.is_none() || activity.attempts > 0,
        "{:?}",
        activity
    );
    prop_assert!(
        activity.progress != Some(ActivityProgress::default()),
        "{:?}",
        activity
    );
    let times = [Some(activity.created_at), activity.started_at, activity.ended_at];
    prop_assert!(times.iter().flatten().is_sorted(), "{:?}", activity);
    Ok(())
}

/// What becomes final stays as it is, unless it is erased; what never changes never does.
fn final_stays(before: &[ToolActivity], after: &[ToolActivity]) -> Result<(), TestCaseError> {
    for earlier in before {
        let Some(later) = after.iter().find(|later| later.sequence == earlier.sequence) else {
            continue;
        };
        prop_assert_eq!(
            (
                &later.message_id,
                &later.tool_call_id,
                later.created_at,
                &later.label
            ),
            (
                &earlier.message_id,
                &earlier.tool_call_id,
                earlier.created_at,
                &earlier.label
            )
        );
        prop_assert!(later.attempts >= earlier.attempts);
        prop_assert!(earlier.started_at.is_none() || later.started_at == earlier.started_at);
        prop_assert!(earlier.interrupted_at <= later.interrupted_at);
        let is_final = earlier.ended_at.is_some() && earlier.failure != Some(ActivityFailure::Interrupted);
        prop_assert!(!is_final || earlier == later, "{:?} became {:?}", earlier, later);
    }
    Ok(())
}

/// The window is what the pages say, the open ones first.
fn live_agrees(world: &World, activities: &[ToolActivity]) -> Result<(), TestCaseError> {
    let newest_first = || activities.iter().rev().cloned();
    let open = newest_first().filter(|activity| activity.ended_at.is_none());
    let ended = newest_first().filter(|activity| activity.ended_at.is_some());
    let expected: Vec<ToolActivity> = open.chain(ended).take(LIVE_ACTIVITIES).collect();
    prop_assert_eq!(activity::live(&world.database).unwrap().activities, expected);
    Ok(())
}

fn pick(from: &[String], number: usize) -> Option<String> {
    (!from.is_empty()).then(|| from[number % from.len()].clone())
}

/// Lets one thing happen to both. Says whether it could.
fn happen(world: &mut World, model: &mut Model, happening: Happening) -> bool {
    let waiting: Vec<String> = model
        .calls
        .iter()
        .filter(|((of, _), call)| *of == model.answer && call.stands == Stands::Asks)
        .map(|((_, id), _)| id.clone())
        .collect();
    let picked = |number| pick(&world.running, number);
    match happening {
        Happening::Calls(_) | Happening::Writes(_) => {
            let unwritten = model.current().all(|call| call.stands != Stands::Written);
            let nothing = matches!(happening, Happening::Calls([None, None, None]));
            if !world.running.is_empty() || (nothing && (unwritten || !world.is_answering())) {
                return false;
            }
            if !world.is_answering() {
                world.ask();
                model.answer = world.answer_id().to_string();
                model.erased = false;
            }
            if let Happening::Writes(tool) = happening {
                let id = model.add(tool, Stands::Written);
                world.announce(&id, tool);
                return true;
            }
            let Happening::Calls(tools) = happening else {
                return false;
            };
            for tool in tools.into_iter().flatten() {
                let id = model.add(tool, Stands::Written);
                world.announce(&id, tool);
            }
            for call in model.current().filter(|call| call.stands == Stands::Written) {
                if call.tool == "fly" || !world.offers_tools {
                    call.stands = Stands::Failed;
                } else if call.tool == "sign" {
                    call.stands = Stands::Asks;
                } else {
                    call.stands = Stands::Runs;
                    call.attempts = 1;
                }
            }
            world.written();
        }
        Happening::Answers => {
            if !world.is_answering() || !world.running.is_empty() || waiting.is_empty().eq(&false) {
                return false;
            }
            if model.current().any(|call| call.stands == Stands::Written) {
                return false;
            }
            world.finish();
        }
        Happening::Reports(number, done) => {
            let Some(id) = picked(number) else { return false };
            world.now += 1_000;
            world.report(&id, json!({ "done": done }));
            if let Some(call) = model.call(&id) {
                call.done = Some(done);
            }
        }
        Happening::Returns(number) => {
            let Some(id) = picked(number) else { return false };
            model.set(&id, Stands::Succeeded);
            world.end(&id, Ok(json!({ "of": id })));
        }
        Happening::SaysThatItFailed(number) => {
            let Some(id) = picked(number) else { return false };
            model.set(&id, Stands::Failed);
            world.end(&id, Ok(json!({ "ok": false, "of": id })));
        }
        Happening::Fails(number) => {
            let Some(id) = picked(number) else { return false };
            model.set(&id, Stands::Failed);
            world.end(&id, Err(&id));
        }
        Happening::TakesTooLong => {
            if world.running.is_empty() {
                return false;
            }
            for id in world.running.clone() {
                model.set(&id, Stands::TookTooLong);
            }
            world.tick(31_000);
        }
        Happening::ComesLate(number) => {
            let id = format!("call-{}", number % (model.written + 1));
            if world.running.contains(&id) {
                return false;
            }
            world.report(&id, json!({ "done": 99 }));
            world.end(&id, Ok(json!("late")));
        }
        Happening::Decides(number, decision) => {
            let Some(id) = pick(&waiting, number).filter(|_| !world.is_answering()) else {
                return false;
            };
            model.set(
                &id,
                match decision {
                    Decision::Approved => Stands::Allowed,
                    Decision::Declined => Stands::Declined,
                },
            );
            world.decide(&id, decision);
            model.allow();
        }
        Happening::Stops => {
            if world.is_answering() {
                world.cancel();
            } else if waiting.is_empty() {
                return false;
            } else {
                world.stop_paused();
            }
            model.stop();
        }
        Happening::Clears => {
            world.clear();
            model.calls.clear();
            model.erased = true;
        }
        Happening::Dies | Happening::DiesUnheard(_) => {
            let known = match happening {
                Happening::DiesUnheard(number) => picked(number),
                _ => None,
            };
            if let Some(id) = &known {
                world.end_unheard(id, Ok(json!({ "of": id })));
            }
            let made = world.is_answering();
            world.kill();
            if made {
                // An answer that goes on may end in the same moment, when its model repeats a failure.
                model.lose(!world.given_up, known.as_deref());
            }
        }
    }
    true
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let tool = || prop::sample::select(vec!["act", "look", "sign", "fly"]);
    let tools = [
        prop::option::weighted(0.9, tool()),
        prop::option::of(tool()),
        prop::option::of(tool()),
    ];
    let decision = prop_oneof![2 => Just(Decision::Approved), 1 => Just(Decision::Declined)];
    let happening = prop_oneof![
        6 => tools.prop_map(Happening::Calls),
        1 => tool().prop_map(Happening::Writes),
        2 => Just(Happening::Answers),
        4 => (any::<usize>(), 0_u64..50).prop_map(|(number, done)| Happening::Reports(number, done)),
        4 => any::<usize>().prop_map(Happening::Returns),
        1 => any::<usize>().prop_map(Happening::SaysThatItFailed),
        2 => any::<usize>().prop_map(Happening::Fails),
        1 => Just(Happening::TakesTooLong),
        2 => any::<usize>().prop_map(Happening::ComesLate),
        4 => (any::<usize>(), decision).prop_map(|(number, decision)| Happening::Decides(number, decision)),
        2 => Just(Happening::Stops),
        1 => Just(Happening::Clears),
        2 => Just(Happening::Dies),
        1 => any::<usize>().prop_map(Happening::DiesUnheard),
    ];
    prop::collection::vec(happening, 1..40)
}

/// Lets all of it happen, and compares after each; counts what could happen.
fn agree(happenings: Vec<Happening>, counts: &RefCell<BTreeMap<String, usize>>) -> Result<(), TestCaseError> {
    let (mut world, mut model) = (World::new(), Model::default());
    let mut before = Vec::new();
    for happening in happenings {
        if !happen(&mut world, &mut model, happening) {
            continue;
        }
        let after = world.activities();
        for activity in &after {
            possible(activity)?;
        }
        final_stays(&before, &after)?;
        model.check(&after)?;
        live_agrees(&world, &after)?;
        before = after;
        let name = format!("{happening:?}");
        let name = name.split('(').next().unwrap_or_default().to_owned();
        *counts.borrow_mut().entry(name).or_default() += 1;
    }
    let mut counts = counts.borrow_mut();
    *counts.entry("records at the end".to_owned()).or_default() += before.len();
    Ok(())
}

#[test]
fn whatever_happens_no_record_is_what_it_cannot_be() {
    let counts = RefCell::default();
    let mut runner = TestRunner::new(Config {
        cases: INTERLEAVINGS,
        failure_persistence: None,
        ..Config::default()
    });
    let result = runner.run(&happenings(), |happenings| agree(happenings, &counts));
    println!("{INTERLEAVINGS} interleavings: {:?}", counts.borrow());
    assert_eq!(result, Ok(()));
    // Every kind of thing has happened often enough to mean something.
    assert!(counts.borrow().len() == 15 && counts.borrow().values().all(|count| *count > 30));
}

#[test]
fn an_answer_that_ends_as_it_is_taken_up_keeps_what_a_call_had_done() {
    let happenings = vec![
        Happening::Calls([Some("fly"), None, None]),
        Happening::Calls([Some("fly"), None, None]),
        Happening::Calls([Some("act"), Some("fly"), None]),
        Happening::DiesUnheard(0),
    ];
    let counts = RefCell::default();
    agree(happenings, &counts).unwrap();
    assert_eq!(counts.borrow().get("DiesUnheard"), Some(&1));
}
