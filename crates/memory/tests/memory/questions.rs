//! What the agent answers to the tools of memory.

use super::{contents, memory};
use flarebot_memory::facts::{MemoryError, Origin, list, origin};
use flarebot_memory::{FactId, MemoryAnswer, MemoryQuestion, ToolCallIdentity, answer};
use flarebot_protocol::memory::Fact;
use flarebot_protocol::{ConversationId, RequestId};
use flarebot_sql::native::Database;
use std::collections::BTreeSet;
use uuid::Uuid;

fn conversation(number: u128) -> ConversationId {
    ConversationId::new(Uuid::from_u128(number))
}

fn ask(sql: &Database, call: &str, question: MemoryQuestion) -> Result<MemoryAnswer, MemoryError> {
    let request_id = RequestId::new("request").unwrap();
    let call = ToolCallIdentity {
        conversation: conversation(1),
        request_id: &request_id,
        tool_call_id: call,
    };
    answer(sql, call, &question, 1)
}

fn remember(content: &str) -> MemoryQuestion {
    MemoryQuestion::Remember {
        content: content.to_owned(),
    }
}

fn remembered(answer: Result<MemoryAnswer, MemoryError>) -> Fact {
    match answer {
        Ok(MemoryAnswer::Remembered(fact)) => fact,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_question_that_is_repeated_because_its_answer_was_lost_makes_no_second_fact() {
    let sql = memory();
    let first = remembered(ask(&sql, "call-1", remember("I like tea")));
    assert_eq!(remembered(ask(&sql, "call-1", remember("I like tea"))), first);
    // Nor does another process.
    let restarted = sql.copy().unwrap();
    assert_eq!(
        remembered(ask(&restarted, "call-1", remember("I like tea"))),
        first
    );
    assert_eq!(list(&restarted).unwrap(), std::slice::from_ref(&first));
    let id: FactId = first.id.parse().unwrap();
    assert_eq!(origin(&sql, id), Ok(Origin::Conversation(conversation(1))));
}

#[test]
fn a_late_repetition_does_not_bring_back_what_was_forgotten_or_undo_a_change() {
    let sql = memory();
    let Fact { id, version, .. } = remembered(ask(&sql, "call-1", remember("I like tea")));
    let update = MemoryQuestion::Update {
        id: id.clone(),
        content: "I like coffee".to_owned(),
        version,
    };
    let changed = remembered(ask(&sql, "call-2", update));
    assert_eq!(remembered(ask(&sql, "call-1", remember("I like tea"))), changed);
    let forget = MemoryQuestion::Forget { id, version: 2 };
    assert_eq!(ask(&sql, "call-3", forget), Ok(MemoryAnswer::Forgotten));
    let late = ask(&sql, "call-1", remember("I like tea"));
    assert_eq!(late, Err(MemoryError::Forgotten));
    assert_eq!(list(&sql).unwrap(), []);
}

#[test]
fn each_call_has_an_id_of_its_own_and_always_the_same() {
    let request = |id| RequestId::new(id).unwrap();
    let ids = [
        (1, "request", "call"),
        (2, "request", "call"),
        (1, "request-2", "call"),
        (1, "request", "call-2"),
        // The same letters, divided in another place.
        (1, "requestc", "all"),
    ]
    .map(|(number, request_id, call)| {
        FactId::of_call(conversation(number), &request(request_id), call).to_string()
    });
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    assert_eq!(
        ids[0],
        FactId::of_call(conversation(1), &request("request"), "call").to_string()
    );
    for id in ids {
        assert!(id.parse::<FactId>().is_ok());
        assert_eq!(Uuid::try_parse(&id).unwrap().get_version_num(), 8);
    }
}

#[test]
fn conflicts_and_unknown_facts_are_sentences_that_a_model_can_act_on() {
    let sql = memory();
    let fact = remembered(ask(&sql, "call-1", remember("I like tea")));
    let update = |id: &str, version| MemoryQuestion::Update {
        id: id.to_owned(),
        content: "I like coffee".to_owned(),
        version,
    };
    let conflict = ask(&sql, "call-2", update(&fact.id, 2)).unwrap_err();
    assert_eq!(
        conflict.for_model(),
        "It changed meanwhile; recall it and try again."
    );
    for id in ["00000000-0000-0000-0000-000000000009", "no id", ""] {
        let unknown = ask(&sql, "call-3", update(id, 1)).unwrap_err();
        assert_eq!(unknown, MemoryError::NotFound);
        assert!(unknown.for_model().contains("Recall"));
    }
    assert_eq!(list(&sql).unwrap(), [fact]);
}

#[test]
fn recalling_changes_nothing_and_the_others_say_that_they_may() {
    let sql = memory();
    ask(&sql, "call-1", remember("I like tea")).unwrap();
    let recall = MemoryQuestion::Recall {
        query: "Tea?".to_owned(),
    };
    assert!(!recall.changes_memory() && remember("x").changes_memory());
    let Ok(MemoryAnswer::Recalled(facts)) = ask(&sql, "call-2", recall) else {
        panic!("facts are recalled");
    };
    assert_eq!(contents(&facts), ["I like tea"]);
}
