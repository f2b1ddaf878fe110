//! The tools that every conversation has.

use super::{FakeHost, finished};
use flarebot_tool::{Approval, Repetition, ToolFailure, builtin};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Monday, 30 November 2026, 23:05:07.042 UTC.
const NOW: i64 = 1_796_079_907_042;

fn run(name: &str, arguments: Value, host: &FakeHost) -> Result<Value, ToolFailure> {
    let tool = builtin().find(name).unwrap();
    finished(tool.run(arguments, host))
}

fn refusal(name: &str, arguments: Value) -> String {
    match run(name, arguments, &FakeHost::at(NOW)) {
        Err(ToolFailure::Arguments(sentence)) => sentence,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_a_model_is_told_of_them() {
    let told: Vec<Value> = builtin()
        .descriptors()
        .into_iter()
        .map(|tool| json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters }))
        .collect();
    insta::assert_json_snapshot!("descriptors", told);
}

#[test]
fn none_of_them_waits_for_the_owner() {
    let descriptors = builtin().descriptors();
    assert!(
        descriptors
            .iter()
            .all(|tool| tool.approval == Approval::NotNeeded)
    );
}

#[test]
fn a_call_that_was_allowed_is_run_once_whatever_its_tool_does() {
    let mut tool = builtin().descriptors().remove(0);
    assert_eq!(tool.repetition_of_a_call(), Repetition::Harmless);
    tool.approval = Approval::Needed;
    assert_eq!(tool.repetition_of_a_call(), Repetition::Never);
}

#[test]
fn only_those_that_change_nothing_may_be_run_again() {
    let repetitions: Vec<_> = builtin()
        .descriptors()
        .iter()
        .map(|tool| (tool.name, tool.repetition))
        .collect();
    assert_eq!(
        repetitions,
        [
            ("current_time", Repetition::Harmless),
            ("rename_conversation", Repetition::Never),
            ("read_url", Repetition::Harmless)
        ]
    );
}

#[test]
fn the_time_is_told_in_utc_and_where_the_owner_is() {
    let utc = json!({ "utc": "2026-11-30T23:05:07Z", "weekday": "Monday" });
    assert_eq!(
        run("current_time", json!({}), &FakeHost::at(NOW)),
        Ok(utc.clone())
    );
    assert_eq!(
        run(
            "current_time",
            json!({ "utc_offset_minutes": null }),
            &FakeHost::at(NOW)
        ),
        Ok(utc)
    );
    for (minutes, time, weekday) in [
        (0, "2026-11-30T23:05:07Z", "Monday"),
        (60, "2026-12-01T00:05:07+01:00", "Tuesday"),
        (-300, "2026-11-30T18:05:07-05:00", "Monday"),
        (345, "2026-12-01T04:50:07+05:45", "Tuesday"),
        (840, "2026-12-01T13:05:07+14:00", "Tuesday"),
        (-840, "2026-11-30T09:05:07-14:00", "Monday"),
    ] {
        let told = run(
            "current_time",
            json!({ "utc_offset_minutes": minutes }),
            &FakeHost::at(NOW),
        )
        .unwrap();
        assert_eq!(told["utc"], "2026-11-30T23:05:07Z");
        assert_eq!(told["local"], json!({ "time": time, "weekday": weekday }));
    }
}

#[test]
fn an_offset_that_no_clock_has_is_explained() {
    for minutes in [841, -841, i32::MAX, i32::MIN] {
        assert_eq!(
            refusal("current_time", json!({ "utc_offset_minutes": minutes })),
            "utc_offset_minutes is in minutes and must be from -840 to 840. Correct it and call the tool again."
        );
    }
}

#[test]
fn a_conversation_is_renamed_and_the_stored_name_told() {
    let host = FakeHost::at(NOW);
    assert_eq!(
        run("rename_conversation", json!({ "name": " Zürich 🌧️ " }), &host),
        Ok(json!({ "name": "Zürich 🌧️" }))
    );
    assert_eq!(host.renamed.take(), [" Zürich 🌧️ "]);
}

#[test]
fn a_name_that_the_host_refuses_is_its_sentence() {
    let host = FakeHost {
        refusal: Some("Shorten the name."),
        ..FakeHost::at(NOW)
    };
    assert_eq!(
        run("rename_conversation", json!({ "name": "long" }), &host),
        Err(ToolFailure::Failed("Shorten the name.".to_owned()))
    );
}

#[test]
fn wrong_arguments_are_named_and_nothing_is_done() {
    let host = FakeHost::at(NOW);
    for (arguments, reason) in [
        (json!({}), "missing field `name`"),
        (
            json!({ "name": 7 }),
            "invalid type: integer `7`, expected a string",
        ),
        (json!({ "title": "x" }), "unknown field `title`, expected `name`"),
        (
            json!({ "name": "x", "icon": "y" }),
            "unknown field `icon`, expected `name`",
        ),
    ] {
        let sentence =
            format!("The arguments do not fit this tool's schema: {reason}. Correct them and call it again.");
        assert_eq!(
            run("rename_conversation", arguments, &host),
            Err(ToolFailure::Arguments(sentence))
        );
    }
    assert_eq!(host.renamed.take(), Vec::<String>::new());
}

#[test]
fn a_refusal_does_not_repeat_endless_arguments() {
    let endless = "ü".repeat(50_000);
    for arguments in [
        json!({ "utc_offset_minutes": endless }),
        json!({ endless.as_str(): 1 }),
    ] {
        let sentence = refusal("current_time", arguments);
        assert!(sentence.chars().count() < 300, "{sentence}");
        assert!(
            sentence.ends_with("…. Correct them and call it again."),
            "{sentence}"
        );
    }
}

proptest! {
    #[test]
    fn no_clock_and_no_arguments_make_a_tool_panic(
        now in any::<i64>(),
        minutes in prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            (-840_i64..=840).prop_map(Value::from),
            "\\PC{0,9}".prop_map(Value::from),
        ],
    ) {
        // The calendar ends where the offset goes beyond it.
        for now in [now, now / 1_000_000, 8_210_266_876_799_999, -8_334_601_228_800_000] {
            let told = run("current_time", json!({ "utc_offset_minutes": minutes }), &FakeHost::at(now));
            prop_assert!(told.is_err() || told.is_ok_and(|told| told["local"]["time"].is_string()));
        }
    }
}
