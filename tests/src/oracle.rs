//! What must be true of the list of conversations after a crash, given what was asked and what was acknowledged.
//!
//! Every change is told twice: when it is asked for and when it is acknowledged. In between it may or may not have
//! happened; [`Oracle::settle`] compares that with what is really there, and takes what is there as the truth from then on.

use flarebot_protocol::ConversationId;
use flarebot_protocol::conversation::ConversationSummary;
use std::collections::{BTreeMap, BTreeSet};

/// The state that one conversation may be in: its name, or nothing.
type State = Option<String>;

/// The memory of everything that was asked for.
#[derive(Debug, Clone, Default)]
pub struct Oracle {
    conversations: BTreeMap<ConversationId, BTreeSet<State>>,
    unborn: BTreeSet<String>,
}

impl Oracle {
    /// A conversation named `name` was asked for. Names are never used twice.
    pub fn creation_asked(&mut self, name: &str) {
        self.unborn.insert(name.to_owned());
    }

    /// It was made.
    pub fn created(&mut self, id: ConversationId, name: &str) {
        self.unborn.remove(name);
        self.conversations.insert(id, [Some(name.to_owned())].into());
    }

    /// A new name was asked for.
    pub fn rename_asked(&mut self, id: ConversationId, name: &str) {
        self.possible(id).insert(Some(name.to_owned()));
    }

    /// It was given.
    pub fn renamed(&mut self, id: ConversationId, name: &str) {
        self.conversations.insert(id, [Some(name.to_owned())].into());
    }

    /// The conversation's end was asked for.
    pub fn deletion_asked(&mut self, id: ConversationId) {
        self.possible(id).insert(None);
    }

    /// It is gone.
    pub fn deleted(&mut self, id: ConversationId) {
        self.conversations.insert(id, [None].into());
    }

    /// Compares with what is there. Each returned sentence is a broken promise.
    #[must_use]
    pub fn settle(&mut self, listed: &[ConversationSummary]) -> Vec<String> {
        let mut broken = Vec::new();
        let mut found: BTreeMap<ConversationId, State> = BTreeMap::new();
        for conversation in listed {
            let id = conversation.id;
            if found.insert(id, Some(conversation.name.clone())).is_some() {
                broken.push(format!("{id} is listed twice"));
            }
            if !self.conversations.contains_key(&id) && !self.unborn.remove(&conversation.name) {
                broken.push(format!(
                    "{id} is there as {:?}, but nobody asked for it",
                    conversation.name
                ));
            }
        }
        for (id, possible) in &self.conversations {
            let state = found.entry(*id).or_default();
            if !possible.contains(state) {
                broken.push(format!("{id} is {state:?}, but may only be one of {possible:?}"));
            }
        }
        self.unborn.clear();
        self.conversations = found
            .into_iter()
            .map(|(id, state)| (id, [state].into()))
            .collect();
        broken
    }

    /// The conversations that certainly exist.
    #[must_use]
    pub fn present(&self) -> Vec<ConversationId> {
        self.certain(Option::is_some)
    }

    /// The conversations that certainly do not exist any more.
    #[must_use]
    pub fn absent(&self) -> Vec<ConversationId> {
        self.certain(Option::is_none)
    }

    fn certain(&self, wanted: fn(&State) -> bool) -> Vec<ConversationId> {
        let certain = self.conversations.iter();
        certain
            .filter(|(_, possible)| possible.iter().all(wanted))
            .map(|(id, _)| *id)
            .collect()
    }

    fn possible(&mut self, id: ConversationId) -> &mut BTreeSet<State> {
        self.conversations.entry(id).or_insert_with(|| [None].into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn id(number: u128) -> ConversationId {
        ConversationId::new(Uuid::from_u128(number))
    }

    fn listed(id: ConversationId, name: &str) -> ConversationSummary {
        ConversationSummary {
            id,
            name: name.to_owned(),
            created_at: String::new(),
            updated_at: String::new(),
        }
    }

    fn with_one() -> Oracle {
        let mut oracle = Oracle::default();
        oracle.creation_asked("first");
        oracle.created(id(1), "first");
        oracle
    }

    #[test]
    fn an_acknowledged_conversation_must_be_there() {
        assert_eq!(with_one().settle(&[]).len(), 1);
        assert_eq!(with_one().settle(&[listed(id(1), "first")]).len(), 0);
    }

    #[test]
    fn an_unacknowledged_change_may_or_may_not_have_happened() {
        for name in ["first", "second"] {
            let mut oracle = with_one();
            oracle.rename_asked(id(1), "second");
            assert_eq!(oracle.settle(&[listed(id(1), name)]), Vec::<String>::new());
        }
        let mut oracle = with_one();
        oracle.rename_asked(id(1), "second");
        assert_eq!(oracle.settle(&[listed(id(1), "third")]).len(), 1);
    }

    #[test]
    fn a_deleted_conversation_must_not_come_back() {
        let mut oracle = with_one();
        oracle.deletion_asked(id(1));
        oracle.deleted(id(1));
        assert_eq!(oracle.settle(&[listed(id(1), "first")]).len(), 1);
    }

    #[test]
    fn what_was_found_after_a_crash_is_the_truth_from_then_on() {
        let mut oracle = with_one();
        oracle.deletion_asked(id(1));
        assert_eq!(oracle.settle(&[]).len(), 0);
        assert_eq!(oracle.absent(), [id(1)]);
        assert_eq!(oracle.settle(&[listed(id(1), "first")]).len(), 1);
    }

    #[test]
    fn only_a_conversation_that_was_asked_for_may_appear() {
        let mut oracle = Oracle::default();
        oracle.creation_asked("asked");
        assert_eq!(oracle.settle(&[listed(id(1), "asked")]).len(), 0);
        assert_eq!(oracle.present(), [id(1)]);
        let unexpected = [listed(id(1), "asked"), listed(id(2), "unasked")];
        assert_eq!(oracle.settle(&unexpected).len(), 1);
    }
}
