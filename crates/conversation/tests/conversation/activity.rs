//! What the owner may see of the calls of tools, from their announcement to their end.

use crate::activity_world::World;
use crate::support::message_id;
use flarebot_conversation::activity::{self, News};
use flarebot_conversation::transcript;
use flarebot_conversation::turn::StopReason;
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::message::{Decision, Part, ToolState};
use flarebot_protocol::tool_activity::{
    ActivityFailure, ActivityKind, ActivityProgress, ActivityStatus, ToolActivity,
};
use flarebot_sql::Sql;
use serde_json::json;

pub(crate) fn status(world: &World, id: &str) -> (ActivityStatus, Option<ActivityFailure>) {
    let activity = world.activity(id);
    (activity.status, activity.failure)
}

const PENDING: (ActivityStatus, Option<ActivityFailure>) = (ActivityStatus::Pending, None);
pub(crate) const RUNNING: (ActivityStatus, Option<ActivityFailure>) = (ActivityStatus::Running, None);
pub(crate) const SUCCEEDED: (ActivityStatus, Option<ActivityFailure>) = (ActivityStatus::Succeeded, None);
const CANCELLED: (ActivityStatus, Option<ActivityFailure>) = (ActivityStatus::Cancelled, None);

pub(crate) fn failed(failure: ActivityFailure) -> (ActivityStatus, Option<ActivityFailure>) {
    (ActivityStatus::Failed, Some(failure))
}

#[test]
fn a_call_is_pending_while_it_is_written_runs_and_has_succeeded() {
    let mut world = World::new();
    world.ask();
    world.announce("a", "look");
    let announced = world.activity("a");
    assert_eq!(
        (announced.status, announced.attempts),
        (ActivityStatus::Pending, 0)
    );
    assert_eq!(announced.summary, None, "what it is about is not known yet");
    world.written();
    let started = world.activity("a");
    assert_eq!((started.status, started.attempts), (ActivityStatus::Running, 1));
    world.end("a", Ok(json!({ "found": 1 })));
    let ended = world.activity("a");
    let expected = ToolActivity {
        message_id: message_id("answer-0"),
        tool_call_id: "a".to_owned(),
        sequence: 1,
        kind: ActivityKind::Web,
        label: "Look at something".to_owned(),
        summary: Some("Number 7".to_owned()),
        status: ActivityStatus::Succeeded,
        failure: None,
        progress: None,
        attempts: 1,
        created_at: announced.created_at,
        started_at: started.started_at,
        ended_at: ended.ended_at,
        interrupted_at: None,
    };
    assert_eq!(ended, expected);
    let times = [Some(ended.created_at), ended.started_at, ended.ended_at];
    assert!(
        times.is_sorted() && times.iter().all(Option::is_some),
        "{times:?}"
    );
    world.finish();
    assert_eq!(
        world.activities(),
        [ended],
        "the end of the answer changes nothing"
    );
}

#[test]
fn a_call_of_a_tool_that_nobody_knows_is_recorded_without_the_name_that_the_model_gave_it() {
    let mut world = World::calling(&["exfiltrate_password"]);
    assert_eq!(status(&world, "call-0"), failed(ActivityFailure::Tool));
    let activity = world.activity("call-0");
    assert_eq!(
        (activity.kind, activity.label.as_str()),
        (ActivityKind::Other, "Use a tool")
    );
    world.finish();
    assert!(!dump(&world).contains("exfiltrate"));
}

#[test]
fn an_output_that_says_that_it_is_a_failure_is_one_although_the_model_gets_it_as_a_result() {
    for (output, expected) in [
        (json!({ "ok": false }), failed(ActivityFailure::Tool)),
        (json!({ "error": "no such page" }), failed(ActivityFailure::Tool)),
        (json!({ "ok": true, "error": "a detail" }), SUCCEEDED),
        (json!({ "error": null }), SUCCEEDED),
        (json!("error"), SUCCEEDED),
    ] {
        let mut world = World::calling(&["look"]);
        world.end("call-0", Ok(output.clone()));
        assert_eq!(status(&world, "call-0"), expected, "{output}");
        world.finish();
        let answer = transcript::newest(&world.database).unwrap().remove(1);
        assert!(matches!(
            &answer.parts[1],
            Part::Tool(call) if matches!(&call.state, ToolState::OutputAvailable { .. })
        ));
    }
}

