//! The tools of memory: what a model is told of them, what it sends, and what it gets back.

use super::memory;
use flarebot_memory::facts::{forget, list, update};
use flarebot_memory::{FactId, MemoryQuestion, ToolCallIdentity, answer, with_tools};
use flarebot_protocol::tool_activity::ActivityKind;
use flarebot_protocol::{ConversationId, RequestId};
use flarebot_sql::native::Database;
use flarebot_tool::{
    Approval, FetchFailure, FetchRequest, Fetched, Host, HostFuture, Question as _, Repetition, ToolFailure,
    Toolbox,
};
use serde_json::{Value, json};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use uuid::Uuid;

/// An agent that answers at once, on behalf of one call.
struct Agent<'a> {
    sql: &'a Database,
    call: &'a str,
}

impl Host for Agent<'_> {
    fn now(&self) -> i64 {
        7
    }

    fn progress(&self, progress: Value) {
        panic!("unexpected progress: {progress}");
    }

    fn ask_agent<'a>(
        &'a self,
        feature: &'static str,
        question: Value,
    ) -> HostFuture<'a, Result<Value, String>> {
        assert_eq!(feature, MemoryQuestion::FEATURE);
        let question = serde_json::from_value(question).unwrap();
        let request_id = RequestId::new("request").unwrap();
        let call = ToolCallIdentity {
            conversation: ConversationId::new(Uuid::from_u128(1)),
            request_id: &request_id,
            tool_call_id: self.call,
        };
        let answer = answer(self.sql, call, &question, 7)
            .map(|answer| serde_json::to_value(answer).unwrap())
            .map_err(|error| error.for_model());
        Box::pin(std::future::ready(answer))
    }

    fn fetch<'a>(&'a self, request: FetchRequest) -> HostFuture<'a, Result<Fetched, FetchFailure>> {
        panic!("unexpected request: {request:?}");
    }
}

fn run(sql: &Database, call: &str, name: &str, arguments: Value) -> Result<Value, ToolFailure> {
    let tool = with_tools(Toolbox::default()).find(name).unwrap();
    let agent = Agent { sql, call };
    match pin!(tool.run(arguments, &agent)).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits for something"),
    }
}

#[test]
fn what_a_model_is_told_of_them() {
    let toolbox = with_tools(Toolbox::default());
    assert_eq!(toolbox.check(), Ok(()));
    let told: Vec<Value> = toolbox
        .descriptors()
        .into_iter()
        .map(|tool| json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters }))
        .collect();
    insta::assert_json_snapshot!("descriptors", told);
}

#[test]
fn only_recalling_may_be_done_twice_and_nothing_waits_for_the_owner() {
    let tools = with_tools(Toolbox::default()).descriptors();
    let repetitions: Vec<_> = tools.iter().map(|tool| (tool.name, tool.repetition)).collect();
    assert_eq!(
        repetitions,
        [
            ("remember", Repetition::Never),
            ("recall", Repetition::Harmless),
            ("update_memory", Repetition::Never),
            ("forget", Repetition::Never),
        ]
    );
    for tool in tools {
        assert_eq!(tool.approval, Approval::NotNeeded);
        assert_eq!(tool.activity.kind, ActivityKind::Memory);
    }
}

#[test]
fn a_fact_is_remembered_recalled_changed_and_forgotten() {
    let sql = memory();
    let told = run(&sql, "a", "remember", json!({ "content": "I like tea" })).unwrap();
    let id = told["remembered"]["id"].clone();
    let fact = |content: &str, version| json!({ "id": id, "version": version, "updatedAt": "1970-01-01T00:00:00.007Z", "content": content });
    assert_eq!(told, json!({ "remembered": fact("I like tea", 1) }));
    let found = run(&sql, "b", "recall", json!({ "query": "tea" })).unwrap();
    assert_eq!(found, json!({ "facts": [fact("I like tea", 1)] }));
    let change = json!({ "id": id, "content": "I like coffee", "version": 1 });
    let changed = run(&sql, "c", "update_memory", change.clone()).unwrap();
    assert_eq!(changed, json!({ "remembered": fact("I like coffee", 2) }));
    let late = run(&sql, "d", "update_memory", change).unwrap_err();
    assert_eq!(late.to_string(), "It changed meanwhile; recall it and try again.");
    let forgotten = run(&sql, "e", "forget", json!({ "id": id, "version": 2 })).unwrap();
    assert_eq!(forgotten, json!({ "forgotten": true }));
    assert_eq!(list(&sql).unwrap(), []);
    let nothing = run(&sql, "f", "recall", json!({ "query": "coffee" })).unwrap();
    assert_eq!(nothing, json!({ "facts": [] }));
}

#[test]
fn what_the_owner_did_meanwhile_is_told() {
    let sql = memory();
    let told = run(&sql, "a", "remember", json!({ "content": "I like tea" })).unwrap();
    let id = told["remembered"]["id"].clone();
    let fact: FactId = id.as_str().unwrap().parse().unwrap();
    update(&sql, fact, "I like green tea", 1, 8).unwrap();
    let sentence =
        |call: &str, name: &str, arguments: Value| run(&sql, call, name, arguments).unwrap_err().to_string();
    let forget_it = json!({ "id": id, "version": 1 });
    assert!(sentence("b", "forget", forget_it).contains("changed meanwhile"));
    forget(&sql, fact, 2, 9).unwrap();
    let change = json!({ "id": id, "content": "I like coffee", "version": 2 });
    assert!(sentence("c", "update_memory", change).contains("No such fact"));
    let again = json!({ "content": "I like tea" });
    assert!(sentence("a", "remember", again).contains("forgotten since"));
}

#[test]
fn arguments_that_do_not_fit_are_answered_with_what_to_do() {
    let sql = memory();
    let long = "x".repeat(1_001);
    let id = "00000000-0000-0000-0000-000000000001";
    for (name, arguments) in [
        ("remember", json!({})),
        ("remember", json!({ "content": "" })),
        ("remember", json!({ "content": " \n" })),
        ("remember", json!({ "content": long })),
        ("remember", json!({ "content": "a bell \u{7}" })),
        ("remember", json!({ "content": "a", "id": id })),
        ("remember", json!({ "content": ["a"] })),
        ("recall", json!({ "query": " " })),
        ("recall", json!({ "query": 7 })),
        (
            "update_memory",
            json!({ "id": "1", "content": "a", "version": 1 }),
        ),
        ("update_memory", json!({ "id": id, "content": "a" })),
        (
            "update_memory",
            json!({ "id": id, "content": "a", "version": -1 }),
        ),
        (
            "update_memory",
            json!({ "id": id, "content": "a", "version": 1.5 }),
        ),
        ("forget", json!({ "id": id.replace('0', "A"), "version": 1 })),
        ("forget", json!({ "id": id })),
    ] {
        match run(&sql, "a", name, arguments.clone()) {
            Err(ToolFailure::Arguments(sentence)) => {
                assert!(sentence.ends_with('.') && sentence.len() > 30, "{sentence}");
                assert!(!sentence.contains(&long), "{name}");
            }
            other => panic!("{name} {arguments}: {other:?}"),
        }
    }
    assert_eq!(list(&sql).unwrap(), []);
}
