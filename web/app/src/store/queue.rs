//! What the owner does with messages that wait for the answers before them.

use super::Store;
use flarebot_protocol::call::{Call, DeleteQueued, EditQueued, SendQueuedNow};
use flarebot_protocol::client::{Entry, EntryState};
use flarebot_protocol::{ConversationId, MessageId, RequestId};
use leptos::prelude::*;

/// What the owner reads when they were too late.
const TOO_LATE: &str = "This message no longer waits, so nothing was changed.";

impl Store {
    /// Replaces the text of a message that waits. `done` is told how it went: nothing, or one sentence for the owner.
    pub fn edit_queued(self, id: &MessageId, text: String, done: impl FnOnce(Result<(), String>) + 'static) {
        let call = |request_id| EditQueued { request_id, text };
        self.change_queue(id, call, done);
    }

    /// Deletes a message that waits.
    pub fn delete_queued(self, id: &MessageId) {
        let call = |request_id| DeleteQueued { request_id };
        self.change_queue(id, call, move |outcome| self.complain(outcome));
    }

    /// Has a message that waits answered now: the running answer stops.
    pub fn send_queued_now(self, id: &MessageId) {
        let call = |request_id| SendQueuedNow { request_id };
        self.change_queue(id, call, move |outcome| self.complain(outcome));
    }

    /// The conversation that is open, if it is one already.
    #[must_use]
    pub fn open_id(self) -> Option<ConversationId> {
        self.runtime().transcript.borrow().id
    }

    /// Puts what the owner was changing into the draft, if its message is being answered as it was.
    pub fn rescue_edit(self, conversation: Option<ConversationId>, id: &MessageId, text: &str) {
        let runtime = self.runtime();
        let was_too_late = {
            let transcript = runtime.transcript.borrow();
            let mut entries = transcript.view.entries().iter();
            let entry = entries.find(|entry| entry.message().id == *id);
            transcript.id == conversation
                && entry.is_some_and(|entry| queued(entry).is_none() && entry.message().text() != text)
        };
        if was_too_late {
            self.give_back(text);
            let sentence = "That message is being answered already. Your change is in the composer.";
            self.conversation.trouble.set(Some(sentence.to_owned()));
        }
    }

    fn change_queue<C: Call<Reply = ()> + 'static>(
        self,
        id: &MessageId,
        call: impl FnOnce(RequestId) -> C,
        done: impl FnOnce(Result<(), String>) + 'static,
    ) {
        let runtime = self.runtime();
        let request = {
            let transcript = runtime.transcript.borrow();
            let mut entries = transcript.view.entries().iter();
            let entry = entries.find(|entry| entry.message().id == *id);
            entry.and_then(queued).cloned()
        };
        let link = runtime.conversation.borrow().clone();
        match (request, link) {
            (Some(request), Some(link)) => {
                self.conversation.trouble.set(None);
                link.call(&call(request), move |reply| {
                    done(reply.map_err(|failure| failure.message));
                });
            }
            _ => done(Err(TOO_LATE.to_owned())),
        }
    }

    fn complain(self, outcome: Result<(), String>) {
        if let Err(sentence) = outcome {
            self.conversation.trouble.set(Some(sentence));
        }
    }
}

/// The request of a message that waits.
fn queued(entry: &Entry) -> Option<&RequestId> {
    match entry.state() {
        EntryState::Queued(request) => Some(request),
        EntryState::Settled | EntryState::Running(_) | EntryState::Unconfirmed(..) => None,
    }
}
