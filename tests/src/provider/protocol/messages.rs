//! Anthropic's Messages.

use super::{Event, Speech, list, text};
use crate::provider::exchange::SentMessage;
use crate::provider::passage::Passage;
use crate::provider::script::Call;
use serde_json::{Value, json};

/// An answer block by block.
#[derive(Default)]
pub(super) struct Messages {
    blocks: usize,
    open: Option<Kind>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Other,
}

impl Messages {
    /// Ends the block that is open, and begins another.
    fn block(&mut self, kind: Kind, block: &Value, events: &mut Vec<Event>) {
        self.close(events);
        let index = self.blocks;
        events.push(event(
            "content_block_start",
            json!({ "index": index, "content_block": block }),
        ));
        self.open = Some(kind);
    }

    fn close(&mut self, events: &mut Vec<Event>) {
        if self.open.take().is_some() {
            events.push(event("content_block_stop", json!({ "index": self.blocks })));
            self.blocks += 1;
        }
    }

    fn delta(&self, delta: &Value, events: &mut Vec<Event>) {
        events.push(event(
            "content_block_delta",
            json!({ "index": self.blocks, "delta": delta }),
        ));
    }
}

impl Speech for Messages {
    fn begin(&mut self) -> Vec<Event> {
        let message = json!({
            "id": "msg_scripted", "type": "message", "role": "assistant", "content": [], "stop_reason": null,
        });
        vec![
            event("message_start", json!({ "message": message })),
            event("ping", json!({})),
        ]
    }

    fn think(&mut self, text: &str, proof: &str) -> Vec<Event> {
        let mut events = Vec::new();
        let block = json!({ "type": "thinking", "thinking": "", "signature": "" });
        self.block(Kind::Other, &block, &mut events);
        self.delta(
            &json!({ "type": "thinking_delta", "thinking": text }),
            &mut events,
        );
        self.delta(
            &json!({ "type": "signature_delta", "signature": proof }),
            &mut events,
        );
        self.close(&mut events);
        events
    }

    fn say(&mut self, piece: &str) -> Vec<Event> {
        let mut events = Vec::new();
        if self.open != Some(Kind::Text) {
            self.block(Kind::Text, &json!({ "type": "text", "text": "" }), &mut events);
        }
        self.delta(&json!({ "type": "text_delta", "text": piece }), &mut events);
        events
    }

    fn call(&mut self, passage: &Passage<'_>, place: usize) -> Vec<Event> {
        let mut events = Vec::new();
        let name = &passage.calls[place].name;
        let block = json!({ "type": "tool_use", "id": passage.call_id(place), "name": name, "input": {} });
        self.block(Kind::Other, &block, &mut events);
        for piece in passage.argument_pieces(place) {
            let delta = json!({ "type": "input_json_delta", "partial_json": piece });
            self.delta(&delta, &mut events);
        }
        self.close(&mut events);
        events
    }

    fn finish(&mut self, passage: &Passage<'_>) -> Vec<Event> {
        let mut events = Vec::new();
        self.close(&mut events);
        let mut end = json!({ "delta": { "stop_reason": stop_reason(passage) } });
        if let Some(usage) = usage(passage) {
            end["usage"] = usage;
        }
        events.push(event("message_delta", end));
        events
    }

    fn done(&mut self) -> Vec<Event> {
        vec![event("message_stop", json!({}))]
    }
}

fn event(name: &'static str, mut data: Value) -> Event {
    data["type"] = json!(name);
    Event {
        name: Some(name),
        data: data.to_string(),
    }
}

pub(super) fn document(passage: &Passage<'_>) -> Value {
    let text = json!({ "type": "text", "text": passage.whole_text() });
    let calls = passage.calls.iter().enumerate().map(|(place, call)| {
        json!({
            "type": "tool_use", "id": passage.call_id(place), "name": call.name, "input": call.arguments,
        })
    });
    json!({
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "content": std::iter::once(text).chain(calls).collect::<Vec<_>>(),
        "stop_reason": stop_reason(passage),
        "usage": usage(passage),
    })
}

fn stop_reason<'a>(passage: &'a Passage<'_>) -> &'a str {
    match passage.finish_reason() {
        "stop" => "end_turn",
        "length" => "max_tokens",
        "tool_calls" => "tool_use",
        other => other,
    }
}

fn usage(passage: &Passage<'_>) -> Option<Value> {
    let usage = passage.script.usage;
    usage.map(|(input, output)| json!({ "input_tokens": input, "output_tokens": output }))
}

pub(super) fn error(kind: &str, message: &str) -> Value {
    json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_scripted" })
}

pub(super) fn failed(kind: &str, message: &str) -> Event {
    Event {
        name: Some("error"),
        data: error(kind, message).to_string(),
    }
}

/// The word for a status.
pub(super) fn kind_of(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        500..=599 => "api_error",
        _ => "invalid_request_error",
    }
}

/// Neighbours of one role are joined by the caller, so a block of an owner's message is a message of its own here, and a
/// result of a tool is one too.
pub(super) fn sent_messages(body: &Value) -> Vec<SentMessage> {
    let system = list(&body["system"]).iter();
    let mut messages: Vec<_> = system.map(|block| plain("system", block)).collect();
    for message in list(&body["messages"]) {
        let blocks = list(&message["content"]);
        if message["role"] == "assistant" {
            messages.push(spoken(blocks));
            continue;
        }
        messages.extend(blocks.iter().map(|block| match block["tool_use_id"].as_str() {
            Some(id) => SentMessage {
                role: "tool".to_owned(),
                text: text(&block["content"]),
                calls: Vec::new(),
                call_id: Some(id.to_owned()),
            },
            None => plain("user", block),
        }));
    }
    messages
}

fn plain(role: &str, block: &Value) -> SentMessage {
    SentMessage {
        role: role.to_owned(),
        text: text(&block["text"]),
        calls: Vec::new(),
        call_id: None,
    }
}

fn spoken(blocks: &[Value]) -> SentMessage {
    let calls = blocks.iter().filter(|block| block["type"] == "tool_use");
    SentMessage {
        role: "assistant".to_owned(),
        text: blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
        calls: calls
            .map(|block| {
                let call = Call {
                    name: text(&block["name"]),
                    arguments: block["input"].clone(),
                };
                (text(&block["id"]), call)
            })
            .collect(),
        call_id: None,
    }
}

pub(super) fn offered_tools(body: &Value) -> Vec<String> {
    if body["tool_choice"]["type"] == "none" {
        return Vec::new();
    }
    let tools = list(&body["tools"]).iter();
    tools
        .filter_map(|tool| tool["name"].as_str())
        .map(str::to_owned)
        .collect()
}
