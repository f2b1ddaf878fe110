//! From the transcript to the screen: which signals change when a frame has changed the transcript.

use super::spent::Spent;
use super::{Older, Progress, Store};
use flarebot_protocol::client::{Change, Delivery, Entry, EntryState, TranscriptView};
use flarebot_protocol::frame::ServerFrame;
use flarebot_protocol::message::{Message, Outcome, Part};
use flarebot_protocol::{MessageId, RequestId};
use leptos::prelude::*;
use std::collections::BTreeMap;

/// One message, known by its id.
#[derive(Clone)]
pub struct Line {
    /// The message's id.
    pub id: MessageId,
    /// What is shown of it.
    pub shown: ArcRwSignal<Shown>,
}

/// What is shown of one message.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The message as far as it is known.
    pub message: Message,
    /// How settled it is.
    pub state: ShownState,
    /// Why the answer did not simply complete, for the owner.
    pub notice: Option<String>,
}

/// How settled a message is, as far as the owner cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownState {
    /// It is complete.
    Settled,
    /// It is being written.
    Running,
    /// It waits for the answers before it.
    Queued,
    /// It is on its way to the server.
    Sending,
    /// It waits for the connection, to be sent again.
    Waiting,
}

impl Store {
    /// Changes the transcript and shows what that changed.
    pub(super) fn change(self, change: impl FnOnce(&mut TranscriptView) -> Change) {
        let runtime = self.runtime();
        let change = change(&mut runtime.transcript.borrow_mut().view);
        match change {
            Change::Nothing => {}
            Change::Message(place) => self.publish_line(place),
            Change::Structure => self.publish(),
            Change::Resynchronise => {
                let link = runtime.conversation.borrow().clone();
                if let Some(link) = link {
                    link.resynchronise();
                }
            }
        }
    }

    /// Shows one message anew.
    fn publish_line(self, place: usize) {
        let runtime = self.runtime();
        let shown = runtime
            .transcript
            .borrow()
            .view
            .entries()
            .get(place)
            .map(Shown::from);
        let line = self
            .conversation
            .lines
            .with_untracked(|lines| lines.get(place).cloned());
        if let (Some(shown), Some(line)) = (shown, line) {
            let is_settled = shown.state == ShownState::Settled;
            line.shown.set(shown);
            if is_settled {
                self.publish_spent();
            }
        }
        self.publish_progress();
    }

    /// Shows the whole transcript anew, keeping the lines that are known.
    pub(super) fn publish(self) {
        let runtime = self.runtime();
        let known = self.conversation.lines.get_untracked();
        let known: BTreeMap<_, _> = known.iter().map(|line| (&line.id, line)).collect();
        let lines = {
            let transcript = runtime.transcript.borrow();
            let lines = transcript
                .view
                .entries()
                .iter()
                .map(|entry| Line::new(entry, &known));
            lines.collect::<Vec<_>>()
        };
        self.conversation.lines.set(lines);
        self.publish_older();
        self.publish_interrupted();
        self.publish_spent();
        self.publish_progress();
    }

    /// Says whether there are older messages; a page that is on its way stays so until it comes.
    pub(super) fn publish_older(self) {
        let has_more = self.runtime().transcript.borrow().view.has_more();
        let before = self.conversation.older.get_untracked();
        let now = match (has_more, before) {
            (false, _) => Older::None,
            (true, Older::Loading) => Older::Loading,
            (true, Older::None | Older::Available) => Older::Available,
        };
        if now != before {
            self.conversation.older.set(now);
        }
    }

    fn publish_interrupted(self) {
        let runtime = self.runtime();
        let transcript = runtime.transcript.borrow();
        let last = transcript.view.entries().last();
        let interrupted = last.filter(|entry| is_interrupted(entry));
        let interrupted = interrupted.map(|entry| entry.message().id.clone());
        drop(transcript);
        if self
            .conversation
            .interrupted
            .with_untracked(|before| *before != interrupted)
        {
            self.conversation.interrupted.set(interrupted);
        }
    }

