//! The owner's page of one conversation without its picture: the page's own session and view on a thread of their own.
//! It reconnects by itself, and sends again what may have been lost.

use super::{Connection, Socket};
use crate::credentials::now;
use flarebot_protocol::client::{
    Change, ClientSession, EntryState, Output, SessionEvent, SubmissionState, TranscriptView,
};
use flarebot_protocol::frame::{ChatRequest, Trigger};
use flarebot_protocol::message::{Message, Part, Role};
use flarebot_protocol::tool_activity::ToolActivity;
use flarebot_protocol::{MessageId, RequestId};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// How long the thread listens before it looks after anything else.
const LISTENING: Duration = Duration::from_millis(5);

/// How much of the usual delay before a reconnection these pages take: they are to be back before anything else is.
const IMPATIENCE: f64 = 0.02;

const ABNORMAL_CLOSURE: u16 = 1006;

/// An open page. Dropping it closes it.
#[derive(Debug)]
pub struct Page {
    shown: Arc<Mutex<Shown>>,
    wishes: Sender<Wish>,
    thread: Option<JoinHandle<()>>,
}

/// How much of an answer a page showed at which moment.
#[derive(Debug, Clone)]
pub struct Arrival {
    /// When.
    pub at: Instant,
    /// The answer.
    pub message: MessageId,
    /// Its text, in bytes.
    pub bytes: usize,
}

#[derive(Debug, Default)]
struct Shown {
    view: TranscriptView,
    submissions: BTreeMap<RequestId, SubmissionState>,
    arrivals: Vec<Arrival>,
    activities: Vec<ToolActivity>,
    unreadable: Vec<String>,
}

enum Wish {
    Submit(ChatRequest),
    Cancel(RequestId),
    Wake,
    Leave,
}

impl Page {
    /// Opens a page, and keeps it connected.
    #[must_use]
    pub fn open(connection: Connection) -> Self {
        let shown = Arc::new(Mutex::new(Shown::default()));
        let (wishes, heard) = channel();
        let driver = Driver {
            connection,
            session: ClientSession::new(),
            socket: None,
            shown: Arc::clone(&shown),
        };
        Self {
            shown,
            wishes,
            thread: Some(std::thread::spawn(move || driver.run(&heard))),
        }
    }

    /// Says something.
    pub fn say(&self, text: &str) -> RequestId {
        let request = ChatRequest {
            id: RequestId::from_uuid(Uuid::new_v4()),
            message: Message {
                id: MessageId::from_uuid(Uuid::new_v4()),
                role: Role::User,
                parts: vec![Part::Text {
                    text: text.to_owned(),
                    state: None,
                }],
                metadata: None,
            },
            trigger: Trigger::Submit,
        };
        let id = request.id.clone();
        let _ = self.shown().view.submit(&request);
        self.wish(Wish::Submit(request));
        id
    }

    /// Stops the answer to a request.
    pub fn stop(&self, request: &RequestId) {
        self.wish(Wish::Cancel(request.clone()));
    }

    /// Stops waiting for the next attempt to connect, and makes it.
    pub fn wake(&self) {
        self.wish(Wish::Wake);
    }

    /// Whether the server is known to have a request.
    #[must_use]
    pub fn is_accepted(&self, request: &RequestId) -> bool {
        self.shown().submissions.get(request) == Some(&SubmissionState::Accepted)
    }

