//! The owner's decisions: the first one counts, the turn goes on with the last one, and until then it is no work.

use crate::support::{accept, claim, database, message_id, request_id, transcript_ids};
use flarebot_conversation::ledger::approval::{self, MAXIMUM_WAIT, Refusal, Verdict};
use flarebot_conversation::ledger::{self, Settlement};
use flarebot_conversation::turn::TurnState;
use flarebot_conversation::{stream_log, transcript};
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::message::{Decision, Message, Outcome, Part, Role, ToolState};
use flarebot_protocol::reduce;
use flarebot_sql::Sql;
use flarebot_sql::native::Database;
use serde_json::json;

pub(crate) const PAUSED_AT: i64 = 1_000;

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

pub(crate) fn state(name: &str) -> TurnState {
    let (request, message) = (format!("request-{name}"), format!("answer-{name}"));
    TurnState::new(request_id(&request), message_id(&message), 20)
}

/// The turn `name`, claimed, with its log and message up to the questions about these calls.
pub(crate) fn about_to_pause(sql: &impl Sql, name: &str, calls: &[&str]) -> Message {
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

pub(crate) fn pause(sql: &impl Sql, name: &str, calls: &[&str]) {
    let message = about_to_pause(sql, name, calls);
    let id = request_id(&format!("request-{name}"));
    let settlement = ledger::pause(sql, &id, &state(name), &message, PAUSED_AT).unwrap();
    assert_eq!(settlement, Settlement::Applied);
}

pub(crate) fn decide(sql: &impl Sql, call: &str, decision: Decision) -> Verdict {
    approval::decide(sql, &message_id("answer-a"), call, decision, PAUSED_AT + 5).unwrap()
}

pub(crate) fn call_state(message: &Message, call: &str) -> ToolState {
    let state = message.parts.iter().find_map(|part| match part {
        Part::Tool(part) if part.tool_call_id == call => Some(part.state.clone()),
        _ => None,
    });
    state.expect("the call is there")
}

pub(crate) fn stored(sql: &impl Sql) -> Message {
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
