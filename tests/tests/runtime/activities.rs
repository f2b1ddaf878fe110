//! What the owner may see of tools beside the answers: live in the conversation's state, and the past in pages. Never what
//! went into a call or came out.

use crate::tools::{recovered, script, tools};
use crate::turns::{last_answer, outcome};
use flarebot_protocol::address::Endpoint;
use flarebot_protocol::call::{DecideApproval, ListToolActivities};
use flarebot_protocol::frame::{ServerFrame, SharedState};
use flarebot_protocol::message::{Decision, Outcome, ToolState};
use flarebot_protocol::tool_activity::{
    ACTIVITY_PAGE, ActivityFailure, ActivityStatus, LIVE_ACTIVITIES, ToolActivity,
};
use flarebot_tests::client::Socket;
use flarebot_tests::provider::{Call, Script, ToolMoment};
use flarebot_tests::{Entry, Installation, PATIENCE, eventually};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The next state that fits.
fn expect_state(
    socket: &mut Socket,
    what: &str,
    fits: impl Fn(&[ToolActivity]) -> bool,
) -> Vec<ToolActivity> {
    socket.expect(what, |frame| state(frame).filter(|activities| fits(activities)))
}

fn state(frame: &ServerFrame) -> Option<Vec<ToolActivity>> {
    match frame {
        ServerFrame::State {
            state: SharedState::Conversation(state),
        } => Some(state.activities.clone()),
        _ => None,
    }
}

fn page(socket: &mut Socket, before: Option<u64>) -> (Vec<ToolActivity>, Option<u64>) {
    let page = socket.call(&ListToolActivities { before }).unwrap();
    (page.activities, page.next_cursor)
}

fn all_are(status: ActivityStatus) -> impl Fn(&[ToolActivity]) -> bool {
    move |activities| !activities.is_empty() && activities.iter().all(|activity| activity.status == status)
}

#[test]
fn calls_that_run_side_by_side_are_seen_to_run_at_once_and_to_end() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Activities");
    let script = script(
        &installation,
        "parallel",
        &[("look", 800), ("count", 800), ("fail", 0)],
    );
    let began = Instant::now();
    let request = socket.say(&script.to_string());
    let running = |activities: &[ToolActivity]| {
        let running = activities
            .iter()
            .filter(|activity| activity.status == ActivityStatus::Running);
        running.count() >= 2
    };
    let together = expect_state(&mut socket, "two that run", running);
    assert!(together.iter().all(|activity| activity.attempts <= 1));
    let answer = socket.answer(&request);
    assert_eq!(answer.outcome, Some(Outcome::Completed));
    assert!(began.elapsed() < Duration::from_secs(20));

    let (activities, next) = page(&mut socket, None);
    assert_eq!((activities.len(), next), (3, None));
    let stored = last_answer(&mut socket);
    for part in tools(&stored) {
        let activity = activities
            .iter()
            .find(|activity| activity.tool_call_id == part.tool_call_id)
            .expect("every call has an activity");
        assert_eq!(activity.message_id, stored.id);
        let expected = match part.state {
            ToolState::OutputAvailable { .. } => (ActivityStatus::Succeeded, None),
            _ => (ActivityStatus::Failed, Some(ActivityFailure::Tool)),
        };
        assert_eq!((activity.status, activity.failure), expected, "{activity:?}");
        assert!(activity.started_at <= activity.ended_at && Some(activity.created_at) <= activity.started_at);
    }
    // Whoever connects now finds them as they ended.
    let mut newcomer = installation.conversation(id);
    assert_eq!(expect_state(&mut newcomer, "the state", |_| true), activities);
}

#[test]
fn progress_is_seen_at_once_and_at_most_four_times_a_second() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (_, mut socket) = installation.new_conversation("Activities");
    let reports = 60;
    let call = Call {
        name: "progress".to_owned(),
        arguments: json!({
            "report": installation.provider.report_url("paced", "progress"),
            "milliseconds": 30,
            "times": reports,
        }),
    };
    let script = Script {
        tools: vec![vec![call]],
        spoken: 1,
        ..Script::labelled("paced")
    };
    let request = socket.say(&script.to_string());
    let answer = socket.answer_within(&request, PATIENCE);
    assert_eq!(answer.outcome, Some(Outcome::Completed));
    let frames = socket.drain(Duration::from_millis(500));
    let states: Vec<Vec<ToolActivity>> = frames.iter().filter_map(state).collect();
    let done: Vec<u64> = states
        .iter()
        .filter_map(|activities| activities.first()?.progress.as_ref()?.done)
        .collect();
    assert!(done.is_sorted(), "{done:?}");
    assert_eq!(done.last(), Some(&reports), "the latest is not lost");
    let activity = &page(&mut socket, None).0[0];
    let ran = activity.ended_at.unwrap() - activity.started_at.unwrap();
    let most = usize::try_from(ran / 250).unwrap() + 3;
    let different: BTreeSet<u64> = done.iter().copied().collect();
    assert!(
        different.len() > 1 && different.len() <= most,
        "{different:?} in {ran} ms"
    );
}