    /// The messages, oldest first.
    ///
    /// # Panics
    /// When the page got a frame that it cannot read.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        let shown = self.shown();
        assert_eq!(
            shown.unreadable,
            Vec::<String>::new(),
            "frames that no page can read"
        );
        let entries = shown.view.entries().iter();
        entries.map(|entry| entry.message().clone()).collect()
    }

    /// Whether everything that it shows is complete and known to the server.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let shown = self.shown();
        let mut entries = shown.view.entries().iter();
        shown.view.is_loaded() && entries.all(|entry| entry.state() == EntryState::Settled)
    }

    /// What it shows of the conversation's tools, live.
    #[must_use]
    pub fn activities(&self) -> Vec<ToolActivity> {
        self.shown().activities.clone()
    }

    /// How the answers grew.
    #[must_use]
    pub fn arrivals(&self) -> Vec<Arrival> {
        self.shown().arrivals.clone()
    }

    fn wish(&self, wish: Wish) {
        // A page whose thread is gone has been told to leave.
        drop(self.wishes.send(wish));
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.wish(Wish::Leave);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

struct Driver {
    connection: Connection,
    session: ClientSession,
    socket: Option<Socket>,
    shown: Arc<Mutex<Shown>>,
}

impl Driver {
    fn run(mut self, wishes: &Receiver<Wish>) {
        self.session.start(now());
        loop {
            self.carry_out();
            match wishes.try_recv() {
                Ok(Wish::Submit(request)) => self.session.submit(request, now()),
                Ok(Wish::Cancel(request)) => self.session.cancel(&request),
                Ok(Wish::Wake) => self.session.handle_online(now()),
                Ok(Wish::Leave) | Err(TryRecvError::Disconnected) => break,
                Err(TryRecvError::Empty) => self.listen(),
            }
        }
        if let Some(socket) = self.socket.take() {
            socket.close();
        }
    }

    /// Does what the session wants, until it wants nothing more.
    fn carry_out(&mut self) {
        while let Some(output) = self.session.poll_output() {
            match output {
                Output::Connect => match self.connection.try_open() {
                    Ok(Ok(socket)) => {
                        self.socket = Some(socket);
                        self.session.handle_opened(now());
                    }
                    Ok(Err(_)) | Err(_) => self.lose(ABNORMAL_CLOSURE),
                },
                Output::Transmit(text) => {
                    let sent = self.socket.as_mut().map(|socket| socket.try_send_text(text));
                    if sent.is_some_and(|sent| sent.is_err()) {
                        self.lose(ABNORMAL_CLOSURE);
                    }
                }
                Output::Disconnect => self.socket = None,
                Output::Event(event) => {
                    let change = self.shown.lock().unwrap().take(event);
                    if change == Change::Resynchronise {
                        self.session.resynchronise(now(), IMPATIENCE);
                    }
                }
            }
        }
    }

    fn listen(&mut self) {
        match &mut self.socket {
            Some(socket) => match socket.next_text_within(LISTENING) {
                Some(text) => self.session.handle_text(&text, now()),
                None => {
                    if let Some(code) = socket.closed().map(|closed| closed.code) {
                        self.lose(code);
                    }
                }
            },
            None => std::thread::sleep(LISTENING),
        }
        if self.session.poll_timeout().is_some_and(|time| time <= now()) {
            self.session.handle_timeout(now(), IMPATIENCE);
        }
    }

    fn lose(&mut self, code: u16) {
        self.socket = None;
        self.session.handle_closed(code, now(), IMPATIENCE);
    }
}

impl Shown {
    fn take(&mut self, event: SessionEvent) -> Change {
        match event {
            SessionEvent::Frame(frame) => {
                let change = self.view.apply(*frame);
                self.note_arrival();
                change
            }
            SessionEvent::Submission { id, state } => {
                let change = self.view.apply_submission(&id, &state);
                self.submissions.insert(id, state);
                change
            }
            SessionEvent::Unreadable { kind } => {
                self.unreadable.push(kind.unwrap_or_default());
                Change::Nothing
            }
            SessionEvent::ToolActivities(activities) => {
                self.activities = activities;
                Change::Nothing
            }
            SessionEvent::Status(_) | SessionEvent::CallSettled(_) => Change::Nothing,
        }
    }

    fn note_arrival(&mut self) {
        let mut entries = self.view.entries().iter().rev().map(|entry| entry.message());
        let Some(answer) = entries.find(|message| message.role == Role::Assistant) else {
            return;
        };
        let bytes = answer.text().len();
        let known = self.arrivals.last();
        if known.is_none_or(|known| known.message != answer.id || known.bytes != bytes) {
            self.arrivals.push(Arrival {
                at: Instant::now(),
                message: answer.id.clone(),
                bytes,
            });
        }
    }
}
