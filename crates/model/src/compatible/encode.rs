//! A request in the words of chat completions.

use crate::{
    CompatibleEndpoint, HttpRequest, ModelMessage, ModelRequest, Thought, ThoughtContent, ToolCall,
    ToolChoice, ToolDefinition,
};
use serde_json::{Value, json};

/// The HTTP request that asks `endpoint` for a streamed answer with counted tokens.
#[must_use]
pub fn encode(endpoint: &CompatibleEndpoint, request: &ModelRequest) -> HttpRequest {
    let system = request
        .system
        .iter()
        .map(|text| json!({ "role": "system", "content": text }));
    let messages = request.messages.iter().map(|each| message(each, &request.model));
    let mut body = json!({
        "model": request.model,
        "messages": system.chain(messages).collect::<Vec<_>>(),
        "stream": true,
        "stream_options": { "include_usage": true },
        endpoint.limit_field(): request.max_output_tokens,
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

/// A tool in the words of chat completions.
pub(crate) fn definition(tool: &ToolDefinition) -> Value {
    json!({
        "type": "function",
        "function": { "name": tool.name, "description": tool.description, "parameters": tool.parameters },
    })
}

fn message(message: &ModelMessage, model: &str) -> Value {
    match message {
        ModelMessage::User { text } => json!({ "role": "user", "content": text }),
        ModelMessage::Assistant { text, calls, .. } if calls.is_empty() => {
            json!({ "role": "assistant", "content": text })
        }
        ModelMessage::Assistant {
            text,
            calls,
            thoughts,
        } => {
            let calls = calls.iter().enumerate();
            let calls = calls.map(|(number, each)| call(each, signature(thoughts, number, model)));
            json!({
                "role": "assistant",
                // Some servers refuse an empty text beside calls, and all take its absence.
                "content": (!text.is_empty()).then_some(text),
                "tool_calls": calls.collect::<Vec<_>>(),
            })
        }
        ModelMessage::Tool { call_id, output, .. } => {
            json!({ "role": "tool", "tool_call_id": call_id, "content": output })
        }
    }
}

fn call(call: &ToolCall, signature: Option<&str>) -> Value {
    let function = json!({ "name": call.name, "arguments": call.arguments.to_string() });
    match signature {
        None => json!({ "id": call.id, "type": "function", "function": function }),
        Some(signature) => json!({
            "id": call.id,
            "type": "function",
            "function": function,
            "extra_content": { "google": { "thought_signature": signature } },
        }),
    }
}

/// The proof of the thinking behind the call with this number, if this model gave one.
fn signature<'a>(thoughts: &'a [Thought], number: usize, model: &str) -> Option<&'a str> {
    thoughts.iter().find_map(|thought| match &thought.content {
        ThoughtContent::CallSignature { signature }
            if thought.model == model && thought.calls_before == number =>
        {
            Some(signature.as_str())
        }
        ThoughtContent::CallSignature { .. }
        | ThoughtContent::Thinking { .. }
        | ThoughtContent::Redacted { .. } => None,
    })
}
