//! The owner's decisions: the first one counts, the turn goes on with the last one, and until then it is no work.

use crate::support::{accept, claim, database, message_id, request_id, transcript_ids};
use flarebot_conversation::action::{self, Claim};
use flarebot_conversation::ledger::approval::{self, MAXIMUM_WAIT, Refusal, Verdict};
use flarebot_conversation::ledger::{self, Acceptance, Settlement, TurnStatus};
use flarebot_conversation::turn::TurnState;
use flarebot_conversation::{stream_log, transcript};
use flarebot_model::ModelMessage;
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::message::{Decision, Message, Outcome, Part, Role, ToolState};
use flarebot_protocol::reduce;
use flarebot_sql::Sql;
use flarebot_sql::native::Database;
use serde_json::json;

const PAUSED_AT: i64 = 1_000;

fn asked(name: &str, calls: &[&str]) -> Vec<Chunk> {
    let mut chunks = vec![
        Chunk::Start {
            message_id: message_id(&format!("answer-{name}")),
            message_metadata: None,
        },
        Chunk::StartStep,
    ];
    let inputs = calls.iter().map(|call| Chunk::ToolInputAvailable {
        tool_call_id: (*call).to_owned(),
        tool_name: "sign".to_owned(),
        input: json!({ "key": call }),
    });
    chunks.extend(inputs);
    let questions = calls.iter().map(|call| Chunk::ToolApprovalRequest {
        approval_id: format!("answer-{name}/{call}"),
        tool_call_id: (*call).to_owned(),
    });
    chunks.extend(questions);
    chunks
}

fn state(name: &str) -> TurnState {
    let (request, message) = (format!("request-{name}"), format!("answer-{name}"));
    TurnState::new(request_id(&request), message_id(&message), 20)
}

/// The turn `name`, claimed, with its log and message up to the questions about these calls.
fn about_to_pause(sql: &impl Sql, name: &str, calls: &[&str]) -> Message {
    accept(sql, name);
    let turn = claim(sql);
    let chunks = asked(name, calls);
    stream_log::append(sql, &turn.request_id, 0, &chunks).unwrap();
    let empty = Message {
        id: turn.assistant_message_id,
        role: Role::Assistant,
        parts: Vec::new(),
        metadata: None,
    };
    reduce(empty, &chunks)
}

fn pause(sql: &impl Sql, name: &str, calls: &[&str]) {
    let message = about_to_pause(sql, name, calls);
    let id = request_id(&format!("request-{name}"));
    let settlement = ledger::pause(sql, &id, &state(name), &message, PAUSED_AT).unwrap();
    assert_eq!(settlement, Settlement::Applied);
}

fn decide(sql: &impl Sql, call: &str, decision: Decision) -> Verdict {
    approval::decide(sql, &message_id("answer-a"), call, decision, PAUSED_AT + 5).unwrap()
}

fn call_state(message: &Message, call: &str) -> ToolState {
    let state = message.parts.iter().find_map(|part| match part {
        Part::Tool(part) if part.tool_call_id == call => Some(part.state.clone()),
        _ => None,
    });
    state.expect("the call is there")
}

fn stored(sql: &impl Sql) -> Message {
    transcript::message(sql, &message_id("answer-a"))
        .unwrap()
        .unwrap()
}

/// What is logged reduces to what is shown: both hold the same decisions.
fn assert_agreement(sql: &impl Sql) {
    let shown = stored(sql);
    let empty = Message {
        parts: Vec::new(),
        ..shown.clone()
    };
    let logged = stream_log::read(sql, &request_id("request-a")).unwrap();
    assert_eq!(reduce(empty, &logged.chunks).parts, shown.parts);
}

#[test]
fn a_turn_that_pauses_is_no_work_and_what_is_behind_it_goes_on() {
    let database = database();
    pause(&database, "a", &["one"]);
    assert!(!ledger::has_work(&database).unwrap());
    assert_eq!(ledger::running(&database), Ok(None));
    assert_eq!(ledger::take_over(&database), Ok(None));
    accept(&database, "b");
    assert_eq!(
        ledger::queued(&database).unwrap().len(),
        1,
        "the queue holds messages alone"
    );
    assert_eq!(transcript_ids(&database), ["user-a", "answer-a", "user-b"]);
    assert_eq!(claim(&database).request_id, request_id("request-b"));
    assert!(call_state(&stored(&database), "one").waits_for_approval());
}

