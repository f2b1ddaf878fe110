//! What the owner does with facts in the settings: versions, limits, and the word that other pages get.

use super::{FACT, add, ask_with_calls, call, list, told};
use flarebot_protocol::address::Endpoint;
use flarebot_protocol::call::{AddMemory, DeleteMemory, FailureCode, SearchMemories, UpdateMemory};
use flarebot_protocol::frame::ServerFrame;
use flarebot_protocol::settings::SettingsSection;
use flarebot_tests::Installation;
use flarebot_tests::client::Socket;
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn a_change_or_a_deletion_names_the_version_that_was_seen() {
    let mut installation = Installation::start();
    let fact = add(&installation, FACT);
    let mut agent = installation.agent();
    let update = |version, content: &str| UpdateMemory {
        id: fact.id.clone(),
        content: content.to_owned(),
        version,
    };
    let delete = |version| DeleteMemory {
        id: fact.id.clone(),
        version,
    };
    let changed = agent.call(&update(1, "The owner eats everything.")).unwrap();
    assert_eq!(changed.version, 2);
    let late = agent.call(&update(1, "The owner eats nothing.")).unwrap_err();
    assert_eq!(late.code, FailureCode::Conflict);
    assert_eq!(agent.call(&delete(1)).unwrap_err().code, FailureCode::Conflict);
    assert_eq!(list(&installation), [changed]);

    agent.call(&delete(2)).unwrap();
    installation.kill();
    installation.start_again();
    let mut agent = installation.agent();
    agent.call(&delete(2)).unwrap();
    let gone = agent.call(&update(2, "The owner is back.")).unwrap_err();
    assert_eq!(gone.code, FailureCode::NotFound);
    assert_eq!(list(&installation), []);
    // What is undone is the same text as another fact.
    assert_ne!(add(&installation, "The owner eats everything.").id, fact.id);
}

#[test]
fn what_is_not_allowed_changes_nothing() {
    let installation = Installation::start();
    let fact = add(&installation, FACT);
    let long = "x".repeat(1_001);
    let mut agent = installation.agent();
    let id = &fact.id;
    let refused: Vec<(&str, Value)> = vec![
        ("addMemory", json!([""])),
        ("addMemory", json!([" \n\t"])),
        ("addMemory", json!([long])),
        ("addMemory", json!(["with a bell\u{7}"])),
        ("addMemory", json!([{ "content": "x" }])),
        ("addMemory", json!(["x", "y"])),
        ("addMemory", json!([])),
        ("updateMemory", json!([id, "", 1])),
        ("updateMemory", json!([id, long, 1])),
        ("updateMemory", json!([id, "x", 0])),
        ("updateMemory", json!([id, "x", -1])),
        ("updateMemory", json!([id, "x", "1"])),
        ("updateMemory", json!([id, "x"])),
        ("updateMemory", json!([id.to_uppercase(), "x", 1])),
        ("updateMemory", json!(["' OR 1 = 1 --", "x", 1])),
        ("deleteMemory", json!([id, 0])),
        ("deleteMemory", json!([id, 2])),
        ("deleteMemory", json!([format!("{{{id}}}"), 1])),
        ("deleteMemory", json!([id])),
        ("getMemoryOrigin", json!(["x"])),
    ];
    for (method, arguments) in refused {
        let reply = agent.call_method(method, arguments.as_array().unwrap());
        assert!(!reply.success, "{method}{arguments}");
        let sentence = reply.error.unwrap();
        assert!(sentence.len() > 15 && !sentence.contains("peanuts"), "{sentence}");
    }
    assert_eq!(list(&installation), [fact]);
}

#[test]
fn two_hundred_facts_are_the_most_and_the_likeliest_are_found_among_them() {
    let installation = Installation::start();
    let mut agent = installation.agent();
    for number in 1..=200 {
        let content = format!("Box {number} in the cellar holds letters.");
        agent.call(&AddMemory { content }).unwrap();
    }
    let content = "One more.".to_owned();
    let full = agent.call(&AddMemory { content }).unwrap_err();
    assert!(full.message.contains("200"), "{full}");
    let query = "What is in box 117?".to_owned();
    let found = agent.call(&SearchMemories { query }).unwrap();
    assert_eq!(found[0].content, "Box 117 in the cellar holds letters.");
    let (_, mut socket) = installation.new_conversation("Memory");
    let system = told(&installation, &mut socket, "Where is box 42 now?");
    assert!(system.contains("Box 42 in"));
    assert_eq!(system.matches("in the cellar").count(), 8);
}

fn sections(socket: &mut Socket) -> Vec<SettingsSection> {
    let frames = socket.drain(Duration::from_millis(500)).into_iter();
    frames
        .filter_map(|frame| match frame {
            ServerFrame::SettingsChanged { section } => Some(section),
            _ => None,
        })
        .collect()
}

#[test]
fn our_pages_hear_that_memory_changed_whoever_changed_it() {
    let installation = Installation::start();
    let mut page = installation.agent();
    let mut client = installation.sdk_connection(Endpoint::Agent).open().unwrap();
    let (_, mut socket) = installation.new_conversation("Memory");
    page.drain(Duration::from_millis(200));
    client.drain(Duration::from_millis(200));
    let fact = add(&installation, FACT);
    assert_eq!(sections(&mut page), [SettingsSection::Memory]);
    let calls = vec![
        call("recall", json!({ "query": "peanuts" })),
        call("forget", json!({ "id": fact.id, "version": 1 })),
    ];
    ask_with_calls(&installation, &mut socket, "Forget it", calls);
    assert_eq!(sections(&mut page), [SettingsSection::Memory]);
    let content = String::new();
    page.call(&AddMemory { content }).unwrap_err();
    assert_eq!(sections(&mut page), []);
    assert_eq!(sections(&mut client), []);
}
