//! Pages, the model's view and the erasing of a transcript.

use crate::support::{accept, answer, claim, complete, database, message_id, request, transcript_ids};
use flarebot_conversation::action::{self, Claim};
use flarebot_conversation::transcript::{self, MODEL_BYTES, PAGE_BYTES};
use flarebot_conversation::{ledger, open};
use flarebot_model::ModelMessage;
use flarebot_protocol::call::HistoryPage;
use flarebot_protocol::message::{Message, Outcome, Part, Role, ToolPart, ToolState};
use flarebot_sql::Sql;
use proptest::prelude::*;
use serde_json::json;

fn page_ids(sql: &impl Sql, before: Option<&str>, limit: u32) -> (Vec<String>, bool) {
    let before = before.map(message_id);
    let HistoryPage { messages, has_more } = transcript::page(sql, before.as_ref(), limit).unwrap();
    let ids = messages
        .into_iter()
        .map(|message| message.id.to_string())
        .collect();
    (ids, has_more)
}

fn ids(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// What the model is given for the running turn, as roles and text.
fn for_model(sql: &impl Sql) -> Vec<(Role, String)> {
    let turn = ledger::running(sql).unwrap().unwrap();
    let history = transcript::for_model(sql, &turn.user_message_id).unwrap();
    history
        .unwrap()
        .messages()
        .into_iter()
        .map(|message| match message {
            ModelMessage::User { text } => (Role::User, text),
            ModelMessage::Assistant { text, .. } => (Role::Assistant, text),
            ModelMessage::Tool { .. } => panic!("no tool was called"),
        })
        .collect()
}

/// What stands for older messages.
fn left_out() -> (Role, String) {
    let mark = "[Older messages of this conversation are left out here.]";
    (Role::User, mark.to_owned())
}

fn settle(sql: &impl Sql, outcome: Outcome, text: &str) {
    let turn = ledger::running(sql).unwrap().unwrap();
    let message = answer(turn.assistant_message_id.as_str(), text);
    ledger::settle(sql, &turn.request_id, outcome, &message, 30).unwrap();
}

#[test]
fn pages_lead_back_to_the_beginning() {
    let database = database();
    for name in ["a", "b"] {
        complete(&database, name, "hello");
    }
    accept(&database, "c");
    assert_eq!(page_ids(&database, None, 2), (ids(&["answer-b", "user-c"]), true));
    assert_eq!(
        page_ids(&database, Some("answer-b"), 2),
        (ids(&["answer-a", "user-b"]), true)
    );
    assert_eq!(
        page_ids(&database, Some("answer-a"), 2),
        (ids(&["user-a"]), false)
    );
    assert_eq!(page_ids(&database, Some("user-a"), 2), (ids(&[]), false));
    assert_eq!(page_ids(&database, Some("unknown"), 2), (ids(&[]), false));
    assert!(!page_ids(&database, None, 5).1);
}

#[test]
fn a_page_of_large_messages_is_cut_but_never_empty() {
    let database = database();
    let large = "x".repeat(PAGE_BYTES * 2 / 5);
    for name in ["a", "b", "c"] {
        complete(&database, name, &large);
    }
    assert_eq!(
        page_ids(&database, None, 50),
        (ids(&["user-b", "answer-b", "user-c", "answer-c"]), true)
    );
    assert_eq!(
        page_ids(&database, Some("user-b"), 50),
        (ids(&["user-a", "answer-a"]), false)
    );
}

#[test]
fn the_model_sees_the_question_and_what_came_before_it() {
    let database = database();
    complete(&database, "a", "hello");
    for name in ["b", "c", "d"] {
        accept(&database, name);
    }
    claim(&database);
    let mut expected = vec![
        (Role::User, "question a".to_owned()),
        (Role::Assistant, "hello".to_owned()),
        (Role::User, "question b".to_owned()),
    ];
    assert_eq!(for_model(&database), expected);

    settle(&database, Outcome::Error, "");
    claim(&database);
    expected.push((Role::User, "question c".to_owned()));
    assert_eq!(
        for_model(&database),
        expected,
        "an answer without text is left out"
    );

    settle(&database, Outcome::Aborted, "half");
    claim(&database);
    expected.push((Role::Assistant, "half".to_owned()));
    expected.push((Role::User, "question d".to_owned()));
    assert_eq!(for_model(&database), expected);
}

#[test]
fn the_model_gets_the_newest_whole_messages_and_begins_with_a_question() {
    let database = database();
    complete(&database, "a", "hello");
    let rest = "x".repeat(MODEL_BYTES - "question c".len());
    complete(&database, "b", &rest);
    accept(&database, "c");
    claim(&database);
    assert_eq!(
        for_model(&database),
        [left_out(), (Role::User, "question c".to_owned())],
        "the second answer fits, but not with its question"
    );
    settle(&database, Outcome::Completed, "hello");
    accept(&database, "d");
    claim(&database);
    let view = for_model(&database);
    assert_eq!(view.len(), 4, "the oldest answer does not fit any more");
    assert_eq!(view[0], left_out());
}

#[test]
fn the_newest_message_is_given_whole_whatever_its_length() {
    let database = database();
    complete(&database, "a", "hello");
    let long = "x".repeat(MODEL_BYTES + 1);
    ledger::accept(&database, &request("b", &long), &message_id("answer-b"), 10).unwrap();
    claim(&database);
    assert_eq!(for_model(&database), [left_out(), (Role::User, long)]);
}

#[test]
fn clearing_erases_everything_and_the_conversation_goes_on() {
    let database = database();
    complete(&database, "a", "hello");
    accept(&database, "b");
    let turn = claim(&database);
    accept(&database, "c");
    transcript::clear(&database).unwrap();
    assert_eq!(transcript_ids(&database), ids(&[]));
    assert_eq!(ledger::queued(&database), Ok(Vec::new()));

    let late = answer("answer-b", "hello");
    let settlement = ledger::settle(&database, &turn.request_id, Outcome::Completed, &late, 40).unwrap();
    assert_eq!(settlement, ledger::Settlement::Late);
    assert_eq!(transcript_ids(&database), ids(&[]));

    complete(&database, "a", "hello again");
    assert_eq!(transcript_ids(&database), ["user-a", "answer-a"]);
    assert!(open(&database, 50).unwrap().is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn reading_page_after_page_gives_the_whole_transcript(turns in 0..30_usize, limit in 1..9_u32) {
        let database = database();
        for number in 0..turns {
            complete(&database, &number.to_string(), "hello");
        }
        let mut read = Vec::new();
        let mut before = None;
        loop {
            let page = transcript::page(&database, before.as_ref(), limit).unwrap();
            prop_assert!(page.messages.len() <= limit as usize);
            before = page.messages.first().map(|message| message.id.clone());
            read.splice(0..0, page.messages);
            if !page.has_more {
                break;
            }
        }
        prop_assert_eq!(read, transcript::newest(&database).unwrap());
    }
}

#[test]
fn a_model_is_given_a_result_for_every_call_and_an_object_as_every_input() {
    let database = database();
    accept(&database, "a");
    let turn = claim(&database);
    let call = |id: &str, state| Part::Tool(ToolPart::new(id, "look", state));
    let message = Message {
        id: turn.assistant_message_id,
        role: Role::Assistant,
        parts: vec![
            Part::StepStart,
            call(
                "begun",
                ToolState::InputAvailable {
                    input: json!({ "key": 1 }),
                },
            ),
            call("odd", ToolState::InputAvailable { input: json!("text") }),
            call("broken", ToolState::InputStreaming),
            call(
                "done",
                ToolState::OutputAvailable {
                    input: json!({}),
                    output: json!("fine"),
                    preliminary: None,
                },
            ),
            Part::StepStart,
            Part::StepStart,
        ],
        metadata: None,
    };
    ledger::settle(&database, &turn.request_id, Outcome::Aborted, &message, 30).unwrap();
    accept(&database, "b");
    let turn = claim(&database);
    let history = transcript::for_model(&database, &turn.user_message_id).unwrap();
    let messages = history.unwrap().messages();
    let [
        _,
        ModelMessage::Assistant { calls, .. },
        results @ ..,
        ModelMessage::User { .. },
    ] = &messages[..]
    else {
        panic!("{messages:?}")
    };
    assert!(calls.iter().all(|call| call.arguments.is_object()));
    let called: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(called, ["begun", "odd", "done"]);
    let answered: Vec<(&str, &str)> = results
        .iter()
        .map(|result| match result {
            ModelMessage::Tool { call_id, output, .. } => (call_id.as_str(), output.as_str()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(answered.iter().map(|(id, _)| *id).collect::<Vec<_>>(), called);
    assert!(answered[0].1.contains("interrupted"), "{answered:?}");
    assert_eq!(answered[2].1, "fine");
}

#[test]
fn clearing_forgets_the_actions_of_tools_too() {
    let database = database();
    accept(&database, "a");
    let turn = claim(&database);
    let claim_call = || action::claim(&database, &turn.request_id, "call", "act", 5).unwrap();
    assert_eq!(claim_call(), Claim::Run);
    assert_eq!(claim_call(), Claim::Unknown);
    transcript::clear(&database).unwrap();
    assert_eq!(claim_call(), Claim::Run);
}
