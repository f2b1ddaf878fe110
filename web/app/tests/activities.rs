//! What is known of the calls of tools, without a browser.

#![cfg(feature = "ssr")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod support;

use flarebot_app::platform::BrowserEvent;
use flarebot_app::store::{ShownState, Store};
use flarebot_protocol::MessageId;
use flarebot_protocol::address::Page;
use flarebot_protocol::frame::{ServerFrame, SharedState};
use flarebot_protocol::tool_activity::{
    ActivityKind, ActivityStatus, ConversationState, LIVE_ACTIVITIES, ToolActivity,
};
use leptos::prelude::*;
use serde_json::{Value, json};
use std::rc::Rc;
use support::{Fake, FakeSocket, Storage, conversation, message, summary, with_page};

const LIST: &str = "listToolActivities";

fn answer() -> MessageId {
    MessageId::new("a1").unwrap()
}

fn activity(sequence: u64, status: ActivityStatus) -> ToolActivity {
    ToolActivity {
        message_id: answer(),
        tool_call_id: format!("call-{sequence}"),
        sequence,
        kind: ActivityKind::Other,
        label: "Look".to_owned(),
        summary: None,
        status,
        failure: None,
        progress: None,
        attempts: 1,
        created_at: 1_800_000_000_000,
        started_at: Some(1_800_000_000_000),
        ended_at: None,
        interrupted_at: None,
    }
}

fn done(sequences: impl IntoIterator<Item = u64>) -> Vec<ToolActivity> {
    let done = sequences.into_iter();
    done.map(|sequence| activity(sequence, ActivityStatus::Succeeded))
        .collect()
}

fn page_of(activities: &[ToolActivity], next: Option<u64>) -> Value {
    json!({ "activities": activities, "nextCursor": next })
}

fn tell(socket: &FakeSocket, activities: Vec<ToolActivity>) {
    socket.receive(&ServerFrame::State {
        state: SharedState::Conversation(ConversationState { activities }),
    });
}

/// As many as the live window holds: the newest are told, older ones may exist.
fn full_window() -> Vec<ToolActivity> {
    done((0..LIVE_ACTIVITIES as u64).map(|place| 1_000 - place))
}

fn status(store: Store, call: &str) -> Option<ActivityStatus> {
    store
        .conversation
        .activities
        .with_untracked(|known| known.of(&answer(), call).map(|activity| activity.status))
}

fn want(store: Store, call: &str) {
    store.want_activity(&answer(), call, ShownState::Settled);
}

fn with_conversation(test: impl FnOnce(&Fake, Store, &FakeSocket)) {
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(1)).path(), &Storage::default());
        let store = browser.open();
        browser.let_in(&[summary(1, "One"), summary(2, "Two")], &[]);
        let socket = browser.load(conversation(1), vec![message("q1", "Look.")]);
        test(&browser, store, &socket);
    });
}

#[test]
fn the_live_ones_are_known_as_they_change() {
    with_conversation(|_, store, socket| {
        tell(socket, vec![activity(1, ActivityStatus::Running)]);
        assert_eq!(status(store, "call-1"), Some(ActivityStatus::Running));
        tell(socket, vec![activity(1, ActivityStatus::Cancelled)]);
        assert_eq!(status(store, "call-1"), Some(ActivityStatus::Cancelled));
    });
}

#[test]
fn what_has_ended_stays_known_when_newer_ones_push_it_out_and_what_had_not_does_not() {
    with_conversation(|_, store, socket| {
        let mut first = done([1]);
        first.push(activity(2, ActivityStatus::Running));
        tell(socket, first);
        tell(socket, full_window());
        assert_eq!(status(store, "call-1"), Some(ActivityStatus::Succeeded));
        assert_eq!(status(store, "call-2"), None);
    });
}

#[test]
fn nothing_older_is_asked_for_unless_the_window_is_full_and_something_is_wanted() {
    with_conversation(|_, store, socket| {
        tell(socket, done([7]));
        want(store, "call-1");
        assert_eq!(socket.calls(LIST).len(), 0);
        tell(socket, full_window());
        assert_eq!(socket.calls(LIST).len(), 1);
    });
    with_conversation(|_, store, socket| {
        tell(socket, full_window());
        want(store, "call-1000");
        store.want_activity(&answer(), "call-1", ShownState::Running);
        assert_eq!(socket.calls(LIST).len(), 0);
    });
}

