//! The conversation that is open, or about to begin: its transcript, its draft, and what the owner does in it.

use super::activities::{Activities, Asking};
use super::approvals::Deciding;
use super::link::Link;
use super::remembering::Remembering;
use super::spent::Spent;
use super::transcript::{Line, announcement};
use super::{Access, Connection, Store, drafts, name};
use flarebot_protocol::address::{Endpoint, Page};
use flarebot_protocol::call::CreateConversation;
use flarebot_protocol::client::{ConnectionStatus, SessionEvent, SubmissionState, TranscriptView};
use flarebot_protocol::conversation::ConversationSummary;
use flarebot_protocol::frame::{ChatRequest, ServerFrame};
use flarebot_protocol::{CloseCode, ConversationId, MAXIMUM_MESSAGE_BYTES, MessageId, RequestId};
use leptos::prelude::*;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What the owner says to an answer that was interrupted.
const CONTINUE: &str = "Please continue where you stopped.";

/// What is shown of the open conversation.
#[derive(Clone, Copy)]
pub struct OpenConversation {
    /// How far it is.
    pub phase: RwSignal<Phase>,
    /// Its messages, oldest first. A message that grows changes its own signal alone.
    pub lines: RwSignal<Vec<Line>>,
    /// Whether there is an answer to stop.
    pub progress: RwSignal<Progress>,
    /// The answer at the end of the transcript that was interrupted, so that the owner may ask for the rest of it.
    pub interrupted: RwSignal<Option<MessageId>>,
    /// Whether there are older messages.
    pub older: RwSignal<Older>,
    /// What the answers that are shown have used.
    pub spent: RwSignal<Spent>,
    /// What is known of the calls of tools.
    pub activities: RwSignal<Activities>,
    /// The time, in milliseconds since 1970; goes on only while a tool runs.
    pub clock: RwSignal<i64>,
    /// What the owner has written and not sent.
    pub draft: RwSignal<String>,
    /// The owner's decisions that the server has not taken, by the questions that they answer.
    pub decisions: RwSignal<BTreeMap<String, Deciding>>,
    /// Whether it uses memory.
    pub remembering: RwSignal<Remembering>,
    /// What went wrong last, for the owner.
    pub trouble: RwSignal<Option<String>>,
    /// Told whenever anything in the transcript changed.
    pub changed: RwSignal<u64>,
    /// Counts what the owner has sent, so that the reader is led to it.
    pub sent: RwSignal<u32>,
}

/// How far a conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// It does not exist yet; its first message makes it.
    New,
    /// It is being made.
    Starting,
    /// It exists, but its history has not come.
    Loading,
    /// Its history is there.
    Open,
    /// It was deleted, or never existed.
    Gone,
}

/// Whether there is an answer to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// There is none.
    Idle,
    /// The message that asks for one is on its way to the server, and can be taken back.
    Sending,
    /// One is awaited and shows nothing yet.
    Awaited,
    /// One is being written.
    Writing,
}

/// Whether there are older messages than those shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Older {
    /// There are none.
    None,
    /// There are.
    Available,
    /// They are on their way.
    Loading,
}

/// What is known of the open conversation and is not a signal.
#[derive(Default)]
pub(super) struct Transcript {
    pub(super) id: Option<ConversationId>,
    pub(super) view: TranscriptView,
    pub(super) unconfirmed: Vec<ChatRequest>,
    pub(super) asking: Asking,
}

impl OpenConversation {
    pub(super) fn new(page: Page) -> Self {
        let phase = match page {
            Page::Conversation(_) => Phase::Loading,
            Page::Home | Page::Settings | Page::Tasks | Page::SignIn => Phase::New,
        };
        Self {
            phase: RwSignal::new(phase),
            lines: RwSignal::new(Vec::new()),
            progress: RwSignal::new(Progress::Idle),
            interrupted: RwSignal::new(None),
            older: RwSignal::new(Older::None),
            spent: RwSignal::new(Spent::default()),
            activities: RwSignal::new(Activities::default()),
            clock: RwSignal::new(0),
            draft: RwSignal::new(String::new()),
            decisions: RwSignal::new(BTreeMap::new()),
            remembering: RwSignal::new(Remembering::in_phase(phase)),
            trouble: RwSignal::new(None),
            changed: RwSignal::new(0),
            sent: RwSignal::new(0),
        }
    }
}

impl Store {
    /// Takes over what the owner has written so far, and keeps it.
    pub fn write(self, text: String) {
        let id = self.runtime().transcript.borrow().id;
        drafts::keep_draft(self.platform().as_ref(), id, &text);
        self.offer_commands(&text);
        self.conversation.draft.set(text);
    }