#[test]
fn a_tool_that_fails_one_that_takes_too_long_and_one_that_comes_late() {
    let mut world = World::calling(&["look", "look", "act"]);
    world.end("call-0", Err("No such file."));
    assert_eq!(status(&world, "call-0"), failed(ActivityFailure::Tool));
    world.tick(31_000);
    for id in ["call-1", "call-2"] {
        assert_eq!(status(&world, id), failed(ActivityFailure::TimedOut));
    }
    let before = world.activities();
    world.end("call-1", Ok(json!("late")));
    world.end("call-2", Err("late"));
    assert_eq!(world.activities(), before);
}

#[test]
fn what_an_answer_that_is_stopped_had_open_is_cancelled_for_good() {
    let mut world = World::calling(&["look", "act", "look"]);
    world.end("call-2", Ok(json!(1)));
    world.cancel();
    assert_eq!(status(&world, "call-0"), CANCELLED);
    assert_eq!(status(&world, "call-1"), CANCELLED);
    assert_eq!(status(&world, "call-2"), SUCCEEDED);
    let before = world.activities();
    let watch = world.watch();
    for chunk in ends("call-0") {
        assert_eq!(watch.append(50, &[chunk], 99_999), Ok(News::Nothing));
    }
    assert_eq!(
        watch.stop("call-0", StopReason::TimedOut, 99_999),
        Ok(News::Nothing)
    );
    assert_eq!(world.activities(), before, "what comes late overwrites nothing");

    let mut world = World::new();
    world.ask();
    world.announce("a", "look");
    world.cancel();
    assert_eq!(status(&world, "a"), CANCELLED, "also what was only half written");
}

/// Everything that a call can still be told of.
pub(crate) fn ends(id: &str) -> Vec<Chunk> {
    let tool_call_id = id.to_owned();
    vec![
        Chunk::ToolOutputAvailable {
            tool_call_id: tool_call_id.clone(),
            output: json!({ "done": 1, "of": 2 }),
            preliminary: Some(true),
        },
        Chunk::ToolApprovalRequest {
            approval_id: "question".to_owned(),
            tool_call_id: tool_call_id.clone(),
        },
        Chunk::ToolOutputAvailable {
            tool_call_id: tool_call_id.clone(),
            output: json!(1),
            preliminary: None,
        },
        Chunk::ToolOutputError {
            tool_call_id: tool_call_id.clone(),
            error_text: "late".to_owned(),
        },
        Chunk::ToolOutputDenied { tool_call_id },
    ]
}

#[test]
fn a_call_waits_for_the_owner_over_any_number_of_restarts_and_is_declined_at_their_word() {
    let mut world = World::calling(&["sign", "sign", "sign"]);
    for id in ["call-0", "call-1", "call-2"] {
        assert_eq!(status(&world, id), PENDING);
    }
    for _ in 0..5 {
        world.kill();
        assert_eq!(
            status(&world, "call-0"),
            PENDING,
            "waiting is no work that could be lost"
        );
    }
    world.decide("call-0", Decision::Declined);
    assert_eq!(status(&world, "call-0"), failed(ActivityFailure::Declined));
    assert_eq!(status(&world, "call-1"), PENDING);
    world.decide("call-1", Decision::Approved);
    assert_eq!(
        status(&world, "call-1"),
        PENDING,
        "the answer waits for the third"
    );
    world.decide("call-2", Decision::Approved);
    assert_eq!(status(&world, "call-1"), RUNNING);
    world.end("call-1", Ok(json!(1)));
    world.end("call-2", Err("Broken."));
    world.finish();
    assert_eq!(status(&world, "call-0"), failed(ActivityFailure::Declined));
    assert_eq!(status(&world, "call-1"), SUCCEEDED);
    assert_eq!(status(&world, "call-2"), failed(ActivityFailure::Tool));
    assert_eq!(world.activity("call-0").attempts, 0);
}