#[test]
fn a_model_that_answers_meanwhile_is_told_that_the_call_has_not_run() {
    let database = database();
    pause(&database, "a", &["one"]);
    accept(&database, "b");
    let told = |database: &Database| {
        let messages = transcript::for_model(database, &message_id("user-b")).unwrap();
        let output = messages.into_iter().find_map(|message| match message {
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
fn of_several_decisions_the_first_one_counts_and_the_others_are_told_so() {
    for (first, second) in [
        (Decision::Approved, Decision::Declined),
        (Decision::Declined, Decision::Approved),
        (Decision::Approved, Decision::Approved),
    ] {
        let database = database();
        pause(&database, "a", &["one"]);
        let Verdict::Applied { message } = decide(&database, "one", first) else {
            panic!("it waits")
        };
        assert_eq!(message, stored(&database));
        let late = decide(&database, "one", second);
        assert_eq!(late, Verdict::Refused(Refusal::Decided(first)));
        assert_eq!(stored(&database), message);
        assert_agreement(&database);
    }
}

#[test]
fn a_turn_goes_on_with_the_last_of_its_decisions_and_before_what_waits() {
    let database = database();
    pause(&database, "a", &["one", "two"]);
    accept(&database, "b");
    decide(&database, "two", Decision::Approved);
    assert_eq!(ledger::claim_decided(&database), Ok(None), "one call still waits");
    decide(&database, "one", Decision::Declined);
    assert_agreement(&database);
    assert!(ledger::has_work(&database).unwrap());
    let continued = ledger::claim_decided(&database).unwrap().unwrap();
    assert_eq!((continued.turn.attempts, continued.state), (2, state("a")));
    assert_eq!(continued.turn.stream_id(), request_id("request-a~2"));
    assert_eq!(
        ledger::claim_next(&database, 30),
        Ok(None),
        "one turn runs at a time"
    );
    let logged = stream_log::read(&database, &continued.turn.request_id).unwrap();
    assert_eq!(logged.next_seq, 8, "numbers go on behind the decisions");
    assert_eq!(
        decide(&database, "one", Decision::Approved),
        Verdict::Refused(Refusal::Decided(Decision::Declined))
    );

    let mut message = stored(&database);
    message.metadata.get_or_insert_default().outcome = Some(Outcome::Completed);
    ledger::settle(
        &database,
        &request_id("request-a"),
        Outcome::Completed,
        &message,
        40,
    )
    .unwrap();
    assert_eq!(
        stored(&database),
        message,
        "the whole answer replaces what was shown of it"
    );
    assert_eq!(transcript_ids(&database), ["user-a", "answer-a", "user-b"]);
}

#[test]
fn fifty_restarts_while_a_turn_waits_cost_it_nothing() {
    let mut database = database();
    pause(&database, "a", &["one"]);
    for _ in 0..50 {
        database = database.copy().unwrap();
        assert_eq!(ledger::take_over(&database), Ok(None));
        assert_eq!(ledger::claim_decided(&database), Ok(None));
        assert_eq!(ledger::claim_next(&database, 9), Ok(None));
        assert!(!ledger::has_work(&database).unwrap());
    }
    decide(&database, "one", Decision::Approved);
    for _ in 0..50 {
        database = database.copy().unwrap();
        assert_eq!(ledger::take_over(&database), Ok(None), "nobody runs it yet");
    }
    let continued = ledger::claim_decided(&database).unwrap().unwrap();
    assert_eq!(
        continued.turn.attempts, 2,
        "the second claim, and no attempt was lost"
    );
}

#[test]
fn after_thirty_days_an_approval_is_refused_and_everything_that_waits_is_declined() {
    let database = database();
    pause(&database, "a", &["one", "two"]);
    let answer = message_id("answer-a");
    let late = PAUSED_AT + MAXIMUM_WAIT + 1;
    let verdict = approval::decide(&database, &answer, "one", Decision::Approved, late).unwrap();
    let Verdict::Expired { message } = verdict else {
        panic!("{verdict:?}")
    };
    for call in ["one", "two"] {
        assert!(call_state(&message, call).is_declined());
    }
    assert_agreement(&database);
    assert!(
        ledger::claim_decided(&database).unwrap().is_some(),
        "the model is told"
    );
}

#[test]
fn on_the_thirtieth_day_an_approval_still_counts_and_a_denial_always_does() {
    for (decision, waited) in [
        (Decision::Approved, MAXIMUM_WAIT),
        (Decision::Declined, 2 * MAXIMUM_WAIT),
    ] {
        let database = database();
        pause(&database, "a", &["one"]);
        let answer = message_id("answer-a");
        let verdict = approval::decide(&database, &answer, "one", decision, PAUSED_AT + waited).unwrap();
        assert!(matches!(verdict, Verdict::Applied { .. }), "{verdict:?}");
    }
}

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
fn what_does_not_wait_is_not_decided() {
    let database = database();
    let refused = |database: &Database, call| match decide(database, call, Decision::Approved) {
        Verdict::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(&database, "one"), Refusal::NotWaiting);
    about_to_pause(&database, "a", &["one"]);
    assert_eq!(
        refused(&database, "one"),
        Refusal::TooEarly,
        "its other tools run"
    );
    let message = about_to_pause_again(&database);
    ledger::pause(
        &database,
        &request_id("request-a"),
        &state("a"),
        &message,
        PAUSED_AT,
    )
    .unwrap();
    assert_eq!(refused(&database, "two"), Refusal::NotWaiting);
    for refusal in [
        Refusal::NotWaiting,
        Refusal::TooEarly,
        Refusal::Ambiguous,
        Refusal::Decided(Decision::Approved),
        Refusal::Decided(Decision::Declined),
    ] {
        assert!(refusal.sentence().ends_with('.'), "{refusal:?}");
    }
}

fn about_to_pause_again(sql: &impl Sql) -> Message {
    let logged = stream_log::read(sql, &request_id("request-a")).unwrap();
    let empty = Message {
        id: message_id("answer-a"),
        role: Role::Assistant,
        parts: Vec::new(),
        metadata: None,
    };
    reduce(empty, &logged.chunks)
}

#[test]
fn a_client_that_names_the_call_alone_is_heard_if_it_can_mean_only_one() {
    let database = database();
    pause(&database, "a", &["one", "two"]);
    pause(&database, "b", &["two", "three"]);
    let find = |call| approval::find_waiting(&database, call).unwrap();
    assert_eq!(find("one"), Ok(message_id("answer-a")));
    assert_eq!(find("three"), Ok(message_id("answer-b")));
    assert_eq!(find("two"), Err(Refusal::Ambiguous));
    assert_eq!(find("four"), Err(Refusal::NotWaiting));
    decide(&database, "two", Decision::Declined);
    assert_eq!(find("two"), Ok(message_id("answer-b")));
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
        transcript::all(database).unwrap(),
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
