//! The machine and the storage together, with a process that dies after any effect and one that takes over.

use crate::simulation::{Calls, Continuation, Outcome, Plan, play, step_text};
use crate::support::{accept, claim, context, database};
use flarebot_conversation::turn::{Effect, Event, MAXIMUM_INTERRUPTIONS, Turn};
use flarebot_conversation::{activity, ledger, transcript};
use flarebot_model::ModelEvent;
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::{self, Decision, Part, ToolState};
use flarebot_protocol::tool_activity::{ActivityFailure, ActivityStatus};
use proptest::prelude::*;

/// The answer and what is recorded of its calls say the same.
fn check_activities(outcome: &Outcome) {
    let activities = activity::page(&outcome.database, None).unwrap().activities;
    for record in &activities {
        assert!(
            record.ended_at.is_some(),
            "nothing is open in the end: {record:?}"
        );
        let in_answer = outcome.message.parts.iter().any(|part| match part {
            Part::Tool(call) => call.tool_call_id == record.tool_call_id,
            _ => false,
        });
        // What the model had not written to its end when the instance was lost is no part of the answer.
        let was_lost = record.failure == Some(ActivityFailure::Interrupted) && record.attempts == 0;
        assert!(in_answer || was_lost, "{record:?}");
    }
    for part in &outcome.message.parts {
        let Part::Tool(call) = part else { continue };
        let mut records = activities.iter();
        let record = records.find(|record| record.tool_call_id == call.tool_call_id);
        let record = record.unwrap_or_else(|| panic!("{call:?} is recorded"));
        let stands = (record.status, record.failure);
        let unknown = (ActivityStatus::Failed, Some(ActivityFailure::Interrupted));
        match &call.state {
            ToolState::OutputAvailable { .. } => assert_eq!(stands.0, ActivityStatus::Succeeded, "{call:?}"),
            ToolState::OutputDenied { .. } => {
                assert_eq!(stands.1, Some(ActivityFailure::Declined), "{call:?}");
            }
            ToolState::OutputError { .. } => assert!(
                stands == unknown
                    || stands == (ActivityStatus::Cancelled, None)
                    || stands == (ActivityStatus::Failed, Some(ActivityFailure::Tool)),
                "{call:?} {record:?}"
            ),
            state => panic!("{state:?}"),
        }
        let runs = outcome
            .runs
            .get(&(call.tool_name.clone(), call.tool_call_id.clone()));
        let runs = runs.copied().unwrap_or_default();
        let attempts = record.attempts as usize;
        assert!(
            attempts >= runs && attempts <= runs + outcome.deaths,
            "{call:?} {record:?}"
        );
    }
}

/// What holds for every turn, however often it was interrupted.
fn check(plan: &Plan, outcome: &Outcome) {
    check_activities(outcome);
    let Outcome { message, runs, .. } = outcome;
    let metadata = message.metadata.as_ref().unwrap();
    let steps = plan.tools.len() + 1;
    let whole: String = (0..steps).map(|step| step_text(step, plan.marks)).collect();
    match metadata.outcome {
        Some(message::Outcome::Completed) => assert_eq!(message.text(), whole, "every word once"),
        Some(message::Outcome::Interrupted | message::Outcome::Error) => {
            assert!(
                whole.starts_with(&message.text()),
                "no word twice: {}",
                message.text()
            );
            assert!(metadata.notice.is_some());
            let interruptions = outcome.deaths + plan.cuts.len();
            assert!(
                interruptions > MAXIMUM_INTERRUPTIONS as usize,
                "given up too early"
            );
        }
        other => panic!("{other:?}"),
    }
    for ((tool, call), count) in runs {
        assert!(tool == "look" || *count == 1, "{call} ran {count} times");
        let said = outcome.decisions.get(call);
        assert!(
            tool != "sign" || said == Some(&Decision::Approved),
            "{call} ran, but the owner said {said:?}"
        );
    }
    for part in &message.parts {
        let Part::Tool(call) = part else { continue };
        assert!(call.state.is_settled(), "{call:?}");
        let ran = runs.contains_key(&(call.tool_name.clone(), call.tool_call_id.clone()));
        let said = outcome.decisions.get(&call.tool_call_id);
        let is_denied = matches!(call.state, ToolState::OutputDenied { .. });
        assert_eq!(is_denied, said == Some(&Decision::Declined), "{call:?}");
        if outcome.deaths == 0 && said == Some(&Decision::Approved) {
            assert!(ran, "what was allowed runs: {call:?}");
        }
        if let ToolState::OutputAvailable { output, .. } = &call.state {
            assert!(ran, "{call:?} has a result");
            assert_eq!(output["done"], call.tool_call_id);
        }
    }
}

fn calls(acts: usize, looks: usize, signs: usize) -> Calls {
    Calls { acts, looks, signs }
}

#[test]
fn an_undisturbed_turn_with_tools_is_whole() {
    let plan = Plan {
        tools: vec![calls(1, 1, 0), calls(0, 2, 0)],
        owner: Vec::new(),
        marks: 5,
        continuation: Continuation::Continues,
        lives: Vec::new(),
        cuts: Vec::new(),
    };
    let outcome = play(&plan);
    check(&plan, &outcome);
    assert_eq!((outcome.deaths, outcome.model_calls), (0, 3));
    assert_eq!(outcome.runs.len(), 4);
}

