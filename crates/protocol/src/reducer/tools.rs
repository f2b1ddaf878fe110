//! How chunks change a tool's part. A call only ever moves forward: a chunk that would take it back changes nothing, so
//! a provider that repeats an earlier call, or a replay, does no harm.

use crate::message::{Part, ToolPart, ToolState};
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
        Some(part) if !part.state.is_settled() => part.state = state,
        Some(_) => {}
    }
}

/// A call returned, or tells how far it is.
pub(super) fn take_output(parts: &mut [Part], id: &str, output: &Value, preliminary: Option<bool>) {
    advance(parts, id, |input| ToolState::OutputAvailable {
        input,
        output: output.clone(),
        preliminary,
    });
}

/// A call failed.
pub(super) fn fail(parts: &mut [Part], id: &str, error_text: &str) {
    advance(parts, id, |input| ToolState::OutputError {
        input,
        error_text: error_text.to_owned(),
    });
}

fn advance(parts: &mut [Part], id: &str, state: impl FnOnce(Value) -> ToolState) {
    if let Some(part) = find(parts, id)
        && !part.state.is_settled()
    {
        let input = part.state.input().cloned();
        part.state = state(input.unwrap_or_else(|| Value::Object(Map::new())));
    }
}

/// The part of a call. The latest is looked at first: it is the one that still changes.
fn find<'a>(parts: &'a mut [Part], id: &str) -> Option<&'a mut ToolPart> {
    parts.iter_mut().rev().find_map(|part| match part {
        Part::Tool(tool) if tool.tool_call_id == id => Some(tool),
        Part::Tool(_) | Part::Text { .. } | Part::Reasoning { .. } | Part::StepStart => None,
    })
}

fn push(parts: &mut Vec<Part>, id: &str, name: &str, state: ToolState) {
    parts.push(Part::Tool(ToolPart::new(id, name, state)));
}
