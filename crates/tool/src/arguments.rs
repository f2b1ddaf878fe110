//! Reads what the model wrote for a tool.

use crate::ToolFailure;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The most characters that a sentence repeats of what is wrong, since that may quote the arguments.
const REASON_CHARACTERS: usize = 200;

/// The arguments as a type of the tool's own, which should deny unknown fields: a model that invents one learns of it.
///
/// # Errors
/// [`ToolFailure::Arguments`] with the first thing that does not fit, in a sentence for the model.
pub fn read_arguments<Arguments: DeserializeOwned>(arguments: Value) -> Result<Arguments, ToolFailure> {
    serde_json::from_value(arguments).map_err(|error| {
        let reason = error.to_string();
        let reason = match reason.char_indices().nth(REASON_CHARACTERS) {
            Some((end, _)) => format!("{}…", reason.get(..end).unwrap_or_default()),
            None => reason,
        };
        ToolFailure::Arguments(format!(
            "The arguments do not fit this tool's schema: {reason}. Correct them and call it again."
        ))
    })
}
