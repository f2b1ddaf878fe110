//! The order of a transcript: what the server has comes first, in its order; what it has not confirmed comes last. An
//! answer stands behind its question, so in front of the questions that wait.

use super::entry::{Answer, Content, Delivery, Entry};
use crate::frame::QueuedTurn;
use crate::message::{Message, Role};
use crate::{MessageId, RequestId};

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Entries {
    list: Vec<Entry>,
}

impl Entries {
    pub(super) fn as_slice(&self) -> &[Entry] {
        &self.list
    }

    pub(super) fn position(&self, id: &MessageId) -> Option<usize> {
        self.list.iter().rposition(|entry| entry.message().id == *id)
    }

    pub(super) fn get_mut(&mut self, place: usize) -> Option<&mut Entry> {
        self.list.get_mut(place)
    }

    pub(super) fn running(&self, request: &RequestId) -> Option<usize> {
        self.list.iter().rposition(|entry| match &entry.content {
            Content::Running(answer) => answer.request == *request,
            Content::Settled(_) | Content::Queued { .. } | Content::Unconfirmed { .. } => false,
        })
    }

    pub(super) fn running_mut(&mut self, request: &RequestId) -> Option<(usize, &mut Answer)> {
        let place = self.running(request)?;
        match &mut self.list.get_mut(place)?.content {
            Content::Running(answer) => Some((place, answer)),
            Content::Settled(_) | Content::Queued { .. } | Content::Unconfirmed { .. } => None,
        }
    }

    pub(super) fn delivery_mut(&mut self, request: &RequestId) -> Option<&mut Delivery> {
        self.list.iter_mut().find_map(|entry| match &mut entry.content {
            Content::Unconfirmed {
                request: unconfirmed,
                delivery,
                ..
            } if unconfirmed == request => Some(delivery),
            Content::Settled(_)
            | Content::Running(_)
            | Content::Queued { .. }
            | Content::Unconfirmed { .. } => None,
        })
    }

    /// Takes out a message that the server has not confirmed.
    pub(super) fn remove_unconfirmed(&mut self, request: &RequestId) -> Option<Message> {
        let place = self.list.iter().position(|entry| match &entry.content {
            Content::Unconfirmed {
                request: unconfirmed, ..
            } => unconfirmed == request,
            Content::Settled(_) | Content::Running(_) | Content::Queued { .. } => false,
        })?;
        Some(self.list.remove(place).into_message())
    }

    /// Takes out a message.
    pub(super) fn remove(&mut self, id: &MessageId) {
        if let Some(place) = self.position(id) {
            self.list.remove(place);
        }
    }

    /// Puts the questions that wait into this order, in the places that they have together.
    pub(super) fn arrange(&mut self, order: &[QueuedTurn]) {
        let places: Vec<usize> = order
            .iter()
            .filter_map(|turn| self.queued(&turn.request_id))
            .collect();
        let arranged: Vec<Entry> = places
            .iter()
            .filter_map(|place| self.list.get(*place).cloned())
            .collect();
        let mut slots = places;
        slots.sort_unstable();
        for (slot, entry) in slots.into_iter().zip(arranged) {
            self.replace(slot, |_| entry);
        }
    }

    fn queued(&self, request: &RequestId) -> Option<usize> {
        self.list.iter().position(|entry| match &entry.content {
            Content::Queued { request: queued, .. } => queued == request,
            Content::Settled(_) | Content::Running(_) | Content::Unconfirmed { .. } => false,
        })
    }

    /// Settles a question that waited, and says where it is.
    pub(super) fn settle_queued(&mut self, request: &RequestId) -> Option<usize> {
        let place = self.queued(request)?;
        let message = self.list.remove(place).into_message();
        self.list.insert(place, Entry::settled(message));
        Some(place)
    }

    /// Puts an entry at the end, or at the end of what the server has.
    pub(super) fn append(&mut self, entry: Entry) -> usize {
        let place = if entry.is_unconfirmed() {
            self.list.len()
        } else {
            self.first(Entry::is_unconfirmed)
        };
        self.list.insert(place, entry);
        place
    }

    /// Adds a message that the server has just told of.
    pub(super) fn add(&mut self, entry: Entry) {
        match entry.message().role {
            Role::User => {
                self.append(entry);
            }
            Role::Assistant => self.list.insert(self.first(Entry::waits), entry),
        }
    }

    /// Puts a running answer where its message is already, else behind its question.
    pub(super) fn run(&mut self, answer: Answer, question: Option<usize>) {
        let known = self.position(answer.message_id());
        let entry = Entry {
            content: Content::Running(answer),
        };
        match known.and_then(|place| self.list.get_mut(place)) {
            Some(known) => *known = entry,
            None => {
                let place = question.map_or_else(|| self.first(Entry::waits), |question| question + 1);
                self.list.insert(place.min(self.list.len()), entry);
            }
        }
    }

    /// Makes another entry of one, where it is.
    pub(super) fn replace(&mut self, place: usize, with: impl FnOnce(Entry) -> Entry) {
        if place < self.list.len() {
            let entry = self.list.remove(place);
            self.list.insert(place, with(entry));
        }
    }

    /// Puts older messages in front; those that are here already are left out.
    pub(super) fn prepend(&mut self, messages: Vec<Message>) {
        let new = messages
            .into_iter()
            .filter(|message| self.position(&message.id).is_none());
        let new: Vec<Entry> = new.map(Entry::settled).collect();
        self.list.splice(..0, new);
    }

    /// Takes out what comes before the message `id`, if all of it is settled.
    pub(super) fn take_settled_before(&mut self, id: &MessageId) -> Vec<Entry> {
        let border = self.position(id).unwrap_or(0);
        let unsettled = self.first(|entry| !matches!(entry.content, Content::Settled(_)));
        if border <= unsettled {
            self.list.drain(..border).collect()
        } else {
            Vec::new()
        }
    }

    fn first(&self, matches: impl Fn(&Entry) -> bool) -> usize {
        self.list.iter().position(matches).unwrap_or(self.list.len())
    }
}

impl IntoIterator for Entries {
    type Item = Entry;
    type IntoIter = std::vec::IntoIter<Entry>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}
