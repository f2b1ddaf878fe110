//! What an output comes to, for the owner's eyes: a tool may return something that says that it has not worked.

use serde_json::Value;

/// What a call that returned has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// It did what it was asked.
    Succeeded,
    /// It returned, and what it returned says that it did not.
    Failed,
    /// It has begun something that goes on without the call, and whose end is told later.
    Pending,
}

impl CallOutcome {
    /// What an output comes to whose tool says nothing of it: an object with `"ok": false` has failed, and so has one with
    /// an `error` that is not `null` or `false`, unless it has `"ok": true`. Anything else has succeeded.
    #[must_use]
    pub fn of(output: &Value) -> Self {
        let failed = match output.get("ok") {
            Some(Value::Bool(ok)) => !ok,
            Some(_) | None => output
                .get("error")
                .is_some_and(|error| !matches!(error, Value::Null | Value::Bool(false))),
        };
        if failed { Self::Failed } else { Self::Succeeded }
    }
}
