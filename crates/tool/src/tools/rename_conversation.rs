//! Lets the model give the conversation a name.

use crate::{
    ActivityDescriptor, Approval, ConversationQuestion, DEADLINE_MILLISECONDS, Host, HostFuture, Repetition,
    Tool, ToolDescriptor, ToolFailure, ask, read_arguments,
};
use flarebot_protocol::tool_activity::ActivityKind;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) struct RenameConversation;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: String,
}

impl Tool for RenameConversation {
    fn descriptor(&self) -> ToolDescriptor {
        ToolDescriptor {
            name: "rename_conversation",
            description: "Renames this conversation. Use it only when the owner asks for another name.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "name": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 120,
                        "description": "The new name: one line, not blank.",
                    },
                },
                "required": ["name"],
                "additionalProperties": false,
            }),
            repetition: Repetition::Never,
            approval: Approval::NotNeeded,
            deadline_milliseconds: DEADLINE_MILLISECONDS,
            activity: ActivityDescriptor::new(ActivityKind::Conversation, "Rename the conversation"),
        }
    }

    fn run<'a>(&'a self, arguments: Value, host: &'a dyn Host) -> HostFuture<'a, Result<Value, ToolFailure>> {
        Box::pin(async move {
            let Arguments { name } = read_arguments(arguments)?;
            // What a name may be is the agent's to know.
            let name = ask(host, &ConversationQuestion::Rename(name)).await?;
            Ok(json!({ "name": name }))
        })
    }
}
