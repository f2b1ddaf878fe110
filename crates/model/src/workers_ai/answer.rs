//! An answer of Workers AI. Its models send chat completions, or a shape of their own, or both in one event: then the
//! same words stand there twice, and its own shape counts. What has its own shape is read as the completion that it
//! stands for.

use super::problem;
use crate::compatible;
use crate::compatible::answer::broken;
use crate::{ModelEvent, ModelFailure, decode, sse};
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::Usage;
use serde_json::{Map, Value, json};

/// An answer in either shape.
#[derive(Debug, Default)]
pub struct Answer {
    completion: compatible::Answer,
}

impl decode::Answer for Answer {
    fn event(
        &mut self,
        event: &sse::Event,
        events: &mut Vec<ModelEvent>,
    ) -> Result<Option<FinishReason>, ModelFailure> {
        let data = event.data.trim();
        if data.is_empty() {
            return Ok(None);
        }
        if data == "[DONE]" {
            // The own shape names no reason.
            return Ok(Some(self.completion.finish().unwrap_or(FinishReason::Stop)));
        }
        let chunk = serde_json::from_str::<Value>(data).ok();
        if self.completion.finish().is_none() {
            if event.name == "error" {
                return Err(problem::reported(chunk.as_ref().unwrap_or(&Value::Null)));
            }
            if let Some(chunk) = chunk.as_ref().filter(|chunk| is_error(chunk)) {
                return Err(problem::reported(chunk));
            }
        }
        let completion = chunk.and_then(|chunk| serde_json::from_value(as_completion(chunk, "delta")).ok());
        self.completion.take_completion(completion, events).map(|()| None)
    }

    fn document(&mut self, body: &[u8], events: &mut Vec<ModelEvent>) -> Result<FinishReason, ModelFailure> {
        let mut document: Value = serde_json::from_slice(body).map_err(|error| broken(&error))?;
        if is_error(&document) {
            return Err(problem::reported(&document));
        }
        if let Some(result) = document.get_mut("result") {
            document = result.take();
        }
        let completion = serde_json::from_value(as_completion(document, "message"));
        let reason = self
            .completion
            .take_document(completion.map_err(|error| broken(&error))?, events)?;
        Ok(match reason {
            FinishReason::Other => FinishReason::Stop,
            FinishReason::Stop
            | FinishReason::Length
            | FinishReason::ToolCalls
            | FinishReason::ContentFilter => reason,
        })
    }

    fn finish(&self) -> Option<FinishReason> {
        self.completion.finish()
    }

    fn settle(&mut self, events: &mut Vec<ModelEvent>) -> Result<bool, ModelFailure> {
        self.completion.settle(events)
    }

    fn usage(&self) -> Option<Usage> {
        self.completion.usage()
    }

    /// The binding throws what would have another status.
    fn refused(&self, status: u16, body: &[u8], retry_after_seconds: Option<u64>) -> ModelFailure {
        ModelFailure {
            status: Some(status),
            retry_after_seconds,
            ..problem::reported(&serde_json::from_slice(body).unwrap_or_default())
        }
    }
}

fn is_error(chunk: &Value) -> bool {
    let errors = chunk.get("errors").and_then(Value::as_array);
    chunk.get("error").is_some_and(|error| !error.is_null())
        || errors.is_some_and(|errors| !errors.is_empty())
        || chunk.get("success") == Some(&Value::Bool(false))
}

/// The completion that a chunk stands for, with its content under `place`.
fn as_completion(mut chunk: Value, place: &str) -> Value {
    let text = chunk.get("response").map(words).filter(|text| !text.is_empty());
    let calls = chunk.get_mut("tool_calls").map(Value::take);
    let calls = calls.filter(|calls| calls.as_array().is_some_and(|calls| !calls.is_empty()));
    let has_own_shape = chunk.get("response").is_some() || calls.is_some();
    if !has_own_shape {
        return chunk;
    }
    let mut choice = match chunk.get_mut("choices").and_then(|choices| choices.get_mut(0)) {
        Some(Value::Object(choice)) => std::mem::take(choice),
        _ => Map::new(),
    };
    let mut content = match choice.remove(place) {
        Some(Value::Object(content)) => content,
        _ => Map::new(),
    };
    if let Some(text) = text {
        content.insert("content".to_owned(), text.into());
    }
    if let Some(Value::Array(calls)) = calls {
        let calls: Vec<Value> = calls.into_iter().map(as_function).collect();
        content.insert("tool_calls".to_owned(), calls.into());
    }
    let reason = choice.get("finish_reason").filter(|reason| !reason.is_null());
    let reason = reason.or_else(|| chunk.get("finish_reason")).cloned();
    json!({
        "choices": [{ place: content, "finish_reason": reason }],
        "usage": chunk.get("usage"),
    })
}

/// The text of a response. Where the model wrote JSON, some models' answers hold the value instead of its text.
fn words(response: &Value) -> String {
    match response {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => response.to_string(),
    }
}

/// A call in the words of chat completions. The own shape has its name and arguments outside.
fn as_function(call: Value) -> Value {
    if call.get("function").is_some() {
        return call;
    }
    json!({
        "id": call.get("id"),
        "index": call.get("index"),
        "function": { "name": call.get("name"), "arguments": call.get("arguments") },
    })
}
