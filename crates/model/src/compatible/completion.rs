//! The shape of a completion, whole or in pieces, with no more of it than is used.
//!
//! What an answer cannot do without is typed, so that a surprise there counts as malformed. Counted tokens and errors
//! differ too much between servers, so they are looked through instead.

use crate::calls::Piece;
use crate::{FailureKind, ModelFailure};
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::Usage;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub(crate) struct Completion {
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
    content: Option<Value>,
    reasoning_content: Option<Value>,
    reasoning: Option<Value>,
    reasoning_text: Option<Value>,
    tool_calls: Option<Vec<SentPiece>>,
    /// The only call, as servers sent it before there were several.
    function_call: Option<SentFunction>,
}

/// A piece of a call, or a whole one, as it was sent.
#[derive(Debug, Deserialize)]
struct SentPiece {
    index: Option<u64>,
    id: Option<String>,
    function: Option<SentFunction>,
    extra_content: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
struct SentFunction {
    name: Option<String>,
    /// JSON text, in pieces; some servers send the object itself.
    arguments: Option<Value>,
}

/// What one piece of an answer holds, where there is any of it.
pub(super) struct Parts {
    pub(super) reasoning: Option<String>,
    pub(super) text: Option<String>,
    pub(super) calls: Vec<Piece>,
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
                cache_read_tokens: self.cached_tokens().unwrap_or_default(),
                cache_write_tokens: 0,
            }),
        }
    }

    /// The tokens of the prompt that the server had kept, where it says so.
    fn cached_tokens(&self) -> Option<u64> {
        let usage = self.usage.as_ref()?;
        let details = usage.get("prompt_tokens_details");
        let cached = details.and_then(|details| details.get("cached_tokens"));
        cached.or_else(|| usage.get("prompt_cache_hit_tokens"))?.as_u64()
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
    /// Its parts. Servers that send several names of the reasoning repeat it.
    pub(super) fn into_parts(self) -> Parts {
        let (text, thought) = self.content.as_ref().map(read_content).unwrap_or_default();
        let named = [self.reasoning_content, self.reasoning, self.reasoning_text];
        let named = named.iter().flatten().filter_map(Value::as_str);
        let reasoning = named.chain([thought.as_str()]).find(|text| !text.is_empty());
        let calls = match (self.tool_calls, self.function_call) {
            (Some(calls), _) if !calls.is_empty() => calls,
            (_, Some(function)) => vec![SentPiece {
                index: None,
                id: None,
                function: Some(function),
                extra_content: None,
            }],
            (_, None) => Vec::new(),
        };
        Parts {
            reasoning: reasoning.map(str::to_owned),
            text: Some(text).filter(|text| !text.is_empty()),
            calls: (0..)
                .zip(calls)
                .map(|(place, sent)| sent.into_piece(place))
                .collect(),
        }
    }
}

impl SentPiece {
    fn into_piece(self, place: u64) -> Piece {
        let function = self.function.unwrap_or_default();
        let signature = self.extra_content.as_ref().and_then(|extra| {
            let signature = extra.get("google")?.get("thought_signature")?;
            signature.as_str().map(str::to_owned)
        });
        Piece {
            index: self.index.unwrap_or(place),
            id: self.id.filter(|id| !id.is_empty()),
            name: function.name.unwrap_or_default(),
            arguments: match function.arguments {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(text)) => text,
                Some(value) => value.to_string(),
            },
            signature,
        }
    }
}

/// The text of a content, and the reasoning that some servers put into it: a bare text, or a list of typed parts.
fn read_content(content: &Value) -> (String, String) {
    let (mut text, mut thought) = (String::new(), String::new());
    match content {
        Value::String(whole) => text.push_str(whole),
        Value::Array(parts) => {
            for part in parts {
                if let Some(piece) = part.get("text").and_then(Value::as_str) {
                    text.push_str(piece);
                } else if let Some(thinking) = part.get("thinking") {
                    match thinking.as_str() {
                        Some(piece) => thought.push_str(piece),
                        None => thought.push_str(&read_content(thinking).0),
                    }
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
    }
    (text, thought)
}
