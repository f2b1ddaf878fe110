//! What the owner sets holds from the next turn on, survives restarts, and is changed by nothing that is not allowed.

use crate::models::{ANTHROPIC, KEY, WORKERS_AI, choice, choose, model_of, set_key};
use crate::recovery::{assert_completed, begin, held, request_number};
use crate::turns::last_answer;
use flarebot_protocol::address::AGENT_STATUS;
use flarebot_protocol::call::{
    GetInstructionSettings, GetModelSettings, ResetInstructions, TryModel, UpdateInstructions,
};
use flarebot_protocol::message::Outcome;
use flarebot_protocol::settings::{Credential, ModelProvider, ModelTrial};
use flarebot_tests::client::Socket;
use flarebot_tests::provider::{Protocol, Script};
use flarebot_tests::{Entry, Installation, PATIENCE};
use serde_json::{Value, json};

const COMPATIBLE: (ModelProvider, &str) = (ModelProvider::Compatible, "scripted");

fn notice(socket: &mut Socket) -> Option<String> {
    last_answer(socket).metadata?.notice
}

/// The system prompt of the request that a message led to.
pub(crate) fn system(installation: &Installation, message: &str) -> String {
    let exchange = installation.provider.wait_for_request(message, PATIENCE);
    let system: Vec<_> = exchange
        .messages
        .iter()
        .filter(|message| message.role == "system")
        .collect();
    assert_eq!(system.len(), 1, "one system prompt");
    system[0].text.clone()
}

/// Checks that a model was told exactly these instructions first, and gives what it was told after them.
fn told_after(installation: &Installation, message: &str, instructions: &str) -> String {
    let system = system(installation, message);
    let rest = system.strip_prefix(instructions);
    rest.unwrap_or_else(|| panic!("{message}: {system:?}")).to_owned()
}

#[test]
fn instructions_hold_from_the_next_message_on_until_they_are_reset() {
    let mut installation = Installation::start();
    set_key(&installation, Some(KEY)).unwrap();
    let (id, mut socket) = installation.new_conversation("Settings");
    let defaults = installation
        .agent()
        .call(&GetInstructionSettings {})
        .unwrap()
        .defaults;
    socket.ask("One");
    let rest = told_after(&installation, "One", &defaults);
    assert!(rest.starts_with("\n\n"), "{rest:?}");

    let text = "  Be \"brief\".\r\n\tSag „ja“ 👋🏽  \n";
    let update = UpdateInstructions {
        text: text.to_owned(),
    };
    assert!(installation.agent().call(&update).unwrap().customized);
    for (model, message) in [(COMPATIBLE, "Two"), (ANTHROPIC, "Three"), (WORKERS_AI, "Four")] {
        choose(&installation, model);
        assert_eq!(socket.ask(message).outcome, Some(Outcome::Completed), "{model:?}");
        assert_eq!(told_after(&installation, message, text), rest, "{model:?}");
    }
    installation.kill();
    installation.start_again();
    let mut socket = installation.conversation(id);
    socket.ask("Five");
    assert_eq!(told_after(&installation, "Five", text), rest);

    let reset = installation.agent().call(&ResetInstructions {}).unwrap();
    assert_eq!((reset.customized, reset.modified_at), (false, None));
    socket.ask("Six");
    assert_eq!(told_after(&installation, "Six", &defaults), rest);
}

#[test]
fn a_running_answer_keeps_its_model_and_the_next_one_uses_the_new_one() {
    let installation = Installation::start();
    set_key(&installation, Some(KEY)).unwrap();
    let (_, mut socket) = installation.new_conversation("Settings");
    let script = Script {
        gate_after: Some(1),
        ..Script::labelled("running")
    };
    let running = socket.say(&script.to_string());
    installation
        .provider
        .wait_for("running", PATIENCE, |exchange| exchange.pieces == 1);
    let waiting = socket.say("Next");
    choose(&installation, ANTHROPIC);
    set_key(&installation, Some("sk-ant-another-key-0123456789")).unwrap();
    installation.provider.release("running");
    assert_eq!(socket.answer(&running).outcome, Some(Outcome::Completed));
    assert_eq!(socket.answer(&waiting).outcome, Some(Outcome::Completed));
    let history = socket.history().messages;
    let models: Vec<_> = history.iter().filter_map(model_of).collect();
    assert_eq!(models, ["scripted", ANTHROPIC.1]);
    let next = installation.provider.wait_for_request("Next", PATIENCE);
    assert_eq!(next.protocol, Protocol::Messages);
    assert_eq!(next.header("x-api-key"), Some("sk-ant-another-key-0123456789"));
}

