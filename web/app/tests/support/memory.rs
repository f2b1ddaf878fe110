//! The memory as the server tells it, for the suites that have to do with it.

use super::{Fake, FakeSocket, Storage, with_page};
use flarebot_app::store::Store;
use flarebot_protocol::frame::ServerFrame;
use flarebot_protocol::settings::SettingsSection;
use leptos::prelude::*;
use serde_json::{Value, json};
use std::rc::Rc;

pub const LIST: &str = "listMemories";
pub const SEARCH: &str = "searchMemories";
pub const ADD: &str = "addMemory";
pub const UPDATE: &str = "updateMemory";
pub const DELETE: &str = "deleteMemory";
pub const ORIGIN: &str = "getMemoryOrigin";

pub const CHANGED: ServerFrame = ServerFrame::SettingsChanged {
    section: SettingsSection::Memory,
};

/// A fact as the server tells it.
pub fn fact(id: &str, content: &str, version: u32) -> Value {
    json!({
        "id": id,
        "content": content,
        "version": version,
        "createdAt": "2027-01-15T07:00:00.000Z",
        "updatedAt": "2027-01-15T07:30:00.000Z",
    })
}

/// The section with these facts.
pub fn open(facts: &[Value], storage: &Storage) -> (Rc<Fake>, Store, Rc<FakeSocket>) {
    let browser = Fake::at("/settings/memory", storage);
    let store = browser.open();
    let agent = browser.let_in(&[], &[]);
    agent.reply(LIST, Ok(json!(facts)));
    (browser, store, agent)
}

pub fn with_facts(facts: &[Value], test: impl FnOnce(&Fake, Store, &FakeSocket)) {
    with_page(|| {
        let (browser, store, agent) = open(facts, &Storage::default());
        test(&browser, store, &agent);
    });
}

/// The ids of the rows, as they stand.
pub fn shown(store: Store) -> Vec<String> {
    untrack(|| store.settings.memory.shown())
}

/// The text of a fact as the server has it.
pub fn content(store: Store, id: &str) -> Option<String> {
    untrack(|| store.settings.memory.fact(id)).map(|fact| fact.content)
}