#[test]
fn a_stop_during_a_tool_that_does_not_hear_it_cancels_its_activity_for_good() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (_, mut socket) = installation.new_conversation("Activities");
    let script = script(&installation, "uncooperative", &[("hang", 0), ("look", 1_500)]);
    let request = socket.say(&script.to_string());
    for tool in ["hang", "look"] {
        installation
            .provider
            .wait_for_report("uncooperative", tool, ToolMoment::Begun, PATIENCE);
    }
    socket.stop(&request);
    expect_state(
        &mut socket,
        "both are cancelled",
        all_are(ActivityStatus::Cancelled),
    );
    assert_eq!(socket.answer(&request).outcome, Some(Outcome::Aborted));
    let (before, _) = page(&mut socket, None);
    // Longer than any of them would have run.
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(page(&mut socket, None).0, before);
    assert_eq!(socket.ask("And now?").outcome, Some(Outcome::Completed));
    assert_eq!(
        page(&mut socket, None).0,
        before,
        "an answer without tools adds nothing"
    );
}

#[test]
fn who_connects_again_sees_what_runs_and_then_its_end() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Activities");
    let script = script(&installation, "reconnect", &[("look", 4_000)]);
    socket.say(&script.to_string());
    expect_state(&mut socket, "it runs", all_are(ActivityStatus::Running));
    drop(socket);
    let mut socket = installation.conversation(id);
    let running = expect_state(&mut socket, "it still runs", |_| true);
    assert_eq!(running[0].status, ActivityStatus::Running);
    let page = installation.page(id);
    let ended = expect_state(&mut socket, "it has ended", all_are(ActivityStatus::Succeeded));
    assert_eq!(
        (ended.len(), ended[0].sequence, ended[0].started_at),
        (1, running[0].sequence, running[0].started_at)
    );
    eventually("the page shows the same", PATIENCE, || {
        (page.activities() == ended).then_some(())
    });
}

#[test]
fn the_past_is_read_in_pages_beyond_what_is_live() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Activities");
    // A model that calls more in one step is not listened to.
    let calls = |step: usize, count: usize| {
        let call = move |number: usize| Call {
            name: "no_such_tool".to_owned(),
            arguments: json!({ "step": step, "number": number }),
        };
        (0..count).map(call).collect::<Vec<_>>()
    };
    for label in ["many", "more"] {
        let script = Script {
            tools: vec![calls(0, 16), calls(1, 16), calls(2, 16), calls(3, 12)],
            spoken: 1,
            ..Script::labelled(label)
        };
        assert_eq!(socket.ask(&script.to_string()).outcome, Some(Outcome::Completed));
    }
    let mut newcomer = installation.conversation(id);
    let live = expect_state(&mut newcomer, "the live ones", |_| true);
    assert_eq!(live.len(), LIVE_ACTIVITIES);
    let (first, next) = page(&mut socket, None);
    assert_eq!((first.len(), next), (ACTIVITY_PAGE as usize, Some(21)));
    assert_eq!(first[..LIVE_ACTIVITIES], live);
    let (second, last) = page(&mut socket, next);
    assert_eq!((second.len(), last), (20, None));
    let sequences: Vec<u64> = first
        .iter()
        .chain(&second)
        .map(|activity| activity.sequence)
        .collect();
    assert_eq!(sequences, (1..=120).rev().collect::<Vec<_>>());
}

#[test]
fn a_restart_reopens_the_same_activity_or_leaves_it_as_unknown() {
    let mut installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Activities");
    let script = script(&installation, "restart", &[("count", 1_500), ("look", 1_500)]);
    socket.say(&script.to_string());
    for tool in ["count", "look"] {
        installation
            .provider
            .wait_for_report("restart", tool, ToolMoment::Begun, PATIENCE);
    }
    let (before, _) = page(&mut socket, None);
    installation.kill();
    installation.start_again();
    let mut socket = installation.conversation(id);
    let stored = recovered(&mut socket);
    assert_eq!(outcome(&stored), Some(Outcome::Completed));
    let (after, _) = page(&mut socket, None);
    assert_eq!(after.len(), before.len(), "the same calls, and no new ones");
    for part in tools(&stored) {
        let of_call = |activities: &[ToolActivity]| {
            let mut found = activities.iter();
            found
                .find(|activity| activity.tool_call_id == part.tool_call_id)
                .cloned()
                .unwrap()
        };
        let (earlier, later) = (of_call(&before), of_call(&after));
        assert_eq!(
            (later.sequence, later.created_at, later.started_at),
            (earlier.sequence, earlier.created_at, earlier.started_at)
        );
        assert!(later.interrupted_at.is_some());
        let (status, failure, attempts) = match part.tool_name.as_str() {
            "look" => (ActivityStatus::Succeeded, None, 2),
            _ => (ActivityStatus::Failed, Some(ActivityFailure::Interrupted), 1),
        };
        assert_eq!(
            (later.status, later.failure, later.attempts),
            (status, failure, attempts)
        );
    }
}

