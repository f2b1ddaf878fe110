//! A platform that does what a test says, and remembers what the page asked for.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "support for tests: a broken expectation is to stop the test, and not every suite uses everything"
)]

pub mod memory;
pub mod settings;

use flarebot_app::platform::{
    Address, BrowserEvent, Copying, Platform, Pointer, Request, Response, Socket, SocketEvent, Timer,
};
use flarebot_app::store::Store;
use flarebot_protocol::ConversationId;
use flarebot_protocol::address::Page;
use flarebot_protocol::call::{CallFailure, FailureCode};
use flarebot_protocol::conversation::{ConversationActivity, ConversationSummary, PublicState};
use flarebot_protocol::frame::{AgentKind, HistoryFrame, RpcReply, ServerFrame, SharedState};
use flarebot_protocol::message::{Message, Outcome};
use flarebot_protocol::tool_activity::ConversationState;
use leptos::prelude::*;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use uuid::Uuid;

/// The browser's lasting part: what survives a reload.
pub type Storage = Rc<RefCell<BTreeMap<String, String>>>;

type Answer = Box<dyn FnOnce(Option<Response>)>;

type Listener = Rc<dyn Fn(BrowserEvent)>;

#[derive(Default)]
pub struct Fake {
    pub storage: Storage,
    pub history: RefCell<Vec<String>>,
    pub fragment: RefCell<String>,
    pub requests: RefCell<Vec<(Request, Answer)>>,
    pub sockets: RefCell<Vec<Rc<FakeSocket>>>,
    listener: RefCell<Option<Listener>>,
    timers: RefCell<Vec<Rc<FakeTimer>>>,
    now: Cell<i64>,
    identifiers: Cell<u128>,
}

pub struct FakeSocket {
    pub path: String,
    pub sent: RefCell<Vec<Value>>,
    pub is_open: Cell<bool>,
    events: Rc<dyn Fn(SocketEvent)>,
}

struct SocketHandle(Rc<FakeSocket>);

/// A timer that has fired, or was dropped, has nothing to do any more.
struct FakeTimer {
    due_at: i64,
    wake: RefCell<Option<Box<dyn FnOnce()>>>,
}

struct TimerHandle(Rc<FakeTimer>);

impl Timer for TimerHandle {}

impl Drop for TimerHandle {
    fn drop(&mut self) {
        let wake = self.0.wake.take();
        drop(wake);
    }
}

impl Socket for SocketHandle {
    fn send(&self, text: &str) {
        self.0.sent.borrow_mut().push(serde_json::from_str(text).unwrap());
    }
}

impl Drop for SocketHandle {
    fn drop(&mut self) {
        self.0.is_open.set(false);
    }
}

impl FakeSocket {
    pub fn receive(&self, frame: &ServerFrame) {
        (self.events)(SocketEvent::Text(serde_json::to_string(frame).unwrap()));
    }

    pub fn close(&self, code: u16) {
        (self.events)(SocketEvent::Closed(code));
    }

    /// The last frame of a type.
    pub fn last(&self, kind: &str) -> Value {
        let sent = self.sent.borrow();
        let frame = sent.iter().rev().find(|frame| frame["type"] == kind);
        frame
            .unwrap_or_else(|| panic!("no {kind} was sent, but {sent:?}"))
            .clone()
    }

    pub fn count(&self, kind: &str) -> usize {
        self.sent
            .borrow()
            .iter()
            .filter(|frame| frame["type"] == kind)
            .count()
    }

    /// All calls of a method.
    pub fn calls(&self, method: &str) -> Vec<Value> {
        let sent = self.sent.borrow();
        sent.iter()
            .filter(|frame| frame["method"] == method)
            .cloned()
            .collect()
    }

    /// Answers the last call of a method.
    pub fn reply(&self, method: &str, result: Result<Value, &str>) {
        let calls = self.calls(method);
        self.reply_to(calls.last().expect("the call was made"), result);
    }

    /// Answers one call.
    pub fn reply_to(&self, call: &Value, result: Result<Value, &str>) {
        let id = call["id"].as_str().unwrap().to_owned();
        let reply = match result {
            Ok(value) => RpcReply::succeeded(id, value),
            Err(sentence) => RpcReply {
                id,
                success: false,
                result: None,
                done: None,
                error: Some(sentence.to_owned()),
                code: None,
            },
        };
        self.receive(&ServerFrame::Rpc(reply));
    }

