//! The client store: everything that the page knows, as signals, and everything that the owner can do, as methods.
//!
//! Components read the signals and call the methods; nothing else changes a signal. The browser comes in through
//! [`Platform`] alone, so that the whole store runs in a native test.

mod activities;
mod approvals;
mod commands;
mod conversation;
mod drafts;
mod link;
mod list;
mod name;
mod older;
mod queue;
mod remembering;
mod session;
mod settings;
mod sidebar;
mod spent;
mod transcript;

pub use activities::Activities;
pub use approvals::Deciding;
pub use commands::{Choices, Command, Commands, Deed, Direction, Done, Menu};
pub use conversation::{Older, OpenConversation, Phase, Progress};
pub use list::{Deletion, DeletionStep};
pub use remembering::Remembering;
pub use session::{Access, SignIn};
pub use settings::{
    Draft, Edit, Forgotten, Instructions, MEMORY, Memory, Models, Origin, Question, Settings, Standing,
    Subject, Trial, TypedKey, Work, credential, date, fact_fault, fact_units, provider_title, relative,
    section_path,
};
pub use sidebar::{Row, RowMark, Sidebar};
pub use spent::{Cost, ModelSpent, Spent, TotalCost, describe, grouped};
pub use transcript::{Line, Shown, ShownState, has_begun};

use crate::platform::{BrowserEvent, Platform};
use conversation::Transcript;
use flarebot_protocol::CloseCode;
use flarebot_protocol::address::Page;
use flarebot_protocol::client::{ConnectionStatus, SessionEvent};
use flarebot_protocol::frame::ServerFrame;
use leptos::prelude::*;
use link::Link;
use std::cell::RefCell;
use std::rc::Rc;

/// The client store. A cheap handle; all copies are the same store.
#[derive(Clone, Copy)]
pub struct Store {
    /// Which page is shown.
    pub page: RwSignal<Page>,
    /// Whether the owner is signed in.
    pub access: RwSignal<Access>,
    /// How signing in by a link goes.
    pub sign_in: RwSignal<SignIn>,
    /// Why signing out failed, for the owner.
    pub sign_out_trouble: RwSignal<Option<String>>,
    /// The list of conversations.
    pub sidebar: RwSignal<Sidebar>,
    /// The question whether to delete a conversation, while it is open.
    pub deletion: RwSignal<Option<Deletion>>,
    /// The owner's settings.
    pub settings: Settings,
    /// The conversation that is open, or about to begin.
    pub conversation: OpenConversation,
    /// What the owner has done by hand in the composer.
    pub commands: Commands,
    /// Counts how often the owner went somewhere, so that the focus can follow.
    pub arrivals: RwSignal<u32>,
    /// What a screen reader is to say next.
    pub announcement: RwSignal<&'static str>,
    agent_connection: RwSignal<Connection>,
    conversation_connection: RwSignal<Connection>,
    runtime: StoredValue<Rc<Runtime>, LocalStorage>,
}

/// What the owner should know about the connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Connection {
    /// Nothing: it is there, or not needed, or about to be there for the first time.
    #[default]
    Quiet,
    /// It was lost, and the page tries to get it back.
    Reconnecting,
    /// The server speaks a newer language than this page.
    Outdated,
    /// The server closed it for good.
    Refused,
}

/// What is not a signal.
struct Runtime {
    platform: Rc<dyn Platform>,
    agent: RefCell<Option<Rc<Link>>>,
    conversation: RefCell<Option<Rc<Link>>>,
    transcript: RefCell<Transcript>,
    access_check: RefCell<session::AccessCheck>,
    settings: RefCell<settings::Calls>,
    commands: RefCell<settings::Numbers>,
}

