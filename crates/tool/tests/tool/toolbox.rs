//! How tools are kept and found.

use super::{FakeHost, finished};
use flarebot_protocol::tool_activity::ActivityKind;
use flarebot_tool::{
    ActivityDescriptor, Approval, Host, HostFuture, Repetition, Tool, ToolDescriptor, ToolFailure, Toolbox,
    ToolboxError, builtin,
};
use serde_json::{Value, json};

/// A tool that answers with its arguments.
struct Echo {
    name: &'static str,
    parameters: Value,
    deadline_milliseconds: i64,
}

fn echo(name: &'static str) -> Echo {
    Echo {
        name,
        parameters: json!({ "type": "object" }),
        deadline_milliseconds: 1,
    }
}

impl Tool for Echo {
    fn descriptor(&self) -> ToolDescriptor {
        ToolDescriptor {
            name: self.name,
            description: "Answers with its arguments.",
            parameters: self.parameters.clone(),
            repetition: Repetition::Harmless,
            approval: Approval::NotNeeded,
            deadline_milliseconds: self.deadline_milliseconds,
            activity: ActivityDescriptor::new(ActivityKind::Other, "Test"),
        }
    }

    fn run<'a>(&'a self, arguments: Value, _: &'a dyn Host) -> HostFuture<'a, Result<Value, ToolFailure>> {
        Box::pin(async move { Ok(arguments) })
    }
}

fn checked(tool: Echo) -> Result<(), ToolboxError> {
    Toolbox::default().with(tool).check()
}

#[test]
fn the_tools_that_every_conversation_has_are_in_order() {
    assert_eq!(builtin().check(), Ok(()));
    assert_eq!(
        format!("{:?}", builtin()),
        r#"["current_time", "rename_conversation", "read_url"]"#
    );
}

#[test]
fn a_tool_that_was_added_is_offered_and_found_by_its_name() {
    let toolbox = builtin().with(echo("echo"));
    assert_eq!(toolbox.check(), Ok(()));
    assert_eq!(toolbox.descriptors().last().map(|tool| tool.name), Some("echo"));
    let tool = toolbox.find("echo").unwrap();
    assert_eq!(
        finished(tool.run(json!({ "a": 1 }), &FakeHost::at(0))),
        Ok(json!({ "a": 1 }))
    );
    assert!(toolbox.find("Echo").is_none());
    assert!(toolbox.find("").is_none());
}

#[test]
fn names_are_of_the_form_that_every_provider_takes() {
    const LONGEST: &str = "a234567890123456789012345678901234567890123456789012345678901234";
    const TOO_LONG: &str = "a2345678901234567890123456789012345678901234567890123456789012345";
    for name in ["a", "echo_2", LONGEST] {
        assert_eq!(checked(echo(name)), Ok(()));
    }
    for name in [
        "",
        "Echo",
        "2echo",
        "_echo",
        "echo-2",
        "echo tool",
        "größe",
        TOO_LONG,
    ] {
        assert_eq!(checked(echo(name)), Err(ToolboxError::Name(name)));
    }
}

#[test]
fn what_is_wrong_with_a_tool_is_said() {
    assert_eq!(
        builtin().with(echo("current_time")).check(),
        Err(ToolboxError::NameTaken("current_time"))
    );
    for parameters in [json!({}), json!({ "type": "string" }), Value::Null] {
        let tool = Echo {
            parameters,
            ..echo("echo")
        };
        assert_eq!(checked(tool), Err(ToolboxError::Parameters("echo")));
    }
    let tool = Echo {
        deadline_milliseconds: 0,
        ..echo("echo")
    };
    assert_eq!(checked(tool), Err(ToolboxError::Deadline("echo")));
}