    /// Counts the tokens of the answers that are complete; those of one that is being written are not all there yet.
    fn publish_spent(self) {
        let runtime = self.runtime();
        let transcript = runtime.transcript.borrow();
        let entries = transcript.view.entries().iter();
        let settled = entries.filter(|entry| entry.state() == EntryState::Settled);
        let spent = Spent::of(settled.filter_map(|entry| entry.message().metadata.as_ref()));
        drop(transcript);
        if self.conversation.spent.with_untracked(|before| *before != spent) {
            self.conversation.spent.set(spent);
        }
    }

    fn publish_progress(self) {
        let runtime = self.runtime();
        let transcript = runtime.transcript.borrow();
        let writes =
            |entry: &Entry| matches!(entry.state(), EntryState::Running(_)) && has_begun(entry.message());
        let entries = transcript.view.entries();
        let is_on_its_way = |request: &RequestId| {
            let mut states = entries.iter().map(Entry::state);
            states.any(|state| matches!(state, EntryState::Unconfirmed(id, _) if id == request))
        };
        let progress = match transcript.view.active() {
            None => Progress::Idle,
            Some(_) if entries.iter().any(writes) => Progress::Writing,
            Some(request) if is_on_its_way(request) => Progress::Sending,
            Some(_) => Progress::Awaited,
        };
        drop(transcript);
        if self.conversation.progress.get_untracked() != progress {
            self.conversation.progress.set(progress);
        }
        self.conversation
            .changed
            .update(|changed| *changed = changed.wrapping_add(1));
    }
}

/// Whether anything of an answer is to be seen. The border of its first step comes before the model is even asked.
#[must_use]
pub fn has_begun(message: &Message) -> bool {
    message.parts.iter().any(|part| *part != Part::StepStart)
}

impl Line {
    fn new(entry: &Entry, known: &BTreeMap<&MessageId, &Self>) -> Self {
        let id = &entry.message().id;
        let shown = Shown::from(entry);
        match known.get(id) {
            Some(line) => {
                if line.shown.with_untracked(|before| *before != shown) {
                    line.shown.set(shown);
                }
                (*line).clone()
            }
            None => Self {
                id: id.clone(),
                shown: ArcRwSignal::new(shown),
            },
        }
    }
}

impl From<&Entry> for Shown {
    fn from(entry: &Entry) -> Self {
        let state = match entry.state() {
            EntryState::Settled => ShownState::Settled,
            EntryState::Running(_) => ShownState::Running,
            EntryState::Queued(_) => ShownState::Queued,
            EntryState::Unconfirmed(_, Delivery::Sending | Delivery::Failed { .. }) => ShownState::Sending,
            EntryState::Unconfirmed(_, Delivery::Uncertain) => ShownState::Waiting,
        };
        Self {
            message: entry.message().clone(),
            state,
            notice: entry.notice().map(str::to_owned),
        }
    }
}

fn is_interrupted(entry: &Entry) -> bool {
    let metadata = entry.message().metadata.as_ref();
    entry.state() == EntryState::Settled
        && metadata.and_then(|metadata| metadata.outcome) == Some(Outcome::Interrupted)
}

/// What a screen reader says at the end of an answer; its words in between would only disturb.
pub(super) fn announcement(frame: &ServerFrame) -> Option<&'static str> {
    let ServerFrame::ChatResponse(response) = frame else {
        return None;
    };
    if !response.done {
        return None;
    }
    let Some(outcome) = response.outcome else {
        return Some("Flarebot waits for your decision");
    };
    match outcome {
        Outcome::Completed => Some("Answer complete"),
        Outcome::Aborted => Some("Answer stopped"),
        Outcome::Error => Some("The answer failed"),
        Outcome::Interrupted => Some("The answer was interrupted"),
    }
}
