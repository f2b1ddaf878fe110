//! A reset of the Wasm instance, which takes the memory of every object with it: what was in flight ends, alarms go
//! on, and an answer that stopped without a word goes on.

use flarebot_protocol::call::GetStatus;
use flarebot_protocol::frame::ServerFrame;
use flarebot_protocol::message::Outcome;
use flarebot_tests::provider::Script;
use flarebot_tests::{Entry, Installation, PATIENCE, eventually};
use std::thread;
use std::time::Duration;

/// How long a lost answer may go unnoticed: the period in which a running turn is looked after, and some slack.
const NOTICED: Duration = Duration::from_secs(25);

/// Started and finished alarms of the fixture object `alarms`.
fn alarms(installation: &Installation) -> (i64, i64) {
    let counts = installation.host().fixture("/alarms?object=alarms").json();
    (
        counts["started"].as_i64().unwrap(),
        counts["finished"].as_i64().unwrap(),
    )
}

#[test]
fn a_panic_in_one_object_ends_what_hangs_and_leaves_the_rest_alive() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (id, mut streaming) = installation.new_conversation("Streaming");
    let (_, mut idle) = installation.new_conversation("Idle");
    let mut agent = installation.agent();
    let script = Script {
        chunks: 5000,
        gap: 20,
        ..Script::labelled("lost")
    };
    let request = streaming.say(&script.to_string());
    streaming.follow("some text", &request, PATIENCE, |answer| {
        answer.text().len() > 200
    });
    assert_eq!(installation.host().fixture("/alarm?object=alarms").status, 200);
    thread::scope(|scope| {
        let slow = scope.spawn(|| installation.host().fixture("/slow?object=slow").status);
        // The worst moment: an alarm handler and a request are in flight.
        let before = eventually("an alarm in flight", PATIENCE, || {
            let (started, finished) = alarms(&installation);
            (started > finished).then_some((started, finished))
        });
        let panicked = installation.host().fixture("/panic?object=panics");
        assert!(panicked.status >= 500, "{panicked:?}");
        let status = slow.join().unwrap();
        assert!(status >= 500, "the request in flight was answered with {status}");
        eventually("a later alarm", NOTICED, || {
            let (_, finished) = alarms(&installation);
            (finished > before.1 + 1).then_some(())
        });
    });
    agent.call(&GetStatus {}).unwrap();
    assert_eq!(idle.ask("Are you there?").outcome, Some(Outcome::Completed));
    // Nobody sends anything on the streaming socket: the answer has to go on by itself.
    streaming.expect_within("the answer of the next instance", NOTICED, |frame| match frame {
        ServerFrame::Running(running) if running.request_id != request => Some(()),
        _ => None,
    });
    streaming.stop(&request);
    let stored = eventually("the answer is stopped", PATIENCE, || {
        let last = streaming.history().messages.pop()?;
        last.metadata.as_ref()?.outcome?;
        Some(last)
    });
    assert_eq!(stored.metadata.as_ref().unwrap().outcome, Some(Outcome::Aborted));
    assert!(script.whole_text().starts_with(&stored.text()) && !stored.text().is_empty());
    assert_eq!(streaming.ask("And you?").outcome, Some(Outcome::Completed));
    assert_eq!(installation.conversation(id).history().messages.len(), 4);
}

#[test]
fn the_next_frame_after_a_panic_is_answered() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (_, mut conversation) = installation.new_conversation("Unharmed");
    let mut agent = installation.agent();
    conversation.ask("Before");
    for _ in 0..3 {
        let panicked = installation.host().fixture("/panic");
        assert!(panicked.status >= 500, "{panicked:?}");
        agent.call(&GetStatus {}).unwrap();
        assert_eq!(conversation.ask("After").outcome, Some(Outcome::Completed));
    }
    assert_eq!(conversation.history().messages.len(), 8);
}
