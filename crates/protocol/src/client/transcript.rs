//! What a page shows of one conversation, computed from the frames of its socket.
//!
//! Whatever is repeated, lost with a connection or joined in the middle, the view ends up with the same messages in the
//! same order: chunks are counted within their request, messages are known by their ids, and a history frame says what
//! is true when a connection begins.

mod entry;

use crate::call::HistoryPage;
use crate::client::SubmissionState;
use crate::frame::{ChatRequest, ChatResponse, HistoryFrame, QueuedTurn, ServerFrame, Trigger};
use crate::message::Message;
use crate::{MessageId, RequestId};
use entry::{Answer, Content, Rank};
use std::cmp::Ordering;
use std::collections::BTreeSet;

pub use entry::{Delivery, Entry, EntryState};

/// What changed, so that a page renders no more than it must.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Change {
    /// Nothing that can be seen.
    Nothing,
    /// The content of the entry at this index; not its id, state or place.
    Message(usize),
    /// Anything.
    Structure,
    /// Nothing that can be seen, but chunks are missing: the running answer stands still until the next history frame,
    /// which [`super::ClientSession::resynchronise`] fetches. Said once.
    Resynchronise,
}

/// What a page shows of one conversation.
///
/// The order of its entries is: what has its place in the transcript, running answer included; then what waits in the
/// server's queue; then what the server has not confirmed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TranscriptView {
    entries: Vec<Entry>,
    has_more: bool,
    synchronisation: Synchronisation,
    /// Accepted requests that wait, in order.
    queue: Vec<QueuedTurn>,
    /// Our own requests that were accepted and whose answer has not begun.
    awaited: Vec<RequestId>,
    /// Requests whose answers have ended; frames about them are late.
    ended: BTreeSet<RequestId>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Synchronisation {
    #[default]
    Unloaded,
    Synchronised,
    Gap,
}

