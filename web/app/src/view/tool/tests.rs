//! What a card says, as the server would write it.

#![expect(clippy::unwrap_used, reason = "a test may stop at what it did not expect")]

use super::*;
use crate::platform::Nowhere;
use flarebot_protocol::address::Page;
use flarebot_protocol::message::{Approval, Message, Role};
use serde_json::{Value, json};
use std::rc::Rc;

fn call(state: ToolState) -> ToolPart {
    ToolPart::new("call", "current_time", state)
}

fn returned(output: Value) -> ToolPart {
    call(ToolState::OutputAvailable {
        input: json!({"zone": "UTC"}),
        output,
        preliminary: None,
    })
}

fn running() -> ToolPart {
    call(ToolState::InputAvailable { input: json!({}) })
}

fn asked(input: Value) -> ToolPart {
    let approval = Approval::asked("answer/call");
    ToolPart::new(
        "call",
        "send_letter",
        ToolState::ApprovalRequested { input, approval },
    )
}

/// The card of a call in an answer of this state.
fn html(call: &ToolPart, state: ShownState) -> String {
    html_with(call, state, json!([]), 0)
}

/// The card, with the activities that are known at this time.
fn html_with(call: &ToolPart, state: ShownState, activities: Value, now: i64) -> String {
    let message = MessageId::new("answer").unwrap();
    let shown = ArcRwSignal::new(Shown {
        message: Message {
            id: message.clone(),
            role: Role::Assistant,
            parts: vec![Part::Tool(call.clone())],
            metadata: None,
        },
        state,
        notice: None,
    });
    let call_id = call.tool_call_id.clone();
    Owner::new().with(|| {
        let store = Store::new(Page::Home, Rc::new(Nowhere));
        let live: Vec<ToolActivity> = serde_json::from_value(activities).unwrap();
        store.conversation.activities.update(|known| known.observe(&live));
        store.conversation.clock.set(now);
        view! { <ToolCard store message call_id shown /> }.to_html()
    })
}

fn activity(more: Value) -> Value {
    let mut activity = json!({
        "messageId": "answer",
        "toolCallId": "call",
        "sequence": 1,
        "kind": "web",
        "label": "Read a page",
        "status": "running",
        "attempts": 1,
        "createdAt": 1_000,
        "startedAt": 2_000,
    });
    let fields = more.as_object().unwrap().clone();
    activity.as_object_mut().unwrap().extend(fields);
    json!([activity])
}

#[test]
fn a_card_that_runs_says_in_one_line_what_how_long_and_how_far() {
    let known = activity(json!({ "summary": "As text", "progress": { "done": 3, "total": 10 } }));
    let html = html_with(&running(), ShownState::Running, known, 14_200);
    for expected in [
        "Read a page",
        "As text",
        "running…",
        "· 12 s · 3 of 10",
        r#"<progress value="3" max="10" aria-label="Progress: Read a page""#,
    ] {
        assert!(html.contains(expected), "{expected}: {html}");
    }
    assert!(!html.contains("<dl"), "{html}");
}

#[test]
fn progress_in_words_needs_no_bar() {
    let known = activity(json!({ "progress": { "text": "Waiting for the page" } }));
    let html = html_with(&running(), ShownState::Running, known, 2_000);
    assert!(html.contains("· Waiting for the page"), "{html}");
    assert!(!html.contains("<progress"), "{html}");
}

#[test]
fn a_card_that_has_ended_says_how_long_it_took_and_nothing_of_its_way() {
    let known = activity(
        json!({ "status": "succeeded", "endedAt": 5_000, "attempts": 2, "progress": { "done": 3, "total": 10 } }),
    );
    let html = html_with(&returned(json!("noon")), ShownState::Settled, known, 90_000);
    assert!(
        html.contains("done") && html.contains("· 3 s · 2 attempts"),
        "{html}"
    );
    assert!(!html.contains("3 of 10") && !html.contains("<progress"), "{html}");
}

#[test]
fn a_folded_card_says_what_was_cancelled_and_what_is_unknown() {
    let failed = call(ToolState::OutputError {
        input: json!({}),
        error_text: "The answer was stopped.".to_owned(),
    });
    let cancelled = activity(json!({ "status": "cancelled" }));
    let html = html_with(&failed, ShownState::Settled, cancelled, 0);
    assert!(
        html.contains("cancelled") && html.contains("It may still finish elsewhere."),
        "{html}"
    );
    let unknown = activity(json!({ "status": "failed", "failure": "interrupted" }));
    let html = html_with(&failed, ShownState::Settled, unknown, 0);
    assert!(
        html.contains("It is not known whether it was carried out."),
        "{html}"
    );
}

#[test]
fn another_answers_call_of_the_same_id_says_nothing_here() {
    let known = activity(json!({ "messageId": "another" }));
    let html = html_with(&running(), ShownState::Running, known, 14_000);
    assert!(
        html.contains("Current time") && !html.contains("Read a page"),
        "{html}"
    );
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
fn a_card_is_folded_and_names_the_tool_in_words() {
    let html = html(&returned(json!({"time": "12:00"})), ShownState::Settled);
    assert!(html.contains("Current time") && html.contains("done"), "{html}");
    assert!(!html.contains(" open") && !html.contains("12:00"), "{html}");
}

#[test]
fn what_a_tool_and_its_activity_say_is_text_and_never_markup() {
    let hostile = ToolPart::new(
        "call",
        "<img src=x>",
        ToolState::ApprovalRequested {
            input: json!("<script>input</script>"),
            approval: Approval::asked("answer/call"),
        },
    );
    let known = activity(json!({
        "label": "<i>label</i>",
        "summary": "<u>summary</u>",
        "progress": { "text": "<b>far</b>" },
    }));
    for html in [
        html(&hostile, ShownState::Settled),
        html_with(&hostile, ShownState::Settled, known.clone(), 0),
        html_with(&running(), ShownState::Running, known, 0),
    ] {
        for markup in ["<img", "<script", "<b>", "<i>", "<u>"] {
            assert!(!html.contains(markup), "{html}");
        }
    }
}

#[test]
fn a_tool_without_a_readable_name_is_a_tool() {
    assert_eq!(readable("rename-conversation"), "Rename conversation");
    assert_eq!(readable("_"), "Tool");
    assert_eq!(readable("élan"), "Élan");
}
