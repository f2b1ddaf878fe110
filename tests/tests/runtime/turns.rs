//! Chatting: the answer arrives piece by piece, every tab sees it, a stop stops it, and messages keep their order.

use flarebot_protocol::call::GetHistory;
use flarebot_protocol::frame::ServerFrame;
use flarebot_protocol::message::{Message, Outcome, Role};
use flarebot_protocol::reduce;
use flarebot_tests::client::{Answer, Socket};
use flarebot_tests::provider::{ExchangeEnd, Script};
use flarebot_tests::{Installation, PATIENCE, eventually};
use std::time::Duration;

/// The newest message as it is stored.
pub(crate) fn last_answer(socket: &mut Socket) -> Message {
    let history = socket.history();
    let last = history.messages.last().cloned().expect("there are messages");
    assert_eq!(last.role, Role::Assistant);
    last
}

/// How the turn of a message ended.
pub(crate) fn outcome(message: &Message) -> Option<Outcome> {
    message.metadata.as_ref().and_then(|metadata| metadata.outcome)
}

#[test]
fn an_answer_arrives_piece_by_piece_and_stays() {
    let mut installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Chat");
    let script = Script {
        chunks: 20,
        gap: 10,
        usage: Some((7, 20)),
        ..Script::labelled("chat")
    };
    let answer = socket.ask(&script.to_string());
    assert_eq!(answer.text(), script.whole_text());
    assert_eq!((answer.outcome, answer.error), (Some(Outcome::Completed), None));
    assert!(
        answer.next_seq >= 10,
        "the answer came in {} pieces",
        answer.next_seq
    );
    let stored = last_answer(&mut socket);
    assert_eq!(
        stored.id, answer.reduction.message.id,
        "the id exists before the first token"
    );
    assert_eq!(stored.text(), script.whole_text());
    let usage = stored.metadata.as_ref().unwrap().usage.unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (7, 20));
    installation.kill();
    installation.start_again();
    let mut socket = installation.conversation(id);
    assert_eq!(socket.expect_history().messages.last(), Some(&stored));
}

#[test]
fn the_provider_is_asked_as_the_deployment_says() {
    let installation = Installation::start_with(flarebot_tests::Entry::Production, |variables| {
        variables.insert(
            "FLAREBOT_COMPATIBLE_KEY".to_owned(),
            "sk-key-of-the-deployment".to_owned(),
        );
    });
    let (_, mut socket) = installation.new_conversation("Chat");
    socket.ask("Hello");
    let exchange = installation.provider.wait_for_request("Hello", PATIENCE);
    assert_eq!(exchange.path, "/v1/chat/completions");
    assert_eq!(exchange.body["model"], "scripted");
    assert_eq!(exchange.body["stream"], true);
    assert_eq!(
        exchange.header("authorization"),
        Some("Bearer sk-key-of-the-deployment")
    );
    assert!(installation.host().refused().is_empty());
}

#[test]
fn the_model_sees_the_whole_conversation() {
    let installation = Installation::start();
    let (_, mut socket) = installation.new_conversation("Chat");
    socket.ask("First question");
    socket.ask("Second question");
    let exchange = installation
        .provider
        .wait_for_request("Second question", PATIENCE);
    assert_eq!(
        exchange.conversation(),
        [
            ('u', "First question"),
            ('a', "You said: First question"),
            ('u', "Second question"),
        ]
    );
}

#[test]
fn every_tab_sees_the_message_and_the_same_pieces() {
    let installation = Installation::start();
    let (id, mut first) = installation.new_conversation("Chat");
    let mut second = installation.conversation(id);
    second.expect_history();
    let script = Script {
        chunks: 30,
        gap: 10,
        ..Script::labelled("tabs")
    };
    let request = first.say(&script.to_string());
    let seen = second.expect("the owner's message in the other tab", |frame| match frame {
        ServerFrame::Message { message } if message.role == Role::User => Some(message.clone()),
        _ => None,
    });
    assert_eq!(seen.text(), script.to_string());
    let here = first.answer(&request);
    let there = second.answer(&request);
    assert_eq!(here.reduction.message, there.reduction.message);
    assert_eq!(here.text(), script.whole_text());
}

#[test]
fn a_tab_that_comes_late_gets_what_there_is_and_then_the_rest() {
    let installation = Installation::start();
    let (id, mut first) = installation.new_conversation("Chat");
    let script = Script {
        chunks: 60,
        gate_after: Some(30),
        ..Script::labelled("late")
    };
    let half = script.text_of(30);
    let request = first.say(&script.to_string());
    first.follow("half the answer", &request, PATIENCE, |answer| {
        answer.text() == half
    });
    first.close();
    let mut late = installation.conversation(id);
    let history = late.expect_history();
    assert_eq!(
        history.messages.len(),
        1,
        "the running answer is not among the messages"
    );
    let running = history.running.expect("an answer is running");
    assert_eq!(running.request_id, request);
    let mut answer = Answer::to(&request);
    answer.next_seq = running.next_seq;
    let so_far = reduce(answer.reduction.message.clone(), &running.chunks);
    assert_eq!(so_far.text(), half);
    assert_eq!(so_far.id, running.message_id);
    for chunk in &running.chunks {
        answer.reduction.apply(chunk);
    }
    installation.provider.release("late");
    late.follow_on("the rest", &mut answer, PATIENCE, |answer| {
        answer.outcome.is_some()
    });
    assert_eq!(answer.text(), script.whole_text());
}

