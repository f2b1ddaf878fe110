//! What survives time, idleness and the end of the process.

use flarebot_protocol::address::Endpoint;
use flarebot_protocol::call::{GetStatus, ListConversations};
use flarebot_protocol::message::{Outcome, Role};
use flarebot_tests::client::{Answer, Closed};
use flarebot_tests::provider::Script;
use flarebot_tests::{Installation, PATIENCE, eventually};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longer than an idle object stays in memory.
const EVICTION: Duration = Duration::from_secs(14);

/// What may be lost of an answer that was being sent: the newest quarter of a second, or the newest kilobyte. The
/// tests allow a busy machine a little more time.
const LOSS_TIME: Duration = Duration::from_millis(250 + 150);
const LOSS_BYTES: usize = 1024;

#[test]
fn sockets_close_when_the_session_ends_even_while_everything_sleeps() {
    let installation = Installation::start();
    let id = installation.create("Sleeping").id;
    let lifetime = Duration::from_secs(16);
    let expiry = Instant::now() + lifetime;
    let cookie = installation.credentials.cookie_for(lifetime);
    let mut sockets: Vec<_> = [Endpoint::Agent, Endpoint::Conversation(id)]
        .into_iter()
        .map(|endpoint| {
            let mut connection = installation.connection(endpoint);
            connection.cookie = Some(cookie.clone());
            connection.open().unwrap()
        })
        .collect();
    // Nothing is said until the session ends, so the objects are evicted before.
    for socket in &mut sockets {
        assert_eq!(
            socket.expect_closed(lifetime + PATIENCE),
            Closed {
                code: 4001,
                reason: "Session ended".to_owned()
            }
        );
        assert!(
            Instant::now() > expiry,
            "the socket was closed before its session ended"
        );
    }
}

#[test]
fn an_agent_that_owes_nothing_has_no_alarm() {
    let installation = Installation::start();
    let agent = installation.agent();
    let (_, mut conversation) = installation.new_conversation("Idle");
    assert_eq!(conversation.ask("Hello").outcome, Some(Outcome::Completed));
    assert_eq!(
        installation.alarms(),
        1,
        "the end of an open socket's session is owed"
    );
    conversation.close();
    agent.close();
    eventually("no alarm", PATIENCE, || {
        (installation.alarms() == 0).then_some(())
    });
}

#[test]
fn sockets_that_a_kill_took_away_leave_no_alarm() {
    let mut installation = Installation::start();
    let (_, mut conversation) = installation.new_conversation("Left behind");
    conversation.ask("Hello");
    let agent = installation.agent();
    installation.kill();
    drop((agent, conversation));
    installation.start_again();
    // Somebody looks in, and goes away again.
    installation.agent().close();
    eventually("no alarm", PATIENCE, || {
        (installation.alarms() == 0).then_some(())
    });
}

#[test]
fn a_socket_of_a_longer_session_stays_when_a_shorter_one_ends() {
    let installation = Installation::start();
    let id = installation.create("Two sessions").id;
    let mut short = installation.connection(Endpoint::Conversation(id));
    short.cookie = Some(installation.credentials.cookie_for(Duration::from_secs(4)));
    let mut short = short.open().unwrap();
    let mut long = installation.conversation(id);
    assert_eq!(short.expect_closed(PATIENCE).code, 4001);
    assert_eq!(long.ask("Are you still there?").outcome, Some(Outcome::Completed));
}

#[test]
fn frames_are_answered_after_everything_was_evicted_with_sockets_open() {
    let installation = Installation::start();
    let (id, mut conversation) = installation.new_conversation("Idle");
    let mut agent = installation.agent();
    conversation.ask("Before");
    let before = agent.call(&GetStatus {}).unwrap();
    for _ in 0..2 {
        sleep(EVICTION);
        assert_eq!(conversation.ask("After").outcome, Some(Outcome::Completed));
        assert_eq!(agent.call(&GetStatus {}).unwrap(), before);
    }
    assert_eq!(agent.call(&ListConversations {}).unwrap()[0].id, id);
    assert_eq!(conversation.history().messages.len(), 6);
    assert_eq!((agent.closed(), conversation.closed()), (None, None));
}

#[test]
fn a_long_answer_outlives_the_idle_time_of_everything_around_it() {
    let installation = Installation::start();
    let (_, mut socket) = installation.new_conversation("Slow");
    let script = Script {
        chunks: 5,
        gap: 7000,
        ..Script::labelled("slow")
    };
    let request = socket.say(&script.to_string());
    let answer = socket.answer_within(&request, Duration::from_mins(1));
    assert_eq!(
        (answer.outcome, answer.text()),
        (Some(Outcome::Completed), script.whole_text())
    );
    assert_eq!(installation.provider.labelled("slow").len(), 1);
}

