//! Forgets a fact, unless it changed meanwhile.

use super::{check_id, id_schema, unexpected, version_schema};
use crate::question::{MemoryAnswer, MemoryQuestion};
use flarebot_protocol::tool_activity::ActivityKind;
use flarebot_tool::{
    ActivityDescriptor, Approval, DEADLINE_MILLISECONDS, Host, HostFuture, Repetition, Tool, ToolDescriptor,
    ToolFailure, ask, read_arguments,
};
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) struct Forget;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    id: String,
    version: u32,
}

impl Tool for Forget {
    fn descriptor(&self) -> ToolDescriptor {
        ToolDescriptor {
            name: "forget",
            description: "Forgets a remembered fact for all conversations. Use it only when the owner asks you to.",
            parameters: json!({
                "type": "object",
                "properties": { "id": id_schema(), "version": version_schema() },
                "required": ["id", "version"],
                "additionalProperties": false,
            }),
            repetition: Repetition::Never,
            approval: Approval::NotNeeded,
            deadline_milliseconds: DEADLINE_MILLISECONDS,
            activity: ActivityDescriptor::new(ActivityKind::Memory, "Forget a fact"),
        }
    }

    fn run<'a>(&'a self, arguments: Value, host: &'a dyn Host) -> HostFuture<'a, Result<Value, ToolFailure>> {
        Box::pin(async move {
            let Arguments { id, version } = read_arguments(arguments)?;
            check_id(&id)?;
            match ask(host, &MemoryQuestion::Forget { id, version }).await? {
                MemoryAnswer::Forgotten => Ok(json!({ "forgotten": true })),
                MemoryAnswer::Remembered(_) | MemoryAnswer::Recalled(_) => Err(unexpected()),
            }
        })
    }
}
