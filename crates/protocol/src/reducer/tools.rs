//! How chunks change a tool's part. A call only ever moves forward: a chunk that would take it back changes nothing, so
//! a provider that repeats an earlier call, or a replay, does no harm.

use crate::chunk::Chunk;
use crate::message::{Part, ToolPart, ToolState};
use serde_json::Value;

/// Applies a chunk that tells of a tool; every other one changes nothing.
pub(super) fn apply(parts: &mut Vec<Part>, chunk: &Chunk) {
    match chunk {
        Chunk::ToolInputStart {
            tool_call_id,
            tool_name,
        } => {
            if find(parts, tool_call_id).is_none() {
                push(parts, tool_call_id, tool_name, ToolState::InputStreaming);
            }
        }
        Chunk::ToolInputAvailable {
            tool_call_id,
            tool_name,
            input,
        } => {
            let input = input.clone();
            take_input(
                parts,
                tool_call_id,
                tool_name,
                ToolState::InputAvailable { input },
            );
        }
        Chunk::ToolInputError {
            tool_call_id,
            tool_name,
            input,
            error_text,
        } => {
            let (input, error_text) = (input.clone(), error_text.clone());
            take_input(
                parts,
                tool_call_id,
                tool_name,
                ToolState::OutputError { input, error_text },
            );
        }
        Chunk::ToolOutputAvailable {
            tool_call_id,
            output,
            preliminary,
        } => settle(parts, tool_call_id, |input| ToolState::OutputAvailable {
            input,
            output: output.clone(),
            preliminary: *preliminary,
        }),
        Chunk::ToolOutputError {
            tool_call_id,
            error_text,
        } => settle(parts, tool_call_id, |input| ToolState::OutputError {
            input,
            error_text: error_text.clone(),
        }),
        _ => {}
    }
}

fn take_input(parts: &mut Vec<Part>, id: &str, name: &str, state: ToolState) {
    match find(parts, id) {
        None => push(parts, id, name, state),
        Some(part) if part.state == ToolState::InputStreaming => part.state = state,
        Some(_) => {}
    }
}

fn settle(parts: &mut [Part], id: &str, state: impl FnOnce(Value) -> ToolState) {
    if let Some(part) = find(parts, id)
        && !part.state.is_settled()
    {
        let input = part.state.input().cloned().unwrap_or_default();
        part.state = state(input);
    }
}

/// The part of a call. The latest is looked at first: it is the one that still changes.
fn find<'a>(parts: &'a mut [Part], id: &str) -> Option<&'a mut ToolPart> {
    parts.iter_mut().rev().find_map(|part| match part {
        Part::Tool(tool) if tool.tool_call_id == id => Some(tool),
        _ => None,
    })
}

fn push(parts: &mut Vec<Part>, id: &str, name: &str, state: ToolState) {
    parts.push(Part::Tool(ToolPart::new(id, name, state)));
}
