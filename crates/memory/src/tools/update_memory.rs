//! Changes a fact, unless somebody else changed it meanwhile.

use super::{check_content, check_id, content_schema, id_schema, told, unexpected, version_schema};
use crate::question::{MemoryAnswer, MemoryQuestion};
use flarebot_protocol::tool_activity::ActivityKind;
use flarebot_tool::{
    ActivityDescriptor, Approval, DEADLINE_MILLISECONDS, Host, HostFuture, Repetition, Tool, ToolDescriptor,
    ToolFailure, ask, read_arguments,
};
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) struct UpdateMemory;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: String,
    content: String,
    version: u32,
}

impl Tool for UpdateMemory {
    fn descriptor(&self) -> ToolDescriptor {
        ToolDescriptor {
            name: "update_memory",
            description: "Replaces the text of a remembered fact. Use it when the owner corrects one or tells you that it \
                          changed, instead of remembering a second one.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "id": id_schema(),
                    "content": content_schema(),
                    "version": version_schema(),
                },
                "required": ["id", "content", "version"],
                "additionalProperties": false,
            }),
            repetition: Repetition::Never,
            approval: Approval::NotNeeded,
            deadline_milliseconds: DEADLINE_MILLISECONDS,
            activity: ActivityDescriptor::new(ActivityKind::Memory, "Change a fact"),
        }
    }

    fn run<'a>(&'a self, arguments: Value, host: &'a dyn Host) -> HostFuture<'a, Result<Value, ToolFailure>> {
        Box::pin(async move {
            let Arguments { id, content, version } = read_arguments(arguments)?;
            check_id(&id)?;
            check_content(&content)?;
            match ask(host, &MemoryQuestion::Update { id, content, version }).await? {
                MemoryAnswer::Remembered(fact) => Ok(json!({ "remembered": told(&fact) })),
                MemoryAnswer::Recalled(_) | MemoryAnswer::Forgotten => Err(unexpected()),
            }
        })
    }
}
