//! What a tool is: a name, a schema, a policy, and one function that runs it through a [`Host`].
//!
//! A tool is one file with one type that implements [`Tool`]; registering it is one line of a [`Toolbox`]. It never
//! touches the platform itself: whatever it needs of the world, it asks of the host.

pub mod address;
mod arguments;
mod descriptor;
mod failure;
mod fetch;
mod host;
mod output;
pub mod page;
mod question;
mod toolbox;
mod tools;

pub use arguments::read_arguments;
pub use descriptor::{ActivityDescriptor, Approval, DEADLINE_MILLISECONDS, Repetition, ToolDescriptor};
pub use failure::ToolFailure;
pub use fetch::{FetchFailure, FetchRequest, Fetched};
pub use host::{Host, HostFuture, ask};
pub use output::{OUTPUT_CHARACTERS, bounded};
pub use question::{ConversationQuestion, Question};
pub use toolbox::{Toolbox, ToolboxError};
pub use tools::{WEB_INSTRUCTIONS, builtin};

use serde_json::Value;

/// A tool that a model may call.
pub trait Tool {
    /// What the model and the turn need to know of it. Always the same.
    fn descriptor(&self) -> ToolDescriptor;

    /// Runs one call. `arguments` is a JSON object and nothing else is known of it: the model wrote it.
    ///
    /// The future may be dropped at any await: at the tool's deadline, or when the owner stops the answer.
    ///
    /// # Errors
    /// When it could not do what it was asked; the failure goes to the model and to the owner.
    fn run<'a>(&'a self, arguments: Value, host: &'a dyn Host) -> HostFuture<'a, Result<Value, ToolFailure>>;
}
