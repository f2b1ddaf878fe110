//! Known keys go through every failure there is, and are then found nowhere but in requests to their providers.

use crate::models::{ANTHROPIC, WORKERS_AI, choice, choose, set_key};
use crate::recovery::{assert_completed, begin, held};
use crate::search::{Places, Search, Secret};
use flarebot_protocol::address::{AGENT_STATUS, Endpoint, SESSION};
use flarebot_protocol::call::TryModel;
use flarebot_protocol::message::Outcome;
use flarebot_protocol::settings::ModelProvider;
use flarebot_tests::client::{Record, Socket};
use flarebot_tests::provider::{Ending, Faults, Form, PROVIDER_SECRET, Protocol, Script};
use flarebot_tests::{Entry, Installation};
use rusqlite::OpenFlags;
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::Duration;

/// Every sign in them that some spelling changes.
const OWNERS: Secret = Secret {
    name: "the owner's key",
    whole: "sk-ant-\"q\\uote\"/+&<canary4Xq9Zr2Lw7Kp>'%~=",
    part: "canary4Xq9Zr2Lw7Kp",
};
const DEPLOYMENTS: Secret = Secret {
    name: "the deployment's key",
    whole: "sk-own-canary8Mv3Tn6Hd1Bs/+=",
    part: "canary8Mv3Tn6Hd1Bs",
};
const SESSIONS: Secret = Secret {
    name: "the session secret",
    whole: "session-canary5Gf0Yj8Uc2Ne-of-32-bytes-at-least",
    part: "canary5Gf0Yj8Uc2Ne",
};
const PROVIDERS: Secret = Secret {
    name: "what errors of a provider say",
    whole: PROVIDER_SECRET,
    part: PROVIDER_SECRET,
};
/// What is in storage and goes to clients for certain.
const MARK: Secret = Secret {
    name: "the mark",
    whole: "mark7Rk2Wd9Pz5",
    part: "mark7Rk2Wd9Pz5",
};

const COMPATIBLE: (ModelProvider, &str) = (ModelProvider::Compatible, "scripted");

/// Everything that a provider does wrong; it tells its caller's key whenever it says something.
fn failures() -> Vec<Script> {
    let mut scripts = Vec::new();
    for status in [0, 302, 400, 401, 402, 403, 404, 413, 429, 500, 503, 529] {
        scripts.push(Script {
            status,
            ..Script::labelled(&format!("status {status}"))
        });
    }
    for status in [200, 403, 500] {
        scripts.push(Script {
            status,
            form: Form::Page,
            ..Script::labelled(&format!("page {status}"))
        });
    }
    for ending in [Ending::ErrorEvent, Ending::TooLong, Ending::NoFinish, Ending::Cut] {
        for chunks in [0, 2] {
            scripts.push(Script {
                chunks,
                ending,
                ..Script::labelled(&format!("{ending:?} after {chunks}"))
            });
        }
    }
    scripts.push(Script {
        malformed_after: Some(1),
        ..Script::labelled("malformed")
    });
    scripts
}

/// Calls and frames in which the key stands where it does not belong.
fn mistakes(agent: &mut Socket) {
    let key = OWNERS.whole;
    let calls: Vec<(&str, Value)> = vec![
        ("setProviderKey", json!(["anthropic", format!("{key} {key}")])),
        ("setProviderKey", json!(["anthropic", format!("{key}\n")])),
        ("setProviderKey", json!(["anthropic", key.repeat(20)])),
        ("setProviderKey", json!(["anthropic", { "key": key }])),
        ("setProviderKey", json!(["anthropic", [key]])),
        ("setProviderKey", json!(["anthropic", key, key])),
        ("setProviderKey", json!(["openai-compatible", key])),
        ("setProviderKey", json!(["workers-ai", key])),
        ("setProviderKey", json!([key, key])),
        (
            "updateModelSettings",
            json!([{ "provider": "anthropic", "model": key }]),
        ),
        ("updateModelSettings", json!([{ "provider": key, "model": key }])),
        (
            "updateModelSettings",
            json!([{ "provider": "anthropic", "model": ANTHROPIC.1, "key": key }]),
        ),
        ("tryModel", json!([{ "provider": "anthropic", "model": key }])),
    ];
    for (method, arguments) in calls {
        assert!(
            !agent.call_method(method, arguments.as_array().unwrap()).success,
            "{method}"
        );
    }
    agent.send_text(format!("setProviderKey {key}"));
    agent.send(&json!({ "type": "key", "key": key }));
    agent.send(&json!({ "type": "rpc", "id": 7, "method": "setProviderKey", "args": ["anthropic", key] }));
    agent.drain(Duration::from_millis(300));
}

/// What stands in storage for the owner's key.
fn sealed(installation: &Installation) -> Option<Vec<u8>> {
    installation.database_files().into_iter().find_map(|file| {
        let database = rusqlite::Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        database
            .query_row("SELECT sealed FROM flarebot_provider_key", [], |row| row.get(0))
            .ok()
    })
}

fn start() -> (Installation, Record) {
    let mut installation = Installation::start_with(Entry::Production, |variables| {
        variables.insert("FLAREBOT_COMPATIBLE_KEY".to_owned(), DEPLOYMENTS.whole.to_owned());
    });
    installation.configure_again(|variables| {
        variables.insert("FLAREBOT_SESSION_SECRET".to_owned(), SESSIONS.whole.to_owned());
    });
    let record = installation.record();
    (installation, record)
}

