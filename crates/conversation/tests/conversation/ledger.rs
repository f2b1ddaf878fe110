//! Turns are accepted once, run one at a time in order, and settled by whoever comes first.

use crate::support::{
    accept, answer, claim, complete, database, message_id, request, request_id, text_delta, transcript_ids,
};
use flarebot_conversation::ledger::{
    self, Acceptance, ClaimedTurn, MAXIMUM_QUEUED, Refusal, Settlement, TurnStatus,
};
use flarebot_conversation::turn::TurnState;
use flarebot_conversation::{stream_log, transcript};
use flarebot_protocol::frame::Trigger;
use flarebot_protocol::message::{Message, Metadata, Outcome, Part, Role};
use flarebot_sql::Sql;
use flarebot_sql::native::Database;

fn count(sql: &impl Sql, table: &str) -> i64 {
    let rows = sql.exec(&format!("SELECT count(*) FROM {table}"), &[]).unwrap();
    rows[0].integer(0).unwrap()
}

fn queued_ids(sql: &impl Sql) -> Vec<String> {
    let queued = ledger::queued(sql).unwrap();
    queued
        .into_iter()
        .map(|turn| turn.request_id.to_string())
        .collect()
}

fn state(name: &str) -> TurnState {
    let (request_id, message_id) = (format!("request-{name}"), format!("answer-{name}"));
    let mut state = TurnState::new(self::request_id(&request_id), self::message_id(&message_id), 20);
    state.model = Some("small".to_owned());
    state
}

#[test]
fn an_accepted_message_is_stored_with_its_time_and_waits() {
    let database = database();
    let Acceptance::New { message } = accept(&database, "a") else {
        panic!("not accepted")
    };
    assert_eq!(message.metadata.as_ref().unwrap().created_at, Some(10));
    assert_eq!(transcript::newest(&database).unwrap(), [message]);
    assert_eq!(queued_ids(&database), ["request-a"]);
}

#[test]
fn a_repeated_request_adds_neither_a_message_nor_a_turn() {
    let database = database();
    accept(&database, "a");
    let duplicate = |status| Acceptance::Duplicate {
        request_id: request_id("request-a"),
        status,
    };
    assert_eq!(accept(&database, "a"), duplicate(TurnStatus::Queued));

    let mut same_message = request("a", "question a");
    same_message.id = request_id("request-again");
    let turn = claim(&database);
    let repeated = ledger::accept(&database, &same_message, &message_id("answer-again"), 11).unwrap();
    assert_eq!(repeated, duplicate(TurnStatus::Running));

    let message = answer("answer-a", "hello");
    ledger::settle(&database, &turn.request_id, Outcome::Completed, &message, 30).unwrap();
    assert_eq!(
        accept(&database, "a"),
        duplicate(TurnStatus::Ended(Outcome::Completed))
    );
    assert_eq!((count(&database, "message"), count(&database, "turn")), (2, 1));
}

#[test]
fn a_full_queue_refuses_and_takes_again_after_one_was_claimed() {
    let database = database();
    for number in 0..MAXIMUM_QUEUED {
        assert!(matches!(
            accept(&database, &number.to_string()),
            Acceptance::New { .. }
        ));
    }
    assert_eq!(accept(&database, "late"), Acceptance::Refused(Refusal::QueueFull));
    assert_eq!(count(&database, "message"), i64::from(MAXIMUM_QUEUED));
    claim(&database);
    assert!(matches!(accept(&database, "late"), Acceptance::New { .. }));
}

#[test]
fn what_cannot_be_stored_is_refused_with_a_sentence() {
    let database = database();
    accept(&database, "a");
    for taken in ["answer-a", "user-a"] {
        let mut clash = request("b", "hello");
        clash.message.id = message_id(taken);
        let acceptance = ledger::accept(&database, &clash, &message_id("answer-b"), 11).unwrap();
        assert!(!matches!(acceptance, Acceptance::New { .. }), "{acceptance:?}");
    }

    let mut shattered = request("b", "");
    shattered.message.parts = vec![
        Part::Text {
            text: "x".to_owned(),
            state: None
        };
        100_000
    ];
    let acceptance = ledger::accept(&database, &shattered, &message_id("answer-b"), 11).unwrap();
    assert_eq!(acceptance, Acceptance::Refused(Refusal::TooLarge));

    let mut regenerate = request("b", "hello");
    regenerate.trigger = Trigger::Regenerate;
    let acceptance = ledger::accept(&database, &regenerate, &message_id("answer-b"), 11).unwrap();
    assert_eq!(acceptance, Acceptance::Refused(Refusal::Regenerate));
    assert_eq!((count(&database, "message"), count(&database, "turn")), (1, 1));
}

