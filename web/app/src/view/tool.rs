//! A tool's call inside an answer: a card that says what was done and how it went, and opens to say with what.

use crate::store::ShownState;
use flarebot_protocol::message::{ToolPart, ToolState};
use leptos::prelude::*;
use serde_json::Value;

/// The card of a call in a message of this state.
pub(super) fn card(call: &ToolPart, message: ShownState) -> impl IntoView + use<> {
    let (class, word) = match progress(call, message) {
        Progress::Running => ("tool running", "running…"),
        Progress::Done => ("tool", "done"),
        Progress::Failed => ("tool failed", "failed"),
        Progress::Stopped => ("tool", "stopped"),
    };
    let entries = entries(&call.state);
    view! {
        <details class=class>
            <summary>
                <span class="tool-name" dir="auto">{readable(&call.tool_name)}</span>
                " "
                <span class="tool-state">{word}</span>
            </summary>
            <dl>
                {entries
                    .into_iter()
                    .map(|(heading, text)| {
                        view! {
                            <dt>{heading}</dt>
                            <dd>
                                <pre dir="auto" role="group" tabindex="0" aria-label=heading>
                                    {text}
                                </pre>
                            </dd>
                        }
                    })
                    .collect::<Vec<_>>()}
            </dl>
        </details>
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Running,
    Done,
    Failed,
    Stopped,
}

/// A call that has not ended in an answer that has will never end.
fn progress(call: &ToolPart, message: ShownState) -> Progress {
    match &call.state {
        ToolState::OutputError { .. } => Progress::Failed,
        ToolState::OutputAvailable { .. } if call.state.is_settled() => Progress::Done,
        ToolState::InputStreaming | ToolState::InputAvailable { .. } | ToolState::OutputAvailable { .. } => {
            if message == ShownState::Running {
                Progress::Running
            } else {
                Progress::Stopped
            }
        }
    }
}

/// What there is to be read of a call, each with its heading.
fn entries(state: &ToolState) -> Vec<(&'static str, String)> {
    let input = state.input().filter(|input| !is_empty(input));
    let input = input.map(|input| ("Input", text(input)));
    let output = match state {
        ToolState::InputStreaming | ToolState::InputAvailable { .. } => None,
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

/// A tool's name as words: `current_time` is "Current time".
fn readable(name: &str) -> String {
    let words = name.replace(['_', '-'], " ");
    let mut characters = words.trim().chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => "Tool".to_owned(),
    }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(state: ToolState) -> ToolPart {
        ToolPart::new("call", "current_time", state)
    }

    fn returned(output: Value, preliminary: Option<bool>) -> ToolPart {
        call(ToolState::OutputAvailable {
            input: json!({"zone": "UTC"}),
            output,
            preliminary,
        })
    }

    fn html(call: &ToolPart, message: ShownState) -> String {
        Owner::new().with(|| card(call, message).to_html())
    }

    #[test]
    fn a_card_says_how_far_the_call_is() {
        let running = [
            call(ToolState::InputStreaming),
            call(ToolState::InputAvailable { input: json!({}) }),
            returned(json!("10 %"), Some(true)),
        ];
        for call in &running {
            assert_eq!(progress(call, ShownState::Running), Progress::Running);
            assert_eq!(progress(call, ShownState::Settled), Progress::Stopped);
        }
        let failed = call(ToolState::OutputError {
            input: json!({}),
            error_text: "No clock.".to_owned(),
        });
        for message in [ShownState::Running, ShownState::Settled] {
            assert_eq!(progress(&returned(json!("noon"), None), message), Progress::Done);
            assert_eq!(progress(&failed, message), Progress::Failed);
        }
    }

    #[test]
    fn a_card_is_folded_and_names_the_tool_in_words() {
        let html = html(&returned(json!({"time": "12:00"}), None), ShownState::Settled);
        assert!(html.contains("Current time") && html.contains("done"), "{html}");
        assert!(
            !html.contains("<details open") && !html.contains(" open"),
            "{html}"
        );
    }

    #[test]
    fn what_a_tool_says_is_text_and_never_markup() {
        let hostile = ToolPart::new(
            "call",
            "<img src=x>",
            ToolState::OutputAvailable {
                input: json!("<script>input</script>"),
                output: json!("<b>output</b>"),
                preliminary: None,
            },
        );
        let html = html(&hostile, ShownState::Settled);
        for markup in ["<img", "<script", "<b>"] {
            assert!(!html.contains(markup), "{html}");
        }
        assert!(html.contains("&lt;b&gt;output&lt;/b&gt;"), "{html}");
    }

    #[test]
    fn an_input_that_says_nothing_is_left_out() {
        let headings = |state: ToolState| {
            entries(&state)
                .into_iter()
                .map(|(heading, _)| heading)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            headings(ToolState::InputAvailable { input: json!({}) }),
            [] as [&str; 0]
        );
        assert_eq!(headings(returned(json!(1), None).state), ["Input", "Output"]);
        assert_eq!(
            headings(returned(json!(1), Some(true)).state),
            ["Input", "So far"]
        );
    }

    #[test]
    fn a_tool_without_a_readable_name_is_a_tool() {
        assert_eq!(readable("rename-conversation"), "Rename conversation");
        assert_eq!(readable("_"), "Tool");
        assert_eq!(readable("élan"), "Élan");
    }
}