#[test]
fn an_answer_that_goes_on_after_a_kill_uses_what_is_set_then() {
    let mut installation = Installation::start();
    set_key(&installation, Some(KEY)).unwrap();
    let script = held("moved");
    let (id, ..) = begin(&installation, &script, 20);
    choose(&installation, ANTHROPIC);
    let text = "Be brief.".to_owned();
    installation.agent().call(&UpdateInstructions { text }).unwrap();
    installation.kill();
    installation.provider.release("moved");
    installation.start_again();
    let answer = assert_completed(&installation, id, &script);
    assert_eq!(model_of(&answer), Some(ANTHROPIC.1));
    let second = request_number(&installation, "moved", 2);
    assert_eq!(second.protocol, Protocol::Messages);
    assert_eq!(second.standing.partial, Some(script.text_of(20)));
    let told = &second.messages[0].text;
    assert!(told.starts_with("Be brief.\n\n"), "{told}");
}

/// Calls that must change nothing: the method and its arguments.
fn forbidden() -> Vec<(&'static str, Value)> {
    let long = "k".repeat(513);
    let model = |provider: &str, model: &str| json!([{ "provider": provider, "model": model }]);
    let key = |key: &str| json!(["anthropic", key]);
    vec![
        ("updateModelSettings", model("anthropic", "claude-of-my-own")),
        ("updateModelSettings", model("anthropic", " claude-sonnet-5-5")),
        ("updateModelSettings", model("anthropic", "Claude-Sonnet-5-5")),
        ("updateModelSettings", model("anthropic", "scripted")),
        ("updateModelSettings", model("workers-ai", "claude-sonnet-5-5")),
        ("updateModelSettings", model("openai-compatible", "")),
        ("updateModelSettings", model("openai", "scripted")),
        (
            "updateModelSettings",
            json!([{ "provider": "openai-compatible", "model": "scripted", "baseUrl": "https://models.example" }]),
        ),
        (
            "updateModelSettings",
            json!([{ "provider": "anthropic", "model": "claude-sonnet-5", "key": KEY }]),
        ),
        ("updateModelSettings", json!([{ "provider": "anthropic" }])),
        ("updateModelSettings", json!(["scripted"])),
        ("updateModelSettings", json!([])),
        (
            "updateModelSettings",
            json!([{ "provider": "openai-compatible", "model": "scripted" }, "https://models.example"]),
        ),
        ("setProviderKey", key("sk-ant-of-19-letter")),
        ("setProviderKey", key(&long)),
        ("setProviderKey", key("sk-ant-with a space-0123456789")),
        ("setProviderKey", key("sk-ant-with-a-line-0123456789\n")),
        ("setProviderKey", key("sk-ant-with-ümlaut-0123456789")),
        ("setProviderKey", key("")),
        (
            "setProviderKey",
            json!(["anthropic", 12_345_678_901_234_567_890_u64]),
        ),
        ("setProviderKey", json!(["anthropic", { "key": KEY }])),
        (
            "setProviderKey",
            json!(["anthropic", KEY, "https://models.example"]),
        ),
        ("setProviderKey", json!(["openai-compatible", KEY])),
        ("setProviderKey", json!(["workers-ai", KEY])),
        ("setProviderKey", json!(["workers-ai", null])),
        ("setProviderKey", json!(["somebody", KEY])),
        ("tryModel", model("anthropic", "claude-of-my-own")),
        ("updateInstructions", json!([""])),
        ("updateInstructions", json!([" \n"])),
        ("updateInstructions", json!(["x".repeat(16_001)])),
        ("updateInstructions", json!(["with a bell\u{7}"])),
        ("updateInstructions", json!([{ "text": "x" }])),
        ("updateInstructions", json!(["x", "y"])),
    ]
}

#[test]
fn what_is_not_allowed_changes_nothing() {
    let installation = Installation::start();
    set_key(&installation, Some(KEY)).unwrap();
    choose(&installation, ANTHROPIC);
    let mut agent = installation.agent();
    let text = "Be brief.".to_owned();
    let instructions = agent.call(&UpdateInstructions { text }).unwrap();
    let models = agent.call(&GetModelSettings {}).unwrap();
    for (method, arguments) in forbidden() {
        let reply = agent.call_method(method, arguments.as_array().unwrap());
        assert!(!reply.success, "{method}{arguments}");
        let sentence = reply.error.unwrap();
        assert!(
            sentence.len() > 15 && !sentence.contains("sk-ant"),
            "{method}: {sentence}"
        );
        assert_eq!(
            agent.call(&GetModelSettings {}).unwrap(),
            models,
            "{method}{arguments}"
        );
        assert_eq!(
            agent.call(&GetInstructionSettings {}).unwrap(),
            instructions,
            "{method}"
        );
    }
    let (_, mut socket) = installation.new_conversation("Settings");
    assert_eq!(socket.ask("Still here?").outcome, Some(Outcome::Completed));
    let exchange = installation.provider.wait_for_request("Still here?", PATIENCE);
    assert_eq!(exchange.header("x-api-key"), Some(KEY));
    assert!(installation.host().refused().is_empty());
}