impl TranscriptView {
    /// A view of a conversation of which nothing is known.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The messages, oldest first.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Whether a history frame has come, so that an empty transcript means an empty conversation.
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        self.synchronisation != Synchronisation::Unloaded
    }

    /// Whether there are older messages to fetch.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.has_more
    }

    /// The message before which the next older page ends: the argument of the call `getHistory`.
    #[must_use]
    pub fn oldest(&self) -> Option<&MessageId> {
        let oldest = self
            .entries
            .first()
            .filter(|entry| entry.rank() == Rank::Placed)?;
        Some(&oldest.message().id)
    }

    /// The request that the owner can stop: the one that is being answered, else one of ours that will be next.
    #[must_use]
    pub fn active(&self) -> Option<&RequestId> {
        let running = self.entries.iter().find_map(|entry| match &entry.content {
            Content::Running(answer) => Some(&answer.request),
            Content::Settled(_) | Content::Queued { .. } | Content::Unconfirmed { .. } => None,
        });
        let unconfirmed = || {
            self.entries.iter().find_map(|entry| match &entry.content {
                Content::Unconfirmed {
                    request,
                    delivery: Delivery::Sending | Delivery::Uncertain,
                    ..
                } => Some(request),
                Content::Settled(_)
                | Content::Running(_)
                | Content::Queued { .. }
                | Content::Unconfirmed { .. } => None,
            })
        };
        running.or_else(|| self.awaited.first()).or_else(unconfirmed)
    }

    /// Applies a frame of the conversation's socket. Other frames change nothing.
    pub fn apply(&mut self, frame: ServerFrame) -> Change {
        match frame {
            ServerFrame::History(history) => self.load(history),
            ServerFrame::ChatResponse(response) => self.answer(response),
            ServerFrame::Message { message } => self.add(message),
            ServerFrame::Queued(queued) => self.enqueue(queued),
            ServerFrame::ChatClear => self.clear(),
            ServerFrame::Identity { .. }
            | ServerFrame::State { .. }
            | ServerFrame::StateError { .. }
            | ServerFrame::Rpc(_)
            | ServerFrame::ChatMessages { .. }
            | ServerFrame::StreamResuming { .. }
            | ServerFrame::StreamResumeNone { .. }
            | ServerFrame::StreamPending { .. }
            | ServerFrame::Conversations { .. }
            | ServerFrame::Activity { .. }
            | ServerFrame::Error(_) => Change::Nothing,
        }
    }

    /// Puts an older page, fetched with `before`, in front. A page that no longer fits is dropped.
    pub fn prepend(&mut self, page: HistoryPage, before: &MessageId) -> Change {
        if self.oldest() != Some(before) {
            return Change::Nothing;
        }
        self.has_more = page.has_more;
        let known: BTreeSet<MessageId> = self
            .entries
            .iter()
            .map(|entry| entry.message().id.clone())
            .collect();
        let older = page
            .messages
            .into_iter()
            .filter(|message| !known.contains(&message.id));
        let older: Vec<Entry> = older.map(Entry::settled).collect();
        self.entries.splice(..0, older);
        Change::Structure
    }

    /// Shows a message that the owner has just sent, before the server knows it.
    pub fn submit(&mut self, request: &ChatRequest) -> Change {
        if request.trigger == Trigger::Regenerate || self.position(&request.message.id).is_some() {
            return Change::Nothing;
        }
        self.place(Entry {
            content: Content::Unconfirmed {
                request: request.id.clone(),
                message: request.message.clone(),
                delivery: Delivery::Sending,
            },
        });
        Change::Structure
    }

    /// Applies what the client session says about a request.
    pub fn apply_submission(&mut self, id: &RequestId, state: &SubmissionState) -> Change {
        let delivery = match state {
            SubmissionState::Sent => Delivery::Sending,
            SubmissionState::Uncertain => Delivery::Uncertain,
            SubmissionState::Accepted => return self.confirm(id),
            SubmissionState::Refused { sentence } => Delivery::Failed {
                sentence: sentence.clone(),
            },
            SubmissionState::Undelivered => Delivery::Failed {
                sentence: "This message was not sent.".to_owned(),
            },
        };
        self.deliver(id, delivery)
    }

    /// Takes a message that the server has not confirmed out of the view, for the draft.
    pub fn withdraw(&mut self, id: &RequestId) -> Option<Message> {
        let place = self.unconfirmed(id)?;
        Some(self.entries.remove(place).into_message())
    }

    fn load(&mut self, history: HistoryFrame) -> Change {
        let mut before = std::mem::take(&mut self.entries);
        let first = history.messages.first().map(|message| &message.id);
        let overlap = before.iter().position(|entry| Some(&entry.message().id) == first);
        let kept: Vec<Entry> = match overlap {
            Some(overlap) if history.has_more => {
                let is_settled = |entry: &mut Entry| entry.state() == EntryState::Settled;
                before.extract_if(..overlap, is_settled).collect()
            }
            Some(_) | None => Vec::new(),
        };
        if kept.is_empty() {
            self.has_more = history.has_more;
        }
        self.entries = kept;
        self.queue = history.queued;
        self.awaited.clear();
        self.synchronisation = Synchronisation::Synchronised;
        let mut unconfirmed = Vec::new();
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
                        self.ended.insert(known.request);
                    }
                },
                Content::Unconfirmed { .. } => unconfirmed.push(entry),
                Content::Settled(_) | Content::Queued { .. } => {}
            }
        }
        for message in history.messages {
            let _ = self.add(message);
        }
        if let Some(running) = running {
            self.ended.remove(&running.request);
            self.put(running);
        }
        for entry in unconfirmed {
            if let Content::Unconfirmed { request, .. } = &entry.content
                && !self.knows(request)
                && self.position(&entry.message().id).is_none()
            {
                self.place(entry);
            }
        }
        Change::Structure
    }

    /// Whether the server has shown that it has a request.
    fn knows(&self, request: &RequestId) -> bool {
        self.running(request).is_some() || self.queue.iter().any(|queued| queued.request_id == *request)
    }

    fn answer(&mut self, response: ChatResponse) -> Change {
        if self.ended.contains(&response.id) {
            Change::Nothing
        } else if response.is_refusal() && self.unconfirmed(&response.id).is_some() {
            let sentence = response.body;
            self.deliver(&response.id, Delivery::Failed { sentence })
        } else if response.done {
            self.end(response)
        } else if response.error == Some(true) {
            self.fail(response)
        } else if let Some(seq) = response.seq {
            self.extend(response, seq)
        } else {
            Change::Nothing
        }
    }

    fn extend(&mut self, response: ChatResponse, seq: u64) -> Change {
        if self.synchronisation == Synchronisation::Gap {
            return Change::Nothing;
        }
        let place = self.running(&response.id);
        let Some((place, answer)) = place.and_then(|place| Some((place, self.answer_at(place)?))) else {
            return if seq == 0 {
                self.begin(response)
            } else {
                self.gap()
            };
        };
        match seq.cmp(&answer.next_seq) {
            Ordering::Less => Change::Nothing,
            Ordering::Greater => self.gap(),
            Ordering::Equal => {
                let id = answer.message_id().clone();
                answer.extend(&response.body);
                if *answer.message_id() == id {
                    Change::Message(place)
                } else {
                    Change::Structure
                }
            }
        }
    }

    fn begin(&mut self, response: ChatResponse) -> Change {
        let _ = self.confirm(&response.id);
        self.dequeue(&response.id);
        if let Some(mut answer) = Answer::begin(response.id) {
            answer.extend(&response.body);
            self.put(answer);
        }
        Change::Structure
    }

    fn gap(&mut self) -> Change {
        self.synchronisation = Synchronisation::Gap;
        Change::Resynchronise
    }

    fn fail(&mut self, response: ChatResponse) -> Change {
        let place = self.running(&response.id);
        match place.and_then(|place| Some((place, self.answer_at(place)?))) {
            Some((place, answer)) => {
                answer.fail(response.body);
                Change::Message(place)
            }
            None => Change::Nothing,
        }
    }

    fn end(&mut self, response: ChatResponse) -> Change {
        let _ = self.confirm(&response.id);
        self.dequeue(&response.id);
        if let Some(place) = self.running(&response.id) {
            let ended = self.entries.remove(place).ended(response.outcome);
            self.entries.insert(place, ended);
        }
        self.ended.insert(response.id);
        Change::Structure
    }

    fn add(&mut self, message: Message) -> Change {
        let Some(place) = self.position(&message.id) else {
            let content = self.content(message);
            self.place(Entry { content });
            return Change::Structure;
        };
        let Some(entry) = self.entries.get_mut(place) else {
            return Change::Nothing;
        };
        match &mut entry.content {
            Content::Settled(known) | Content::Queued { message: known, .. } => {
                if *known == message {
                    return Change::Nothing;
                }
                *known = message;
                Change::Message(place)
            }
            Content::Running(answer) => {
                if message
                    .metadata
                    .as_ref()
                    .is_none_or(|metadata| metadata.outcome.is_none())
                {
                    return Change::Nothing;
                }
                self.ended.insert(answer.request.clone());
                entry.content = Content::Settled(message);
                Change::Structure
            }
            Content::Unconfirmed { request, .. } => {
                let request = request.clone();
                self.entries.remove(place);
                let content = self.content(message);
                if let Content::Settled(_) = content
                    && !self.ended.contains(&request)
                {
                    self.awaited.push(request);
                }
                self.place(Entry { content });
                Change::Structure
            }
        }
    }

    fn enqueue(&mut self, queued: QueuedTurn) -> Change {
        if self.ended.contains(&queued.request_id) || self.knows(&queued.request_id) {
            return Change::Nothing;
        }
        self.awaited.retain(|id| *id != queued.request_id);
        let place = self.position(&queued.user_message_id);
        self.queue.push(queued);
        if let Some(place) = place {
            let message = self.entries.remove(place).into_message();
            let content = self.content(message);
            self.place(Entry { content });
        }
        Change::Structure
    }

    fn clear(&mut self) -> Change {
        for entry in std::mem::take(&mut self.entries) {
            match entry.content {
                Content::Running(answer) => {
                    self.ended.insert(answer.request);
                }
                Content::Unconfirmed { .. } => self.entries.push(entry),
                Content::Settled(_) | Content::Queued { .. } => {}
            }
        }
        let queued = self.queue.drain(..).map(|queued| queued.request_id);
        self.ended.extend(queued.chain(self.awaited.drain(..)));
        self.has_more = false;
        Change::Structure
    }

    /// The server has a request of ours: its message takes its place.
    fn confirm(&mut self, id: &RequestId) -> Change {
        match self.withdraw(id) {
            Some(message) => {
                self.awaited.push(id.clone());
                self.place(Entry::settled(message));
                Change::Structure
            }
            None => Change::Nothing,
        }
    }

    fn deliver(&mut self, id: &RequestId, now: Delivery) -> Change {
        let place = self.unconfirmed(id);
        match place.and_then(|place| self.entries.get_mut(place)) {
            Some(Entry {
                content: Content::Unconfirmed { delivery, .. },
            }) if *delivery != now => {
                *delivery = now;
                Change::Structure
            }
            Some(_) | None => Change::Nothing,
        }
    }

    /// A request waits no more, because its answer begins or never will: its message takes its place.
    fn dequeue(&mut self, id: &RequestId) {
        self.awaited.retain(|awaited| awaited != id);
        self.queue.retain(|queued| queued.request_id != *id);
        let place = self
            .entries
            .iter()
            .position(|entry| entry.state() == EntryState::Queued(id));
        if let Some(place) = place {
            let message = self.entries.remove(place).into_message();
            self.place(Entry::settled(message));
        }
    }

    /// A message of the server's, queued or settled.
    fn content(&self, message: Message) -> Content {
        let mut queue = self.queue.iter();
        match queue.find(|queued| queued.user_message_id == message.id) {
            Some(queued) => Content::Queued {
                request: queued.request_id.clone(),
                message,
            },
            None => Content::Settled(message),
        }
    }

    /// Puts a running answer where its message is, or behind what has its place.
    fn put(&mut self, answer: Answer) {
        let place = self.position(answer.message_id());
        let entry = Entry {
            content: Content::Running(answer),
        };
        match place.and_then(|place| self.entries.get_mut(place)) {
            Some(known) => *known = entry,
            None => self.place(entry),
        }
    }

    fn place(&mut self, entry: Entry) {
        let rank = entry.rank();
        let last = self.entries.iter().rposition(|other| other.rank() <= rank);
        self.entries.insert(last.map_or(0, |last| last + 1), entry);
    }

    fn position(&self, id: &MessageId) -> Option<usize> {
        self.entries.iter().rposition(|entry| entry.message().id == *id)
    }

    fn running(&self, id: &RequestId) -> Option<usize> {
        self.entries
            .iter()
            .rposition(|entry| entry.state() == EntryState::Running(id))
    }

    fn unconfirmed(&self, id: &RequestId) -> Option<usize> {
        self.entries.iter().position(|entry| match &entry.content {
            Content::Unconfirmed { request, .. } => request == id,
            Content::Settled(_) | Content::Running(_) | Content::Queued { .. } => false,
        })
    }

    fn answer_at(&mut self, place: usize) -> Option<&mut Answer> {
        match &mut self.entries.get_mut(place)?.content {
            Content::Running(answer) => Some(answer),
            Content::Settled(_) | Content::Queued { .. } | Content::Unconfirmed { .. } => None,
        }
    }
}
