//! What was said before: the frame that begins each connection, and older pages.

use super::entries::Entries;
use super::entry::{Answer, Content};
use super::{Change, Synchronisation, TranscriptView};
use crate::MessageId;
use crate::call::HistoryPage;
use crate::frame::{HistoryFrame, RunningTurn};

impl TranscriptView {
    /// Puts an older page, fetched with `before`, in front. A page that no longer fits is dropped.
    pub fn prepend(&mut self, page: HistoryPage, before: &MessageId) -> Change {
        if self.oldest() != Some(before) {
            return Change::Nothing;
        }
        self.has_more = page.has_more;
        self.entries.prepend(page.messages);
        Change::Structure
    }

    /// Takes the newest page as the truth. Older pages stay if it continues them; what the server has not confirmed
    /// stays unless it does so now.
    pub(super) fn load(&mut self, history: HistoryFrame) -> Change {
        let mut before = std::mem::take(&mut self.entries);
        self.keep_older(&mut before, &history);
        self.queue = history.queued;
        self.awaited.clear();
        self.synchronisation = Synchronisation::Synchronised;
        for message in history.messages {
            if self.entries.position(&message.id).is_none() {
                let entry = self.entry(message);
                self.entries.append(entry);
            }
        }
        let running = history.running.as_ref();
        let question = running.and_then(|turn| turn.user_message_id.clone());
        let mut running = history.running.map(Answer::join);
        for entry in before {
            match entry.content {
                // A chunk's number never means two texts, so the longer of two states of one answer is the newer.
                Content::Running(known) => match &mut running {
                    Some(told) if told.request == known.request => {
                        if known.message_id() == told.message_id() && known.next_seq > told.next_seq {
                            *told = known;
                        }
                    }
                    Some(_) | None => {
                        self.ended.insert(&known.request);
                    }
                },
                Content::Unconfirmed { ref request, .. } => {
                    let is_known = running
                        .as_ref()
                        .is_some_and(|running| running.request.original() == *request)
                        || self.queue.iter().any(|queued| queued.request_id == *request)
                        || self.entries.position(&entry.message().id).is_some();
                    if !is_known {
                        self.entries.append(entry);
                    }
                }
                Content::Settled(_) | Content::Queued { .. } => {}
            }
        }
        if let Some(running) = running {
            self.ended.run(&running.request);
            let question = question.and_then(|question| self.entries.position(&question));
            self.entries.run(running, question);
        }
        Change::Structure
    }

    /// A later instance goes on with an answer. What it has of it is the truth: what is shown may be more, and lost.
    pub(super) fn take_over(&mut self, turn: RunningTurn) -> Change {
        let known = self.entries.running_mut(&turn.request_id);
        let is_known = known.is_some_and(|(_, known)| known.next_seq >= turn.next_seq);
        if is_known || self.ended.contains(&turn.request_id) {
            return Change::Nothing;
        }
        self.ended.run(&turn.request_id);
        if self.synchronisation == Synchronisation::Gap {
            self.synchronisation = Synchronisation::Synchronised;
        }
        let waited = self.release(&turn.request_id);
        let question = waited.or_else(|| self.entries.position(turn.user_message_id.as_ref()?));
        self.entries.run(Answer::join(turn), question);
        Change::Structure
    }

    /// Keeps what comes before the page, unless there could be a hole: an answer that was still to come then may have
    /// its place between the two.
    fn keep_older(&mut self, before: &mut Entries, history: &HistoryFrame) {
        if history.has_more
            && self.awaited.is_empty()
            && let Some(first) = history.messages.first()
        {
            for entry in before.take_settled_before(&first.id) {
                self.entries.append(entry);
            }
        }
        if self.entries().is_empty() {
            self.has_more = history.has_more;
        }
    }
}