impl Store {
    /// A store that shows `page` and has done nothing yet: what the server renders and what the browser takes over.
    #[must_use]
    pub fn new(page: Page, platform: Rc<dyn Platform>) -> Self {
        Self {
            page: RwSignal::new(page),
            access: RwSignal::new(Access::Unknown),
            sign_in: RwSignal::new(SignIn::Checking),
            sign_out_trouble: RwSignal::new(None),
            sidebar: RwSignal::new(Sidebar::default()),
            deletion: RwSignal::new(None),
            settings: Settings::new(),
            conversation: OpenConversation::new(page),
            commands: Commands::new(),
            arrivals: RwSignal::new(0),
            announcement: RwSignal::new(""),
            agent_connection: RwSignal::new(Connection::Quiet),
            conversation_connection: RwSignal::new(Connection::Quiet),
            runtime: StoredValue::new_local(Rc::new(Runtime {
                platform,
                agent: RefCell::new(None),
                conversation: RefCell::new(None),
                transcript: RefCell::new(Transcript::default()),
                access_check: RefCell::new(session::AccessCheck::default()),
                settings: RefCell::new(settings::Calls::default()),
                commands: RefCell::default(),
            })),
        }
    }

    /// Begins: reads the address, asks whether the owner is signed in, and connects.
    pub fn start(self) {
        self.platform().listen(Rc::new(move |event| match event {
            BrowserEvent::AddressChanged => self.follow_address(),
            BrowserEvent::Awake => self.wake(),
        }));
        match self.page.get_untracked() {
            Page::SignIn => self.begin_sign_in(),
            Page::Home | Page::Conversation(_) | Page::Settings | Page::Tasks => {
                self.show(self.page.get_untracked());
                self.check_access();
            }
        }
    }

    /// Goes to another page, as a step in the history. What is not saved on this one is asked about first.
    pub fn navigate(self, page: Page) {
        if !self.may_leave_settings(page) {
            return;
        }
        if page != self.page.get_untracked() {
            self.platform().push_address(&page.path());
            self.show(page);
        } else if page == Page::Settings {
            self.open_section("");
        }
        self.arrivals
            .update(|arrivals| *arrivals = arrivals.wrapping_add(1));
    }

    /// What the browser's tab says: the conversation's name, or the page's.
    #[must_use]
    pub fn title(self) -> String {
        let page = self.page.get();
        let name = match page {
            Page::Conversation(id) => self.name_of(id),
            Page::Home | Page::Settings | Page::Tasks | Page::SignIn => None,
        };
        name.unwrap_or_else(|| fixed_title(page).to_owned())
    }

    /// The name of a conversation, if it is in the list.
    #[must_use]
    pub fn name_of(self, id: flarebot_protocol::ConversationId) -> Option<String> {
        self.sidebar
            .with(|sidebar| sidebar.row(id).map(|row| row.name.clone()))
    }

    /// What the owner should know about the connections.
    #[must_use]
    pub fn connection(self) -> Connection {
        self.agent_connection
            .get()
            .max(self.conversation_connection.get())
    }

    /// Whether the open conversation has lost its connection and tries to get it back.
    #[must_use]
    pub fn is_reconnecting(self) -> bool {
        self.conversation_connection.get() == Connection::Reconnecting
    }

    /// Whether the agent has lost its connection and tries to get it back.
    #[must_use]
    pub fn is_agent_reconnecting(self) -> bool {
        self.agent_connection.get() == Connection::Reconnecting
    }

    /// The platform that the store runs on.
    #[must_use]
    pub fn platform(self) -> Rc<dyn Platform> {
        Rc::clone(&self.runtime().platform)
    }

    fn runtime(self) -> Rc<Runtime> {
        self.runtime.get_value()
    }

    fn follow_address(self) {
        let address = self.platform().address();
        let page = Page::parse(&address.path).unwrap_or(Page::Home);
        if page == Page::SignIn {
            self.show(page);
            self.begin_sign_in();
        } else if !self.may_leave_settings(page) {
            self.stay_in_settings();
        } else if page != self.page.get_untracked() {
            self.show(page);
            self.arrivals
                .update(|arrivals| *arrivals = arrivals.wrapping_add(1));
        } else if page == Page::Settings {
            self.show_section();
        }
    }

