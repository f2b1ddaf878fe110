//! A turn that waits for the owner is a row: nothing happens to it, nothing waits for it, and every step into that state and
//! out of it is whole.

use crate::approval::{PAUSED_AT, about_to_pause, call_state, decide, pause, state, stored};
use crate::support::{accept, claim, database, message_id, request_id, transcript_ids};
use flarebot_conversation::action::{self, Claim};
use flarebot_conversation::ledger::approval::{self, Refusal, Verdict};
use flarebot_conversation::ledger::{self, Acceptance, Settlement, TurnStatus};
use flarebot_conversation::{stream_log, transcript};
use flarebot_model::ModelMessage;
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::message::{Decision, Message, Outcome, ToolState};
use flarebot_sql::Sql;
use flarebot_sql::native::Database;

#[test]
fn a_stop_ends_a_turn_that_waits_and_runs_nothing() {
    for decided in [None, Some(Decision::Approved)] {
        let database = database();
        pause(&database, "a", &["one"]);
        let id = request_id("request-a");
        if let Some(decision) = decided {
            decide(&database, "one", decision);
        }
        let message = ledger::stop_paused(&database, &request_id("request-a~2"), 50)
            .unwrap()
            .unwrap();
        assert_eq!(message, stored(&database));
        assert_eq!(message.metadata.as_ref().unwrap().outcome, Some(Outcome::Aborted));
        assert!(
            matches!(call_state(&message, "one"), ToolState::OutputError { error_text, .. } if !error_text.is_empty())
        );
        let ended = ledger::ended(&database, &id).unwrap().unwrap();
        assert_eq!(ended.outcome, Outcome::Aborted);
        assert_eq!(ledger::claim_decided(&database), Ok(None));
        assert_eq!(
            decide(&database, "one", Decision::Approved),
            Verdict::Refused(Refusal::NotWaiting)
        );
        assert_eq!(stream_log::read(&database, &id).unwrap().chunks, []);
        assert_eq!(ledger::stop_paused(&database, &id, 51), Ok(None));
    }
}

#[test]
fn a_stop_keeps_what_the_owner_has_declined_as_declined() {
    let database = database();
    pause(&database, "a", &["one", "two"]);
    decide(&database, "one", Decision::Declined);
    let message = ledger::stop_paused(&database, &request_id("request-a"), 50)
        .unwrap()
        .unwrap();
    assert!(matches!(
        call_state(&message, "one"),
        ToolState::OutputDenied { .. }
    ));
    assert!(matches!(
        call_state(&message, "two"),
        ToolState::OutputError { .. }
    ));
}

#[test]
fn clearing_leaves_nothing_of_a_turn_that_waits() {
    let database = database();
    pause(&database, "a", &["one"]);
    let claimed = action::claim(&database, &request_id("request-a"), "zero", "act", 5).unwrap();
    assert_eq!(claimed, Claim::Run);
    transcript::clear(&database).unwrap();
    for table in ["message", "turn", "stream_segment", "action"] {
        let rows = database.exec(&format!("SELECT 1 FROM {table}"), &[]).unwrap();
        assert!(rows.is_empty(), "{table}");
    }
    assert_eq!(
        decide(&database, "one", Decision::Approved),
        Verdict::Refused(Refusal::NotWaiting)
    );
}

#[test]
fn a_turn_that_was_stopped_or_erased_meanwhile_does_not_pause() {
    let database = database();
    let message = about_to_pause(&database, "a", &["one"]);
    transcript::clear(&database).unwrap();
    let settlement = ledger::pause(
        &database,
        &request_id("request-a"),
        &state("a"),
        &message,
        PAUSED_AT,
    );
    assert_eq!(settlement, Ok(Settlement::Late));
    assert_eq!(transcript_ids(&database), [] as [&str; 0]);
}

#[test]
fn a_turn_that_pauses_is_no_work_and_what_is_behind_it_goes_on() {
    let database = database();
    pause(&database, "a", &["one"]);
    assert!(!ledger::has_work(&database).unwrap());
    assert_eq!(ledger::running(&database), Ok(None));
    assert_eq!(ledger::take_over(&database, 40), Ok(None));
    accept(&database, "b");
    assert_eq!(
        ledger::queued(&database).unwrap().len(),
        1,
        "the queue holds messages alone"
    );
    assert_eq!(transcript_ids(&database), ["user-a", "answer-a", "user-b"]);
    assert_eq!(claim(&database).request_id, request_id("request-b"));
    assert!(call_state(&stored(&database), "one").waits_for_approval());
    accept(&database, "c");
    decide(&database, "one", Decision::Approved);
    let next = ledger::next_waiting(&database).unwrap().unwrap();
    assert_eq!(
        next.request_id,
        request_id("request-a"),
        "what was decided stands before what waits"
    );
}

