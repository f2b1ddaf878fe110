//! The shape of a completion, whole or in pieces, with no more of it than is used.
//!
//! What an answer cannot do without is typed, so that a surprise there counts as malformed. Counted tokens and errors
//! differ too much between servers, so they are looked through instead.

use crate::{FailureKind, ModelFailure};
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::Usage;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub(super) struct Completion {
    object: Option<String>,
    error: Option<Value>,
    choices: Option<Vec<Choice>>,
    usage: Option<Value>,
}

/// One of the alternative answers. Only one is ever asked for.
#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    /// The next piece, in a stream. Some servers repeat the whole message beside it.
    pub(super) delta: Option<Content>,
    /// The whole answer, outside a stream.
    pub(super) message: Option<Content>,
    finish_reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Content {
    content: Option<String>,
    reasoning_content: Option<String>,
    reasoning: Option<String>,
    tool_calls: Option<Vec<SentPiece>>,
}

/// A piece of a call, or a whole one, as it was sent.
#[derive(Debug, Deserialize)]
pub(super) struct SentPiece {
    pub(super) index: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) function: Option<SentFunction>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct SentFunction {
    pub(super) name: Option<String>,
    /// JSON text, in pieces; some servers send the object itself.
    pub(super) arguments: Option<Value>,
}

/// What one piece of an answer holds, where there is any of it.
pub(super) struct Parts {
    pub(super) reasoning: Option<String>,
    pub(super) text: Option<String>,
    pub(super) calls: Vec<SentPiece>,
}

impl Completion {
    /// Whether it is an error instead of an answer: under `error`, or as the whole object.
    pub(super) fn is_error(&self) -> bool {
        self.error.is_some() || self.object.as_deref() == Some("error")
    }

    pub(super) fn choice(self) -> Option<Choice> {
        self.choices?.into_iter().next()
    }

    pub(super) fn usage(&self) -> Option<Usage> {
        let count = |name| self.usage.as_ref()?.get(name)?.as_u64();
        match (count("prompt_tokens"), count("completion_tokens")) {
            (None, None) => None,
            (input, output) => Some(Usage {
                input_tokens: input.unwrap_or_default(),
                output_tokens: output.unwrap_or_default(),
            }),
        }
    }
}

impl Choice {
    /// Why the model stopped, once it has. Some servers write an empty reason until then.
    ///
    /// # Errors
    /// When the reason is that the provider broke down.
    pub(super) fn finish(&self) -> Result<Option<FinishReason>, ModelFailure> {
        Ok(match self.finish_reason.as_deref() {
            None | Some("") => None,
            Some("stop") => Some(FinishReason::Stop),
            Some("length") => Some(FinishReason::Length),
            Some("tool_calls" | "function_call") => Some(FinishReason::ToolCalls),
            Some("content_filter") => Some(FinishReason::ContentFilter),
            Some("error") => return Err(ModelFailure::new(FailureKind::Unavailable)),
            Some(_) => Some(FinishReason::Other),
        })
    }
}

impl Content {
    /// Its parts. Servers that send both names of the reasoning repeat it.
    pub(super) fn into_parts(self) -> Parts {
        let filled = |text: &String| !text.is_empty();
        let reasoning = self.reasoning_content.filter(filled);
        Parts {
            reasoning: reasoning.or(self.reasoning.filter(filled)),
            text: self.content.filter(filled),
            calls: self.tool_calls.unwrap_or_default(),
        }
    }
}
