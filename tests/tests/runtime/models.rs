//! Turns with each of the providers that are not the deployment's own: they answer, call tools, are stopped and go on
//! after a kill.

use crate::recovery::{assert_completed, begin, held, request_number};
use crate::tools::{moments, script as with_tools, tools};
use crate::turns::{last_answer, outcome};
use flarebot_protocol::call::{CallFailure, SetProviderKey, UpdateModelSettings};
use flarebot_protocol::message::{Message, Outcome, ToolState};
use flarebot_protocol::settings::{ModelChoice, ModelProvider, ModelSettings, ProviderKey};
use flarebot_tests::provider::{Exchange, ExchangeEnd, Form, Protocol, Script};
use flarebot_tests::{Entry, Installation, PATIENCE, eventually};
use serde_json::{Value, json};
use std::time::Duration;

/// A key for Anthropic, which the scripted provider takes as it takes any.
pub(crate) const KEY: &str = "sk-ant-a-key-of-the-tests-0123456789";

pub(crate) const ANTHROPIC: (ModelProvider, &str) = (ModelProvider::Anthropic, "claude-sonnet-5-5");
pub(crate) const WORKERS_AI: (ModelProvider, &str) = (
    ModelProvider::WorkersAi,
    "@cf/meta/llama-3.3-70b-instruct-fp8-fast",
);
/// A model whose events say the same words twice.
const WORKERS_AI_TWICE: (ModelProvider, &str) = (
    ModelProvider::WorkersAi,
    "@cf/meta/llama-4-scout-17b-16e-instruct",
);

pub(crate) fn choice((provider, model): (ModelProvider, &str)) -> ModelChoice {
    ModelChoice {
        provider,
        model: model.to_owned(),
    }
}

pub(crate) fn choose(installation: &Installation, model: (ModelProvider, &str)) -> ModelSettings {
    let mut agent = installation.agent();
    let choice = choice(model);
    let chosen = agent.call(&UpdateModelSettings { choice }).unwrap();
    agent.close();
    chosen
}

pub(crate) fn set_key(installation: &Installation, key: Option<&str>) -> Result<ModelSettings, CallFailure> {
    let mut agent = installation.agent();
    let set = agent.call(&SetProviderKey {
        provider: ModelProvider::Anthropic,
        key: key.map(ProviderKey::new),
    });
    agent.close();
    set
}

fn protocol((provider, _): (ModelProvider, &str)) -> Protocol {
    match provider {
        ModelProvider::Anthropic => Protocol::Messages,
        ModelProvider::WorkersAi => Protocol::WorkersAi,
        ModelProvider::Compatible => Protocol::Completions,
    }
}

/// An installation whose next turns use this model.
fn start(entry: Entry, model: (ModelProvider, &str)) -> Installation {
    let installation = Installation::start_entry(entry);
    if model.0 == ModelProvider::Anthropic {
        set_key(&installation, Some(KEY)).unwrap();
    }
    choose(&installation, model);
    installation
}

pub(crate) fn model_of(message: &Message) -> Option<&str> {
    message.metadata.as_ref()?.model.as_deref()
}

#[test]
fn an_answer_says_which_model_wrote_it_and_counts_its_tokens() {
    for model in [ANTHROPIC, WORKERS_AI, WORKERS_AI_TWICE] {
        let installation = start(Entry::Production, model);
        let (id, mut socket) = installation.new_conversation("Models");
        for form in [Form::EventStream, Form::Document] {
            let script = Script {
                form,
                chunks: 8,
                usage: Some((30, 12)),
                ..Script::labelled(&format!("{form:?}"))
            };
            let answer = socket.ask(&script.to_string());
            assert_eq!(
                (answer.outcome, answer.text()),
                (Some(Outcome::Completed), script.whole_text()),
                "{model:?} {form:?}: {:?}",
                answer.error
            );
            let stored = last_answer(&mut socket);
            assert_eq!(model_of(&stored), Some(model.1));
            let usage = stored.metadata.as_ref().unwrap().usage.unwrap();
            assert_eq!((usage.input_tokens, usage.output_tokens), (30, 12), "{model:?}");
            assert_eq!(installation.messages(id).last(), Some(&stored));
            let asked = installation.provider.labelled(&script.label);
            assert_eq!(asked.len(), 1);
            assert_eq!(asked[0].protocol, protocol(model));
            assert_eq!(
                (&asked[0].body["model"], &asked[0].body["stream"]),
                (&json!(model.1), &json!(true))
            );
            let key = (model == ANTHROPIC).then_some(KEY);
            assert_eq!(asked[0].header("x-api-key"), key);
            assert_eq!(asked[0].header("authorization"), None);
        }
        assert!(installation.host().refused().is_empty(), "nobody else was asked");
    }
}