    fn show(self, page: Page) {
        self.page.set(page);
        match page {
            Page::Conversation(id) => self.open_conversation(Some(id)),
            Page::Home | Page::Settings | Page::Tasks | Page::SignIn => self.open_conversation(None),
        }
        match page {
            Page::Settings => self.enter_settings(),
            Page::Home | Page::Conversation(_) | Page::Tasks | Page::SignIn => self.leave_settings(),
        }
    }

    fn wake(self) {
        if self.access_is_uncertain() {
            self.check_access();
        }
        let runtime = self.runtime();
        let links = [
            runtime.agent.borrow().clone(),
            runtime.conversation.borrow().clone(),
        ];
        for link in links.iter().flatten() {
            link.wake();
        }
    }

    fn connect_agent(self) {
        let runtime = self.runtime();
        if runtime.agent.borrow().is_none() {
            let path = flarebot_protocol::address::AGENT;
            let link = Link::open(self.platform(), path, move |event| self.hear_agent(event));
            *runtime.agent.borrow_mut() = Some(Rc::new(link));
        }
    }

    fn hear_agent(self, event: SessionEvent) {
        match event {
            SessionEvent::Status(status) => {
                self.observe_connection(self.agent_connection, status);
                if status == ConnectionStatus::Ready {
                    self.refresh_settings();
                    self.refresh_conversation_memory();
                }
            }
            SessionEvent::Frame(frame) => self.hear_agent_frame(*frame),
            SessionEvent::Unreadable { .. } => self.agent_connection.set(Connection::Outdated),
            SessionEvent::CallSettled(_)
            | SessionEvent::Submission { .. }
            | SessionEvent::ToolActivities(_) => {}
        }
    }

    fn hear_agent_frame(self, frame: ServerFrame) {
        match frame {
            ServerFrame::Conversations {
                conversations,
                activity,
            } => self
                .sidebar
                .update(|sidebar| sidebar.replace(conversations, activity)),
            ServerFrame::SettingsChanged { section } => self.hear_settings_changed(section),
            ServerFrame::Activity { activity } => self.sidebar.update(|sidebar| sidebar.observe(&activity)),
            ServerFrame::Identity { .. }
            | ServerFrame::State { .. }
            | ServerFrame::StateError { .. }
            | ServerFrame::Rpc(_)
            | ServerFrame::ChatMessages { .. }
            | ServerFrame::ChatResponse(_)
            | ServerFrame::ChatClear
            | ServerFrame::StreamResuming { .. }
            | ServerFrame::StreamResumeNone { .. }
            | ServerFrame::StreamPending { .. }
            | ServerFrame::History(_)
            | ServerFrame::Running(_)
            | ServerFrame::Message { .. }
            | ServerFrame::Queued(_)
            | ServerFrame::Queue(_)
            | ServerFrame::Error(_) => {}
        }
    }

    /// What a socket's state means for the owner.
    fn observe_connection(self, connection: RwSignal<Connection>, status: ConnectionStatus) {
        match status {
            ConnectionStatus::Connecting => {}
            ConnectionStatus::Ready => connection.set(Connection::Quiet),
            ConnectionStatus::Reconnecting { .. } => {
                connection.set(Connection::Reconnecting);
                // A socket that is refused looks like a lost network; only a request tells them apart.
                self.check_access();
            }
            ConnectionStatus::Closed(CloseCode::SessionEnded) => self.lose_access(),
            ConnectionStatus::Closed(CloseCode::Policy) => connection.set(Connection::Refused),
            ConnectionStatus::Closed(CloseCode::ConversationDeleted) => connection.set(Connection::Quiet),
        }
    }
}

/// The title of a page for which nothing private is known.
#[must_use]
pub(crate) const fn fixed_title(page: Page) -> &'static str {
    match page {
        Page::Home | Page::Conversation(_) => "Flarebot",
        Page::Settings => "Settings · Flarebot",
        Page::Tasks => "Tasks · Flarebot",
        Page::SignIn => "Sign in · Flarebot",
    }
}
