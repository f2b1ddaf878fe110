//! What a page shows of one conversation, computed from the frames of its socket.
//!
//! Whatever is repeated, lost with a connection or joined in the middle, the view ends up with the same messages in the
//! same order: chunks are counted within their request, messages are known by their ids, and a history frame says what
//! is true when a connection begins.

mod ended;
mod entries;
mod entry;
mod history;
mod queue;

use crate::client::SubmissionState;
use crate::frame::{ChatRequest, ChatResponse, QueuedTurn, ServerFrame, Trigger};
use crate::message::Message;
use crate::{MessageId, RequestId};
use ended::Ended;
use entries::Entries;
use entry::{Answer, Content};
use std::cmp::Ordering;

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
/// The server's messages come first, in its order, the running answer behind its question; then come messages that the
/// server has not confirmed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TranscriptView {
    entries: Entries,
    has_more: bool,
    synchronisation: Synchronisation,
    /// Accepted requests that wait, in order.
    queue: Vec<QueuedTurn>,
    /// Our own requests that were accepted and whose answer has not begun.
    awaited: Vec<RequestId>,
    /// Requests whose answers have ended; frames about them are late.
    ended: Ended,
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
        self.entries.as_slice()
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
        let oldest = self.entries().first()?;
        match oldest.state() {
            EntryState::Settled | EntryState::Queued(_) => Some(&oldest.message().id),
            EntryState::Running(_) | EntryState::Unconfirmed(..) => None,
        }
    }

    /// The request that the owner can stop: the one that is being answered, else one of ours that will be next.
    #[must_use]
    pub fn active(&self) -> Option<&RequestId> {
        let find = |wanted: fn(EntryState<'_>) -> Option<&RequestId>| {
            self.entries().iter().map(Entry::state).find_map(wanted)
        };
        let running = find(|state| match state {
            EntryState::Running(request) => Some(request),
            EntryState::Settled | EntryState::Queued(_) | EntryState::Unconfirmed(..) => None,
        });
        let on_its_way = || {
            find(|state| match state {
                EntryState::Unconfirmed(request, Delivery::Sending | Delivery::Uncertain) => Some(request),
                EntryState::Settled
                | EntryState::Running(_)
                | EntryState::Queued(_)
                | EntryState::Unconfirmed(_, Delivery::Failed { .. }) => None,
            })
        };
        running.or_else(|| self.awaited.first()).or_else(on_its_way)
    }

    /// Applies a frame of the conversation's socket. Other frames change nothing.
    pub fn apply(&mut self, frame: ServerFrame) -> Change {
        match frame {
            ServerFrame::History(history) => self.load(history),
            ServerFrame::ChatResponse(response) => self.answer(response),
            ServerFrame::Running(turn) => self.take_over(turn),
            ServerFrame::Message { message } => self.add(message),
            ServerFrame::Queued(queued) => self.enqueue(queued),
            ServerFrame::Queue(queue) => self.arrange(queue),
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
            | ServerFrame::SettingsChanged { .. }
            | ServerFrame::Error(_) => Change::Nothing,
        }
    }

    /// Shows a message that the owner has just sent, before the server knows it.
    pub fn submit(&mut self, request: &ChatRequest) -> Change {
        if request.trigger == Trigger::Regenerate || self.entries.position(&request.message.id).is_some() {
            return Change::Nothing;
        }
        self.entries.append(Entry {
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
            SubmissionState::Accepted => {
                return match self.confirm(id) {
                    Some(_) => Change::Structure,
                    None => Change::Nothing,
                };
            }
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
        self.entries.remove_unconfirmed(id)
    }

    fn answer(&mut self, response: ChatResponse) -> Change {
        if self.ended.contains(&response.id) {
            Change::Nothing
        } else if response.is_refusal() && self.entries.delivery_mut(&response.id).is_some() {
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
        let Some((place, answer)) = self.entries.running_mut(&response.id) else {
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

    fn gap(&mut self) -> Change {
        self.synchronisation = Synchronisation::Gap;
        Change::Resynchronise
    }

    fn begin(&mut self, response: ChatResponse) -> Change {
        let question = self.release(&response.id);
        if let Some(mut answer) = Answer::begin(response.id) {
            answer.extend(&response.body);
            self.entries.run(answer, question);
        }
        Change::Structure
    }

    fn fail(&mut self, response: ChatResponse) -> Change {
        match self.entries.running_mut(&response.id) {
            Some((place, answer)) => {
                answer.fail(response.body);
                Change::Message(place)
            }
            None => Change::Nothing,
        }
    }

    fn end(&mut self, response: ChatResponse) -> Change {
        self.release(&response.id);
        if let Some(place) = self.entries.running(&response.id) {
            self.entries.replace(place, |entry| entry.ended(response.outcome));
        }
        self.ended.insert(&response.id);
        Change::Structure
    }

    fn add(&mut self, message: Message) -> Change {
        let Some(place) = self.entries.position(&message.id) else {
            let entry = self.entry(message);
            self.entries.add(entry);
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
                let metadata = message.metadata.as_ref();
                if metadata.and_then(|metadata| metadata.outcome).is_none() {
                    return Change::Nothing;
                }
                self.ended.insert(&answer.request);
                entry.content = Content::Settled(message);
                Change::Structure
            }
            Content::Unconfirmed { request, .. } => {
                let request = request.clone();
                self.entries.remove_unconfirmed(&request);
                self.accept(request, message);
                Change::Structure
            }
        }
    }

    fn clear(&mut self) -> Change {
        for entry in std::mem::take(&mut self.entries) {
            match entry.content {
                Content::Running(answer) => {
                    self.ended.insert(&answer.request);
                }
                Content::Unconfirmed { .. } => {
                    self.entries.append(entry);
                }
                Content::Settled(_) | Content::Queued { .. } => {}
            }
        }
        let queued = self.queue.drain(..).map(|queued| queued.request_id);
        for request in queued.chain(self.awaited.drain(..)) {
            self.ended.insert(&request);
        }
        self.has_more = false;
        Change::Structure
    }

    /// The server has a request of ours. Gives the place that its message takes.
    fn confirm(&mut self, id: &RequestId) -> Option<usize> {
        let message = self.entries.remove_unconfirmed(id)?;
        Some(self.accept(id.clone(), message))
    }

    fn accept(&mut self, id: RequestId, message: Message) -> usize {
        let entry = self.entry(message);
        if let EntryState::Settled = entry.state() {
            self.awaited.push(id);
        }
        self.entries.append(entry)
    }

    /// A request waits no more, because its answer begins or never will. Gives the place of its message, if known.
    fn release(&mut self, id: &RequestId) -> Option<usize> {
        let id = id.original();
        let place = self.confirm(&id).or_else(|| self.entries.settle_queued(&id));
        self.awaited.retain(|awaited| *awaited != id);
        self.queue.retain(|queued| queued.request_id != id);
        place
    }

    fn deliver(&mut self, id: &RequestId, now: Delivery) -> Change {
        match self.entries.delivery_mut(id) {
            Some(delivery) if *delivery != now => {
                *delivery = now;
                Change::Structure
            }
            Some(_) | None => Change::Nothing,
        }
    }

    /// A message of the server's, queued or settled.
    fn entry(&self, message: Message) -> Entry {
        let mut queue = self.queue.iter();
        let queued = queue.find(|queued| queued.user_message_id == message.id);
        let entry = Entry::settled(message);
        match queued {
            Some(queued) => entry.queued(queued.request_id.clone()),
            None => entry,
        }
    }
}
