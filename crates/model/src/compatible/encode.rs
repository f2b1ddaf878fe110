//! A request in the words of chat completions.

use crate::{CompatibleEndpoint, HttpRequest, ModelRequest};
use flarebot_protocol::message::Role;
use serde_json::{Value, json};

/// The HTTP request that asks `endpoint` for a streamed answer with counted tokens.
#[must_use]
pub fn encode(endpoint: &CompatibleEndpoint, request: &ModelRequest) -> HttpRequest {
    let system = request.system.iter().map(|text| message("system", text));
    let conversation = request.messages.iter().map(|entry| {
        let role = match entry.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        message(role, &entry.text)
    });
    let body = json!({
        "model": request.model,
        "messages": system.chain(conversation).collect::<Vec<_>>(),
        "stream": true,
        "stream_options": { "include_usage": true },
        "max_tokens": request.max_output_tokens,
    });
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

fn message(role: &str, text: &str) -> Value {
    json!({ "role": role, "content": text })
}