#[test]
fn a_death_after_any_effect_leaves_the_answer_whole_and_runs_no_action_twice() {
    for continuation in [
        Continuation::Continues,
        Continuation::StartsOver,
        Continuation::Overlaps,
    ] {
        for life in 0.. {
            let plan = Plan {
                tools: vec![calls(1, 1, 0), calls(2, 0, 0)],
                owner: Vec::new(),
                marks: 6,
                continuation,
                lives: vec![life],
                cuts: Vec::new(),
            };
            let outcome = play(&plan);
            check(&plan, &outcome);
            let metadata = outcome.message.metadata.as_ref().unwrap();
            assert_eq!(metadata.outcome, Some(message::Outcome::Completed));
            if outcome.deaths == 0 {
                assert!(life > 60, "a turn has many effects");
                break;
            }
        }
    }
}

#[test]
fn a_death_after_any_effect_neither_repeats_what_the_owner_allowed_nor_runs_anything_else() {
    // Before the first pause, between the two, and after the second.
    for pauses in 0..3 {
        for life in 0.. {
            let mut lives = vec![usize::MAX; pauses];
            lives.push(life);
            let plan = Plan {
                tools: vec![calls(1, 0, 2), calls(0, 1, 1)],
                owner: vec![
                    (Decision::Approved, true),
                    (Decision::Declined, false),
                    (Decision::Approved, false),
                ],
                marks: 4,
                continuation: Continuation::Overlaps,
                lives,
                cuts: Vec::new(),
            };
            let outcome = play(&plan);
            check(&plan, &outcome);
            assert_eq!(outcome.decisions.len(), 3);
            let metadata = outcome.message.metadata.as_ref().unwrap();
            assert_eq!(metadata.outcome, Some(message::Outcome::Completed));
            if outcome.deaths == 0 {
                assert!(life > 10, "a life has many effects");
                break;
            }
        }
    }
}

#[test]
fn a_turn_that_dies_without_progress_is_given_up_and_one_that_makes_some_is_not() {
    let plan = |lives| Plan {
        tools: Vec::new(),
        owner: Vec::new(),
        marks: 1200,
        continuation: Continuation::Continues,
        lives,
        cuts: Vec::new(),
    };
    let hopeless = play(&plan(vec![3; 20]));
    assert_eq!(hopeless.deaths, 4);
    let metadata = hopeless.message.metadata.unwrap();
    assert_eq!(metadata.outcome, Some(message::Outcome::Interrupted));

    let slow = plan(vec![100; 10]);
    let outcome = play(&slow);
    check(&slow, &outcome);
    assert_eq!(outcome.deaths, 10);
    assert_eq!(
        outcome.message.metadata.unwrap().outcome,
        Some(message::Outcome::Completed)
    );
}

#[test]
fn a_stopped_answer_beats_the_model_that_ended_it_later() {
    let database = database();
    accept(&database, "a");
    let mut turn = Turn::new(claim(&database), context());
    for event in [
        Event::Accepted,
        Event::Model(ModelEvent::Text("Half".to_owned())),
        Event::Cancel,
        Event::Model(ModelEvent::Text(" and more".to_owned())),
        Event::Model(ModelEvent::Finished(FinishReason::Stop)),
    ] {
        for effect in turn.handle(event, 50) {
            if let Effect::Finish { outcome, message, .. } = effect {
                ledger::settle(&database, turn.request_id(), outcome, &message, 60).unwrap();
            }
        }
    }
    let stored = transcript::newest(&database).unwrap();
    assert_eq!(stored[1].text(), "Half");
    let metadata = stored[1].metadata.as_ref().unwrap();
    assert_eq!(metadata.outcome, Some(message::Outcome::Aborted));
}

fn plans() -> impl Strategy<Value = Plan> {
    let step =
        (0..3_usize, 0..3_usize, 0..3_usize).prop_map(|(acts, looks, signs)| calls(acts, looks, signs));
    let tools = prop::collection::vec(step, 0..4);
    let tools = tools.prop_map(|steps| steps.into_iter().filter(|calls| calls.count() > 0).collect());
    let decision = prop_oneof![Just(Decision::Approved), Just(Decision::Declined)];
    let owner = prop::collection::vec((decision, any::<bool>()), 1..5);
    let continuation = prop_oneof![
        Just(Continuation::Continues),
        Just(Continuation::StartsOver),
        Just(Continuation::Overlaps),
    ];
    let lives = prop::collection::vec(1..160_usize, 0..7);
    let cuts = prop::collection::vec(0..12_usize, 0..4);
    (tools, owner, 1..60_usize, continuation, lives, cuts).prop_map(
        |(tools, owner, marks, continuation, lives, cuts)| Plan {
            tools,
            owner,
            marks,
            continuation,
            lives,
            cuts,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn deaths_and_cuts_anywhere_neither_lose_nor_double_anything(plan in plans()) {
        let outcome = play(&plan);
        check(&plan, &outcome);
    }
}
