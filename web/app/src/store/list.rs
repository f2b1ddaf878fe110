//! What the owner does with conversations as a whole: rename them, delete them.

use super::{Store, drafts};
use flarebot_protocol::ConversationId;
use flarebot_protocol::address::Page;
use flarebot_protocol::call::{Call, CallFailure, DeleteConversation, RenameConversation};
use leptos::prelude::*;

/// The question whether to delete a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deletion {
    /// Which one.
    pub id: ConversationId,
    /// Its name when the question was asked.
    pub name: String,
    /// How far it is.
    pub step: DeletionStep,
}

/// How far a deletion is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeletionStep {
    /// The owner has not decided.
    Asked,
    /// The server is at it.
    Working,
    /// It failed.
    Failed {
        /// Why, for the owner.
        sentence: String,
    },
}

impl Store {
    /// Renames a conversation. `done` hears why it failed, for the owner.
    pub fn rename(self, id: ConversationId, name: &str, done: impl FnOnce(Result<(), String>) + 'static) {
        let name = name.trim().to_owned();
        let call = RenameConversation { id, name };
        self.call_agent(&call, move |reply| {
            let outcome = reply.map(|summary| self.sidebar.update(|sidebar| sidebar.put(summary)));
            done(outcome.map_err(|failure| failure.message));
        });
    }

    /// Asks whether to delete a conversation.
    pub fn ask_to_delete(self, id: ConversationId) {
        let name = untrack(|| self.name_of(id)).unwrap_or_default();
        let step = DeletionStep::Asked;
        self.deletion.set(Some(Deletion { id, name, step }));
    }

    /// Closes the question; the conversation stays.
    pub fn keep(self) {
        self.deletion.set(None);
    }

    /// Deletes the conversation that the question is about.
    pub fn delete(self) {
        let Some(id) = self
            .deletion
            .with_untracked(|deletion| deletion.as_ref().map(|deletion| deletion.id))
        else {
            return;
        };
        self.step_deletion(id, DeletionStep::Working);
        self.call_agent(&DeleteConversation { id }, move |reply| match reply {
            Ok(()) => self.finish_deletion(id),
            Err(failure) => self.step_deletion(
                id,
                DeletionStep::Failed {
                    sentence: failure.message,
                },
            ),
        });
    }

    /// Whether the owner is deleting a conversation right now, so that its end is no surprise.
    pub(super) fn is_deleting(self, id: ConversationId) -> bool {
        self.deletion.with_untracked(|deletion| {
            deletion
                .as_ref()
                .is_some_and(|deletion| deletion.id == id && deletion.step == DeletionStep::Working)
        })
    }

    /// Calls the agent, connecting first if need be; without a session the reply never comes, and what waits for it is
    /// forgotten with everything private.
    pub(super) fn call_agent<C: Call + 'static>(
        self,
        call: &C,
        done: impl FnOnce(Result<C::Reply, CallFailure>) + 'static,
    ) {
        self.connect_agent();
        let agent = self.runtime().agent.borrow().clone();
        if let Some(link) = agent {
            link.call(call, done);
        }
    }

    fn step_deletion(self, id: ConversationId, step: DeletionStep) {
        self.deletion.update(|deletion| {
            if let Some(deletion) = deletion.as_mut().filter(|deletion| deletion.id == id) {
                deletion.step = step;
            }
        });
    }

    fn finish_deletion(self, id: ConversationId) {
        drafts::forget(self.platform().as_ref(), id);
        self.sidebar.update(|sidebar| sidebar.remove(id));
        if self.is_deleting(id) {
            self.deletion.set(None);
        }
        if self.page.get_untracked() == Page::Conversation(id) {
            self.platform().replace_address(&Page::Home.path());
            self.page.set(Page::Home);
            self.open_conversation(None);
            self.arrivals
                .update(|arrivals| *arrivals = arrivals.wrapping_add(1));
        }
    }
}
