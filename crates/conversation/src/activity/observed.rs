//! What chunks say of calls. Nothing else is known of a call but that it was started, stopped or lost.

use super::record::Step;
use super::text;
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::tool_activity::{ActivityFailure, ActivityProgress};
use flarebot_tool::{CallOutcome, Tool};
use serde_json::Value;

/// One thing that a chunk says of a call.
pub(super) struct Observed<'a> {
    pub(super) call_id: &'a str,
    /// The tool as the model named it, if the chunk may be the first that is heard of its call.
    pub(super) tool_name: Option<&'a str>,
    what: What<'a>,
}

enum What<'a> {
    Announced,
    Written(&'a Value),
    Refused,
    BrokenOff,
    Asked,
    Reported(&'a Value),
    Returned(&'a Value),
    Failed,
    Denied,
}

/// What a chunk says of a call, if it does.
pub(super) fn of_chunk(chunk: &Chunk) -> Option<Observed<'_>> {
    let (call_id, tool_name, what) = match chunk {
        Chunk::ToolInputStart {
            tool_call_id,
            tool_name,
        } => (tool_call_id, Some(tool_name), What::Announced),
        Chunk::ToolInputAvailable {
            tool_call_id,
            tool_name,
            input,
        } => (tool_call_id, Some(tool_name), What::Written(input)),
        // Without an input the model has never written it to its end, so it was not refused.
        Chunk::ToolInputError {
            tool_call_id,
            tool_name,
            input: Value::Null,
            ..
        } => (tool_call_id, Some(tool_name), What::BrokenOff),
        Chunk::ToolInputError {
            tool_call_id,
            tool_name,
            ..
        } => (tool_call_id, Some(tool_name), What::Refused),
        Chunk::ToolApprovalRequest { tool_call_id, .. } => (tool_call_id, None, What::Asked),
        Chunk::ToolOutputAvailable {
            tool_call_id,
            output,
            preliminary: Some(true),
        } => (tool_call_id, None, What::Reported(output)),
        Chunk::ToolOutputAvailable {
            tool_call_id, output, ..
        } => (tool_call_id, None, What::Returned(output)),
        Chunk::ToolOutputError { tool_call_id, .. } => (tool_call_id, None, What::Failed),
        Chunk::ToolOutputDenied { tool_call_id } => (tool_call_id, None, What::Denied),
        Chunk::Start { .. }
        | Chunk::StartStep
        | Chunk::TextStart { .. }
        | Chunk::TextDelta { .. }
        | Chunk::TextEnd { .. }
        | Chunk::ReasoningStart { .. }
        | Chunk::ReasoningDelta { .. }
        | Chunk::ReasoningEnd { .. }
        // The owner's word is recorded where it is taken.
        | Chunk::ToolApprovalResponse { .. }
        | Chunk::FinishStep
        | Chunk::Finish { .. }
        | Chunk::Abort
        | Chunk::Error { .. } => return None,
    };
    Some(Observed {
        call_id,
        tool_name: tool_name.map(String::as_str),
        what,
    })
}

impl Observed<'_> {
    /// What it means for the record of its call, as the call's tool sees it.
    pub(super) fn step(&self, tool: Option<&dyn Tool>) -> Option<Step> {
        Some(match self.what {
            What::Announced => return None,
            What::Written(input) => Step::Written {
                summary: text::safe(&tool?.summary(input)?),
            },
            What::Refused | What::Failed => Step::Failed(ActivityFailure::Tool),
            What::BrokenOff => Step::Abandoned,
            What::Asked => Step::Asked,
            What::Reported(report) => Step::Reported(safe(tool?.progress(report))?),
            What::Returned(output) => Step::Returned(outcome(tool, output)),
            What::Denied => Step::Failed(ActivityFailure::Declined),
        })
    }
}

/// What an output comes to: its tool says so if there still is one.
pub(super) fn outcome(tool: Option<&dyn Tool>, output: &Value) -> CallOutcome {
    tool.map_or_else(|| CallOutcome::of(output), |tool| tool.outcome(output))
}

/// The progress as it may be stored, if it says anything.
fn safe(progress: ActivityProgress) -> Option<ActivityProgress> {
    const LARGEST: u64 = (1 << 53) - 1;
    let progress = ActivityProgress {
        text: progress.text.as_deref().and_then(text::safe),
        done: progress.done.map(|done| done.min(LARGEST)),
        total: progress.total.map(|total| total.min(LARGEST)),
    };
    (progress != ActivityProgress::default()).then_some(progress)
}
