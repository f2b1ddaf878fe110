//! Conversations that outgrow their model go on, and say so; where they cannot, they offer a way on.

use crate::turns::{last_answer, outcome};
use flarebot_protocol::message::{Message, Outcome, Role};
use flarebot_tests::client::Socket;
use flarebot_tests::provider::{Ending, Exchange, Faults, SUMMARY, SUMMARY_LABEL, Script};
use flarebot_tests::{Installation, PATIENCE, eventually};
use std::time::Duration;

/// How long an answer may take that nobody watches on a busy machine.
const UNATTENDED: Duration = Duration::from_secs(30);

/// How many questions are answered before it becomes too much.
const EARLIER: usize = 6;

fn speak(socket: &mut Socket) {
    for number in 0..EARLIER {
        let answer = socket.ask(&format!("Question {number}"));
        assert_eq!(answer.outcome, Some(Outcome::Completed));
    }
}

/// A script whose first requests are refused as too long, after so many pieces of the answer.
fn refused(label: &str, requests: u32, before_piece: u32) -> Script {
    Script {
        faults: Some(Faults {
            requests,
            before_piece,
            ending: Ending::TooLong,
        }),
        ..Script::labelled(label)
    }
}

fn notice(message: &Message) -> String {
    let metadata = message.metadata.as_ref();
    metadata
        .and_then(|metadata| metadata.notice.clone())
        .unwrap_or_default()
}

/// Whether a model was told the summary, and no question that it stands for.
fn is_told_the_summary(exchange: &Exchange) -> bool {
    let conversation = exchange.conversation();
    let told = |words: &str| conversation.iter().any(|(_, text)| text.contains(words));
    conversation
        .first()
        .is_some_and(|(_, text)| text.contains(SUMMARY))
        && !told("Question 0")
}

#[test]
fn a_conversation_that_is_too_long_is_summarised_once_and_goes_on_also_after_a_restart() {
    let mut installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Long");
    speak(&mut socket);
    let script = refused("too long", 1, 0);
    let request = socket.say(&script.to_string());
    let frames = socket.drain(Duration::from_secs(2));
    let seen = format!("{frames:?}");
    assert!(!seen.contains(SUMMARY), "a summary is shown to nobody");
    let stored = eventually("the answer", PATIENCE, || {
        let last = socket.history().messages.pop()?;
        (last.role == Role::Assistant && outcome(&last).is_some()).then_some(last)
    });
    assert_eq!(outcome(&stored), Some(Outcome::Completed), "{request} {stored:?}");
    assert_eq!(stored.text(), script.whole_text());
    assert!(notice(&stored).contains("summary"), "{}", notice(&stored));

    let asked = installation.provider.labelled("too long");
    assert_eq!(asked.len(), 2);
    assert!(!is_told_the_summary(&asked[0]) && is_told_the_summary(&asked[1]));
    let summaries = installation.provider.labelled(SUMMARY_LABEL);
    assert_eq!(summaries.len(), 1);
    assert!(summaries[0].offered.is_empty() && summaries[0].standing.question.contains("Question 4"));
    assert_eq!(
        socket.history().messages.len(),
        2 * EARLIER + 2,
        "the transcript keeps all"
    );
    assert_eq!(installation.messages(id).len(), 2 * EARLIER + 2);

    installation.kill();
    installation.start_again();
    let mut socket = installation.conversation(id);
    let next = socket.ask("What was that?");
    assert_eq!(next.outcome, Some(Outcome::Completed));
    assert_eq!(notice(&last_answer(&mut socket)), "", "once is enough");
    let asked = installation.provider.wait_for_request("What was that?", PATIENCE);
    assert!(is_told_the_summary(&asked));
    assert_eq!(installation.provider.labelled(SUMMARY_LABEL).len(), 1);
}

#[test]
fn a_kill_while_a_summary_is_written_loses_nothing_and_nobody_has_to_come_back() {
    let mut installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Long");
    speak(&mut socket);
    installation.provider.hold_summaries();
    let script = refused("killed", 1, 0);
    socket.say(&script.to_string());
    installation.provider.wait_for_request(SUMMARY_LABEL, PATIENCE);
    installation.kill();
    installation.provider.release(SUMMARY_LABEL);
    installation.start_again();
    // The first request wakes the agent; no socket is open.
    let stored = eventually("the answer", UNATTENDED, || {
        let last = installation.messages(id).pop()?;
        (last.role == Role::Assistant && outcome(&last).is_some()).then_some(last)
    });
    assert_eq!(outcome(&stored), Some(Outcome::Completed), "{stored:?}");
    assert_eq!(stored.text(), script.whole_text());
    assert!(notice(&stored).contains("summary"), "{}", notice(&stored));
    assert_eq!(installation.messages(id).len(), 2 * EARLIER + 2);
    let asked = installation.provider.labelled("killed");
    assert_eq!(
        asked.len(),
        2,
        "what was found out before the kill is known after it"
    );
    assert!(is_told_the_summary(&asked[1]));
    assert_eq!(installation.provider.labelled(SUMMARY_LABEL).len(), 2);
}

#[test]
fn an_answer_that_is_refused_in_its_middle_keeps_its_words() {
    let installation = Installation::start();
    let (_, mut socket) = installation.new_conversation("Long");
    speak(&mut socket);
    let script = refused("in the middle", 1, 2);
    let answer = socket.ask(&script.to_string());
    assert_eq!(
        (answer.outcome, answer.text()),
        (Some(Outcome::Completed), script.whole_text())
    );
    assert!(notice(&last_answer(&mut socket)).contains("summary"));
}

#[test]
fn a_conversation_that_does_not_fit_shortened_either_offers_a_way_on_and_stays_usable() {
    let installation = Installation::start();
    let (_, mut socket) = installation.new_conversation("Long");
    speak(&mut socket);
    let answer = socket.ask(&refused("for ever", u32::MAX, 0).to_string());
    assert_eq!(answer.outcome, Some(Outcome::Error));
    let told = notice(&last_answer(&mut socket));
    assert!(
        told.contains("new chat") && told.contains("larger context"),
        "{told}"
    );
    assert_eq!(installation.provider.labelled("for ever").len(), 2, "one retry");
    assert_eq!(
        installation.provider.labelled(SUMMARY_LABEL).len(),
        1,
        "one summary"
    );
    assert_eq!(socket.ask("Next").outcome, Some(Outcome::Completed));
}

#[test]
fn a_short_conversation_that_does_not_fit_is_not_asked_for_again() {
    let installation = Installation::start();
    let (_, mut socket) = installation.new_conversation("Short");
    let answer = socket.ask(&refused("short", u32::MAX, 0).to_string());
    assert_eq!(answer.outcome, Some(Outcome::Error));
    assert_eq!(installation.provider.labelled("short").len(), 1);
    assert!(installation.provider.labelled(SUMMARY_LABEL).is_empty());
}
