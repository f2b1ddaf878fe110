//! `OpenAI`'s chat completions.

use super::{Event, Speech, list, text};
use crate::provider::exchange::SentMessage;
use crate::provider::passage::Passage;
use crate::provider::script::Call;
use serde_json::{Value, json};

pub(super) struct Completions;

impl Speech for Completions {
    fn begin(&mut self) -> Vec<Event> {
        vec![choice(&json!({ "role": "assistant", "content": "" }), None)]
    }

    fn think(&mut self, text: &str, _: &str) -> Vec<Event> {
        vec![choice(&json!({ "reasoning_content": text }), None)]
    }

    fn say(&mut self, piece: &str) -> Vec<Event> {
        vec![choice(&json!({ "content": piece }), None)]
    }

    fn call(&mut self, passage: &Passage<'_>, place: usize) -> Vec<Event> {
        let mut call = sent(passage, place);
        call["index"] = json!(place);
        call["function"]["arguments"] = json!("");
        let first = json!({ "tool_calls": [call] });
        let pieces = passage
            .argument_pieces(place)
            .into_iter()
            .map(|piece| json!({ "tool_calls": [{ "index": place, "function": { "arguments": piece } }] }));
        std::iter::once(first)
            .chain(pieces)
            .map(|delta| choice(&delta, None))
            .collect()
    }

    fn finish(&mut self, passage: &Passage<'_>) -> Vec<Event> {
        let mut events = vec![choice(&json!({}), Some(passage.finish_reason()))];
        if let Some(usage) = usage(passage) {
            events.push(Event::unnamed(json!({
                "id": "scripted", "object": "chat.completion.chunk", "choices": [], "usage": usage,
            })));
        }
        events
    }

    fn done(&mut self) -> Vec<Event> {
        vec![Event::unnamed("[DONE]")]
    }
}

fn choice(delta: &Value, finish_reason: Option<&str>) -> Event {
    Event::unnamed(json!({
        "id": "scripted",
        "object": "chat.completion.chunk",
        "choices": [{ "index": 0, "delta": delta, "finish_reason": finish_reason }],
    }))
}

pub(super) fn document(passage: &Passage<'_>) -> Value {
    let mut message = json!({ "role": "assistant", "content": passage.whole_text() });
    if !passage.calls.is_empty() {
        let places = 0..passage.calls.len();
        message["tool_calls"] = places.map(|place| sent(passage, place)).collect();
    }
    let mut document = json!({
        "id": "scripted",
        "object": "chat.completion",
        "choices": [{ "index": 0, "message": message, "finish_reason": passage.finish_reason() }],
    });
    if let Some(usage) = usage(passage) {
        document["usage"] = usage;
    }
    document
}

pub(super) fn usage(passage: &Passage<'_>) -> Option<Value> {
    passage.script.usage.map(|(prompt, completion)| {
        json!({
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        })
    })
}

pub(super) fn error(message: &str, kind: &str, code: Option<u16>) -> Value {
    json!({ "error": { "message": message, "type": kind, "code": code } })
}

pub(super) fn too_long(message: &str) -> Value {
    json!({
        "error": { "message": message, "type": "invalid_request_error", "code": "context_length_exceeded" }
    })
}

fn sent(passage: &Passage<'_>, place: usize) -> Value {
    let call = &passage.calls[place];
    json!({
        "id": passage.call_id(place),
        "type": "function",
        "function": { "name": call.name, "arguments": call.arguments.to_string() },
    })
}

/// Content may be text or a list of text parts.
pub(super) fn sent_messages(body: &Value) -> Vec<SentMessage> {
    list(&body["messages"])
        .iter()
        .map(|message| SentMessage {
            role: text(&message["role"]),
            text: match &message["content"] {
                Value::String(text) => text.clone(),
                Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
                _ => String::new(),
            },
            calls: list(&message["tool_calls"]).iter().map(sent_call).collect(),
            call_id: message["tool_call_id"].as_str().map(str::to_owned),
        })
        .collect()
}

fn sent_call(call: &Value) -> (String, Call) {
    let function = &call["function"];
    // A caller may not send what is no JSON, and a test that looks sees that it did.
    let arguments = serde_json::from_str(&text(&function["arguments"])).unwrap_or(Value::Null);
    let name = text(&function["name"]);
    (text(&call["id"]), Call { name, arguments })
}

pub(super) fn offered_tools(body: &Value) -> Vec<String> {
    if body["tool_choice"] == "none" {
        return Vec::new();
    }
    let tools = list(&body["tools"]).iter();
    tools
        .filter_map(|tool| tool["function"]["name"].as_str())
        .map(str::to_owned)
        .collect()
}