#[test]
fn an_answer_that_is_stopped_while_it_waits_has_cancelled_what_waited() {
    let mut world = World::calling(&["sign", "sign", "look"]);
    world.end("call-2", Ok(json!(1)));
    world.decide("call-0", Decision::Declined);
    world.stop_paused();
    assert_eq!(status(&world, "call-0"), failed(ActivityFailure::Declined));
    assert_eq!(status(&world, "call-1"), CANCELLED);
    assert_eq!(status(&world, "call-2"), SUCCEEDED);
}

#[test]
fn a_call_that_asks_beside_one_that_runs_still_asks_after_a_restart() {
    let mut world = World::calling(&["sign", "look"]);
    world.kill();
    assert_eq!(status(&world, "call-0"), PENDING);
    assert_eq!(status(&world, "call-1"), RUNNING);
    world.end("call-1", Ok(json!(1)));
    world.decide("call-0", Decision::Approved);
    world.end("call-0", Ok(json!(1)));
    world.finish();
    assert_eq!(status(&world, "call-0"), SUCCEEDED);
    assert_eq!(world.activity("call-0").interrupted_at, None);
}

#[test]
fn a_restart_interrupts_what_was_open_and_only_a_real_start_reopens_it() {
    let mut world = World::calling(&["look", "act"]);
    let before = world.activity("call-0");
    world.die();
    let lost = flarebot_conversation::ledger::take_over(&world.database, 90_000)
        .unwrap()
        .unwrap();
    for id in ["call-0", "call-1"] {
        let activity = world.activity(id);
        assert_eq!(status(&world, id), failed(ActivityFailure::Interrupted));
        assert_eq!(
            (activity.interrupted_at, activity.ended_at),
            (Some(90_000), Some(90_000))
        );
    }
    // That nobody waits any more for a call of which nothing is known does not make it known.
    for reason in [StopReason::AnswerEnds, StopReason::TimedOut] {
        assert_eq!(world.watch().stop("call-1", reason, 91_000), Ok(News::Nothing));
    }
    world.now = 95_000;
    world.go_on(lost, flarebot_conversation::turn::Event::Resumed);
    // The one only reads, so it runs again. Of the other one nothing is known, and it does not.
    let reopened = world.activity("call-0");
    assert_eq!((reopened.status, reopened.attempts), (ActivityStatus::Running, 2));
    assert_eq!(
        (reopened.created_at, reopened.started_at, reopened.sequence),
        (before.created_at, before.started_at, before.sequence)
    );
    assert_eq!((reopened.ended_at, reopened.interrupted_at), (None, Some(90_000)));
    assert_eq!(status(&world, "call-1"), failed(ActivityFailure::Interrupted));
    world.end("call-0", Ok(json!(1)));
    world.finish();
    assert_eq!(status(&world, "call-0"), SUCCEEDED);
    assert_eq!(world.activity("call-0").interrupted_at, Some(90_000));
    assert_eq!(
        status(&world, "call-1"),
        failed(ActivityFailure::Interrupted),
        "unknown stays unknown"
    );
    assert_eq!(world.activity("call-1").attempts, 1);
}

#[test]
fn a_result_that_the_ledger_has_settles_what_was_interrupted_without_another_attempt() {
    for (result, expected) in [
        (Ok(json!({ "ordered": 1 })), SUCCEEDED),
        (Ok(json!({ "ok": false })), failed(ActivityFailure::Tool)),
        (Err("Sold out."), failed(ActivityFailure::Tool)),
    ] {
        let mut world = World::calling(&["act"]);
        world.end_unheard("call-0", result);
        world.kill();
        assert_eq!(status(&world, "call-0"), expected);
        let activity = world.activity("call-0");
        assert_eq!(activity.attempts, 1);
        assert!(activity.interrupted_at.is_some());
    }
}

