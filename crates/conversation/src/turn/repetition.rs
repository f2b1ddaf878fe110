//! Models that do again what has failed. It is read off the answer's parts, so a later instance sees it as this one does.

use flarebot_protocol::message::{Part, ToolPart, ToolState};
use flarebot_tool::CallOutcome;
use serde_json::Value;
use std::collections::BTreeSet;

/// How often a failure may come back before the answer ends.
const MAXIMUM_FAILURES: usize = 3;

/// Whether the same call has failed in the same way in each of the last three steps.
///
/// The same call is the same tool with the same arguments. It has failed if its part holds an error, or an output that says
/// so by itself ([`CallOutcome::of`]); the same way is the same error or output, to the letter. Steps count, not calls: a
/// model that makes one call three times side by side has not seen any of them fail. What else is called in these steps does
/// not matter, but a step without this failure begins the count anew. A call that the owner declines has not failed.
pub(super) fn is_stuck(parts: &[Part]) -> bool {
    let mut steps = parts.rsplit(|part| matches!(part, Part::StepStart));
    let Some(last) = steps.next() else { return false };
    let mut repeated = failures(last);
    for _ in 1..MAXIMUM_FAILURES {
        let Some(earlier) = steps.next() else { return false };
        let earlier = failures(earlier);
        repeated.retain(|failure| earlier.contains(failure));
    }
    !repeated.is_empty()
}

/// The tool, its arguments and its failure, as JSON: values themselves have no order.
fn failures(step: &[Part]) -> BTreeSet<(&str, String, String)> {
    let failures = step.iter().filter_map(|part| match part {
        Part::Tool(call) => Some((call.tool_name.as_str(), arguments(call), failure(call)?)),
        Part::Text { .. } | Part::Reasoning { .. } | Part::StepStart => None,
    });
    failures.collect()
}

fn arguments(call: &ToolPart) -> String {
    call.state.input().map(Value::to_string).unwrap_or_default()
}

fn failure(call: &ToolPart) -> Option<String> {
    match &call.state {
        ToolState::OutputError { error_text, .. } => Some(error_text.clone()),
        ToolState::OutputAvailable {
            output,
            preliminary: None | Some(false),
            ..
        } => (CallOutcome::of(output) == CallOutcome::Failed).then(|| output.to_string()),
        ToolState::InputStreaming
        | ToolState::InputAvailable { .. }
        | ToolState::ApprovalRequested { .. }
        | ToolState::ApprovalResponded { .. }
        | ToolState::OutputAvailable { .. }
        | ToolState::OutputDenied { .. } => None,
    }
}