    /// Sends the draft, or has done what it commands. In a new conversation, sending makes the conversation first.
    pub fn send(self) {
        let text = self.conversation.draft.get_untracked();
        if text.trim().is_empty() || self.obey(&text) {
            return;
        }
        if text.len() > MAXIMUM_MESSAGE_BYTES {
            let sentence = format!(
                "This message is longer than {} KB. Send it in parts.",
                MAXIMUM_MESSAGE_BYTES / 1024
            );
            self.conversation.trouble.set(Some(sentence));
            return;
        }
        self.conversation.trouble.set(None);
        match self.conversation.phase.get_untracked() {
            Phase::New => self.start_conversation(text),
            Phase::Loading | Phase::Open => {
                self.write(String::new());
                self.submit(text);
            }
            Phase::Starting | Phase::Gone => {}
        }
    }

    /// Asks for the rest of an answer that was interrupted. The draft stays as it is.
    pub fn ask_to_continue(self) {
        self.submit(CONTINUE.to_owned());
    }

    /// Stops the answer that is being made, or awaited.
    pub fn stop(self) {
        let runtime = self.runtime();
        let active = runtime.transcript.borrow().view.active().cloned();
        let link = runtime.conversation.borrow().clone();
        if let (Some(id), Some(link)) = (active, link) {
            link.cancel(&id);
        }
    }

    /// Leaves the conversation that is open and opens another, or gets ready for a new one. Opening what is open
    /// connects it, once the owner is signed in.
    pub(super) fn open_conversation(self, id: Option<ConversationId>) {
        let runtime = self.runtime();
        let is_same = runtime.transcript.borrow().id == id
            && match self.conversation.phase.get_untracked() {
                Phase::New | Phase::Starting => id.is_none(),
                Phase::Loading | Phase::Open | Phase::Gone => id.is_some(),
            };
        if !is_same {
            self.leave_conversation();
            let phase = if id.is_some() { Phase::Loading } else { Phase::New };
            self.conversation.phase.set(phase);
            self.conversation.remembering.set(Remembering::in_phase(phase));
            runtime.transcript.borrow_mut().id = id;
        }
        let platform = self.platform();
        if self.conversation.draft.with_untracked(String::is_empty) {
            self.conversation.draft.set(drafts::draft(platform.as_ref(), id));
        }
        let is_connected = runtime.conversation.borrow().is_some();
        if let Some(id) = id
            && !is_connected
            && self.access.get_untracked() == Access::Granted
        {
            self.connect_conversation(id);
        }
    }

    /// Forgets the open conversation. What is not confirmed stays kept, and is sent again when it is next opened.
    pub(super) fn leave_conversation(self) {
        let runtime = self.runtime();
        drop(runtime.conversation.take());
        runtime.transcript.replace(Transcript::default());
        let conversation = self.conversation;
        conversation.lines.set(Vec::new());
        conversation.progress.set(Progress::Idle);
        conversation.interrupted.set(None);
        conversation.older.set(Older::None);
        conversation.spent.set(Spent::default());
        conversation.activities.set(Activities::default());
        conversation.draft.set(String::new());
        conversation.decisions.set(BTreeMap::new());
        conversation.remembering.set(Remembering::default());
        conversation.trouble.set(None);
        self.forget_commands();
        self.conversation_connection.set(Connection::Quiet);
    }

    fn connect_conversation(self, id: ConversationId) {
        let runtime = self.runtime();
        let path = Endpoint::Conversation(id).path();
        let link = Link::open(self.platform(), &path, move |event| {
            self.hear_conversation(id, event);
        });
        let link = Rc::new(link);
        *runtime.conversation.borrow_mut() = Some(Rc::clone(&link));
        self.load_conversation_memory();
        let kept = drafts::unconfirmed(runtime.platform.as_ref(), id);
        runtime.transcript.borrow_mut().unconfirmed.clone_from(&kept);
        for request in kept {
            self.change(|view| view.submit(&request));
            link.submit(request);
        }
    }

    fn start_conversation(self, text: String) {
        self.conversation.phase.set(Phase::Starting);
        let call = CreateConversation {
            name: name::from_first_message(&text),
        };
        self.call_agent(&call, move |reply| match reply {
            Ok(summary) => self.grant_wish(summary, text),
            Err(failure) => {
                self.stop_starting();
                self.conversation.trouble.set(Some(failure.message));
            }
        });
    }