#[test]
fn older_ones_are_read_page_by_page_until_the_wanted_one_is_known() {
    with_conversation(|_, store, socket| {
        tell(socket, full_window());
        want(store, "call-800");
        want(store, "call-801");
        assert_eq!(socket.calls(LIST).len(), 1);
        assert_eq!(socket.last("rpc")["args"], json!([null]));
        socket.reply(LIST, Ok(page_of(&done(900..1_000), Some(900))));
        assert_eq!(socket.last("rpc")["args"], json!([900]));
        socket.reply(LIST, Ok(page_of(&done(800..900), Some(800))));
        assert_eq!(status(store, "call-800"), Some(ActivityStatus::Succeeded));
        assert_eq!(socket.calls(LIST).len(), 2);
        // A call that is nowhere is looked for to the end, and never again.
        want(store, "gone");
        socket.reply(LIST, Ok(page_of(&done(1..800), None)));
        want(store, "gone too");
        assert_eq!(socket.calls(LIST).len(), 3);
    });
}

#[test]
fn what_is_live_is_not_replaced_by_what_was_read() {
    with_conversation(|_, store, socket| {
        tell(socket, full_window());
        want(store, "call-1");
        let old = activity(1_000, ActivityStatus::Running);
        socket.reply(LIST, Ok(page_of(&[old], None)));
        assert_eq!(status(store, "call-1000"), Some(ActivityStatus::Succeeded));
    });
}

#[test]
fn asking_has_an_end_in_the_longest_conversation() {
    with_conversation(|_, store, socket| {
        tell(socket, full_window());
        want(store, "gone");
        for page in 0..30 {
            if socket.calls(LIST).len() > page {
                socket.reply(LIST, Ok(page_of(&done([page as u64]), Some(page as u64))));
            }
        }
        assert_eq!(socket.calls(LIST).len(), 20);
    });
}

#[test]
fn a_page_that_comes_after_the_owner_went_elsewhere_is_not_shown_there() {
    with_conversation(|browser, store, socket| {
        tell(socket, full_window());
        want(store, "call-1");
        store.navigate(Page::Conversation(conversation(2)));
        let second = browser.load(conversation(2), Vec::new());
        socket.reply(LIST, Ok(page_of(&done([1]), Some(1))));
        assert_eq!(status(store, "call-1"), None);
        assert_eq!(status(store, "call-1000"), None);
        assert!(second.calls(LIST).is_empty());
    });
}

#[test]
fn a_page_that_was_lost_with_the_connection_is_asked_for_again() {
    with_conversation(|browser, store, socket| {
        tell(socket, full_window());
        want(store, "call-1");
        socket.close(1006);
        browser.happen(BrowserEvent::Awake);
        let again: Rc<FakeSocket> = browser.load(conversation(1), Vec::new());
        tell(&again, full_window());
        again.reply(LIST, Ok(page_of(&done([1]), None)));
        assert_eq!(status(store, "call-1"), Some(ActivityStatus::Succeeded));
    });
}

#[test]
fn an_erased_transcript_takes_everything_that_is_known_with_it() {
    with_conversation(|_, store, socket| {
        tell(socket, done([1]));
        socket.receive(&ServerFrame::ChatClear);
        assert_eq!(status(store, "call-1"), None);
    });
}

#[test]
fn the_clock_goes_only_while_something_runs() {
    with_conversation(|browser, store, socket| {
        let clock = || store.conversation.clock.get_untracked() - 1_800_000_000_000;
        tell(socket, vec![activity(1, ActivityStatus::Running)]);
        assert_eq!(clock(), 0);
        browser.pass(2_500);
        assert_eq!(clock(), 2_000);
        tell(socket, vec![activity(1, ActivityStatus::Succeeded)]);
        browser.pass(10_000);
        assert_eq!(clock(), 2_000);
    });
}

#[test]
fn the_clock_stops_when_the_owner_goes_elsewhere() {
    with_conversation(|browser, store, socket| {
        tell(socket, vec![activity(1, ActivityStatus::Running)]);
        store.navigate(Page::Settings);
        browser.pass(5_000);
        assert_eq!(store.conversation.clock.get_untracked(), 1_800_000_000_000);
    });
}
