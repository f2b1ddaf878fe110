//! Stopping an answer: from the first moment on, all the way to the provider, and with the text that has arrived.

use crate::recovery::{begin, held, request_number};
use crate::turns::{last_answer, outcome};
use flarebot_protocol::message::Outcome;
use flarebot_tests::provider::{ExchangeEnd, Script};
use flarebot_tests::{Installation, PATIENCE, eventually};
use serde_json::json;
use std::time::Duration;

#[test]
fn a_stop_before_the_first_token_reaches_the_provider() {
    let installation = Installation::start();
    let (_, mut socket) = installation.new_conversation("Chat");
    for script in [
        Script {
            headers_after: 60_000,
            ..Script::labelled("no headers")
        },
        Script {
            first_text_after: 60_000,
            ..Script::labelled("no text")
        },
    ] {
        let label = script.label.clone();
        let request = socket.say(&script.to_string());
        installation.provider.wait_for_request(&label, PATIENCE);
        socket.stop(&request);
        let answer = socket.answer(&request);
        assert_eq!(
            (answer.outcome, answer.text()),
            (Some(Outcome::Aborted), String::new()),
            "{label}"
        );
        let end = installation.provider.wait_for_end(&label, Duration::from_secs(3));
        assert_eq!(end, ExchangeEnd::ClosedByCaller, "{label}");
    }
    assert_eq!(socket.ask("And now?").outcome, Some(Outcome::Completed));
}

#[test]
fn a_stop_right_after_sending_stops() {
    let installation = Installation::start();
    let (_, mut socket) = installation.new_conversation("Chat");
    let script = Script {
        chunks: 1000,
        gap: 20,
        ..Script::labelled("hasty")
    };
    let request = socket.say(&script.to_string());
    socket.stop(&request);
    assert_eq!(socket.answer(&request).outcome, Some(Outcome::Aborted));
    for exchange in installation.provider.labelled("hasty") {
        let end = installation
            .provider
            .wait_for_end(&exchange.label, Duration::from_secs(3));
        assert_eq!(end, ExchangeEnd::ClosedByCaller);
    }
}

#[test]
fn a_stop_in_mid_stream_keeps_what_has_arrived() {
    let installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Chat");
    let script = Script {
        chunks: 2000,
        gap: 10,
        ..Script::labelled("stopped")
    };
    let request = socket.say(&script.to_string());
    let mut answer = socket.follow("some text", &request, PATIENCE, |answer| {
        answer.text().len() > 200
    });
    socket.stop(&request);
    socket.follow_on("the end", &mut answer, PATIENCE, |answer| {
        answer.outcome.is_some()
    });
    assert_eq!(answer.outcome, Some(Outcome::Aborted));
    let end = installation
        .provider
        .wait_for_end("stopped", Duration::from_secs(3));
    assert_eq!(end, ExchangeEnd::ClosedByCaller);
    let stored = last_answer(&mut socket);
    assert_eq!(stored.text(), answer.text());
    assert!(script.whole_text().starts_with(&stored.text()));
    assert_eq!(outcome(&stored), Some(Outcome::Aborted));
    socket.ask("And now?");
    let exchange = installation.provider.wait_for_request("And now?", PATIENCE);
    let stopped_message = script.to_string();
    let kept = stored.text();
    assert_eq!(
        exchange.conversation(),
        [
            ('u', stopped_message.as_str()),
            ('a', kept.as_str()),
            ('u', "And now?")
        ]
    );
    assert_eq!(installation.conversation(id).expect_history().messages.len(), 4);
}

#[test]
fn a_stop_of_a_waiting_message_takes_only_that_one() {
    let installation = Installation::start();
    let (_, mut socket) = installation.new_conversation("Chat");
    let running = Script {
        gate_after: Some(1),
        ..Script::labelled("running")
    };
    let one = socket.say(&running.to_string());
    let two = socket.say("Never mind");
    let three = socket.say("Third question");
    socket.stop(&two);
    assert_eq!(socket.answer(&two).outcome, Some(Outcome::Aborted));
    installation.provider.release("running");
    assert_eq!(socket.answer(&one).outcome, Some(Outcome::Completed));
    assert_eq!(socket.answer(&three).outcome, Some(Outcome::Completed));
    assert!(installation.provider.labelled("Never mind").is_empty());
}

#[test]
fn a_stop_of_nothing_harms_nothing() {
    let installation = Installation::start();
    let (_, mut socket) = installation.new_conversation("Chat");
    socket.stop(&flarebot_protocol::RequestId::new("never-existed").unwrap());
    let answer = socket.ask("Hello");
    assert_eq!(answer.outcome, Some(Outcome::Completed));
    socket.stop(&answer.request);
    assert_eq!(outcome(&last_answer(&mut socket)), Some(Outcome::Completed));
}

#[test]
fn erasing_the_transcript_while_an_answer_recovers_leaves_nothing_of_it() {
    let mut installation = Installation::start();
    let script = held("erased");
    let (id, page, ..) = begin(&installation, &script, 20);
    installation.kill();
    installation.start_again();
    let mut socket = installation.conversation(id);
    request_number(&installation, "erased", 2);
    socket.send(&json!({ "type": "cf_agent_chat_clear" }));
    installation
        .provider
        .wait_for("erased", Duration::from_secs(3), |exchange| {
            exchange.standing.partial.is_some() && exchange.end == Some(ExchangeEnd::ClosedByCaller)
        });
    eventually("the page shows nothing", PATIENCE, || {
        (page.is_settled() && page.messages().is_empty()).then_some(())
    });
    assert_eq!(installation.messages(id), []);
    assert_eq!(socket.ask("Anew").outcome, Some(Outcome::Completed));
    assert_eq!(installation.messages(id).len(), 2);
    assert_eq!(installation.provider.labelled("erased").len(), 2);
}
