//! What is known of a tool without running it.

use flarebot_protocol::tool_activity::ActivityKind;
use serde_json::Value;

/// How long a tool may run unless it says otherwise, in milliseconds.
pub const DEADLINE_MILLISECONDS: i64 = 30_000;

/// What the model and the turn need to know of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDescriptor {
    /// Its name: lower-case letters, digits and underscores.
    pub name: &'static str,
    /// What it does and when to use it, for the model.
    pub description: &'static str,
    /// The JSON schema of its arguments, an object.
    pub parameters: Value,
    /// What may happen to a call whose end nobody saw.
    pub repetition: Repetition,
    /// Whether a call waits for the owner before it runs.
    pub approval: Approval,
    /// How long it may run, in milliseconds. After that its call has failed.
    pub deadline_milliseconds: i64,
    /// What the owner reads of its calls.
    pub activity: ActivityDescriptor,
}

/// What the owner reads of a tool's calls, whatever goes into them: nothing that a model, a page or a key could have
/// written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActivityDescriptor {
    /// What kind of thing it does.
    pub kind: ActivityKind,
    /// What it does, in a few words: `Read a page`.
    pub label: &'static str,
}

impl ActivityDescriptor {
    /// Of this kind, under this label.
    #[must_use]
    pub const fn new(kind: ActivityKind, label: &'static str) -> Self {
        Self { kind, label }
    }
}

/// Whether a call that was begun, and of whose end nothing is known, may be made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// Running it twice does no more than running it once: it only reads.
    Harmless,
    /// It changes something: a call is run once, and one whose end was lost is reported as unknown.
    Never,
}

/// Whether the owner is asked before a call runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// It runs at once.
    NotNeeded,
    /// It runs once the owner has allowed this very call, however long that takes. Such a call is never run twice,
    /// whatever the tool's [`Repetition`] is.
    Needed,
}

impl ToolDescriptor {
    /// What may happen to a call whose end nobody saw, its approval considered: the owner has allowed one run.
    #[must_use]
    pub const fn repetition_of_a_call(&self) -> Repetition {
        match self.approval {
            Approval::Needed => Repetition::Never,
            Approval::NotNeeded => self.repetition,
        }
    }
}
