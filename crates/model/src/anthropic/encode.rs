//! A request in the words of the Messages API.
//!
//! The API wants alternating roles, no empty text, every result of a tool before other words of the owner, and ids and
//! names of few characters. Thoughts go back where they stood, to the model that had them and to no other.

use crate::catalog::{self, Thinking};
use crate::{
    HttpRequest, KeySlot, ModelMessage, ModelRequest, Provider, Thought, ThoughtContent, ToolCall,
    ToolChoice, ToolDefinition,
};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// The one address that is ever asked.
pub const ENDPOINT: &str = "https://api.anthropic.com/v1/messages";

/// The version of the API that this codec is written for.
const VERSION: &str = "2023-06-01";

/// The HTTP request that asks for a streamed answer.
#[must_use]
pub fn encode(request: &ModelRequest) -> HttpRequest {
    let mut body = Map::new();
    body.insert("model".to_owned(), request.model.as_str().into());
    body.insert("max_tokens".to_owned(), request.max_output_tokens.into());
    body.insert("stream".to_owned(), true.into());
    if let Some(system) = request.system.as_deref().filter(|text| !text.trim().is_empty()) {
        body.insert(
            "system".to_owned(),
            json!([kept(json!({ "type": "text", "text": system }))]),
        );
    }
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), tools(&request.tools));
        if request.tool_choice == ToolChoice::None {
            body.insert("tool_choice".to_owned(), json!({ "type": "none" }));
        }
    }
    if catalog::thinking(Provider::Anthropic, &request.model) == Thinking::Adaptive {
        // Without this the thinking is there but cannot be read. Little effort, since thinking counts as output and
        // output is bounded.
        body.insert(
            "thinking".to_owned(),
            json!({ "type": "adaptive", "display": "summarized" }),
        );
        body.insert("output_config".to_owned(), json!({ "effort": "low" }));
    }
    body.insert("messages".to_owned(), messages(request).into());
    HttpRequest {
        url: ENDPOINT.to_owned(),
        headers: vec![
            ("content-type", "application/json".to_owned()),
            ("accept", "text/event-stream".to_owned()),
            ("anthropic-version", VERSION.to_owned()),
        ],
        body: Value::Object(body).to_string(),
        key: Some(KeySlot::Anthropic),
    }
}

/// Marks the end of a beginning that stays the same from call to call, for the provider to keep: tools come first, then
/// the instructions, so the second mark holds both and the first survives a change of the instructions.
fn kept(mut block: Value) -> Value {
    if let Some(block) = block.as_object_mut() {
        block.insert("cache_control".to_owned(), json!({ "type": "ephemeral" }));
    }
    block
}

fn tools(tools: &[ToolDefinition]) -> Value {
    let mut tools: Vec<Value> = tools
        .iter()
        .map(|tool| {
            json!({
                "name": wire_word(&tool.name),
                "description": tool.description,
                "input_schema": tool.parameters,
            })
        })
        .collect();
    if let Some(last) = tools.pop() {
        tools.push(kept(last));
    }
    tools.into()
}

/// The messages with alternating roles. One that says nothing is left out.
fn messages(request: &ModelRequest) -> Vec<Value> {
    let mut merged: Vec<(&'static str, Vec<Value>)> = Vec::new();
    for message in &request.messages {
        let (role, blocks) = blocks(message, &request.model);
        match merged.last_mut() {
            Some((last, before)) if *last == role => before.extend(blocks),
            _ if blocks.is_empty() => {}
            _ => merged.push((role, blocks)),
        }
    }
    let message = |(role, blocks)| json!({ "role": role, "content": blocks });
    merged.into_iter().map(message).collect()
}

fn blocks(message: &ModelMessage, model: &str) -> (&'static str, Vec<Value>) {
    match message {
        ModelMessage::User { text } => ("user", text_block(text).into_iter().collect()),
        ModelMessage::Assistant {
            text,
            calls,
            thoughts,
        } => ("assistant", spoken(text, calls, thoughts, model)),
        ModelMessage::Tool { call_id, output, .. } => {
            let mut block = json!({ "type": "tool_result", "tool_use_id": wire_word(call_id) });
            if let (Some(block), false) = (block.as_object_mut(), output.trim().is_empty()) {
                block.insert("content".to_owned(), output.as_str().into());
            }
            ("user", vec![block])
        }
    }
}

/// What the model said, with its thoughts where they stood.
fn spoken(text: &str, calls: &[ToolCall], thoughts: &[Thought], model: &str) -> Vec<Value> {
    let mut blocks = Vec::new();
    let (mut text, mut text_done) = (text, 0_usize);
    let mut calls = calls.iter().enumerate().peekable();
    for thought in thoughts.iter().filter(|thought| thought.model == model) {
        let Some(block) = thought_block(&thought.content) else {
            continue;
        };
        let (before, after) = text.split_at(floor(text, thought.text_before.saturating_sub(text_done)));
        blocks.extend(text_block(before));
        (text, text_done) = (after, text_done + before.len());
        while let Some((_, call)) = calls.next_if(|(number, _)| *number < thought.calls_before) {
            blocks.push(call_block(call));
        }
        blocks.push(block);
    }
    blocks.extend(text_block(text));
    blocks.extend(calls.map(|(_, call)| call_block(call)));
    blocks
}

/// The last border between characters at or before this byte.
fn floor(text: &str, byte: usize) -> usize {
    (0..=byte.min(text.len()))
        .rev()
        .find(|byte| text.is_char_boundary(*byte))
        .unwrap_or_default()
}

fn text_block(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }))
}

fn call_block(call: &ToolCall) -> Value {
    json!({
        "type": "tool_use",
        "id": wire_word(&call.id),
        "name": wire_word(&call.name),
        "input": call.arguments,
    })
}

fn thought_block(content: &ThoughtContent) -> Option<Value> {
    match content {
        ThoughtContent::Thinking { text, signature } if !signature.is_empty() => {
            Some(json!({ "type": "thinking", "thinking": text, "signature": signature }))
        }
        ThoughtContent::Redacted { data } => Some(json!({ "type": "redacted_thinking", "data": data })),
        // A thought without its proof is refused.
        ThoughtContent::Thinking { .. } | ThoughtContent::CallSignature { .. } => None,
    }
}

/// An id or a name as the API takes it: letters, digits, `_` and `-`. Another provider may have used more; its words
/// are spelled out, so that different ones stay different.
fn wire_word(word: &str) -> String {
    let mut wire = String::with_capacity(word.len());
    for character in word.chars() {
        if character.is_ascii_alphanumeric() || matches!(character, '_' | '-') {
            wire.push(character);
        } else {
            // Writing to a text cannot fail.
            let _ = write!(wire, "-{:x}-", u32::from(character));
        }
    }
    if wire.is_empty() { "_".to_owned() } else { wire }
}
