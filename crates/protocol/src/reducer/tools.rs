//! How chunks change a tool's part. A call only ever moves forward: a chunk that would take it back changes nothing, so
//! a provider that repeats an earlier call, or a replay, does no harm. What waits for the owner has no result before the
//! owner's word, and the first word counts.

use crate::message::{Approval, Part, ToolPart, ToolState};
use serde_json::{Map, Value};

/// A call begins.
pub(super) fn begin(parts: &mut Vec<Part>, id: &str, name: &str) {
    if find(parts, id).is_none() {
        push(parts, id, name, ToolState::InputStreaming);
    }
}

/// A call's input is complete. One that was complete before stays.
pub(super) fn take_input(parts: &mut Vec<Part>, id: &str, name: &str, input: &Value) {
    let state = ToolState::InputAvailable { input: input.clone() };
    match find(parts, id) {
        None => push(parts, id, name, state),
        Some(part) if part.state == ToolState::InputStreaming => part.state = state,
        Some(_) => {}
    }
}

/// A call cannot be run.
pub(super) fn reject(parts: &mut Vec<Part>, id: &str, name: &str, input: &Value, error_text: &str) {
    let state = ToolState::OutputError {
        input: input.clone(),
        error_text: error_text.to_owned(),
    };
    match find(parts, id) {
        None => push(parts, id, name, state),
        Some(part) if may_fail(&part.state) => part.state = state,
        Some(_) => {}
    }
}

/// The owner is asked. What runs already, or was asked before, is not asked again.
pub(super) fn ask(parts: &mut [Part], id: &str, approval_id: &str) {
    if let Some(part) = find(parts, id)
        && let ToolState::InputAvailable { input } = &part.state
    {
        part.state = ToolState::ApprovalRequested {
            input: input.clone(),
            approval: Approval::asked(approval_id),
        };
    }
}

/// The owner has decided. A later word changes nothing.
pub(super) fn decide(parts: &mut [Part], approval_id: &str, approved: bool, reason: Option<&String>) {
    for part in calls(parts) {
        if let ToolState::ApprovalRequested { input, approval } = &part.state
            && approval.id == approval_id
        {
            part.state = ToolState::ApprovalResponded {
                input: input.clone(),
                approval: approval.answered(approved, reason.cloned()),
            };
        }
    }
}

/// A call is not run. One that was allowed, or that nobody was asked about, cannot be declined.
pub(super) fn deny(parts: &mut [Part], id: &str) {
    let Some(part) = find(parts, id) else { return };
    let denied = match &part.state {
        ToolState::ApprovalRequested { input, approval } => Some((input, approval.answered(false, None))),
        ToolState::ApprovalResponded { input, approval } if part.state.is_declined() => {
            Some((input, approval.clone()))
        }
        ToolState::ApprovalResponded { .. }
        | ToolState::InputStreaming
        | ToolState::InputAvailable { .. }
        | ToolState::OutputAvailable { .. }
        | ToolState::OutputError { .. }
        | ToolState::OutputDenied { .. } => None,
    };
    if let Some((input, approval)) = denied {
        part.state = ToolState::OutputDenied {
            input: input.clone(),
            approval,
        };
    }
}

/// A call returned, or tells how far it is.
pub(super) fn take_output(parts: &mut [Part], id: &str, output: &Value, preliminary: Option<bool>) {
    advance(parts, id, may_return, |input| ToolState::OutputAvailable {
        input,
        output: output.clone(),
        preliminary,
    });
}

/// A call failed.
pub(super) fn fail(parts: &mut [Part], id: &str, error_text: &str) {
    advance(parts, id, may_fail, |input| ToolState::OutputError {
        input,
        error_text: error_text.to_owned(),
    });
}

fn advance(
    parts: &mut [Part],
    id: &str,
    may: impl FnOnce(&ToolState) -> bool,
    state: impl FnOnce(Value) -> ToolState,
) {
    if let Some(part) = find(parts, id)
        && may(&part.state)
    {
        let input = part.state.input().cloned();
        part.state = state(input.unwrap_or_else(|| Value::Object(Map::new())));
    }
}

/// Whether a call may end with an error. What the owner has declined was not run, so it cannot have failed.
fn may_fail(state: &ToolState) -> bool {
    !state.is_settled() && !state.is_declined()
}

/// Whether a call may have a result.
fn may_return(state: &ToolState) -> bool {
    may_fail(state) && !state.waits_for_approval()
}

/// The part of a call. The latest is looked at first: it is the one that still changes.
fn find<'a>(parts: &'a mut [Part], id: &str) -> Option<&'a mut ToolPart> {
    calls(parts).rev().find(|call| call.tool_call_id == id)
}

fn calls(parts: &mut [Part]) -> impl DoubleEndedIterator<Item = &mut ToolPart> {
    parts.iter_mut().filter_map(|part| match part {
        Part::Tool(call) => Some(call),
        Part::Text { .. } | Part::Reasoning { .. } | Part::StepStart => None,
    })
}

fn push(parts: &mut Vec<Part>, id: &str, name: &str, state: ToolState) {
    parts.push(Part::Tool(ToolPart::new(id, name, state)));
}
