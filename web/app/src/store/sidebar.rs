//! The list of conversations as the sidebar shows it: the latest activity first.

use flarebot_protocol::ConversationId;
use flarebot_protocol::conversation::{ConversationActivity, ConversationSummary};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// All conversations that the page knows of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sidebar {
    rows: BTreeMap<ConversationId, Row>,
}

/// One conversation in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Whether an answer is being made, or has ended unseen.
    pub mark: RowMark,
    last_activity_at: i64,
    created_at: String,
}

/// What is to be noticed about a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowMark {
    /// Nothing.
    Quiet,
    /// An answer is being made.
    Running,
    /// An answer ended that no page has shown.
    Unread,
}

impl Sidebar {
    /// Takes over the whole list.
    pub fn replace(&mut self, conversations: Vec<ConversationSummary>, activity: Vec<ConversationActivity>) {
        self.rows.clear();
        for summary in conversations {
            self.put(summary);
        }
        for activity in activity {
            self.observe(&activity);
        }
    }

    /// Adds a conversation, or takes over its new name.
    pub fn put(&mut self, summary: ConversationSummary) {
        let row = self.rows.entry(summary.id).or_insert_with(|| Row {
            name: String::new(),
            mark: RowMark::Quiet,
            last_activity_at: i64::MAX,
            created_at: summary.created_at,
        });
        row.name = summary.name;
    }

    /// Takes over what happened in a conversation. One that is not in the list is ignored: the list itself comes first.
    pub fn observe(&mut self, activity: &ConversationActivity) {
        if let Some(row) = self.rows.get_mut(&activity.id) {
            row.last_activity_at = activity.last_activity_at;
            row.mark = match (activity.running, activity.unread) {
                (true, _) => RowMark::Running,
                (false, true) => RowMark::Unread,
                (false, false) => RowMark::Quiet,
            };
        }
    }

    /// Removes a conversation.
    pub fn remove(&mut self, id: ConversationId) {
        self.rows.remove(&id);
    }

    /// One conversation.
    #[must_use]
    pub fn row(&self, id: ConversationId) -> Option<&Row> {
        self.rows.get(&id)
    }

    /// All conversations, the one with the latest activity first. One that was just made and has no activity yet is the
    /// latest of all.
    #[must_use]
    pub fn order(&self) -> Vec<ConversationId> {
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|(_, row)| Reverse((row.last_activity_at, &row.created_at)));
        rows.into_iter().map(|(id, _)| *id).collect()
    }
}
