//! What there is to be read of a call: what went in, and what came out.

use flarebot_protocol::message::ToolState;
use serde_json::Value;

/// What there is to be read of a call, each with its heading.
pub(super) fn entries(state: &ToolState) -> Vec<(&'static str, String)> {
    let input = state.input().filter(|input| !is_empty(input));
    let input = input.map(|input| ("Input", text(input)));
    let output = match state {
        ToolState::InputStreaming
        | ToolState::InputAvailable { .. }
        | ToolState::ApprovalRequested { .. } => None,
        ToolState::ApprovalResponded { approval, .. } | ToolState::OutputDenied { approval, .. } => {
            approval.reason.clone().map(|reason| ("Reason", reason))
        }
        ToolState::OutputAvailable { output, .. } if state.is_settled() => Some(("Output", text(output))),
        ToolState::OutputAvailable { output, .. } => Some(("So far", text(output))),
        ToolState::OutputError { error_text, .. } => Some(("Error", error_text.clone())),
    };
    input.into_iter().chain(output).collect()
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty)
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            serde_json::to_string_pretty(value).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flarebot_protocol::message::Approval;
    use serde_json::json;

    fn returned(preliminary: Option<bool>) -> ToolState {
        ToolState::OutputAvailable {
            input: json!({"zone": "UTC"}),
            output: json!(1),
            preliminary,
        }
    }

    #[test]
    fn an_input_that_says_nothing_is_left_out() {
        let headings = |state: ToolState| {
            let entries = entries(&state).into_iter();
            entries.map(|(heading, _)| heading).collect::<Vec<_>>()
        };
        let nothing: [&str; 0] = [];
        assert_eq!(headings(ToolState::InputAvailable { input: json!({}) }), nothing);
        assert_eq!(headings(returned(None)), ["Input", "Output"]);
        assert_eq!(headings(returned(Some(true))), ["Input", "So far"]);
    }

    #[test]
    fn what_the_owner_said_is_the_reason() {
        let declined = ToolState::OutputDenied {
            input: json!({}),
            approval: Approval::asked("answer/call").answered(false, Some("Too late.".to_owned())),
        };
        assert_eq!(entries(&declined), [("Reason", "Too late.".to_owned())]);
    }
}
