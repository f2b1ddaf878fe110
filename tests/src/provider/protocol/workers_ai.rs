//! What a model of Workers AI returns through the binding. Requests are put as chat completions.

use super::completions::usage;
use super::{Event, Speech};
use crate::provider::passage::Passage;
use serde_json::{Value, json};

/// An answer in the shape of Workers AI's own.
pub(super) struct WorkersAi {
    shape: Shape,
}

/// What one event holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A response.
    Own,
    /// A response, and the same words as a chat completion.
    Both,
}

impl WorkersAi {
    pub(super) fn of(model: &str) -> Self {
        let shape = if model.contains("llama-4") {
            Shape::Both
        } else {
            Shape::Own
        };
        Self { shape }
    }
}

impl Speech for WorkersAi {
    fn begin(&mut self) -> Vec<Event> {
        Vec::new()
    }

    fn think(&mut self, _: &str, _: &str) -> Vec<Event> {
        Vec::new()
    }

    fn say(&mut self, piece: &str) -> Vec<Event> {
        let mut event = json!({ "response": piece, "p": "abdefgh" });
        if self.shape == Shape::Both {
            event["choices"] = json!([{ "index": 0, "delta": { "content": piece }, "finish_reason": null }]);
        }
        vec![Event::unnamed(event)]
    }

    /// A call comes whole and has no id.
    fn call(&mut self, passage: &Passage<'_>, place: usize) -> Vec<Event> {
        vec![Event::unnamed(
            json!({ "response": "", "tool_calls": [call(passage, place)] }),
        )]
    }

    fn finish(&mut self, passage: &Passage<'_>) -> Vec<Event> {
        let mut event = json!({ "response": "" });
        if let Some(usage) = usage(passage) {
            event["usage"] = usage;
        }
        if self.shape == Shape::Both {
            event["choices"] = json!([{ "index": 0, "delta": {}, "finish_reason": passage.finish_reason() }]);
        }
        vec![Event::unnamed(event)]
    }

    fn done(&mut self) -> Vec<Event> {
        vec![Event::unnamed("[DONE]")]
    }
}

fn call(passage: &Passage<'_>, place: usize) -> Value {
    let call = &passage.calls[place];
    json!({ "name": call.name, "arguments": call.arguments })
}

pub(super) fn document(passage: &Passage<'_>) -> Value {
    let calls = 0..passage.calls.len();
    json!({
        "response": passage.whole_text(),
        "tool_calls": calls.map(|place| call(passage, place)).collect::<Vec<_>>(),
        "usage": usage(passage),
    })
}

pub(super) fn failed(code: u16, message: &str) -> Event {
    Event::unnamed(json!({ "errors": [{ "code": code, "message": message }], "success": false }))
}

/// The message of the error that is thrown where others answer with this status.
pub(super) fn thrown(status: u16, complaint: &str) -> String {
    let number = match status {
        401 => 10_000,
        402 => 4006,
        403 => 5018,
        404 => 5007,
        408 => 3007,
        429 => 3040,
        400..=499 => 3003,
        _ => 3008,
    };
    format!("{number}: {complaint}")
}