    /// Refuses the last call of a method.
    pub fn refuse(&self, method: &str, code: FailureCode, sentence: &str) {
        let calls = self.calls(method);
        let id = calls.last().expect("the call was made")["id"].as_str().unwrap();
        let failure = CallFailure::new(code, sentence);
        self.receive(&ServerFrame::Rpc(RpcReply::failed(id.to_owned(), failure)));
    }
}

impl Fake {
    /// A browser at an address.
    pub fn at(path: &str, storage: &Storage) -> Rc<Self> {
        Rc::new(Self {
            storage: Rc::clone(storage),
            history: RefCell::new(vec![path.to_owned()]),
            now: Cell::new(1_800_000_000_000),
            // Every load of a page draws other ids.
            identifiers: Cell::new(u128::from(storage.borrow().len() as u64) * 1_000 + 1),
            ..Self::default()
        })
    }

    /// Opens the page that the address names.
    pub fn open(self: &Rc<Self>) -> Store {
        let page = Page::parse(&self.path()).unwrap();
        let store = Store::new(page, Rc::clone(self) as Rc<dyn Platform>);
        store.start();
        store
    }

    pub fn path(&self) -> String {
        self.history.borrow().last().unwrap().clone()
    }

    /// Answers the oldest request that waits.
    pub fn answer(&self, status: u16, body: &str) -> Request {
        let (request, done) = self.requests.borrow_mut().remove(0);
        done(Some(Response {
            status,
            body: body.to_owned(),
        }));
        request
    }

    /// Lets no answer come to the oldest request that waits.
    pub fn lose_request(&self) {
        let (_, done) = self.requests.borrow_mut().remove(0);
        done(None);
    }

    pub fn happen(&self, event: BrowserEvent) {
        let listener = self.listener.borrow().clone().unwrap();
        listener(event);
    }

    /// Lets time pass, in milliseconds, with the timers that fire meanwhile.
    pub fn pass(&self, milliseconds: i64) {
        let until = self.now.get() + milliseconds;
        loop {
            let timers = self.timers.borrow().clone();
            let due = timers
                .iter()
                .filter(|timer| timer.due_at <= until && timer.wake.borrow().is_some())
                .min_by_key(|timer| timer.due_at);
            let Some(timer) = due else { break };
            self.now.set(timer.due_at.max(self.now.get()));
            let wake = timer.wake.take().unwrap();
            wake();
        }
        self.now.set(until);
    }

    /// The newest open socket whose path contains `part`.
    pub fn socket(&self, part: &str) -> Rc<FakeSocket> {
        let sockets = self.sockets.borrow();
        let socket = sockets
            .iter()
            .rev()
            .find(|socket| socket.path.contains(part) && socket.is_open.get());
        socket
            .unwrap_or_else(|| panic!("no open socket to {part}"))
            .clone()
    }

    pub fn has_socket(&self, part: &str) -> bool {
        self.sockets
            .borrow()
            .iter()
            .any(|socket| socket.path.contains(part) && socket.is_open.get())
    }

    /// Lets the owner in and the agent's socket get ready.
    pub fn let_in(
        &self,
        conversations: &[ConversationSummary],
        activity: &[ConversationActivity],
    ) -> Rc<FakeSocket> {
        self.answer(200, r#"{"expiresAt":1800000000001}"#);
        let agent = self.socket("personal?");
        agent.receive(&ServerFrame::Identity {
            name: "personal".to_owned(),
            agent: AgentKind::PersonalAgent,
            state_follows: true,
        });
        agent.receive(&ServerFrame::State {
            state: SharedState::Agent(PublicState {
                schema_version: 1,
                created_at: "2026-11-30T00:00:00.000Z".to_owned(),
            }),
        });
        agent.receive(&ServerFrame::Conversations {
            conversations: conversations.to_vec(),
            activity: activity.to_vec(),
        });
        agent
    }

    /// Lets a conversation's socket get ready.
    pub fn load(&self, id: ConversationId, messages: Vec<Message>) -> Rc<FakeSocket> {
        let socket = self.socket(&id.to_string());
        socket.receive(&ServerFrame::Identity {
            name: id.to_string(),
            agent: AgentKind::Conversation,
            state_follows: true,
        });
        socket.receive(&ServerFrame::State {
            state: SharedState::Conversation(ConversationState::default()),
        });
        socket.receive(&ServerFrame::History(HistoryFrame {
            messages,
            has_more: false,
            running: None,
            queued: Vec::new(),
        }));
        socket
    }
}

impl Platform for Fake {
    fn now(&self) -> i64 {
        self.now.get()
    }