/// Every failure, for every provider, in a turn and in a trial.
fn fail(installation: &Installation) {
    for model in [ANTHROPIC, COMPATIBLE, WORKERS_AI] {
        choose(installation, model);
        let (_, mut socket) = installation.new_conversation(MARK.whole);
        for script in failures() {
            let label = &script.label;
            let answer = socket.ask(&script.to_string());
            if label != "malformed" {
                assert_eq!(answer.outcome, Some(Outcome::Error), "{model:?} {label}");
            }
            socket.history();
        }
        let mut agent = installation.agent();
        for status in [0, 401, 403, 500] {
            installation.provider.answer_otherwise(Some(Script {
                status,
                ..Script::labelled("trial")
            }));
            let choice = choice(model);
            assert!(!agent.call(&TryModel { choice }).unwrap().answered);
        }
        installation.provider.answer_otherwise(None);
        socket.drain(Duration::from_millis(200));
    }
}

/// Asks for everything that is served over HTTP.
fn visit(installation: &Installation) {
    let (id, mut socket) = installation.new_conversation("Visited");
    socket.ask(MARK.whole);
    let page = format!("/c/{id}");
    let messages = Endpoint::ConversationMessages(id).path();
    for path in [
        "/",
        "/settings",
        "/settings/models",
        "/sign-in",
        AGENT_STATUS,
        SESSION,
        &page,
        &messages,
    ] {
        let ask = installation.owner_request("GET", path);
        let tell = installation.owner_request("POST", path).body(OWNERS.whole);
        for request in [ask, tell] {
            drop(installation.send(&request));
        }
    }
    let mut sdk = installation
        .sdk_connection(Endpoint::Conversation(id))
        .open()
        .unwrap();
    sdk.drain(Duration::from_millis(300));
}

#[test]
fn a_key_is_found_nowhere_but_in_requests_to_its_provider() {
    let (mut installation, record) = start();
    let mut places = Places::default();
    mistakes(&mut installation.agent());

    set_key(&installation, Some(OWNERS.whole)).unwrap();
    let first = sealed(&installation).unwrap();
    set_key(&installation, Some(OWNERS.whole)).unwrap();
    let second = sealed(&installation).unwrap();
    assert!(
        first != second && first.len() == second.len(),
        "each writing is sealed anew"
    );
    mistakes(&mut installation.agent());

    // A minute of silence goes by while everything else fails.
    choose(&installation, ANTHROPIC);
    let (_, mut silent) = installation.new_conversation("Silent");
    let silence = Script {
        faults: Some(Faults {
            requests: 1,
            before_piece: 1,
            ending: Ending::Silence,
        }),
        ..Script::labelled("silence")
    };
    let waiting = silent.say(&silence.to_string());
    installation
        .provider
        .wait_for_request("silence", Duration::from_secs(20));
    fail(&installation);
    visit(&installation);
    let answer = silent.answer_within(&waiting, Duration::from_secs(90));
    assert_eq!(answer.outcome, Some(Outcome::Completed));
    places.storage(&installation, "while it runs");

    for model in [ANTHROPIC, COMPATIBLE] {
        choose(&installation, model);
        let label = format!("killed {}", model.1);
        let (id, page, ..) = begin(&installation, &held(&label), 20);
        installation.kill();
        places.storage(&installation, "after a kill");
        installation.provider.release(&label);
        installation.start_again();
        assert_completed(&installation, id, &held(&label));
        drop(page);
    }

    set_key(&installation, None).unwrap();
    assert_eq!(sealed(&installation), None);
    choose(&installation, ANTHROPIC);
    let (_, mut socket) = installation.new_conversation("Without a key");
    assert_eq!(socket.ask("Hello").outcome, Some(Outcome::Error));
    let log = installation.host().log();
    installation.stop();
    places.storage(&installation, "after its end");
    sleep(Duration::from_millis(300));
    places.received(&record);
    assert!(
        log.contains("the model cannot be reached"),
        "the log is read: {log}"
    );
    places.log(log);

    let mark = Search::of(&[MARK]);
    for place in [
        "storage while it runs",
        "storage after a kill",
        "storage after its end",
        "frames",
        "responses",
    ] {
        places.must_hold(place, &mark);
    }
    let found = places.find(&Search::of(&[OWNERS, DEPLOYMENTS, SESSIONS, PROVIDERS]));
    assert!(found.is_empty(), "{found:#?}");

    let exchanges = installation.provider.exchanges();
    let keys = exchanges.iter().filter_map(|exchange| match exchange.protocol {
        Protocol::Messages => Some(exchange.header("x-api-key") == Some(OWNERS.whole)),
        Protocol::Completions => {
            let bearer = format!("Bearer {}", DEPLOYMENTS.whole);
            Some(exchange.header("authorization") == Some(bearer.as_str()))
        }
        Protocol::WorkersAi => None,
    });
    let keys: Vec<bool> = keys.collect();
    println!("{} requests came to the providers with their keys", keys.len());
    assert!(
        keys.len() > 40 && keys.iter().all(|is_right| *is_right),
        "keys go to their providers"
    );
}