#[test]
fn without_a_key_the_owner_is_told_where_to_enter_one() {
    let installation = Installation::start();
    let settings = choose(&installation, ANTHROPIC);
    assert_eq!(settings.credentials.anthropic, Credential::Missing);
    let (_, mut socket) = installation.new_conversation("Settings");
    assert_eq!(socket.ask("Hello").outcome, Some(Outcome::Error));
    let told = notice(&mut socket).unwrap();
    assert!(told.contains("Settings under Models"), "{told}");
    assert!(
        installation.provider.exchanges().is_empty(),
        "nobody is asked without a key"
    );

    let settings = set_key(&installation, Some(KEY)).unwrap();
    assert_eq!(settings.credentials.anthropic, Credential::Configured);
    assert_eq!(socket.ask("Hello again").outcome, Some(Outcome::Completed));

    let settings = set_key(&installation, None).unwrap();
    assert_eq!(settings.credentials.anthropic, Credential::Missing);
    assert_eq!(socket.ask("And now?").outcome, Some(Outcome::Error));
    assert_eq!(notice(&mut socket).unwrap(), told);
}

#[test]
fn after_a_change_of_the_session_secret_the_key_is_asked_for_again() {
    let mut installation = Installation::start();
    set_key(&installation, Some(KEY)).unwrap();
    choose(&installation, ANTHROPIC);
    let (id, socket) = installation.new_conversation("Settings");
    drop(socket);
    let before = installation.owner_request("GET", AGENT_STATUS);
    assert_eq!(installation.send(&before).status, 200);
    installation.configure_again(|variables| {
        variables.insert(
            "FLAREBOT_SESSION_SECRET".to_owned(),
            "another-secret-that-only-the-tests-of-this-project-use".to_owned(),
        );
    });
    assert_eq!(
        installation.send(&before).status,
        401,
        "sessions end with their secret"
    );
    let mut socket = installation.conversation(id);
    assert_eq!(socket.ask("Hello").outcome, Some(Outcome::Error));
    let told = notice(&mut socket).unwrap();
    assert!(
        told.contains("session secret") && told.contains("Settings under Models"),
        "{told}"
    );
    let trial = try_model(&installation, ANTHROPIC);
    assert_eq!((trial.answered, trial.sentence), (false, told));
    set_key(&installation, Some(KEY)).unwrap();
    assert_eq!(socket.ask("And now?").outcome, Some(Outcome::Completed));
}

fn try_model(installation: &Installation, model: (ModelProvider, &str)) -> ModelTrial {
    let choice = choice(model);
    installation.agent().call(&TryModel { choice }).unwrap()
}

#[test]
fn a_trial_says_in_words_what_happened() {
    let installation = Installation::start_with(Entry::Production, |variables| {
        variables.insert(
            "FLAREBOT_COMPATIBLE_KEY".to_owned(),
            "sk-of-the-deployment".to_owned(),
        );
    });
    set_key(&installation, Some(KEY)).unwrap();
    let settings = installation.agent().call(&GetModelSettings {}).unwrap();
    for model in [ANTHROPIC, WORKERS_AI, COMPATIBLE] {
        for (status, words) in [
            (200, "answered"),
            (401, "did not accept"),
            (0, "could not be reached"),
        ] {
            installation.provider.answer_otherwise(Some(Script {
                status,
                ..Script::labelled("trial")
            }));
            let trial = try_model(&installation, model);
            assert_eq!(trial.answered, status == 200, "{model:?} {status}");
            assert!(trial.sentence.contains(words), "{model:?}: {}", trial.sentence);
        }
    }
    assert_eq!(installation.provider.labelled("trial").len(), 9);
    assert_eq!(installation.agent().call(&GetModelSettings {}).unwrap(), settings);
    set_key(&installation, None).unwrap();
    let trial = try_model(&installation, ANTHROPIC);
    assert!(
        !trial.answered && trial.sentence.contains("Settings under Models"),
        "{}",
        trial.sentence
    );
    assert_eq!(installation.provider.labelled("trial").len(), 9);
}
