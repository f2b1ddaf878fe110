//! What the registry should do, in plain collections.

use flarebot_agent::registry::{Deletion, State};
use flarebot_agent::time::iso8601;
use flarebot_protocol::ConversationId;
use flarebot_protocol::conversation::{ConversationActivity, ConversationSummary};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// One request or report. The number picks among the conversations that were ever begun, deleted ones too.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    BeginCreate(&'static str),
    Activate(usize),
    Rename(usize, &'static str),
    BeginDelete(usize),
    FinishDelete(usize),
    TurnStarted(usize),
    TurnEnded(usize, bool),
    MarkRead(usize),
    Owe(usize),
}

/// What the caller is told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    Done,
    NotFound,
    Summary(ConversationSummary),
    Deletion(Deletion),
    Activity(Option<ConversationActivity>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Conversation {
    pub(crate) name: String,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) state: State,
    pub(crate) last_activity_at: i64,
    pub(crate) running: bool,
    pub(crate) unread: bool,
}

/// What is stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Rows {
    pub(crate) conversations: BTreeMap<ConversationId, Conversation>,
    /// The conversations that have a lease.
    pub(crate) owing: BTreeSet<ConversationId>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct World {
    pub(crate) rows: Rows,
    /// The conversations whose deletion has begun, for ever.
    pub(crate) deleted: BTreeSet<ConversationId>,
    begun: usize,
}

impl World {
    pub(crate) fn next_id(&self) -> ConversationId {
        number(self.begun)
    }

    /// One of the conversations that were ever begun; an unknown one before the first.
    pub(crate) fn id(&self, which: usize) -> ConversationId {
        number(which.checked_rem(self.begun).unwrap_or(usize::MAX))
    }

    /// The world after a step at `now`, and what its caller is told.
    pub(crate) fn after(&self, step: &Step, now: i64) -> (Self, Outcome) {
        let mut world = self.clone();
        let outcome = world.apply(step, now);
        (world, outcome)
    }

    /// What a start makes of it: what was interrupted is deleted to the end.
    pub(crate) fn start(&mut self) {
        for id in self.unfinished() {
            self.deleted.insert(id);
            self.rows.conversations.remove(&id);
            self.rows.owing.remove(&id);
        }
    }

    pub(crate) fn list(&self) -> Vec<ConversationSummary> {
        let mut active = self.active();
        active.sort_by_key(|(id, conversation)| (Reverse(conversation.updated_at), *id));
        active
            .into_iter()
            .map(|(id, conversation)| summary(id, conversation))
            .collect()
    }

    pub(crate) fn activities(&self) -> Vec<ConversationActivity> {
        let mut active = self.active();
        active.sort_by_key(|(id, conversation)| (Reverse(conversation.last_activity_at), *id));
        active
            .into_iter()
            .map(|(id, conversation)| activity(id, conversation))
            .collect()
    }

    pub(crate) fn unfinished(&self) -> Vec<ConversationId> {
        let all = self.rows.conversations.iter();
        all.filter(|(_, conversation)| conversation.state != State::Active)
            .map(|(id, _)| *id)
            .collect()
    }

    fn active(&self) -> Vec<(ConversationId, &Conversation)> {
        let all = self.rows.conversations.iter();
        all.filter(|(_, conversation)| conversation.state == State::Active)
            .map(|(id, conversation)| (*id, conversation))
            .collect()
    }

    fn apply(&mut self, step: &Step, now: i64) -> Outcome {
        match *step {
            Step::BeginCreate(name) => self.begin_create(name, now),
            Step::Activate(which) => {
                let id = self.id(which);
                match self.rows.conversations.get_mut(&id) {
                    Some(conversation) if conversation.state != State::Deleting => {
                        conversation.state = State::Active;
                        Outcome::Summary(summary(id, conversation))
                    }
                    Some(_) | None => Outcome::NotFound,
                }
            }
            Step::Rename(which, name) => {
                let id = self.id(which);
                let Some(conversation) = self.active_mut(id) else {
                    return Outcome::NotFound;
                };
                name.clone_into(&mut conversation.name);
                conversation.updated_at = now;
                Outcome::Summary(summary(id, conversation))
            }
            Step::BeginDelete(which) => Outcome::Deletion(self.begin_delete(self.id(which))),
            Step::FinishDelete(which) => {
                let id = self.id(which);
                if self
                    .rows
                    .conversations
                    .get(&id)
                    .is_some_and(|found| found.state == State::Deleting)
                {
                    self.rows.conversations.remove(&id);
                    self.rows.owing.remove(&id);
                }
                Outcome::Done
            }
            Step::TurnStarted(which) => self.report(which, |conversation| {
                conversation.running = true;
                conversation.last_activity_at = now;
                true
            }),
            Step::TurnEnded(which, seen) => self.report(which, |conversation| {
                if conversation.running {
                    conversation.unread = !seen;
                }
                conversation.running = false;
                conversation.last_activity_at = now;
                true
            }),
            Step::MarkRead(which) => self.report(which, |conversation| {
                std::mem::replace(&mut conversation.unread, false)
            }),
            Step::Owe(which) => {
                let id = self.id(which);
                if self.rows.conversations.contains_key(&id) {
                    self.rows.owing.insert(id);
                }
                Outcome::Done
            }
        }
    }

    fn begin_create(&mut self, name: &str, now: i64) -> Outcome {
        let conversation = Conversation {
            name: name.to_owned(),
            created_at: now,
            updated_at: now,
            state: State::Pending,
            last_activity_at: now,
            running: false,
            unread: false,
        };
        self.rows.conversations.insert(self.next_id(), conversation);
        self.begun += 1;
        Outcome::Done
    }

    fn begin_delete(&mut self, id: ConversationId) -> Deletion {
        let Some(conversation) = self.rows.conversations.get_mut(&id) else {
            return Deletion::Absent;
        };
        if conversation.state == State::Deleting {
            return Deletion::InProgress;
        }
        conversation.state = State::Deleting;
        self.rows.owing.remove(&id);
        self.deleted.insert(id);
        Deletion::Started
    }

    /// A report that only an active conversation can make; `change` says whether there is news.
    fn report(&mut self, which: usize, change: impl FnOnce(&mut Conversation) -> bool) -> Outcome {
        let id = self.id(which);
        let conversation = self.active_mut(id);
        Outcome::Activity(
            conversation.and_then(|conversation| change(conversation).then(|| activity(id, conversation))),
        )
    }

    fn active_mut(&mut self, id: ConversationId) -> Option<&mut Conversation> {
        let conversation = self.rows.conversations.get_mut(&id);
        conversation.filter(|conversation| conversation.state == State::Active)
    }
}

fn number(number: usize) -> ConversationId {
    ConversationId::new(Uuid::from_u128(number as u128))
}

fn summary(id: ConversationId, conversation: &Conversation) -> ConversationSummary {
    ConversationSummary {
        id,
        name: conversation.name.clone(),
        created_at: iso8601(conversation.created_at),
        updated_at: iso8601(conversation.updated_at),
    }
}

fn activity(id: ConversationId, conversation: &Conversation) -> ConversationActivity {
    ConversationActivity {
        id,
        last_activity_at: conversation.last_activity_at,
        running: conversation.running,
        unread: conversation.unread,
    }
}