#[test]
fn turns_run_one_at_a_time_in_the_order_of_their_messages() {
    let database = database();
    for name in ["a", "b", "c"] {
        accept(&database, name);
    }
    for name in ["a", "b", "c"] {
        let turn = claim(&database);
        assert_eq!(turn.user_message_id, message_id(&format!("user-{name}")));
        assert_eq!(turn.attempts, 1);
        assert_eq!(ledger::claim_next(&database, 21), Ok(None));
        assert_eq!(ledger::running(&database), Ok(Some(turn.clone())));
        let message = answer(turn.assistant_message_id.as_str(), "hello");
        ledger::settle(&database, &turn.request_id, Outcome::Completed, &message, 30).unwrap();
    }
    assert_eq!(ledger::claim_next(&database, 40), Ok(None));
    assert_eq!(ledger::running(&database), Ok(None));
}

#[test]
fn an_answer_stands_after_its_question_however_late_it_came() {
    let database = database();
    accept(&database, "a");
    let first = claim(&database);
    accept(&database, "b");
    accept(&database, "c");
    assert_eq!(transcript_ids(&database), ["user-a", "user-b", "user-c"]);

    let message = answer("answer-a", "hello");
    ledger::settle(&database, &first.request_id, Outcome::Completed, &message, 30).unwrap();
    complete(&database, "d", "hello b");
    complete(&database, "e", "hello c");
    assert_eq!(
        transcript_ids(&database),
        [
            "user-a", "answer-a", "user-b", "answer-b", "user-c", "answer-c", "user-d", "user-e"
        ]
    );
}

#[test]
fn a_cancelled_waiting_turn_never_runs_and_keeps_its_message() {
    let database = database();
    accept(&database, "a");
    accept(&database, "b");
    let cancel = |name| ledger::cancel_queued(&database, &request_id(name), 15).unwrap();
    assert_eq!(cancel("request-a"), Settlement::Applied);
    assert_eq!(cancel("request-a"), Settlement::Late);
    assert_eq!(cancel("request-unknown"), Settlement::Late);
    assert_eq!(claim(&database).request_id, request_id("request-b"));
    assert_eq!(cancel("request-b"), Settlement::Late);
    assert_eq!(transcript_ids(&database), ["user-a", "user-b"]);
}

#[test]
fn whatever_settles_a_turn_first_wins() {
    let database = database();
    accept(&database, "a");
    let turn = claim(&database);
    let settle = |outcome, text| {
        let message = answer("answer-a", text);
        ledger::settle(&database, &turn.request_id, outcome, &message, 30).unwrap()
    };
    assert_eq!(settle(Outcome::Aborted, "half"), Settlement::Applied);
    assert_eq!(settle(Outcome::Completed, "half and the rest"), Settlement::Late);
    let checkpoint = ledger::checkpoint(&database, &turn.request_id, &state("a")).unwrap();
    assert_eq!(checkpoint, Settlement::Late);
    assert_eq!(transcript::newest(&database).unwrap()[1].text(), "half");
}

#[test]
fn a_turn_has_an_outcome_once_it_has_ended() {
    let database = database();
    let outcome = |request: &str| {
        let ended = ledger::ended(&database, &request_id(request)).unwrap();
        ended.map(|ended| ended.outcome)
    };
    assert_eq!(outcome("request-a"), None);
    accept(&database, "a");
    assert_eq!(outcome("request-a"), None);
    let turn = claim(&database);
    assert_eq!(outcome("request-a"), None);
    let message = answer("answer-a", "half");
    ledger::settle(&database, &turn.request_id, Outcome::Aborted, &message, 30).unwrap();
    assert_eq!(outcome("request-a"), Some(Outcome::Aborted));
    assert_eq!(
        outcome("request-a~2"),
        Some(Outcome::Aborted),
        "a request under which it went on"
    );
    assert_eq!(outcome("request-b"), None);
}

