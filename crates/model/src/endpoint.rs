//! The OpenAI-compatible endpoint that a deployment fixes with variables: read once, refused at start when malformed.

use crate::KeySlot;
use url::Url;

const MAXIMUM_BASE_URL_BYTES: usize = 2048;
const MAXIMUM_MODELS: usize = 32;
const MAXIMUM_MODEL_BYTES: usize = 128;
const MAXIMUM_KEY_BYTES: usize = 512;

/// An endpoint that speaks OpenAI's chat completions: Ollama, llama.cpp, vLLM, OpenRouter and many others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompatibleEndpoint {
    completions_url: String,
    default_model: String,
    models: Vec<String>,
    key: Option<KeySlot>,
    limit_field: LimitField,
}

/// What an endpoint calls the limit of an answer's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LimitField {
    /// As nearly all servers do.
    MaxTokens,
    /// As OpenAI's own servers demand for their newer models, and take for all.
    MaxCompletionTokens,
}

/// Why a deployment's endpoint is refused. The text names the variable and says what is expected; it never repeats a
/// value, since people put secrets in the wrong place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// Models without an endpoint.
    #[error("FLAREBOT_COMPATIBLE_BASE_URL is missing: set it, or remove FLAREBOT_COMPATIBLE_MODELS")]
    BaseUrlMissing,
    /// An endpoint without models.
    #[error("FLAREBOT_COMPATIBLE_MODELS is missing: set it, or remove FLAREBOT_COMPATIBLE_BASE_URL")]
    ModelsMissing,
    /// The base URL cannot be used.
    #[error(
        "FLAREBOT_COMPATIBLE_BASE_URL must be an absolute http or https URL without credentials, query or fragment, \
         for example http://127.0.0.1:8080/v1"
    )]
    BaseUrl,
    /// Too many models.
    #[error("FLAREBOT_COMPATIBLE_MODELS must hold 1 to 32 model names, separated by commas")]
    ModelCount,
    /// A model's name cannot be used.
    #[error(
        "FLAREBOT_COMPATIBLE_MODELS must hold model names of 1 to 128 printable ASCII characters without spaces, \
         separated by commas"
    )]
    ModelName,
    /// A model is listed twice.
    #[error("FLAREBOT_COMPATIBLE_MODELS must name each model once")]
    ModelRepeated,
    /// The key cannot be used.
    #[error("FLAREBOT_COMPATIBLE_KEY must be 1 to 512 printable ASCII characters without spaces")]
    Key,
}

impl CompatibleEndpoint {
    /// Reads `FLAREBOT_COMPATIBLE_BASE_URL` and `FLAREBOT_COMPATIBLE_MODELS` (comma-separated, the first is the
    /// default). A blank value counts as absent. Nothing when both are absent.
    ///
    /// # Errors
    /// When one of them is absent, or one is malformed.
    pub fn read(base_url: Option<&str>, models: Option<&str>) -> Result<Option<Self>, EndpointError> {
        match (present(base_url), present(models)) {
            (None, None) => Ok(None),
            (None, Some(_)) => Err(EndpointError::BaseUrlMissing),
            (Some(_), None) => Err(EndpointError::ModelsMissing),
            (Some(base_url), Some(models)) => {
                let (default_model, models) = read_models(models)?;
                let url = completions_url(base_url).ok_or(EndpointError::BaseUrl)?;
                Ok(Some(Self {
                    limit_field: LimitField::of(&url),
                    completions_url: url.into(),
                    default_model,
                    models,
                    key: None,
                }))
            }
        }
    }

    /// The same endpoint, asked with the key `FLAREBOT_COMPATIBLE_KEY`.
    #[must_use]
    pub fn with_key(self) -> Self {
        Self {
            key: Some(KeySlot::Compatible),
            ..self
        }
    }

    /// The models that may be chosen, in the deployment's order. Never empty.
    #[must_use]
    pub fn models(&self) -> &[String] {
        &self.models
    }

    /// The model that is used where none was chosen.
    #[must_use]
    pub fn default_model(&self) -> &str {
        &self.default_model
    }

    /// Where chat completions are asked for.
    #[must_use]
    pub fn completions_url(&self) -> &str {
        &self.completions_url
    }

    /// What the endpoint calls the limit of an answer's length. Its host tells.
    pub(crate) const fn limit_field(&self) -> &'static str {
        match self.limit_field {
            LimitField::MaxTokens => "max_tokens",
            LimitField::MaxCompletionTokens => "max_completion_tokens",
        }
    }

    /// The key that the endpoint wants, if any.
    #[must_use]
    pub fn key(&self) -> Option<KeySlot> {
        self.key
    }
}

impl LimitField {
    fn of(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default();
        if host == "api.openai.com" || host.ends_with(".openai.azure.com") {
            Self::MaxCompletionTokens
        } else {
            Self::MaxTokens
        }
    }
}

/// Whether `key` can be sent in a header: 1 to 512 printable ASCII characters without whitespace.
///
/// # Errors
/// [`EndpointError::Key`] when it cannot.
pub fn check_key(key: &str) -> Result<(), EndpointError> {
    if is_word(key, MAXIMUM_KEY_BYTES) {
        Ok(())
    } else {
        Err(EndpointError::Key)
    }
}

fn present(value: Option<&str>) -> Option<&str> {
    value.map(str::trim).filter(|value| !value.is_empty())
}

fn is_word(text: &str, maximum: usize) -> bool {
    (1..=maximum).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn read_models(text: &str) -> Result<(String, Vec<String>), EndpointError> {
    let mut models: Vec<String> = Vec::new();
    for name in text.split(',').map(str::trim) {
        if !is_word(name, MAXIMUM_MODEL_BYTES) {
            return Err(EndpointError::ModelName);
        }
        if models.iter().any(|known| known == name) {
            return Err(EndpointError::ModelRepeated);
        }
        models.push(name.to_owned());
    }
    if models.len() > MAXIMUM_MODELS {
        return Err(EndpointError::ModelCount);
    }
    let default_model = models.first().ok_or(EndpointError::ModelCount)?.clone();
    Ok((default_model, models))
}

fn completions_url(base: &str) -> Option<Url> {
    // The URL parser is a browser's: it drops tabs and line breaks, and reads `http:8080` as a host.
    if !is_word(base, MAXIMUM_BASE_URL_BYTES) || !base.contains("://") {
        return None;
    }
    let mut url = Url::parse(base).ok()?;
    let plain = matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if !plain {
        return None;
    }
    url.path_segments_mut()
        .ok()?
        .pop_if_empty()
        .extend(["chat", "completions"]);
    Some(url)
}
