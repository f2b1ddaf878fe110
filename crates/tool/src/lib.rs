//! What a tool is: a name, a schema, a policy, and one function that runs it through a [`Host`].
//!
//! A tool is one file with one type that implements [`Tool`]; registering it is one line of a [`Toolbox`]. It never
//! touches the platform itself: whatever it needs of the world, it asks of the host. `docs/tools.md` writes one.

pub mod address;
mod arguments;
mod descriptor;
mod failure;
mod fetch;
mod host;
mod outcome;
mod output;
pub mod page;
mod progress;
mod question;
mod toolbox;
mod tools;

pub use arguments::read_arguments;
pub use descriptor::{ActivityDescriptor, Approval, DEADLINE_MILLISECONDS, Repetition, ToolDescriptor};
pub use failure::ToolFailure;
pub use fetch::{FetchFailure, FetchRequest, Fetched};
pub use host::{Host, HostFuture, ask};
pub use outcome::CallOutcome;
pub use output::{OUTPUT_CHARACTERS, bounded};
pub use progress::counts;
pub use question::{ConversationQuestion, Question};
pub use toolbox::{Toolbox, ToolboxError};
pub use tools::{WEB_INSTRUCTIONS, builtin};

use flarebot_protocol::tool_activity::ActivityProgress;
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

    /// What one call is about, in a few words that anybody may read who holds a session: scalars that this tool knows to be
    /// safe, such as a number or the name of a host. Never an argument as the model wrote it, an address, a text or a key.
    /// Nothing unless the tool says otherwise.
    ///
    /// `arguments` may not fit the schema. What is longer than
    /// [`ACTIVITY_TEXT_CHARACTERS`](flarebot_protocol::tool_activity::ACTIVITY_TEXT_CHARACTERS) is cut.
    fn summary(&self, arguments: &Value) -> Option<String> {
        let _ = arguments;
        None
    }

    /// What an output of this tool comes to: whether the owner reads that the call has worked. The model gets the output
    /// itself. `output` is what is kept of it ([`bounded`]), so a verdict belongs into a short output.
    fn outcome(&self, output: &Value) -> CallOutcome {
        CallOutcome::of(output)
    }

    /// What the owner sees of a report of this tool ([`Host::progress`]) beside the answer: counts and a text of the tool's
    /// own, nothing that a model or a page wrote. The counts alone unless the tool says otherwise.
    fn progress(&self, report: &Value) -> ActivityProgress {
        counts(report)
    }
}

// The code in the guide is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/tools.md")]
struct Guide;