#[test]
fn what_a_tool_returns_reaches_the_model() {
    for model in [ANTHROPIC, WORKERS_AI, WORKERS_AI_TWICE] {
        let installation = start(Entry::Fixture, model);
        let (_, mut socket) = installation.new_conversation("Models");
        let script = with_tools(&installation, "results", &[("count", 50), ("look", 50)]);
        let answer = socket.ask(&script.to_string());
        assert_eq!(
            (answer.outcome, answer.text()),
            (Some(Outcome::Completed), script.whole_text()),
            "{model:?}: {:?}",
            answer.error
        );
        let stored = last_answer(&mut socket);
        let tools = tools(&stored);
        assert_eq!(tools.len(), 2, "{model:?}");
        for part in tools {
            assert!(
                matches!(&part.state, ToolState::OutputAvailable { output, .. } if *output == json!({ "done": true })),
                "{model:?}: {part:?}"
            );
            assert_eq!(
                moments(&installation, "results", &part.tool_name),
                (1, 1),
                "{model:?}"
            );
        }
        let asked = installation.provider.labelled("results");
        assert_eq!(asked.len(), 2, "{model:?}");
        assert!(asked[0].offered.iter().any(|name| name == "count"), "{model:?}");
        let calls: Vec<_> = asked[1]
            .messages
            .iter()
            .flat_map(|message| &message.calls)
            .collect();
        let called: Vec<_> = calls.iter().map(|(_, call)| call.clone()).collect();
        assert_eq!(
            called, script.tools[0],
            "{model:?}: the calls go back as they were"
        );
        let results = &asked[1].standing.results;
        for ((id, _), (of, result)) in calls.iter().zip(results) {
            assert_eq!(id, of, "{model:?}");
            assert!(result.contains("done"), "{model:?}: {result}");
        }
        assert_eq!(results.len(), 2, "{model:?}");
    }
}

/// The thinking that a request to Anthropic gives back.
fn thoughts(exchange: &Exchange) -> Vec<Value> {
    let messages = exchange.body["messages"].as_array().unwrap().iter();
    messages
        .flat_map(|message| message["content"].as_array().unwrap())
        .filter(|block| block["type"] == "thinking")
        .cloned()
        .collect()
}

#[test]
fn thinking_goes_back_unchanged_with_the_results_even_after_a_kill() {
    let mut installation = start(Entry::Fixture, ANTHROPIC);
    let (id, mut socket) = installation.new_conversation("Models");
    let script = Script {
        reasoning: Some("First I count, \"so\" I know.\n".to_owned()),
        gate_after: Some(1),
        ..with_tools(&installation, "thinking", &[("count", 50)])
    };
    socket.say(&script.to_string());
    let second = request_number(&installation, "thinking", 2);
    installation.kill();
    installation.provider.release("thinking");
    installation.start_again();
    assert_completed(&installation, id, &script);
    assert_eq!(moments(&installation, "thinking", "count"), (1, 1));
    let first = request_number(&installation, "thinking", 1);
    let thought = json!({ "type": "thinking", "thinking": script.reasoning, "signature": first.proof });
    for exchange in [&second, &request_number(&installation, "thinking", 3)] {
        assert_eq!(thoughts(exchange), std::slice::from_ref(&thought));
        let spoken = &exchange.body["messages"][1]["content"];
        assert_eq!(spoken[0], thought, "it stands where it stood: {spoken}");
    }
    let mut socket = installation.conversation(id);
    assert_eq!(socket.ask("Next").outcome, Some(Outcome::Completed));
    let next = installation.provider.wait_for_request("Next", PATIENCE);
    assert_eq!(
        thoughts(&next),
        Vec::<Value>::new(),
        "it belongs to its answer alone"
    );
}

