//! The release bundle with a real model behind it: the small one that `cargo xtask dev` serves. It shows that what a real
//! server sends is what the product reads. It says nothing of the model's words, which are its own affair.
//!
//! `cargo xtask test local-model` serves the model, and names it in `FLAREBOT_LOCAL_MODEL` (`host:port`) and
//! `FLAREBOT_LOCAL_MODEL_NAME`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "tests stop at the first surprise"
)]

mod relay;

use flarebot_protocol::call::{SetProviderKey, UpdateInstructions, UpdateModelSettings};
use flarebot_protocol::message::{Message, Outcome, Role, Usage};
use flarebot_protocol::settings::{ModelChoice, ModelProvider, ProviderKey};
use flarebot_tests::client::{Answer, Socket};
use flarebot_tests::{Entry, Installation};
use relay::Relay;
use std::time::Duration;

/// How long an answer may take: minutes, on a busy machine, if the model will not stop.
const PATIENCE: Duration = Duration::from_mins(5);

const FIRST: &str = "What is the capital of France?";
const SECOND: &str = "And of Italy?";

/// An installation that asks the model through a relay, and that wants its answers short.
fn start() -> (Installation, Relay) {
    let variable = |name| {
        std::env::var(name).unwrap_or_else(|_| panic!("{name}: `cargo xtask test local-model` sets it"))
    };
    let relay = Relay::start(variable("FLAREBOT_LOCAL_MODEL"));
    let name = variable("FLAREBOT_LOCAL_MODEL_NAME");
    let installation = Installation::start_towards(Entry::Production, Some(relay.authority()), |variables| {
        variables.insert("FLAREBOT_COMPATIBLE_MODELS".to_owned(), name);
    });
    let mut agent = installation.agent();
    let instructions = agent.call(&UpdateInstructions {
        text: "Answer in one short sentence.".to_owned(),
    });
    instructions.unwrap();
    agent.close();
    (installation, relay)
}

/// Asks, and sees the answer grow until it is complete.
fn ask(socket: &mut Socket, question: &str) -> Answer {
    let request = socket.say(question);
    let begun = |answer: &Answer| !answer.text().is_empty() || answer.outcome.is_some();
    let mut answer = socket.follow("the first words", &request, PATIENCE, begun);
    assert_eq!(
        (answer.outcome, &answer.error),
        (None, &None),
        "text comes before the end"
    );
    let first = answer.text();
    socket.follow_on("the end", &mut answer, PATIENCE, |answer| {
        answer.outcome.is_some()
    });
    assert_eq!((answer.outcome, &answer.error), (Some(Outcome::Completed), &None));
    let whole = answer.text();
    assert!(
        whole.len() > first.len() && whole.starts_with(&first),
        "{first:?}, then {whole:?}"
    );
    answer
}

/// The stored messages, which end with this answer.
fn stored(installation: &Installation, socket: &mut Socket, answer: &Answer) -> Vec<Message> {
    let messages = socket.history().messages;
    let last = messages.last().unwrap();
    assert_eq!((last.role, last.text()), (Role::Assistant, answer.text()));
    assert_eq!(last.id, answer.reduction.message.id);
    let usage = usage(last);
    assert!(usage.input_tokens > 0 && usage.output_tokens > 1, "{usage:?}");
    assert!(installation.host().refused().is_empty(), "nobody else was asked");
    messages
}

fn usage(message: &Message) -> Usage {
    message.metadata.as_ref().unwrap().usage.unwrap()
}

#[test]
fn a_real_model_answers_and_hears_the_conversation_again_after_a_restart() {
    let (mut installation, relay) = start();
    let (id, mut socket) = installation.new_conversation("Local");
    let answer = ask(&mut socket, FIRST);
    let before = stored(&installation, &mut socket, &answer);
    installation.kill();
    installation.start_again();
    let mut socket = installation.conversation(id);
    assert_eq!(socket.expect_history().messages, before);

    let second = ask(&mut socket, SECOND);
    let after = stored(&installation, &mut socket, &second);
    assert_eq!(after[..2], before);
    assert_eq!(after.len(), 4);
    assert!(
        usage(&after[3]).input_tokens > usage(&after[1]).input_tokens,
        "the server read more than the second question: {after:#?}"
    );
    let asked = relay.asked();
    let messages = asked.last().unwrap()["messages"].as_array().unwrap();
    let contents: Vec<_> = messages.iter().map(|message| &message["content"]).collect();
    assert_eq!(contents[contents.len() - 3..], [FIRST, &answer.text(), SECOND]);
}

#[test]
fn the_same_server_is_understood_in_anthropics_protocol() {
    let (installation, relay) = start();
    let mut agent = installation.agent();
    let key = SetProviderKey {
        provider: ModelProvider::Anthropic,
        key: Some(ProviderKey::new("sk-ant-a-key-that-no-server-here-checks")),
    };
    agent.call(&key).unwrap();
    let choice = ModelChoice {
        provider: ModelProvider::Anthropic,
        model: "claude-haiku-4-5-20251001".to_owned(),
    };
    agent.call(&UpdateModelSettings { choice }).unwrap();
    agent.close();
    let (_, mut socket) = installation.new_conversation("Local");
    let answer = ask(&mut socket, FIRST);
    assert_eq!(stored(&installation, &mut socket, &answer).len(), 2);
    assert!(
        relay.asked()[0]["system"].is_array(),
        "it was asked in that protocol"
    );
}
