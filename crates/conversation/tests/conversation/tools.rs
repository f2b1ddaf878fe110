//! Tools for tests: they say what may be shown of them, and are run by hand.

use crate::support::context;
use flarebot_conversation::history::History;
use flarebot_conversation::turn::TurnContext;
use flarebot_protocol::tool_activity::ActivityKind;
use flarebot_tool::{
    ActivityDescriptor, Approval, CallOutcome, DEADLINE_MILLISECONDS, Host, HostFuture, Repetition, Tool,
    ToolDescriptor, ToolFailure, Toolbox,
};
use serde_json::{Value, json};

/// A tool of a name and a policy.
struct Named(&'static str, Repetition, Approval);

impl Tool for Named {
    fn descriptor(&self) -> ToolDescriptor {
        let Self(name, repetition, approval) = *self;
        ToolDescriptor {
            name,
            description: "A tool.",
            parameters: json!({ "type": "object" }),
            repetition,
            approval,
            deadline_milliseconds: DEADLINE_MILLISECONDS,
            activity: match name {
                "look" => ActivityDescriptor::new(ActivityKind::Web, "Look at something"),
                _ => ActivityDescriptor::new(ActivityKind::Other, "Do something"),
            },
        }
    }

    fn run<'a>(&'a self, _: Value, _: &'a dyn Host) -> HostFuture<'a, Result<Value, ToolFailure>> {
        panic!("a test runs it by hand");
    }

    /// Of all that it is given, a number may be seen.
    fn summary(&self, arguments: &Value) -> Option<String> {
        Some(format!("Number {}", arguments.get("number")?.as_u64()?))
    }

    /// Something that it begins may go on without it.
    fn outcome(&self, output: &Value) -> CallOutcome {
        if output.get("goes_on").is_some() {
            CallOutcome::Pending
        } else {
            CallOutcome::of(output)
        }
    }
}

/// `act` changes something, `look` only reads, and `sign` asks the owner.
pub(crate) fn toolbox() -> Toolbox {
    Toolbox::default()
        .with(Named("act", Repetition::Never, Approval::NotNeeded))
        .with(Named("look", Repetition::Harmless, Approval::NotNeeded))
        .with(Named("sign", Repetition::Harmless, Approval::Needed))
}

pub(crate) fn tools_context(history: History) -> TurnContext {
    TurnContext {
        history,
        tools: toolbox().descriptors(),
        ..context()
    }
}
