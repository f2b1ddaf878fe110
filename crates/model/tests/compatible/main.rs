//! The chat completions codec: what is sent, and what the answers of real and broken servers become.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop where it finds something wrong"
)]

mod answers;
mod any_calls;
mod calls;
mod failures;
mod recorded;
mod request;
#[path = "../support/mod.rs"]
mod support;
mod unusual_calls;

use flarebot_model::ModelEvent;
use flarebot_model::compatible::Decoder;
use support::{answer, failed, is_terminal};

/// The last piece of an answer that ends by itself.
const STOP: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;

fn streamed(stream: &str) -> Vec<ModelEvent> {
    answer(
        Decoder::new(200, Some("text/event-stream"), None),
        [stream.as_bytes()],
    )
}

fn document(body: &str) -> Vec<ModelEvent> {
    answer(
        Decoder::new(200, Some("application/json; charset=utf-8"), None),
        [body.as_bytes()],
    )
}

fn events_of(data: &[&str]) -> String {
    data.iter().map(|data| format!("data: {data}\n\n")).collect()
}

fn piece(text: &str) -> String {
    serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": null }] })
        .to_string()
}

fn text(text: &str) -> ModelEvent {
    ModelEvent::Text(text.to_owned())
}

fn is_call(event: &ModelEvent) -> bool {
    matches!(event, ModelEvent::ToolCall(_))
}
