//! Whether the open conversation uses memory. In a new chat that is a wish, which its first message waits for.

use super::settings::Work;
use super::{Phase, Store, drafts};
use flarebot_protocol::address::Page;
use flarebot_protocol::call::{CallFailure, FailureCode, GetConversationMemory, SetConversationMemory};
use flarebot_protocol::conversation::ConversationSummary;
use flarebot_protocol::memory::ConversationMemory;
use leptos::prelude::*;

/// What is shown of the open conversation's use of memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remembering {
    /// Whether it uses memory, once the server has told.
    pub memory: Option<ConversationMemory>,
    /// How changing that goes.
    pub changing: Work,
}

impl Remembering {
    /// What is known at first: a conversation that does not exist yet will use memory, unless the owner says otherwise.
    pub(super) fn in_phase(phase: Phase) -> Self {
        Self {
            memory: (phase == Phase::New).then_some(ConversationMemory { enabled: true }),
            changing: Work::Idle,
        }
    }
}

impl Store {
    /// Lets the open conversation use memory, or keeps memory out of it.
    pub fn switch_memory(self, enabled: bool) {
        let remembering = self.conversation.remembering;
        match self.conversation.phase.get_untracked() {
            Phase::New => remembering.set(Remembering {
                memory: Some(ConversationMemory { enabled }),
                changing: Work::Idle,
            }),
            Phase::Loading | Phase::Open => self.change_memory(enabled),
            Phase::Starting | Phase::Gone => {}
        }
    }

    /// Asks whether the open conversation uses memory.
    pub(super) fn load_conversation_memory(self) {
        let is_changing = |remembering: &Remembering| remembering.changing == Work::Working;
        let Some(id) = self.open_id() else { return };
        if self.conversation.remembering.with_untracked(is_changing) {
            return;
        }
        let number = self.next_memory_request();
        self.call_agent(&GetConversationMemory { id }, move |reply| {
            if !self.is_latest_memory_request(number) || self.open_id() != Some(id) {
                return;
            }
            match reply {
                Ok(memory) => self
                    .conversation
                    .remembering
                    .update(|remembering| remembering.memory = Some(memory)),
                Err(failure) if failure.code == FailureCode::Disconnected => self.load_conversation_memory(),
                // Without an answer there is no switch.
                Err(_) => {}
            }
        });
    }

    /// There is a connection again, after a time in which another tab may have changed it.
    pub(super) fn refresh_conversation_memory(self) {
        let is_known = |remembering: &Remembering| remembering.memory.is_some();
        if self.conversation.remembering.with_untracked(is_known) {
            self.load_conversation_memory();
        }
    }

    fn change_memory(self, enabled: bool) {
        let remembering = self.conversation.remembering;
        let Some(id) = self.open_id() else { return };
        if remembering.with_untracked(|remembering| remembering.changing == Work::Working) {
            return;
        }
        let number = self.next_memory_request();
        remembering.update(|remembering| remembering.changing = Work::Working);
        self.call_agent(&SetConversationMemory { id, enabled }, move |reply| {
            if !self.is_latest_memory_request(number) || self.open_id() != Some(id) {
                return;
            }
            remembering.update(|remembering| match reply {
                Ok(memory) => {
                    remembering.memory = Some(memory);
                    remembering.changing = Work::Done;
                }
                Err(CallFailure { message, .. }) => {
                    remembering.changing = Work::Failed { sentence: message };
                }
            });
        });
    }

    /// Makes a new conversation what the owner wished it to be, and says so. Its first message must not be answered before.
    pub(super) fn grant_wish(self, summary: ConversationSummary, text: String) {
        let is_kept_out = self
            .conversation
            .remembering
            .with_untracked(|remembering| remembering.memory == Some(ConversationMemory { enabled: false }));
        if !is_kept_out {
            self.begin_with(summary, text);
            return;
        }
        let id = summary.id;
        let enabled = false;
        self.call_agent(&SetConversationMemory { id, enabled }, move |reply| match reply {
            Ok(_) => self.begin_with(summary, text),
            Err(failure) => self.begin_without(summary, &text, failure),
        });
    }

    /// Opens a conversation that could not be made what the owner wished: the message stays in its draft.
    fn begin_without(self, summary: ConversationSummary, text: &str, failure: CallFailure) {
        self.stop_starting();
        let id = summary.id;
        let platform = self.platform();
        self.sidebar.update(|sidebar| sidebar.put(summary));
        drafts::keep_draft(platform.as_ref(), None, "");
        drafts::keep_draft(platform.as_ref(), Some(id), text);
        if self.page.get_untracked() == Page::Home {
            self.navigate(Page::Conversation(id));
            self.conversation.trouble.set(Some(failure.message));
        }
    }

    fn next_memory_request(self) -> u64 {
        self.runtime().settings.borrow_mut().conversation_memory.next()
    }

    fn is_latest_memory_request(self, number: u64) -> bool {
        let runtime = self.runtime();
        let calls = runtime.settings.borrow();
        calls.conversation_memory.is_latest(number)
    }
}
