//! What is asked of a model, and the HTTP request that carries it, both without any secret.

use crate::Thought;
use serde_json::Value;

/// One call of a model, in terms of no provider.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// The model's name at its provider.
    pub model: String,
    /// Instructions that come before the conversation.
    pub system: Option<String>,
    /// The conversation, oldest first. Neighbours may have the same role.
    pub messages: Vec<ModelMessage>,
    /// The most tokens that the model may write; see [`crate::MAXIMUM_OUTPUT_TOKENS`].
    pub max_output_tokens: u32,
    /// The tools that the conversation knows of.
    pub tools: Vec<ToolDefinition>,
    /// Whether the model may call one now.
    pub tool_choice: ToolChoice,
}

/// One message of the conversation as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelMessage {
    /// The owner's.
    User {
        /// Its text.
        text: String,
    },
    /// The model's own. Each of its calls is answered by a [`Self::Tool`] that follows it.
    Assistant {
        /// Its text; may be empty beside calls.
        text: String,
        /// The tools that it called.
        calls: Vec<ToolCall>,
        /// What its provider wants to see again of its thinking, in order. Needed while the same answer goes on after
        /// calls; later it may be left out.
        thoughts: Vec<Thought>,
    },
    /// What a tool returned.
    Tool {
        /// The call that it answers.
        call_id: String,
        /// The tool.
        name: String,
        /// What it returned, as JSON or plain text.
        output: String,
    },
}

impl ModelMessage {
    /// What it costs of a model's context, in bytes of text and JSON.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::User { text } => text.len(),
            Self::Assistant {
                text,
                calls,
                thoughts,
            } => {
                let calls = calls
                    .iter()
                    .map(|call| call.name.len().saturating_add(call.arguments.to_string().len()));
                let thoughts = thoughts.iter().map(Thought::bytes);
                calls.chain(thoughts).fold(text.len(), usize::saturating_add)
            }
            Self::Tool { output, .. } => output.len(),
        }
    }
}

/// A tool that the model calls.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The call, unique within an answer.
    pub id: String,
    /// The tool.
    pub name: String,
    /// A JSON object.
    pub arguments: Value,
}

/// A tool as a model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub parameters: Value,
}

/// Whether a model may call tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// It decides.
    #[default]
    Automatic,
    /// It must answer without.
    None,
}

/// A `POST` that is ready to be sent, except for its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// An absolute http(s) URL. Redirects must not be followed: they could carry the key to another host.
    pub url: String,
    /// Names in lower case, with their values.
    pub headers: Vec<(&'static str, String)>,
    /// JSON.
    pub body: String,
    /// The key to add with [`KeySlot::header`]; nothing where the provider needs none.
    pub key: Option<KeySlot>,
}

/// A run of the Worker's AI binding, which needs no key.
#[derive(Debug, Clone, PartialEq)]
pub struct BindingRequest {
    /// The model's name.
    pub model: String,
    /// The binding's input. It asks for a stream.
    pub input: Value,
}

/// Names a key without holding it. Whoever sends the request looks the key up and adds its header at the last moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeySlot {
    /// The key of the OpenAI-compatible endpoint, `FLAREBOT_COMPATIBLE_KEY`.
    Compatible,
    /// The owner's key for Anthropic.
    Anthropic,
}

impl KeySlot {
    /// Its name, which a sealed key is bound to.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compatible => "openai-compatible",
            Self::Anthropic => "anthropic",
        }
    }

    /// The header that carries `key` to this slot's provider: its name in lower case, and its value.
    #[must_use]
    pub fn header(self, key: &str) -> (&'static str, String) {
        match self {
            Self::Compatible => ("authorization", format!("Bearer {key}")),
            Self::Anthropic => ("x-api-key", key.to_owned()),
        }
    }
}
