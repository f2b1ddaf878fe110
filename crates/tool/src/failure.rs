//! Why a tool could not do what it was asked.

/// A failure in one sentence. The model reads it and may try something else; the owner may read it too. It never holds a
/// secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolFailure {
    /// The arguments are not what the tool takes.
    #[error("{0}")]
    Arguments(String),
    /// The arguments are fine, but it could not be done.
    #[error("{0}")]
    Failed(String),
}
