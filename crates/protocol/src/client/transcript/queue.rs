//! Questions that wait for the answers before them, and what the owner does with them meanwhile.

use super::{Change, TranscriptView};
use crate::frame::{QueueFrame, QueuedTurn};

impl TranscriptView {
    /// One more request waits, behind the others.
    pub(super) fn enqueue(&mut self, queued: QueuedTurn) -> Change {
        let id = &queued.request_id;
        let is_known = self.queue.iter().any(|known| known.request_id == *id);
        if is_known || self.ended.contains(id) || self.entries.running(id).is_some() {
            return Change::Nothing;
        }
        let place = self
            .confirm(id)
            .or_else(|| self.entries.position(&queued.user_message_id));
        self.awaited.retain(|awaited| *awaited != queued.request_id);
        if let Some(place) = place {
            let request = queued.request_id.clone();
            self.entries.replace(place, |entry| entry.queued(request));
        }
        self.queue.push(queued);
        Change::Structure
    }

    /// The owner changed what waits.
    pub(super) fn arrange(&mut self, frame: QueueFrame) -> Change {
        for gone in &frame.deleted {
            self.ended.insert(&gone.request_id);
            self.awaited.retain(|awaited| *awaited != gone.request_id);
            self.queue.retain(|known| known.request_id != gone.request_id);
            self.entries.remove(&gone.user_message_id);
        }
        for turn in &frame.queued {
            let _ = self.enqueue(turn.clone());
        }
        // One that is here alone is about to be answered: it left the queue, and its answer has not begun.
        let rank = |turn: &QueuedTurn| {
            let told = frame.queued.iter();
            told.map(|told| &told.request_id)
                .position(|id| *id == turn.request_id)
        };
        self.queue.sort_by_key(rank);
        self.entries.arrange(&self.queue);
        Change::Structure
    }
}