#[test]
fn closing_the_page_does_not_stop_the_answer() {
    let installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Chat");
    let script = Script {
        chunks: 40,
        gap: 25,
        ..Script::labelled("left")
    };
    let request = socket.say(&script.to_string());
    socket.follow("some text", &request, PATIENCE, |answer| {
        !answer.text().is_empty()
    });
    socket.close();
    assert_eq!(
        installation.provider.wait_for_end("left", PATIENCE),
        ExchangeEnd::Played
    );
    let mut socket = installation.conversation(id);
    let stored = eventually("the whole answer is stored", PATIENCE, || {
        let last = socket.history().messages.pop()?;
        (outcome(&last) == Some(Outcome::Completed)).then_some(last)
    });
    assert_eq!(stored.text(), script.whole_text());
}

#[test]
fn a_message_sent_while_an_answer_runs_waits_and_keeps_its_order() {
    let installation = Installation::start();
    let (id, mut first) = installation.new_conversation("Chat");
    let mut second = installation.conversation(id);
    second.expect_history();
    let running = Script {
        gate_after: Some(1),
        ..Script::labelled("running")
    };
    let one = first.say(&running.to_string());
    installation
        .provider
        .wait_for("running", PATIENCE, |exchange| exchange.pieces == 1);
    let two = second.say("Second question");
    second.expect("the queue's entry", |frame| match frame {
        ServerFrame::Queued(queued) if queued.request_id == two => Some(()),
        _ => None,
    });
    let late = installation.conversation(id).expect_history();
    assert_eq!(late.queued.len(), 1);
    assert_eq!(late.queued[0].request_id, two);
    assert!(installation.provider.labelled("Second question").is_empty());
    installation.provider.release("running");
    assert_eq!(first.answer(&one).outcome, Some(Outcome::Completed));
    assert_eq!(second.answer(&two).outcome, Some(Outcome::Completed));
    let exchange = installation
        .provider
        .wait_for_request("Second question", PATIENCE);
    let running_text = running.whole_text();
    let running_message = running.to_string();
    assert_eq!(
        exchange.conversation(),
        [
            ('u', running_message.as_str()),
            ('a', running_text.as_str()),
            ('u', "Second question"),
        ]
    );
    let roles: Vec<Role> = second
        .history()
        .messages
        .iter()
        .map(|message| message.role)
        .collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::User, Role::Assistant]);
}

#[test]
fn the_same_request_sent_twice_is_answered_once() {
    let installation = Installation::start();
    let (_, mut socket) = installation.new_conversation("Chat");
    let request = flarebot_protocol::RequestId::new("sent-twice").unwrap();
    let frame = flarebot_tests::client::chat_request(&request, "Hello");
    socket.send(&frame);
    socket.send(&frame);
    assert_eq!(socket.answer(&request).outcome, Some(Outcome::Completed));
    socket.drain(Duration::from_secs(1));
    assert_eq!(installation.provider.labelled("Hello").len(), 1);
    assert_eq!(socket.history().messages.len(), 2);
}

#[test]
fn a_message_that_cannot_be_sent_is_refused_with_a_sentence() {
    let installation = Installation::start();
    let (_, mut socket) = installation.new_conversation("Chat");
    for text in [
        "",
        "  \n ",
        &"x".repeat(flarebot_protocol::MAXIMUM_MESSAGE_BYTES + 1),
    ] {
        let request = socket.say(text);
        let answer = socket.answer(&request);
        assert_eq!(answer.outcome, Some(Outcome::Error));
        assert!(answer.error.is_some_and(|error| !error.is_empty()));
    }
    assert_eq!(socket.history().messages, []);
    assert!(installation.provider.exchanges().is_empty());
}

#[test]
fn a_long_history_comes_in_pages() {
    let installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Chat");
    for number in 0..30 {
        socket.ask(&format!("Question {number}"));
    }
    let mut page = installation.conversation(id).expect_history();
    assert_eq!((page.messages.len(), page.has_more), (50, true));
    let before = Some(page.messages[0].id.clone());
    let older = socket.call(&GetHistory { before }).unwrap();
    assert_eq!((older.messages.len(), older.has_more), (10, false));
    page.messages.splice(0..0, older.messages);
    let asked: Vec<String> = page.messages.iter().step_by(2).map(Message::text).collect();
    let expected: Vec<String> = (0..30).map(|number| format!("Question {number}")).collect();
    assert_eq!(asked, expected);
}

#[test]
fn erasing_the_transcript_stops_the_answer_and_reaches_every_tab() {
    let installation = Installation::start();
    let (id, mut first) = installation.new_conversation("Chat");
    let mut second = installation.conversation(id);
    second.expect_history();
    let script = Script {
        chunks: 2000,
        gap: 10,
        ..Script::labelled("erased")
    };
    let request = first.say(&script.to_string());
    first.follow("some text", &request, PATIENCE, |answer| {
        !answer.text().is_empty()
    });
    first.send(&serde_json::json!({ "type": "cf_agent_chat_clear" }));
    second.expect("the news in the other tab", |frame| {
        matches!(frame, ServerFrame::ChatClear).then_some(())
    });
    let end = installation
        .provider
        .wait_for_end("erased", Duration::from_secs(3));
    assert_eq!(end, ExchangeEnd::ClosedByCaller);
    eventually("the transcript is empty", PATIENCE, || {
        second.history().messages.is_empty().then_some(())
    });
    assert_eq!(second.ask("A new start").outcome, Some(Outcome::Completed));
    assert_eq!(first.history().messages.len(), 2);
}
