//! What tools ask of the agent, which keeps what all conversations share.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A question with the type of its answer. Each feature of the agent has one type of questions.
pub trait Question: Serialize + DeserializeOwned {
    /// The feature that answers it.
    const FEATURE: &'static str;
    /// What it answers.
    type Answer: Serialize + DeserializeOwned;
}

/// A question about the conversation that the call belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConversationQuestion {
    /// Give it this name, which nobody has checked yet.
    Rename(String),
}

impl Question for ConversationQuestion {
    const FEATURE: &'static str = "conversation";
    /// The name as it is stored.
    type Answer = String;
}
