//! The pieces in which an answer travels, in the shape of the AI SDK's UI message chunks.

mod replay;

pub use replay::{MAXIMUM_PIECE_BYTES, pieces, replay};

use crate::MessageId;
use crate::message::Metadata;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One piece of an answer. Its identity is the request that it belongs to and its number within that request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Chunk {
    /// The answer begins; the id of its message is final.
    Start {
        /// The answer's message.
        message_id: MessageId,
        /// What is already known about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message_metadata: Option<Metadata>,
    },
    /// A call of the model begins.
    StartStep,
    /// A text part begins.
    TextStart {
        /// The part, unique within the answer.
        id: String,
    },
    /// More text for a part.
    TextDelta {
        /// The part.
        id: String,
        /// The text to append.
        delta: String,
    },
    /// A text part is complete.
    TextEnd {
        /// The part.
        id: String,
    },
    /// A reasoning part begins.
    ReasoningStart {
        /// The part, unique within the answer.
        id: String,
    },
    /// More reasoning for a part.
    ReasoningDelta {
        /// The part.
        id: String,
        /// The text to append.
        delta: String,
    },
    /// A reasoning part is complete.
    ReasoningEnd {
        /// The part.
        id: String,
    },
    /// The model begins to call a tool; its input is not known yet.
    ToolInputStart {
        /// The call, unique within the answer.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
    },
    /// A call's input is complete: the tool may run.
    ToolInputAvailable {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// A JSON object.
        input: Value,
    },
    /// A call that cannot be run as the model wrote it.
    ToolInputError {
        /// The call.
        tool_call_id: String,
        /// The tool, as the model named it.
        tool_name: String,
        /// What the model wrote.
        input: Value,
        /// What is wrong with it, for the model.
        error_text: String,
    },
    /// The owner is asked whether a call may run.
    ToolApprovalRequest {
        /// The question, unique within the conversation.
        approval_id: String,
        /// The call.
        tool_call_id: String,
    },
    /// The owner has answered.
    ToolApprovalResponse {
        /// The question.
        approval_id: String,
        /// Whether the call may run.
        approved: bool,
        /// Why not, or under which condition.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// What a tool returned, or how far it is.
    ToolOutputAvailable {
        /// The call.
        tool_call_id: String,
        /// What it returned.
        output: Value,
        /// Whether more comes: true for progress, absent for the result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        preliminary: Option<bool>,
    },
    /// A tool failed.
    ToolOutputError {
        /// The call.
        tool_call_id: String,
        /// Why, for the model and the owner.
        error_text: String,
    },
    /// A call is not run, because the owner has declined it.
    ToolOutputDenied {
        /// The call.
        tool_call_id: String,
    },
    /// A call of the model ended.
    FinishStep,
    /// The answer ended as the model meant it to.
    Finish {
        /// Why the model stopped.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        finish_reason: Option<FinishReason>,
        /// What is known about the finished message.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message_metadata: Option<Metadata>,
    },
    /// The owner stopped the answer.
    Abort,
    /// The answer failed.
    Error {
        /// One sentence for the owner.
        error_text: String,
    },
}

impl Chunk {
    /// How many bytes of an answer this piece carries; what the stream log counts.
    #[must_use]
    pub fn payload_bytes(&self) -> usize {
        match self {
            Self::TextDelta { delta, .. } | Self::ReasoningDelta { delta, .. } => delta.len(),
            Self::Error { error_text } | Self::ToolOutputError { error_text, .. } => error_text.len(),
            Self::ToolInputAvailable { input, .. } => json_bytes(input),
            Self::ToolInputError {
                input, error_text, ..
            } => json_bytes(input).saturating_add(error_text.len()),
            Self::ToolOutputAvailable { output, .. } => json_bytes(output),
            Self::Start { .. }
            | Self::StartStep
            | Self::TextStart { .. }
            | Self::TextEnd { .. }
            | Self::ReasoningStart { .. }
            | Self::ReasoningEnd { .. }
            | Self::ToolInputStart { .. }
            | Self::ToolApprovalRequest { .. }
            | Self::ToolApprovalResponse { .. }
            | Self::ToolOutputDenied { .. }
            | Self::FinishStep
            | Self::Finish { .. }
            | Self::Abort => 0,
        }
    }
}

/// What a value takes as JSON.
fn json_bytes(value: &Value) -> usize {
    value.to_string().len()
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FinishReason {
    /// It was done.
    Stop,
    /// It reached the limit of its output.
    Length,
    /// It wants tools to run.
    ToolCalls,
    /// The provider's filter stopped it.
    ContentFilter,
    /// A reason that has no name here.
    Other,
}

/// Joins neighbouring deltas of the same part, and drops what a tool told of its progress before it told more, so that a
/// sequence of chunks takes little more room than its message. Reducing the result gives the same message.
#[must_use]
pub fn merge(chunks: impl IntoIterator<Item = Chunk>) -> Vec<Chunk> {
    let mut merged: Vec<Chunk> = Vec::new();
    for chunk in chunks {
        drop_progress(&mut merged, &chunk);
        match (merged.last_mut(), &chunk) {
            (
                Some(Chunk::TextDelta {
                    id: open,
                    delta: text,
                }),
                Chunk::TextDelta { id, delta },
            )
            | (
                Some(Chunk::ReasoningDelta {
                    id: open,
                    delta: text,
                }),
                Chunk::ReasoningDelta { id, delta },
            ) if open == id => text.push_str(delta),
            _ => merged.push(chunk),
        }
    }
    merged
}

/// What a call told of its progress is worth nothing once it tells more, or has ended.
fn drop_progress(merged: &mut Vec<Chunk>, next: &Chunk) {
    let Some(call) = output_of(next) else { return };
    let told = merged.iter().rposition(|chunk| call_of(chunk) == Some(call));
    if let Some(place) = told
        && merged.get(place).is_some_and(tells_progress)
    {
        merged.remove(place);
    }
}

/// The call whose output this is.
fn output_of(chunk: &Chunk) -> Option<&str> {
    if let Chunk::ToolOutputAvailable { tool_call_id, .. } | Chunk::ToolOutputError { tool_call_id, .. } =
        chunk
    {
        Some(tool_call_id)
    } else {
        None
    }
}

/// The call that this is about.
fn call_of(chunk: &Chunk) -> Option<&str> {
    if let Chunk::ToolInputStart { tool_call_id, .. }
    | Chunk::ToolInputAvailable { tool_call_id, .. }
    | Chunk::ToolInputError { tool_call_id, .. }
    | Chunk::ToolApprovalRequest { tool_call_id, .. }
    | Chunk::ToolOutputDenied { tool_call_id } = chunk
    {
        Some(tool_call_id)
    } else {
        output_of(chunk)
    }
}

fn tells_progress(chunk: &Chunk) -> bool {
    matches!(
        chunk,
        Chunk::ToolOutputAvailable {
            preliminary: Some(true),
            ..
        }
    )
}
