//! A tool's call inside an answer, in the shape of the AI SDK's tool parts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolPart {
    /// The part's `type`: `tool-` and the tool's name.
    #[serde(rename = "type")]
    pub kind: ToolPartKind,
    /// The call, unique within the answer.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// How far the call is.
    #[serde(flatten)]
    pub state: ToolState,
}

impl ToolPart {
    /// A call of `tool_name` in this state.
    #[must_use]
    pub fn new(tool_call_id: impl Into<String>, tool_name: impl Into<String>, state: ToolState) -> Self {
        let tool_name = tool_name.into();
        Self {
            kind: ToolPartKind::of(&tool_name),
            tool_call_id: tool_call_id.into(),
            tool_name,
            state,
        }
    }
}

/// The `type` of a tool's part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolPartKind(String);

impl ToolPartKind {
    const PREFIX: &'static str = "tool-";

    /// The type of a part that calls `tool_name`.
    #[must_use]
    pub fn of(tool_name: &str) -> Self {
        Self(format!("{}{tool_name}", Self::PREFIX))
    }
}

impl TryFrom<String> for ToolPartKind {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.starts_with(Self::PREFIX) {
            Ok(Self(text))
        } else {
            Err("not the type of a tool's part")
        }
    }
}

impl From<ToolPartKind> for String {
    fn from(kind: ToolPartKind) -> Self {
        kind.0
    }
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ToolState {
    /// The model writes its input.
    InputStreaming,
    /// The input is complete; the tool runs or is about to.
    InputAvailable {
        /// A JSON object.
        input: Value,
    },
    /// The call waits for the owner to allow it.
    ApprovalRequested {
        /// A JSON object.
        input: Value,
        /// What the owner is asked.
        approval: Approval,
    },
    /// The owner has decided, and the tool runs or never will.
    ApprovalResponded {
        /// A JSON object.
        input: Value,
        /// What the owner said.
        approval: Approval,
    },
    /// The tool returned, or tells how far it is.
    OutputAvailable {
        /// A JSON object.
        input: Value,
        /// What it returned.
        output: Value,
        /// True for progress, absent for the result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        preliminary: Option<bool>,
    },
    /// The call failed, or could not be run.
    OutputError {
        /// What the model wrote.
        #[serde(default)]
        input: Value,
        /// Why it failed.
        error_text: String,
    },
    /// The owner did not allow the call, so it was not run.
    OutputDenied {
        /// A JSON object.
        input: Value,
        /// What the owner said.
        approval: Approval,
    },
}

/// What the owner says to a call that waits for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// It may run, once.
    Approved,
    /// It is not to run.
    Declined,
}

impl Decision {
    /// As the AI SDK spells it.
    #[must_use]
    pub const fn of(approved: bool) -> Self {
        if approved { Self::Approved } else { Self::Declined }
    }

    /// As the AI SDK spells it.
    #[must_use]
    pub const fn is_approved(self) -> bool {
        matches!(self, Self::Approved)
    }
}

/// A question to the owner whether a call may run, with the answer once there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The question, unique within the conversation.
    pub id: String,
    /// Whether the call may run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<bool>,
    /// Why not, or under which condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Approval {
    /// A question without an answer.
    #[must_use]
    pub fn asked(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            approved: None,
            reason: None,
        }
    }

    /// This question with its answer.
    #[must_use]
    pub fn answered(&self, approved: bool, reason: Option<String>) -> Self {
        Self {
            id: self.id.clone(),
            approved: Some(approved),
            reason,
        }
    }
}

impl ToolState {
    /// Whether nothing more is to come of the call.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        match self {
            Self::InputStreaming
            | Self::InputAvailable { .. }
            | Self::ApprovalRequested { .. }
            | Self::ApprovalResponded { .. } => false,
            Self::OutputAvailable { preliminary, .. } => *preliminary != Some(true),
            Self::OutputError { .. } | Self::OutputDenied { .. } => true,
        }
    }

    /// The input, once it is complete.
    #[must_use]
    pub fn input(&self) -> Option<&Value> {
        match self {
            Self::InputStreaming => None,
            Self::InputAvailable { input }
            | Self::ApprovalRequested { input, .. }
            | Self::ApprovalResponded { input, .. }
            | Self::OutputAvailable { input, .. }
            | Self::OutputError { input, .. }
            | Self::OutputDenied { input, .. } => Some(input),
        }
    }

    /// Whether it waits for the owner to decide.
    #[must_use]
    pub fn waits_for_approval(&self) -> bool {
        matches!(self, Self::ApprovalRequested { .. })
    }

    /// Whether the owner has declined it.
    #[must_use]
    pub fn is_declined(&self) -> bool {
        match self {
            Self::ApprovalResponded { approval, .. } => approval.approved != Some(true),
            Self::OutputDenied { .. } => true,
            Self::InputStreaming
            | Self::InputAvailable { .. }
            | Self::ApprovalRequested { .. }
            | Self::OutputAvailable { .. }
            | Self::OutputError { .. } => false,
        }
    }
}
