//! What comes back from a model while it answers.

use crate::ModelFailure;
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::Usage;

/// One step of a model's answer. Exactly one `Finished` or `Failed` comes, and nothing comes after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelEvent {
    /// More of the answer's text. Never empty.
    Text(String),
    /// More of the model's reasoning. Never empty.
    Reasoning(String),
    /// The tokens that the provider counted. At most once, right before the end.
    Usage(Usage),
    /// The answer is complete.
    Finished(FinishReason),
    /// The answer is not complete and no more of it comes. Text that came before is still good.
    Failed(ModelFailure),
}
