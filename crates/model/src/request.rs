//! What is asked of a model, and the HTTP request that carries it, both without any secret.

use flarebot_protocol::message::Role;

/// One call of a model, in terms of no provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRequest {
    /// The model's name at its provider.
    pub model: String,
    /// Instructions that come before the conversation.
    pub system: Option<String>,
    /// The conversation, oldest first. Neighbours may have the same role.
    pub messages: Vec<ModelMessage>,
    /// The most tokens that the model may write; see [`crate::MAXIMUM_OUTPUT_TOKENS`].
    pub max_output_tokens: u32,
}

/// One message of the conversation as a model sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelMessage {
    /// Who wrote it.
    pub role: Role,
    /// Its text.
    pub text: String,
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

/// Names a key without holding it. Whoever sends the request looks the key up and adds its header at the last moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeySlot {
    /// The key of the OpenAI-compatible endpoint, `FLAREBOT_COMPATIBLE_KEY`.
    Compatible,
}

impl KeySlot {
    /// The header that carries `key` to this slot's provider: its name in lower case, and its value.
    #[must_use]
    pub fn header(self, key: &str) -> (&'static str, String) {
        match self {
            Self::Compatible => ("authorization", format!("Bearer {key}")),
        }
    }
}
