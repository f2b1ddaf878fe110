//! What the owner may see of calls whose tool says nothing about it.

use flarebot_protocol::tool_activity::ActivityProgress;
use flarebot_tool::{CallOutcome, Tool, builtin, counts};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::rc::Rc;

fn clock() -> Rc<dyn Tool> {
    builtin().find("current_time").unwrap()
}

#[test]
fn an_envelope_that_says_so_has_failed_and_everything_else_has_succeeded() {
    for failed in [
        json!({ "ok": false }),
        json!({ "ok": false, "value": 1 }),
        json!({ "error": "no such page" }),
        json!({ "error": { "code": 404 } }),
        json!({ "error": true, "ok": "perhaps" }),
    ] {
        assert_eq!(clock().outcome(&failed), CallOutcome::Failed, "{failed}");
    }
    for succeeded in [
        json!({}),
        json!(null),
        json!(false),
        json!("error"),
        json!(["error"]),
        json!({ "ok": true, "error": "a detail" }),
        json!({ "error": null }),
        json!({ "error": false }),
        json!({ "errors": ["one"] }),
        json!({ "value": { "ok": false } }),
    ] {
        assert_eq!(clock().outcome(&succeeded), CallOutcome::Succeeded, "{succeeded}");
    }
}

#[test]
fn only_whole_numbers_are_taken_from_a_report() {
    let progress = |done, total| ActivityProgress {
        text: None,
        done,
        total,
    };
    for (report, expected) in [
        (json!({ "done": 1, "of": 3 }), progress(Some(1), Some(3))),
        (
            json!({ "done": 1, "total": 4, "of": 3 }),
            progress(Some(1), Some(4)),
        ),
        (json!({ "done": -1, "of": 3.5 }), progress(None, None)),
        (
            json!({ "done": "1", "text": "page", "total": null }),
            progress(None, None),
        ),
        (json!("half"), progress(None, None)),
        (json!([1, 2]), progress(None, None)),
    ] {
        assert_eq!(clock().progress(&report), expected, "{report}");
    }
}

#[test]
fn nothing_of_the_arguments_is_shown_unless_a_tool_picks_it() {
    for tool in builtin().descriptors() {
        let tool = builtin().find(tool.name).unwrap();
        let arguments = json!({ "name": "secret", "utc_offset_minutes": 60, "query": "secret" });
        assert_eq!(tool.summary(&arguments), None);
    }
}

proptest! {
    #[test]
    fn no_report_puts_a_text_into_progress(text in "\\PC*", number in any::<i64>()) {
        let report = json!({ "done": text, "of": number, "text": text, "total": [text] });
        let progress = counts(&report);
        prop_assert_eq!(progress.text, None);
        prop_assert_eq!(progress.done, None);
        prop_assert_eq!(progress.total, u64::try_from(number).ok());
        let _ = CallOutcome::of(&Value::from(number));
    }
}
