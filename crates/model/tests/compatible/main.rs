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
mod unusual_calls;

use flarebot_model::compatible::Decoder;
use flarebot_model::{FailureKind, ModelEvent, ModelFailure};

/// The last piece of an answer that ends by itself.
const STOP: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;

fn answer<'a>(decoder: Decoder, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<ModelEvent> {
    let mut decoder = decoder;
    let mut events: Vec<ModelEvent> = pieces.into_iter().flat_map(|piece| decoder.push(piece)).collect();
    events.extend(decoder.end());
    events
}

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

fn failed(kind: FailureKind) -> ModelEvent {
    ModelEvent::Failed(ModelFailure::new(kind))
}

fn is_terminal(event: &ModelEvent) -> bool {
    matches!(event, ModelEvent::Finished(_) | ModelEvent::Failed(_))
}

fn is_call(event: &ModelEvent) -> bool {
    matches!(event, ModelEvent::ToolCall(_))
}
