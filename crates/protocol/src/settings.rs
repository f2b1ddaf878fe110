//! What the owner sets for the whole installation, as the Settings page sees it. Times are ISO 8601 in UTC.

use serde::{Deserialize, Serialize};

/// The longest instructions, in UTF-16 code units.
pub const MAXIMUM_INSTRUCTIONS: usize = 16_000;

/// What the agent is told before every conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InstructionSettings {
    /// The text that is in force, exactly as it was saved.
    pub text: String,
    /// The text that this version comes with.
    pub defaults: String,
    /// Whether the owner has a text of their own. Without one, a later version's defaults apply by themselves.
    pub customized: bool,
    /// When the owner saved theirs.
    pub modified_at: Option<String>,
}

/// What was changed, so that other pages can say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SettingsSection {
    /// [`InstructionSettings`].
    Instructions,
    /// Which model answers, and the keys of providers.
    Models,
}
