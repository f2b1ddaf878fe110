//! What comes back from a model while it answers.

use crate::{ModelFailure, Thought, ToolCall};
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::Usage;

/// One step of a model's answer. Exactly one `Finished` or `Failed` comes, and nothing comes after it.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// More of the answer's text. Never empty.
    Text(String),
    /// More of the model's reasoning. Never empty.
    Reasoning(String),
    /// A piece of thinking is finished, and its provider wants to see it again. Readers saw it as reasoning, if at all.
    Thought(Thought),
    /// The model begins to call a tool. The call itself follows, unless the answer fails or ends at a limit before.
    ToolCallStarted {
        /// The call, unique within this answer of the model.
        id: String,
        /// The tool.
        name: String,
    },
    /// A complete call, in the order in which the calls began. All of them come together, right before the end of an
    /// answer that is complete.
    ToolCall(ToolCall),
    /// The tokens that the provider counted. At most once, right before the end.
    Usage(Usage),
    /// The answer is complete.
    Finished(FinishReason),
    /// The answer is not complete and no more of it comes. Text that came before is still good.
    Failed(ModelFailure),
}
