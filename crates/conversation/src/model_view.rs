//! A transcript as a model sees it: steps with their calls and results, repaired so that no provider can refuse it.
//!
//! Every call has a result, every input is an object, and no message is empty. The stored messages are not changed.

use flarebot_model::{ModelMessage, ToolCall};
use flarebot_protocol::message::{Approval, Message, Part, Role, ToolPart, ToolState};
use serde_json::{Value, json};

/// How much of a tool's output is repeated to the model once newer messages matter more, in characters.
pub(crate) const OLD_OUTPUT_CHARACTERS: usize = 500;

/// What a call without a result is answered with.
const NO_RESULT: &str = "This call was interrupted; nothing is known of its result.";

/// What stands for the result of a call that the owner was asked about.
const UNDECIDED: &str = "This call waits for the owner's approval. It has not run.";

/// What stands for the result of a call that the owner has allowed.
const ALLOWED: &str = "The owner has allowed this call. It has not run yet.";

/// How much of a message's tool results a model is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// All that is stored.
    Whole,
    /// The beginning of each.
    Shortened,
}

/// A stored message as the model sees it; nothing for one that says nothing.
pub(crate) fn messages(message: &Message, detail: Detail) -> Vec<ModelMessage> {
    match message.role {
        Role::User => {
            let text = message.text();
            if text.is_empty() {
                Vec::new()
            } else {
                vec![ModelMessage::User { text }]
            }
        }
        Role::Assistant => answer(&message.parts, detail),
    }
}

/// The steps of an answer, finished or not.
pub(crate) fn answer(parts: &[Part], detail: Detail) -> Vec<ModelMessage> {
    let mut messages = Vec::new();
    for step in parts.split(|part| matches!(part, Part::StepStart)) {
        let text = step_text(step);
        let calls: Vec<&ToolPart> = complete_calls(step).collect();
        if text.trim().is_empty() && calls.is_empty() {
            continue;
        }
        messages.push(ModelMessage::Assistant {
            text,
            calls: calls.iter().map(|call| called(call)).collect(),
            thoughts: Vec::new(),
        });
        messages.extend(calls.iter().map(|call| ModelMessage::Tool {
            call_id: call.tool_call_id.clone(),
            name: call.tool_name.clone(),
            output: result(&call.state, detail),
        }));
    }
    messages
}

/// The parts after the last border between steps.
pub(crate) fn last_step(parts: &[Part]) -> &[Part] {
    parts
        .rsplit(|part| matches!(part, Part::StepStart))
        .next()
        .unwrap_or_default()
}

/// The text of one step.
pub(crate) fn step_text(step: &[Part]) -> String {
    let texts = step.iter().filter_map(|part| match part {
        Part::Text { text, .. } => Some(text.as_str()),
        Part::Reasoning { .. } | Part::StepStart | Part::Tool(_) => None,
    });
    texts.collect()
}

/// The calls that the model wrote to their end. One without an input was broken off, and means nothing to it.
pub(crate) fn complete_calls(step: &[Part]) -> impl Iterator<Item = &ToolPart> {
    step.iter().filter_map(|part| match part {
        Part::Tool(call) if call.state.input().is_some_and(|input| !input.is_null()) => Some(call),
        Part::Tool(_) | Part::Text { .. } | Part::Reasoning { .. } | Part::StepStart => None,
    })
}

fn called(call: &ToolPart) -> ToolCall {
    let arguments = call.state.input().filter(|input| input.is_object());
    ToolCall {
        id: call.tool_call_id.clone(),
        name: call.tool_name.clone(),
        arguments: arguments.cloned().unwrap_or_else(|| json!({})),
    }
}

fn declined(approval: &Approval) -> String {
    match &approval.reason {
        Some(reason) => format!("This call was not run. {reason}"),
        None => {
            "The owner declined this call. It was not run. Do not try it again unless the owner asks for it."
                .to_owned()
        }
    }
}

fn result(state: &ToolState, detail: Detail) -> String {
    let text = match state {
        ToolState::OutputAvailable {
            output: Value::String(text),
            preliminary: None | Some(false),
            ..
        } => text.clone(),
        ToolState::OutputAvailable {
            output,
            preliminary: None | Some(false),
            ..
        } => output.to_string(),
        ToolState::OutputError { error_text, .. } => json!({ "error": error_text }).to_string(),
        ToolState::ApprovalRequested { .. } => json!({ "waiting": UNDECIDED }).to_string(),
        ToolState::ApprovalResponded { .. } if !state.is_declined() => {
            json!({ "waiting": ALLOWED }).to_string()
        }
        ToolState::ApprovalResponded { approval, .. } | ToolState::OutputDenied { approval, .. } => {
            json!({ "error": declined(approval) }).to_string()
        }
        ToolState::InputStreaming | ToolState::InputAvailable { .. } | ToolState::OutputAvailable { .. } => {
            json!({ "error": NO_RESULT }).to_string()
        }
    };
    match detail {
        Detail::Shortened => beginning(&text, OLD_OUTPUT_CHARACTERS),
        Detail::Whole => text,
    }
}

/// At most so many characters of a text; one that is longer ends in a mark.
pub(crate) fn beginning(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{} […]", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
