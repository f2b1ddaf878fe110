//! A request as the AI binding's input. The binding checks it against a schema: every content must be a text, be it an
//! empty one.

use crate::compatible::definition;
use crate::{BindingRequest, ModelMessage, ModelRequest, ToolCall, ToolChoice};
use serde_json::{Value, json};

/// The run of the binding that asks for a streamed answer.
#[must_use]
pub fn encode(request: &ModelRequest) -> BindingRequest {
    let system = request
        .system
        .iter()
        .map(|text| json!({ "role": "system", "content": text }));
    let mut input = json!({
        "messages": system.chain(request.messages.iter().map(message)).collect::<Vec<_>>(),
        "stream": true,
        "max_tokens": request.max_output_tokens,
    });
    if let Some(input) = input.as_object_mut()
        && !request.tools.is_empty()
    {
        input.insert("tools".to_owned(), request.tools.iter().map(definition).collect());
        if request.tool_choice == ToolChoice::None {
            input.insert("tool_choice".to_owned(), "none".into());
        }
    }
    BindingRequest {
        model: request.model.clone(),
        input,
    }
}

fn message(message: &ModelMessage) -> Value {
    match message {
        ModelMessage::User { text } => json!({ "role": "user", "content": text }),
        ModelMessage::Assistant { text, calls, .. } if calls.is_empty() => {
            json!({ "role": "assistant", "content": text })
        }
        ModelMessage::Assistant { text, calls, .. } => json!({
            "role": "assistant",
            "content": text,
            "tool_calls": calls.iter().map(call).collect::<Vec<_>>(),
        }),
        ModelMessage::Tool {
            call_id,
            name,
            output,
        } => {
            json!({ "role": "tool", "tool_call_id": call_id, "name": name, "content": output })
        }
    }
}

fn call(call: &ToolCall) -> Value {
    json!({
        "id": call.id,
        "type": "function",
        "function": { "name": call.name, "arguments": call.arguments.to_string() },
    })
}
