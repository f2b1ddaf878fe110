//! A request in the words of chat completions.

use crate::{
    CompatibleEndpoint, HttpRequest, ModelMessage, ModelRequest, ToolCall, ToolChoice, ToolDefinition,
};
use serde_json::{Value, json};

/// The HTTP request that asks `endpoint` for a streamed answer with counted tokens.
#[must_use]
pub fn encode(endpoint: &CompatibleEndpoint, request: &ModelRequest) -> HttpRequest {
    let system = request
        .system
        .iter()
        .map(|text| json!({ "role": "system", "content": text }));
    let mut body = json!({
        "model": request.model,
        "messages": system.chain(request.messages.iter().map(message)).collect::<Vec<_>>(),
        "stream": true,
        "stream_options": { "include_usage": true },
        "max_tokens": request.max_output_tokens,
    });
    if let Some(body) = body.as_object_mut()
        && !request.tools.is_empty()
    {
        let tools = request.tools.iter().map(definition).collect();
        body.insert("tools".to_owned(), tools);
        if request.tool_choice == ToolChoice::None {
            body.insert("tool_choice".to_owned(), "none".into());
        }
    }
    HttpRequest {
        url: endpoint.completions_url().to_owned(),
        headers: vec![
            ("content-type", "application/json".to_owned()),
            ("accept", "text/event-stream".to_owned()),
        ],
        body: body.to_string(),
        key: endpoint.key(),
    }
}

fn message(message: &ModelMessage) -> Value {
    match message {
        ModelMessage::User { text } => json!({ "role": "user", "content": text }),
        ModelMessage::Assistant { text, calls } if calls.is_empty() => {
            json!({ "role": "assistant", "content": text })
        }
        ModelMessage::Assistant { text, calls } => json!({
            "role": "assistant",
            // Some servers refuse an empty text beside calls, and all take its absence.
            "content": (!text.is_empty()).then_some(text),
            "tool_calls": calls.iter().map(call).collect::<Vec<_>>(),
        }),
        ModelMessage::Tool { call_id, output, .. } => {
            json!({ "role": "tool", "tool_call_id": call_id, "content": output })
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

fn definition(tool: &ToolDefinition) -> Value {
    json!({
        "type": "function",
        "function": { "name": tool.name, "description": tool.description, "parameters": tool.parameters },
    })
}
