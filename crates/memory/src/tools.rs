//! The tools with which a model uses memory.

mod forget;
mod recall;
mod remember;
mod update_memory;

use crate::fact::{self, FactId};
use flarebot_protocol::memory::Fact;
use flarebot_tool::{ToolFailure, Toolbox};
use forget::Forget;
use recall::Recall;
use remember::Remember;
use serde_json::{Value, json};
use update_memory::UpdateMemory;

/// These tools and the four of memory.
#[must_use]
pub fn with_tools(toolbox: Toolbox) -> Toolbox {
    toolbox
        .with(Remember)
        .with(Recall)
        .with(UpdateMemory)
        .with(Forget)
}

/// A fact as a model sees it: with what a change of it needs.
fn told(fact: &Fact) -> Value {
    json!({ "id": fact.id, "version": fact.version, "updatedAt": fact.updated_at, "content": fact.content })
}

/// What the model is asked for where a fact is named.
fn id_schema() -> Value {
    json!({
        "type": "string",
        "description": "The fact's id, as it was given to you or as recall returns it.",
    })
}

fn version_schema() -> Value {
    json!({
        "type": "integer",
        "minimum": 1,
        "description": "The version of the fact that you have seen.",
    })
}

fn content_schema() -> Value {
    json!({
        "type": "string",
        "minLength": 1,
        "maxLength": 1000,
        "description": "One fact in a sentence that is clear without this conversation.",
    })
}

fn check_content(content: &str) -> Result<(), ToolFailure> {
    fact::check(content).map_err(|refused| ToolFailure::Arguments(refused.to_string()))
}

fn check_id(id: &str) -> Result<(), ToolFailure> {
    id.parse::<FactId>().map(|_| ()).map_err(|_| {
        ToolFailure::Arguments(
            "This is not the id of a fact. Recall the fact and use the id that it has.".to_owned(),
        )
    })
}

fn unexpected() -> ToolFailure {
    ToolFailure::Failed("Memory gave another answer than was asked for. Recall what there is.".to_owned())
}
