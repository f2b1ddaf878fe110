//! A tool's call inside an answer: a card that says what was done and how it went, and opens to say with what.

use super::question::Question;
use crate::store::{ShownState, Store};
use flarebot_protocol::MessageId;
use flarebot_protocol::message::{ToolPart, ToolState};
use leptos::either::Either;
use leptos::prelude::*;
use serde_json::Value;

/// Where a call is shown.
pub(super) struct Place<'a> {
    pub(super) store: Store,
    /// The answer that it is part of.
    pub(super) message: &'a MessageId,
    /// How settled that answer is.
    pub(super) state: ShownState,
}

/// The card of a call. It is folded, unless the owner has to read what it is about.
pub(super) fn card(call: &ToolPart, place: &Place<'_>) -> impl IntoView + use<> {
    let progress = progress(call, place.state);
    let (class, word) = match progress {
        Progress::Running => ("tool running", "running…"),
        Progress::Waiting => ("tool waiting", "needs your approval"),
        Progress::Allowed => ("tool", "allowed"),
        Progress::Done => ("tool", "done"),
        Progress::Failed => ("tool failed", "failed"),
        Progress::Declined => ("tool", "declined"),
        Progress::Stopped => ("tool", "stopped"),
    };
    let entries = entries(&call.state);
    let question = (progress == Progress::Waiting).then(|| question(call, place));
    view! {
        <details class=class open=progress == Progress::Waiting>
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
            {question}
        </details>
    }
}

/// What the owner is asked about a call that waits.
fn question(call: &ToolPart, place: &Place<'_>) -> impl IntoView + use<> {
    let ToolState::ApprovalRequested { approval, .. } = &call.state else {
        return None;
    };
    let tool = readable(&call.tool_name);
    // As long as the rest of its step runs, nothing can be decided.
    Some(if place.state == ShownState::Running {
        Either::Left(view! { <p class="question">"You can decide when the rest of this step is done."</p> })
    } else {
        let (store, message, call_id) = (place.store, place.message.clone(), call.tool_call_id.clone());
        let approval = approval.clone();
        Either::Right(view! { <Question store tool message call_id approval /> })
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Running,
    Waiting,
    Allowed,
    Done,
    Failed,
    Declined,
    Stopped,
}

/// A call that has not ended in an answer that has will never end.
fn progress(call: &ToolPart, message: ShownState) -> Progress {
    match &call.state {
        ToolState::OutputError { .. } => Progress::Failed,
        ToolState::OutputAvailable { .. } if call.state.is_settled() => Progress::Done,
        ToolState::OutputDenied { .. } => Progress::Declined,
        ToolState::ApprovalRequested { .. } => Progress::Waiting,
        ToolState::ApprovalResponded { .. } if call.state.is_declined() => Progress::Declined,
        ToolState::ApprovalResponded { .. } if message != ShownState::Running => Progress::Allowed,
        ToolState::InputStreaming
        | ToolState::InputAvailable { .. }
        | ToolState::ApprovalResponded { .. }
        | ToolState::OutputAvailable { .. } => {
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
    use crate::platform::Nowhere;
    use flarebot_protocol::address::Page;
    use flarebot_protocol::message::Approval;
    use serde_json::json;
    use std::rc::Rc;

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

    /// The card of a call in an answer of this state, as the server would write it.
    #[expect(clippy::unwrap_used, reason = "a test may stop at what it did not expect")]
    fn html(call: &ToolPart, state: ShownState) -> String {
        let message = MessageId::new("answer").unwrap();
        Owner::new().with(|| {
            let store = Store::new(Page::Home, Rc::new(Nowhere));
            let place = Place {
                store,
                message: &message,
                state,
            };
            card(call, &place).to_html()
        })
    }

    fn asked(input: Value) -> ToolPart {
        let approval = Approval::asked("answer/call");
        ToolPart::new(
            "call",
            "send_letter",
            ToolState::ApprovalRequested { input, approval },
        )
    }

    fn answered(approved: bool) -> ToolPart {
        call(ToolState::ApprovalResponded {
            input: json!({}),
            approval: Approval::asked("answer/call").answered(approved, None),
        })
    }

    #[test]
    fn a_call_that_needs_approval_is_open_with_what_it_is_about_and_two_buttons() {
        let html = html(&asked(json!({"to": "<b>Ada</b>"})), ShownState::Settled);
        assert!(
            html.contains("open") && html.contains("needs your approval"),
            "{html}"
        );
        for expected in [
            "Send letter",
            "&lt;b&gt;Ada",
            "Nothing has happened yet",
            "Allow",
            "Decline",
        ] {
            assert!(html.contains(expected), "{expected}: {html}");
        }
        assert!(!html.contains("<b>"), "{html}");
    }

    #[test]
    fn nothing_can_be_decided_while_the_rest_of_the_step_runs() {
        let html = html(&asked(json!({})), ShownState::Running);
        assert!(
            html.contains("needs your approval") && !html.contains("<button"),
            "{html}"
        );
    }

    #[test]
    fn a_decision_shows_on_the_card() {
        let declined = call(ToolState::OutputDenied {
            input: json!({}),
            approval: Approval::asked("answer/call").answered(false, Some("Too late.".to_owned())),
        });
        for state in [ShownState::Running, ShownState::Settled] {
            assert_eq!(progress(&declined, state), Progress::Declined);
            assert_eq!(progress(&answered(false), state), Progress::Declined);
        }
        assert_eq!(entries(&declined.state), [("Reason", "Too late.".to_owned())]);
        assert_eq!(progress(&answered(true), ShownState::Settled), Progress::Allowed);
        assert_eq!(progress(&answered(true), ShownState::Running), Progress::Running);
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