#[test]
fn a_call_that_waits_for_the_owner_is_pending_over_a_restart_and_declined_at_their_word() {
    let mut installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Activities");
    let script = script(&installation, "waiting", &[("order", 0)]);
    socket.say(&script.to_string());
    expect_state(&mut socket, "it is pending", all_are(ActivityStatus::Pending));
    let waiting = eventually("the answer waits", PATIENCE, || {
        let last = socket.history().messages.pop()?;
        let waits = tools(&last).iter().any(|call| call.state.waits_for_approval());
        waits.then_some(last)
    });
    installation.kill();
    installation.start_again();
    let mut socket = installation.conversation(id);
    let state = expect_state(&mut socket, "it is still pending", |_| true);
    assert_eq!(
        (state[0].status, state[0].interrupted_at),
        (ActivityStatus::Pending, None)
    );
    let decision = DecideApproval {
        message_id: waiting.id.clone(),
        tool_call_id: tools(&waiting)[0].tool_call_id.clone(),
        decision: Decision::Declined,
    };
    socket.call(&decision).unwrap();
    let declined = expect_state(&mut socket, "it is declined", all_are(ActivityStatus::Failed));
    assert_eq!(declined[0].failure, Some(ActivityFailure::Declined));
}

#[test]
fn erasing_the_conversation_during_a_tool_leaves_nothing_and_lets_nothing_back() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (_, mut socket) = installation.new_conversation("Activities");
    let slow = script(&installation, "erased", &[("look", 1_500), ("hang", 0)]);
    socket.say(&slow.to_string());
    installation
        .provider
        .wait_for_report("erased", "look", ToolMoment::Begun, PATIENCE);
    expect_state(&mut socket, "both run", all_are(ActivityStatus::Running));
    socket.send(&json!({ "type": "cf_agent_chat_clear" }));
    expect_state(&mut socket, "nothing is left", <[ToolActivity]>::is_empty);
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(page(&mut socket, None), (Vec::new(), None));
    let next = script(&installation, "after", &[("look", 0)]);
    assert_eq!(socket.ask(&next.to_string()).outcome, Some(Outcome::Completed));
    let (activities, _) = page(&mut socket, None);
    assert_eq!(activities.len(), 1);
    assert!(
        activities[0].sequence > 2,
        "numbers are not given twice: {activities:?}"
    );
}

#[test]
fn no_client_sets_what_tools_have_done() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Activities");
    let script = script(&installation, "injected", &[("look", 0)]);
    socket.ask(&script.to_string());
    let (before, _) = page(&mut socket, None);
    let mut forged = before.clone();
    forged[0].label = "Something else".to_owned();
    let mut sdk = installation
        .sdk_connection(Endpoint::Conversation(id))
        .open()
        .unwrap();
    for client in [&mut socket, &mut sdk] {
        client.send(&json!({ "type": "cf_agent_state", "state": { "activities": forged } }));
        client.expect("the refusal", |frame| match frame {
            ServerFrame::StateError { .. } => Some(()),
            _ => None,
        });
    }
    assert_eq!(page(&mut socket, None).0, before);
    let mut newcomer = installation.conversation(id);
    assert_eq!(expect_state(&mut newcomer, "the state", |_| true), before);
}

#[test]
fn no_state_tells_what_went_into_a_call_or_came_out() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Activities");
    let mut sdk = installation
        .sdk_connection(Endpoint::Conversation(id))
        .open()
        .unwrap();
    let mut script = script(
        &installation,
        "private",
        &[("look", 0), ("fail", 0), ("progress", 20)],
    );
    script.tools[0].push(Call {
        name: "secret_tool_name".to_owned(),
        arguments: json!({ "argument": "secret-argument" }),
    });
    for call in &mut script.tools[0] {
        call.arguments["argument"] = "secret-argument".into();
    }
    let answer = socket.ask(&script.to_string());
    assert_eq!(answer.outcome, Some(Outcome::Completed));
    let parts = serde_json::to_string(&answer.reduction.message.parts).unwrap();
    assert!(
        parts.contains("secret-argument"),
        "the answer itself holds everything"
    );
    let mut seen = 0;
    for client in [&mut socket, &mut sdk] {
        for frame in client.drain(Duration::from_millis(500)) {
            let Some(activities) = state(&frame) else { continue };
            let text = serde_json::to_string(&activities).unwrap();
            for private in ["secret", "not there", "http", "private/", "no_such"] {
                assert!(!text.contains(private), "{private} in {text}");
            }
            seen += activities.len();
        }
    }
    assert!(seen > 8, "both kinds of clients are told");
    let page = serde_json::to_string(&page(&mut socket, None).0).unwrap();
    assert!(!page.contains("secret") && !page.contains("not there"), "{page}");
}