#[test]
fn fifty_restarts_while_a_turn_waits_cost_it_nothing() {
    let mut database = database();
    pause(&database, "a", &["one"]);
    for _ in 0..50 {
        database = database.copy().unwrap();
        assert_eq!(ledger::take_over(&database, 40), Ok(None));
        assert_eq!(ledger::claim_decided(&database), Ok(None));
        assert_eq!(ledger::claim_next(&database, 9), Ok(None));
        assert!(!ledger::has_work(&database).unwrap());
    }
    decide(&database, "one", Decision::Approved);
    for _ in 0..50 {
        database = database.copy().unwrap();
        assert_eq!(ledger::take_over(&database, 40), Ok(None), "nobody runs it yet");
    }
    let continued = ledger::claim_decided(&database).unwrap().unwrap();
    assert_eq!(
        continued.turn.attempts, 2,
        "the second claim, and no attempt was lost"
    );
}

#[test]
fn a_model_that_answers_meanwhile_is_told_that_the_call_has_not_run() {
    let database = database();
    pause(&database, "a", &["one"]);
    accept(&database, "b");
    let told = |database: &Database| {
        let history = transcript::for_model(database, &message_id("user-b")).unwrap();
        let output = history
            .unwrap()
            .messages()
            .into_iter()
            .find_map(|message| match message {
                ModelMessage::Tool { output, .. } => Some(output),
                _ => None,
            });
        output.expect("every call has a result")
    };
    let waits = told(&database);
    assert!(
        waits.contains("waits for the owner") && waits.contains("has not run"),
        "{waits}"
    );
    decide(&database, "one", Decision::Declined);
    let declined = told(&database);
    assert!(declined.contains("owner declined"), "{declined}");
}

#[test]
fn a_request_that_is_repeated_while_its_turn_waits_is_known() {
    let database = database();
    pause(&database, "a", &["one"]);
    let status = |database: &Database| match accept(database, "a") {
        Acceptance::Duplicate { status, .. } => status,
        other => panic!("{other:?}"),
    };
    assert_eq!(status(&database), TurnStatus::Paused);
    let paused = ledger::paused(&database, &request_id("request-a"));
    assert_eq!(paused, Ok(Some(message_id("answer-a"))));
    assert_eq!(ledger::ended(&database, &request_id("request-a")), Ok(None));
    decide(&database, "one", Decision::Approved);
    assert_eq!(status(&database), TurnStatus::Decided);
}

/// Lets a step die after each of its statements. The next process finds what was, or all of what was to be.
fn die_anywhere<T: PartialEq + std::fmt::Debug>(
    prepare: impl Fn() -> Database,
    step: impl Fn(&Database) -> bool,
    look: impl Fn(&Database) -> T,
) {
    let before = look(&prepare());
    let after = {
        let database = prepare();
        assert!(step(&database));
        look(&database)
    };
    assert_ne!(before, after);
    for statements in 0.. {
        let database = prepare();
        database.fail_after(statements);
        let done = step(&database);
        let found = look(&database.copy().unwrap());
        if done {
            assert_eq!(found, after);
            break;
        }
        assert_eq!(found, before, "after {statements} statements");
    }
}

fn everything(database: &Database) -> (Vec<Message>, bool, Vec<Chunk>, bool) {
    (
        transcript::newest(database).unwrap(),
        ledger::running(database).unwrap().is_some(),
        stream_log::read(database, &request_id("request-a"))
            .unwrap()
            .chunks,
        ledger::has_work(database).unwrap(),
    )
}

#[test]
fn a_death_anywhere_in_a_pause_a_decision_or_a_stop_leaves_all_or_nothing() {
    let running = || {
        let database = database();
        about_to_pause(&database, "a", &["one"]);
        database
    };
    let message = about_to_pause(&database(), "a", &["one"]);
    let id = request_id("request-a");
    die_anywhere(
        running,
        |database| ledger::pause(database, &id, &state("a"), &message, PAUSED_AT).is_ok(),
        everything,
    );
    let waiting = || {
        let database = database();
        pause(&database, "a", &["one"]);
        database
    };
    die_anywhere(
        waiting,
        |database| approval::decide(database, &message.id, "one", Decision::Approved, 2_000).is_ok(),
        everything,
    );
    die_anywhere(
        waiting,
        |database| ledger::stop_paused(database, &id, 2_000).is_ok(),
        everything,
    );
    let decided = || {
        let database = waiting();
        decide(&database, "one", Decision::Approved);
        database
    };
    die_anywhere(
        decided,
        |database| ledger::claim_decided(database).is_ok(),
        everything,
    );
}