    fn uuid(&self) -> Uuid {
        self.identifiers.set(self.identifiers.get() + 1);
        Uuid::from_u128(self.identifiers.get())
    }

    fn jitter(&self) -> f64 {
        0.5
    }

    fn pointer(&self) -> Pointer {
        Pointer::Fine
    }

    fn address(&self) -> Address {
        Address {
            path: self.path(),
            fragment: self.fragment.borrow().clone(),
        }
    }

    fn push_address(&self, path: &str) {
        self.fragment.borrow_mut().clear();
        self.history.borrow_mut().push(path.to_owned());
    }

    fn replace_address(&self, path: &str) {
        self.fragment.borrow_mut().clear();
        *self.history.borrow_mut().last_mut().unwrap() = path.to_owned();
    }

    fn set_title(&self, _title: &str) {}

    fn load(&self, key: &str) -> Option<String> {
        self.storage.borrow().get(key).cloned()
    }

    fn save(&self, key: &str, value: Option<&str>) {
        let mut storage = self.storage.borrow_mut();
        match value {
            Some(value) => storage.insert(key.to_owned(), value.to_owned()),
            None => storage.remove(key),
        };
    }

    fn forget(&self, prefix: &str) {
        self.storage
            .borrow_mut()
            .retain(|key, _| !key.starts_with(prefix));
    }

    fn copy(&self, _text: &str, done: Box<dyn FnOnce(Copying)>) {
        done(Copying::Done);
    }

    fn request(&self, request: Request, done: Answer) {
        self.requests.borrow_mut().push((request, done));
    }

    fn open_socket(&self, path: &str, events: Rc<dyn Fn(SocketEvent)>) -> Box<dyn Socket> {
        let socket = Rc::new(FakeSocket {
            path: path.to_owned(),
            sent: RefCell::default(),
            is_open: Cell::new(true),
            events,
        });
        self.sockets.borrow_mut().push(Rc::clone(&socket));
        Box::new(SocketHandle(socket))
    }

    fn set_timer(&self, delay: i64, wake: Box<dyn FnOnce()>) -> Box<dyn Timer> {
        let timer = Rc::new(FakeTimer {
            due_at: self.now.get() + delay,
            wake: RefCell::new(Some(wake)),
        });
        self.timers.borrow_mut().push(Rc::clone(&timer));
        Box::new(TimerHandle(timer))
    }

    fn listen(&self, events: Rc<dyn Fn(BrowserEvent)>) {
        *self.listener.borrow_mut() = Some(events);
    }
}

/// Runs a test with room for its signals.
pub fn with_page(test: impl FnOnce()) {
    Owner::new().with(test);
}

pub fn conversation(number: u128) -> ConversationId {
    ConversationId::new(Uuid::from_u128(
        0x0193_0000_0000_7000_8000_0000_0000_0000 + number,
    ))
}

pub fn summary(number: u128, name: &str) -> ConversationSummary {
    ConversationSummary {
        id: conversation(number),
        name: name.to_owned(),
        created_at: format!("2026-11-30T00:00:{number:02}.000Z"),
        updated_at: format!("2026-11-30T00:00:{number:02}.000Z"),
    }
}

pub fn activity(number: u128, last_activity_at: i64) -> ConversationActivity {
    ConversationActivity {
        id: conversation(number),
        last_activity_at,
        running: false,
        unread: false,
    }
}

pub fn summary_json(number: u128, name: &str) -> Value {
    serde_json::to_value(summary(number, name)).unwrap()
}

/// A message of the owner's as the server tells it.
pub fn message(id: &str, text: &str) -> Message {
    serde_json::from_value(json!({ "id": id, "role": "user", "parts": [{ "type": "text", "text": text }] }))
        .unwrap()
}

/// An answer as the server tells it.
pub fn answer(id: &str, text: &str, outcome: Option<Outcome>) -> Message {
    serde_json::from_value(json!({
        "id": id,
        "role": "assistant",
        "parts": [{ "type": "text", "text": text, "state": "done" }],
        "metadata": { "outcome": outcome },
    }))
    .unwrap()
}

/// The text of a chat request.
pub fn text_of(request: &Value) -> String {
    body_of(request)["messages"][0]["parts"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// The body of a chat request.
pub fn body_of(request: &Value) -> Value {
    serde_json::from_str(request["init"]["body"].as_str().unwrap()).unwrap()
}
