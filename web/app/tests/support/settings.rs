//! The settings page with instructions in force, for the suites that write in it.

use super::{Fake, FakeSocket, Storage, with_page};
use flarebot_app::store::{Question, Store, Subject};
use flarebot_protocol::frame::ServerFrame;
use flarebot_protocol::settings::SettingsSection;
use leptos::prelude::*;
use serde_json::{Value, json};
use std::rc::Rc;

pub const GET: &str = "getInstructionSettings";

pub const CHANGED: ServerFrame = ServerFrame::SettingsChanged {
    section: SettingsSection::Instructions,
};

/// The instructions as the server tells them.
pub fn saved(text: &str) -> Value {
    let modified_at = (text != "Be kind.").then_some("2027-01-15T07:00:00.000Z");
    json!({ "text": text, "defaults": "Be kind.", "customized": modified_at.is_some(), "modifiedAt": modified_at })
}

/// The page with these instructions in force.
pub fn open(text: &str, storage: &Storage) -> (Rc<Fake>, Store, Rc<FakeSocket>) {
    let browser = Fake::at("/settings", storage);
    let store = browser.open();
    let agent = browser.let_in(&[], &[]);
    agent.reply(GET, Ok(saved(text)));
    (browser, store, agent)
}

pub fn with_instructions(text: &str, test: impl FnOnce(&Fake, Store, &FakeSocket)) {
    with_page(|| {
        let (browser, store, agent) = open(text, &Storage::default());
        test(&browser, store, &agent);
    });
}

pub fn text(store: Store) -> String {
    untrack(|| store.settings.instructions.text())
}

pub fn has_draft(store: Store) -> bool {
    store.settings.instructions.draft.with_untracked(Option::is_some)
}

pub fn subject(store: Store) -> Option<Subject> {
    let question = store.settings.question.get_untracked();
    question.map(|Question { subject, .. }| subject)
}