#[test]
fn an_answer_without_content_is_stored_only_for_its_notice() {
    let database = database();
    let empty = |name: &str, notice: Option<&str>| Message {
        id: message_id(&format!("answer-{name}")),
        role: Role::Assistant,
        parts: Vec::new(),
        metadata: Some(Metadata {
            notice: notice.map(str::to_owned),
            ..Metadata::default()
        }),
    };
    for (name, notice) in [("a", None), ("b", Some("It failed."))] {
        accept(&database, name);
        let turn = claim(&database);
        let message = empty(name, notice);
        ledger::settle(&database, &turn.request_id, Outcome::Error, &message, 30).unwrap();
    }
    assert_eq!(transcript_ids(&database), ["user-a", "user-b", "answer-b"]);
}

#[test]
fn a_turn_that_is_taken_over_comes_with_its_checkpoint_and_counts_as_a_new_attempt() {
    let database = database();
    accept(&database, "a");
    assert_eq!(ledger::take_over(&database, 40), Ok(None));
    let turn = claim(&database);

    let lost = ledger::take_over(&database, 40).unwrap().unwrap();
    assert_eq!(
        lost.turn,
        ClaimedTurn {
            attempts: 2,
            ..turn.clone()
        }
    );
    assert_eq!(lost.turn.stream_id(), request_id("request-a~2"));
    let known = TurnState::claimed(turn.request_id.clone(), turn.assistant_message_id.clone(), 20);
    assert_eq!(lost.state, known);

    ledger::checkpoint(&database, &turn.request_id, &state("a")).unwrap();
    let lost = ledger::take_over(&database, 40).unwrap().unwrap();
    assert_eq!((lost.turn.attempts, lost.state), (3, state("a")));

    let garbage = r#"UPDATE turn SET state = '{"version":99,"content":{}}'"#;
    database.exec(garbage, &[]).unwrap();
    let lost = ledger::take_over(&database, 40).unwrap().unwrap();
    assert_eq!((lost.turn.attempts, lost.state), (4, known));
}

#[test]
fn a_crash_anywhere_in_an_acceptance_leaves_all_or_nothing() {
    let stored = crash_everywhere(
        || {
            let database = database();
            complete(&database, "before", "hello");
            database
        },
        |database| ledger::accept(database, &request("a", "hello"), &message_id("answer-a"), 10).map(drop),
        |database| {
            (
                count(database, "message"),
                count(database, "turn"),
                queued_ids(database).len(),
            )
        },
    );
    assert_eq!(stored, ((2, 1, 0), (3, 2, 1)));
}

#[test]
fn a_crash_anywhere_in_a_settlement_leaves_all_or_nothing() {
    let stored = crash_everywhere(
        || {
            let database = database();
            accept(&database, "a");
            let turn = claim(&database);
            stream_log::append(&database, &turn.request_id, 0, &[text_delta("hello")]).unwrap();
            database
        },
        |database| {
            let message = answer("answer-a", "hello");
            ledger::settle(
                database,
                &request_id("request-a"),
                Outcome::Completed,
                &message,
                30,
            )
            .map(drop)
        },
        |database| {
            let running = ledger::running(database).unwrap().is_some();
            (
                count(database, "message"),
                count(database, "stream_segment"),
                running,
            )
        },
    );
    assert_eq!(stored, ((1, 1, true), (2, 0, false)));
}

#[test]
fn a_crash_anywhere_in_a_clearing_leaves_all_or_nothing() {
    let stored = crash_everywhere(
        || {
            let database = database();
            complete(&database, "a", "hello");
            accept(&database, "b");
            let turn = claim(&database);
            stream_log::append(&database, &turn.request_id, 0, &[text_delta("hello")]).unwrap();
            database
        },
        transcript::clear,
        |database| {
            (
                count(database, "message"),
                count(database, "turn"),
                count(database, "stream_segment"),
            )
        },
    );
    assert_eq!(stored, ((3, 2, 1), (0, 0, 0)));
}

/// Runs `step` again and again, stopped after each possible statement, and returns what the next process finds after
/// a stopped run and after a whole one. Every stopped run must leave the same.
fn crash_everywhere<E: std::fmt::Debug, T: PartialEq + std::fmt::Debug>(
    prepare: impl Fn() -> Database,
    step: impl Fn(&Database) -> Result<(), E>,
    look: impl Fn(&Database) -> T,
) -> (T, T) {
    let untouched = look(&prepare());
    for statements in 0.. {
        let database = prepare();
        database.fail_after(statements);
        let result = step(&database);
        let restarted = database.copy().unwrap();
        if result.is_ok() {
            return (untouched, look(&restarted));
        }
        assert_eq!(look(&restarted), untouched, "after {statements} statements");
    }
    unreachable!("a step has an end")
}
