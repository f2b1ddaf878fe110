//! What of a tool's reports the owner sees outside of its answer.

use flarebot_protocol::tool_activity::ActivityProgress;
use serde_json::Value;

/// What can be taken from a report whose tool says nothing of it: `done`, and `total` or `of`, each if it is a whole number
/// of at least 0. No text, since nobody has said that a text is safe to show.
#[must_use]
pub fn counts(report: &Value) -> ActivityProgress {
    let count = |name| report.get(name).and_then(Value::as_u64);
    ActivityProgress {
        text: None,
        done: count("done"),
        total: count("total").or_else(|| count("of")),
    }
}