    /// The conversation is made, or could not be.
    pub(super) fn stop_starting(self) {
        if self.conversation.phase.get_untracked() == Phase::Starting {
            self.conversation.phase.set(Phase::New);
        }
    }

    /// Sends the first message of a conversation that was just made for it.
    pub(super) fn begin_with(self, summary: ConversationSummary, text: String) {
        self.stop_starting();
        let id = summary.id;
        self.sidebar.update(|sidebar| sidebar.put(summary));
        let platform = self.platform();
        drafts::keep_draft(platform.as_ref(), None, "");
        if self.page.get_untracked() == Page::Home {
            self.navigate(Page::Conversation(id));
            self.submit(text);
        } else {
            // The owner went elsewhere meanwhile, so the text waits where it belongs.
            drafts::keep_draft(platform.as_ref(), Some(id), &text);
            if self.runtime().transcript.borrow().id.is_none() {
                self.conversation.draft.set(String::new());
            }
        }
    }

    /// Hands a message to the connection. It is kept until the server has it, however long the connection takes.
    fn submit(self, text: String) {
        let runtime = self.runtime();
        let request = RequestId::from_uuid(runtime.platform.uuid());
        let message = MessageId::from_uuid(runtime.platform.uuid());
        let request = drafts::request(request, message, text);
        self.announcement.set("");
        runtime.transcript.borrow_mut().unconfirmed.push(request.clone());
        self.keep_unconfirmed();
        self.change(|view| view.submit(&request));
        self.conversation.sent.update(|sent| *sent = sent.wrapping_add(1));
        let link = runtime.conversation.borrow().clone();
        if let Some(link) = link {
            link.submit(request);
        }
    }

    fn hear_conversation(self, id: ConversationId, event: SessionEvent) {
        if self.runtime().transcript.borrow().id != Some(id) {
            return;
        }
        match event {
            SessionEvent::Status(status) => {
                if status == ConnectionStatus::Closed(CloseCode::ConversationDeleted) {
                    self.lose_conversation(id);
                }
                self.observe_connection(self.conversation_connection, status);
            }
            SessionEvent::Frame(frame) => self.hear_frame(*frame),
            SessionEvent::Submission { id, state } => self.hear_submission(&id, &state),
            SessionEvent::Unreadable { .. } => self.conversation_connection.set(Connection::Outdated),
            SessionEvent::ToolActivities(live) => self.hear_activities(&live),
            SessionEvent::CallSettled(_) => {}
        }
    }

    fn hear_frame(self, frame: ServerFrame) {
        let announcement = announcement(&frame);
        if let ServerFrame::History(_) = &frame {
            self.conversation.phase.set(Phase::Open);
        }
        if let ServerFrame::ChatClear = &frame {
            self.forget_activities();
        }
        self.change(|view| view.apply(frame));
        if let Some(announcement) = announcement {
            self.announcement.set(announcement);
        }
    }

    fn hear_submission(self, id: &RequestId, state: &SubmissionState) {
        self.change(|view| view.apply_submission(id, state));
        if !state.is_final() {
            return;
        }
        let runtime = self.runtime();
        runtime
            .transcript
            .borrow_mut()
            .unconfirmed
            .retain(|request| request.id != *id);
        self.keep_unconfirmed();
        if let SubmissionState::Refused { sentence } = state {
            self.conversation.trouble.set(Some(sentence.clone()));
        }
        let message = runtime.transcript.borrow_mut().view.withdraw(id);
        if let Some(message) = message {
            self.give_back(&message.text());
            self.publish();
        }
    }

    /// Puts a text that was not sent back into the draft.
    pub(super) fn give_back(self, text: &str) {
        self.write(
            self.conversation
                .draft
                .with_untracked(|draft| drafts::put_back(text, draft)),
        );
    }

    fn keep_unconfirmed(self) {
        let runtime = self.runtime();
        let transcript = runtime.transcript.borrow();
        if let Some(id) = transcript.id {
            drafts::keep_unconfirmed(runtime.platform.as_ref(), id, &transcript.unconfirmed);
        }
    }

    /// The conversation no longer exists. What the owner has written in it goes to the next one.
    fn lose_conversation(self, id: ConversationId) {
        if self.is_deleting(id) {
            return;
        }
        let platform = self.platform();
        let draft = self.conversation.draft.get_untracked();
        if drafts::draft(platform.as_ref(), None).is_empty() {
            drafts::keep_draft(platform.as_ref(), None, &draft);
        }
        self.leave_conversation();
        drafts::forget(platform.as_ref(), id);
        self.runtime().transcript.borrow_mut().id = Some(id);
        self.conversation.phase.set(Phase::Gone);
    }
}