#[test]
fn everything_is_there_after_a_restart() {
    let mut installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Kept");
    socket.ask("Remember this");
    let messages = socket.history().messages;
    let status = installation.agent().call(&GetStatus {}).unwrap();
    let cookie = installation.credentials.cookie();
    for way in [Installation::stop, Installation::kill] {
        way(&mut installation);
        installation.start_again();
        assert_eq!(installation.agent().call(&GetStatus {}).unwrap(), status);
        assert_eq!(installation.conversation(id).expect_history().messages, messages);
        let path = Endpoint::ConversationMessages(id).path();
        let request = flarebot_tests::client::http::Request::new("GET", &path).header("cookie", &cookie);
        assert_eq!(
            installation.send(&request).status,
            200,
            "the session outlives the process"
        );
    }
}

/// How much text had arrived at which moment.
struct Arrivals(Vec<(Instant, usize)>);

impl Arrivals {
    /// How many bytes of text must have been stored by `killed_at`.
    fn durable(&self, killed_at: Instant) -> usize {
        let seen = self.0.last().map_or(0, |(_, length)| *length);
        let old = self
            .0
            .iter()
            .rev()
            .find(|(arrived, _)| *arrived + LOSS_TIME < killed_at);
        seen.saturating_sub(LOSS_BYTES)
            .max(old.map_or(0, |(_, length)| *length))
    }
}

fn kill_during_a_stream(gap: u64, bytes: usize, after: Duration) {
    let mut installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Killed");
    let script = Script {
        chunks: 20_000,
        bytes,
        gap,
        ..Script::labelled("killed")
    };
    let request = socket.say(&script.to_string());
    let mut answer = Answer::to(&request);
    let mut arrivals = Arrivals(Vec::new());
    socket.follow_on("the first text", &mut answer, PATIENCE, |answer| {
        !answer.text().is_empty()
    });
    let kill_at = Instant::now() + after;
    while Instant::now() < kill_at {
        let next = answer.next_seq + 1;
        socket.follow_on("more text", &mut answer, PATIENCE, |answer| {
            answer.next_seq >= next
        });
        arrivals.0.push((Instant::now(), answer.text().len()));
    }
    let killed_at = Instant::now();
    installation.kill();
    installation.start_again();
    let mut socket = installation.conversation(id);
    let rest = eventually("the rest is asked for", Duration::from_secs(40), || {
        installation.provider.labelled("killed").get(1).cloned()
    });
    let kept = rest.standing.partial.unwrap_or_default();
    assert!(
        script.whole_text().starts_with(&kept),
        "what is kept is not what was sent: {kept:?}"
    );
    let durable = arrivals.durable(killed_at);
    assert!(durable > 0, "the test killed before anything was durable");
    assert!(
        kept.len() >= durable,
        "{} bytes are kept of {durable} that must be",
        kept.len()
    );
    socket.stop(&request);
    let stored = eventually("the answer is stopped", PATIENCE, || {
        let last = socket.history().messages.pop()?;
        let outcome = last.metadata.as_ref()?.outcome?;
        assert_eq!(outcome, Outcome::Aborted);
        Some(last)
    });
    let text = stored.text();
    assert!(
        text.starts_with(&kept) && script.whole_text().starts_with(&text),
        "{text:?}"
    );
    let next = socket.ask("Are you back?");
    assert_eq!(next.outcome, Some(Outcome::Completed));
    let roles: Vec<Role> = socket
        .history()
        .messages
        .iter()
        .map(|message| message.role)
        .collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::User, Role::Assistant]);
}

#[test]
fn a_kill_in_a_slow_stream_loses_at_most_a_quarter_of_a_second() {
    kill_during_a_stream(40, 20, Duration::from_millis(1300));
}

#[test]
fn a_kill_in_a_fast_stream_loses_at_most_a_kilobyte() {
    kill_during_a_stream(2, 100, Duration::from_millis(1100));
}

#[test]
fn a_message_that_waited_when_the_process_was_killed_is_answered() {
    let mut installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Killed with a queue");
    let script = Script {
        gate_after: Some(1),
        ..Script::labelled("first")
    };
    socket.say(&script.to_string());
    installation
        .provider
        .wait_for("first", PATIENCE, |exchange| exchange.pieces == 1);
    socket.say("Second question");
    socket.expect("the queue's entry", |frame| {
        matches!(frame, flarebot_protocol::frame::ServerFrame::Queued(_)).then_some(())
    });
    installation.kill();
    installation.provider.release("first");
    // Nobody connects: the agent's own alarm has to bring it back.
    installation.start_again();
    installation
        .provider
        .wait_for_request("Second question", Duration::from_mins(1));
    let mut socket = installation.conversation(id);
    let messages = eventually("the second answer is complete", PATIENCE, || {
        let messages = socket.history().messages;
        (messages.len() == 4).then_some(messages)
    });
    assert_eq!(messages[1].text(), script.whole_text());
    assert_eq!(messages[3].text(), "You said: Second question");
}