#[test]
fn a_turn_that_is_given_up_leaves_what_is_unknown_as_unknown() {
    let mut world = World::calling(&["look"]);
    for _ in 0..3 {
        world.kill();
        assert_eq!(status(&world, "call-0"), RUNNING);
    }
    world.kill();
    assert!(!world.is_answering());
    assert_eq!(status(&world, "call-0"), failed(ActivityFailure::Interrupted));
    assert_eq!(world.activity("call-0").attempts, 4);
}

#[test]
fn an_output_that_goes_on_without_its_call_is_pending_and_is_not_lost_with_anything() {
    let mut world = World::calling(&["look", "look"]);
    world.end("call-0", Ok(json!({ "goes_on": true })));
    assert_eq!(status(&world, "call-0"), PENDING);
    world.kill();
    assert_eq!(status(&world, "call-0"), PENDING);
    world.end("call-1", Ok(json!(1)));
    world.finish();
    assert_eq!(status(&world, "call-0"), PENDING);
    assert_eq!(status(&world, "call-1"), SUCCEEDED);
}

#[test]
fn of_progress_only_counts_are_recorded_and_only_while_the_call_runs() {
    let mut world = World::calling(&["look"]);
    world.news = News::Nothing;
    world.report("call-0", json!({ "done": 1, "of": 3, "page": "progress-secret" }));
    assert_eq!(world.news, News::Progress);
    let told = |world: &World| world.activity("call-0").progress;
    let counts = |done, total| {
        Some(ActivityProgress {
            text: None,
            done,
            total,
        })
    };
    assert_eq!(told(&world), counts(Some(1), Some(3)));
    world.report("call-0", json!({ "done": 2, "of": 3 }));
    assert_eq!(told(&world), counts(Some(1), Some(3)), "not so soon");
    world.tick(250);
    assert_eq!(told(&world), counts(Some(2), Some(3)));
    world.now += 250;
    world.report("call-0", json!({ "done": -1, "total": 4 }));
    assert_eq!(told(&world), counts(None, Some(4)));
    world.now += 250;
    world.report("call-0", json!("nothing to see"));
    assert_eq!(told(&world), counts(None, Some(4)));
    world.report("call-0", json!({ "done": u64::MAX }));
    world.end("call-0", Ok(json!(1)));
    assert_eq!(
        told(&world),
        counts(Some((1 << 53) - 1), None),
        "the latest, with the end"
    );
    world.finish();
    assert!(!dump(&world).contains("progress-secret"));
}

#[test]
fn nothing_that_went_into_a_call_or_came_out_is_in_its_record() {
    let mut world = World::calling(&["look", "look", "sign", "fly"]);
    world.report("call-0", json!({ "text": "progress-secret" }));
    world.end("call-0", Ok(json!({ "text": "result-secret" })));
    world.end("call-1", Err("error-secret"));
    world.decide("call-2", Decision::Declined);
    world.finish();
    let dump = dump(&world);
    assert!(!dump.contains("secret") && !dump.contains("fly"), "{dump}");
    let state = serde_json::to_string(&activity::live(&world.database).unwrap()).unwrap();
    assert!(
        !state.contains("secret") && !state.contains("\"look\""),
        "{state}"
    );
}

/// Both tables, whole.
pub(crate) fn dump(world: &World) -> String {
    let rows = ["flarebot_tool_activity", "flarebot_tool_activity_erased"].map(|table| {
        world
            .database
            .exec(&format!("SELECT * FROM {table}"), &[])
            .unwrap()
    });
    format!("{rows:?}")
}

#[test]
fn an_answer_that_ends_ends_its_own_calls_and_no_others() {
    let mut world = World::calling(&["sign"]);
    world.ask();
    world.call(&["look"]);
    world.cancel();
    let of = |answer: &str| {
        let all = world.activities();
        all.into_iter()
            .find(|activity| activity.message_id.as_str() == answer)
            .map(|activity| activity.status)
    };
    assert_eq!(of("answer-0"), Some(ActivityStatus::Pending));
    assert_eq!(of("answer-1"), Some(ActivityStatus::Cancelled));
}
