//! Which tool calls that must not be repeated were begun, and what came of them.
//!
//! A row is written before such a call runs and settled with its result. A later instance that finds a settled row takes the
//! result; one that finds a row that was begun and not settled cannot know, and says so. The rows of a turn go with it.

use crate::ConversationError;
use crate::envelope::{Stored, seal, unseal};
use flarebot_protocol::RequestId;
use flarebot_sql::Sql;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a tool returned, or why it failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionResult {
    /// It returned this.
    Returned(Value),
    /// It failed, with a sentence for the model and the owner.
    Failed(String),
}

impl ActionResult {
    /// The result as it may be kept: what is longer than [`flarebot_tool::OUTPUT_CHARACTERS`] is cut, and says so.
    #[must_use]
    pub fn bounded(self) -> Self {
        match self {
            Self::Returned(value) => Self::Returned(flarebot_tool::bounded(value)),
            Self::Failed(sentence) => {
                let bounded = flarebot_tool::bounded(Value::String(sentence));
                Self::Failed(bounded.as_str().unwrap_or_default().to_owned())
            }
        }
    }
}

impl Stored for ActionResult {
    const WHAT: &'static str = "tool result";
}

/// Whether a call may run.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// It was never begun, and counts as begun from now on.
    Run,
    /// It was run, with this result.
    Settled(ActionResult),
    /// It was begun, and nothing is known of its end.
    Unknown,
}

/// Claims a call of a running turn.
///
/// # Errors
/// When the database refuses. The call must not run then.
pub fn claim(
    sql: &impl Sql,
    request_id: &RequestId,
    call_id: &str,
    tool: &str,
    now: i64,
) -> Result<Claim, ConversationError> {
    let key = [request_id.as_str().into(), call_id.into()];
    sql.transaction(|| {
        let rows = sql.exec(
            "SELECT result FROM action WHERE request_id = ? AND call_id = ?",
            &key,
        )?;
        let Some(row) = rows.first() else {
            sql.exec(
                "INSERT INTO action (request_id, call_id, tool, begun_at) VALUES (?, ?, ?, ?)",
                &[
                    request_id.as_str().into(),
                    call_id.into(),
                    tool.into(),
                    now.into(),
                ],
            )?;
            return Ok(Claim::Run);
        };
        Ok(match row.optional_text(0)? {
            Some(result) => Claim::Settled(unseal(result)?),
            None => Claim::Unknown,
        })
    })
}

/// Stores what came of a call that was claimed, [`ActionResult::bounded`]. A row that is settled, or gone with its turn,
/// stays as it is.
///
/// # Errors
/// When the database refuses.
pub fn settle(
    sql: &impl Sql,
    request_id: &RequestId,
    call_id: &str,
    result: &ActionResult,
) -> Result<(), ConversationError> {
    sql.exec(
        "UPDATE action SET result = ? WHERE request_id = ? AND call_id = ? AND result IS NULL",
        &[
            seal(&result.clone().bounded())?.into(),
            request_id.as_str().into(),
            call_id.into(),
        ],
    )?;
    Ok(())
}