#[test]
fn a_stop_reaches_the_provider_and_keeps_the_text() {
    for model in [ANTHROPIC, WORKERS_AI] {
        let installation = start(Entry::Production, model);
        let (id, mut socket) = installation.new_conversation("Models");
        let script = Script {
            chunks: 2000,
            gap: 10,
            ..Script::labelled("stopped")
        };
        let request = socket.say(&script.to_string());
        socket.follow("some text", &request, PATIENCE, |answer| {
            answer.text().len() > 200
        });
        socket.stop(&request);
        let end = installation
            .provider
            .wait_for_end("stopped", Duration::from_secs(3));
        assert_eq!(end, ExchangeEnd::ClosedByCaller, "{model:?}");
        let stored = eventually("the answer is stored", PATIENCE, || {
            installation
                .messages(id)
                .pop()
                .filter(|last| outcome(last).is_some())
        });
        assert_eq!(outcome(&stored), Some(Outcome::Aborted), "{model:?}");
        assert!(stored.text().len() > 200, "{model:?}");
        assert!(script.whole_text().starts_with(&stored.text()), "{model:?}");
        assert_eq!(installation.provider.labelled("stopped").len(), 1, "{model:?}");
        assert_eq!(
            socket.ask("And now?").outcome,
            Some(Outcome::Completed),
            "{model:?}"
        );
    }
}

#[test]
fn a_stop_before_the_first_word_reaches_the_provider() {
    for model in [ANTHROPIC, WORKERS_AI] {
        let installation = start(Entry::Production, model);
        let (_, mut socket) = installation.new_conversation("Models");
        let script = Script {
            headers_after: 60_000,
            ..Script::labelled("no headers")
        };
        let request = socket.say(&script.to_string());
        installation.provider.wait_for_request("no headers", PATIENCE);
        socket.stop(&request);
        assert_eq!(
            socket.answer(&request).outcome,
            Some(Outcome::Aborted),
            "{model:?}"
        );
        let end = installation
            .provider
            .wait_for_end("no headers", Duration::from_secs(3));
        assert_eq!(end, ExchangeEnd::ClosedByCaller, "{model:?}");
    }
}

#[test]
fn an_answer_goes_on_after_a_kill() {
    for model in [ANTHROPIC, WORKERS_AI] {
        let mut installation = start(Entry::Production, model);
        let script = held("killed");
        let (id, ..) = begin(&installation, &script, 20);
        installation.kill();
        installation.provider.release("killed");
        installation.start_again();
        let answer = assert_completed(&installation, id, &script);
        assert_eq!(model_of(&answer), Some(model.1));
        let second = request_number(&installation, "killed", 2);
        assert_eq!(second.protocol, protocol(model));
        assert_eq!(second.standing.partial, Some(script.text_of(20)), "{model:?}");
        assert_eq!(installation.provider.labelled("killed").len(), 2, "{model:?}");
    }
}

#[test]
fn what_the_binding_throws_becomes_a_sentence() {
    let installation = start(Entry::Production, WORKERS_AI);
    let (_, mut socket) = installation.new_conversation("Models");
    for (status, words) in [
        (0, "could not be reached"),
        (401, "did not accept"),
        (402, "free use"),
        (404, "does not know this model"),
        (429, "overloaded"),
        (500, "has a problem"),
    ] {
        let script = Script {
            status,
            ..Script::labelled(&format!("thrown {status}"))
        };
        let answer = socket.ask(&script.to_string());
        assert_eq!(answer.outcome, Some(Outcome::Error), "{status}");
        let notice = last_answer(&mut socket).metadata.unwrap().notice.unwrap();
        assert!(notice.contains(words), "{status}: {notice}");
        assert_eq!(
            socket.ask("Next").outcome,
            Some(Outcome::Completed),
            "after {status}"
        );
    }
}
