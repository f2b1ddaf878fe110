//! What comes in and what does not, asked from outside with everything that a stranger, or a page of a stranger, can send.

use flarebot_protocol::address::{self, Endpoint};
use flarebot_protocol::call::ListConversations;
use flarebot_tests::client::Refused;
use flarebot_tests::client::http::Request;
use flarebot_tests::credentials::{Credentials, variables};
use flarebot_tests::{Entry, Installation};

const FOREIGN_ORIGIN: &str = "https://attacker.example";
const UNKNOWN: &str = "0191e7a0-5b1c-7cc0-8000-000000000001";

/// Every private path, known and unknown, with the method that it takes.
fn private_paths() -> Vec<(&'static str, String)> {
    vec![
        ("GET", address::AGENT.to_owned()),
        ("GET", address::AGENT_STATUS.to_owned()),
        ("GET", address::SESSION.to_owned()),
        ("POST", address::SIGN_OUT.to_owned()),
        ("GET", format!("{}/sub/conversation/{UNKNOWN}", address::AGENT)),
        (
            "GET",
            format!("{}/sub/conversation/{UNKNOWN}/get-messages", address::AGENT),
        ),
        ("GET", "/agents/".to_owned()),
        ("GET", "/agents/conversation/anything".to_owned()),
        ("GET", "/api/unknown".to_owned()),
    ]
}

/// Cookies that are no session of this installation.
fn bad_cookies(installation: &Installation) -> Vec<(&'static str, Option<String>)> {
    let good = installation.credentials.cookie();
    let (name, token) = good.split_once('=').unwrap();
    let other = |variable: &str, value: &str| {
        let mut changed = variables(&installation.origin());
        changed.insert(variable.to_owned(), value.to_owned());
        Credentials::new(&changed).cookie()
    };
    let mut tampered = good.clone().into_bytes();
    let last = tampered.last_mut().unwrap();
    *last = if *last == b'A' { b'B' } else { b'A' };
    vec![
        ("no cookie", None),
        ("an empty cookie", Some(format!("{name}="))),
        ("rubbish", Some(format!("{name}=rubbish"))),
        ("another name", Some(format!("flarebot-session={token}"))),
        ("a changed signature", Some(String::from_utf8(tampered).unwrap())),
        ("a cut token", Some(good[..good.len() - 8].to_owned())),
        (
            "an expired session",
            Some(installation.credentials.expired_cookie()),
        ),
        ("the same session twice", Some(format!("{good}; {good}"))),
        (
            "a sign-in assertion",
            Some(format!("{name}={}", installation.credentials.assertion())),
        ),
        (
            "another secret",
            Some(other(
                "FLAREBOT_SESSION_SECRET",
                "some-other-secret-of-at-least-32-bytes",
            )),
        ),
        (
            "another owner",
            Some(other("FLAREBOT_OWNER_SUBJECT", "somebody@example.com")),
        ),
        (
            "another installation",
            Some(other("FLAREBOT_INSTALLATION_ID", "another")),
        ),
        (
            "another origin",
            Some(other("FLAREBOT_RUNTIME_ORIGIN", "https://other.example")),
        ),
    ]
}

#[test]
fn without_a_session_every_private_path_is_answered_with_401() {
    let installation = Installation::start();
    for (what, cookie) in bad_cookies(&installation) {
        for (method, path) in private_paths() {
            let mut request = Request::new(method, &path).header("origin", &installation.origin());
            if let Some(cookie) = &cookie {
                request = request.header("cookie", cookie);
            }
            let response = installation.send(&request);
            assert_eq!(response.status, 401, "{what}: {method} {path}");
            assert_eq!(
                response.header("cache-control"),
                Some("no-store"),
                "{what}: {path}"
            );
            assert_eq!(response.header("set-cookie"), None, "{what}: {path}");
        }
        let mut connection = installation.connection(Endpoint::Agent);
        connection.cookie = cookie;
        assert_eq!(connection.open().unwrap_err(), Refused { status: 401 }, "{what}");
    }
}

#[test]
fn two_cookie_headers_are_no_session() {
    let installation = Installation::start();
    let request = Request::new("GET", address::AGENT_STATUS)
        .header("cookie", &installation.credentials.cookie())
        .header("cookie", &installation.credentials.cookie());
    assert_eq!(installation.send(&request).status, 401);
}

#[test]
fn a_foreign_origin_is_refused_whatever_it_asks() {
    let installation = Installation::start();
    for origin in [
        FOREIGN_ORIGIN,
        "null",
        &installation.origin().replace("http:", "https:"),
    ] {
        for (method, path) in [
            ("GET", address::AGENT_STATUS),
            ("GET", address::SESSION),
            ("POST", address::SIGN_OUT),
        ] {
            let request = Request::new(method, path)
                .header("cookie", &installation.credentials.cookie())
                .header("origin", origin);
            assert_eq!(
                installation.send(&request).status,
                403,
                "{origin:?}: {method} {path}"
            );
        }
        let mut connection = installation.connection(Endpoint::Agent);
        connection.origin = Some(origin.to_owned());
        assert_eq!(
            connection.open().unwrap_err(),
            Refused { status: 403 },
            "{origin:?}"
        );
    }
}

#[test]
fn a_socket_and_a_mutation_need_an_origin_but_a_read_does_not() {
    let installation = Installation::start();
    let cookie = installation.credentials.cookie();
    let mut connection = installation.connection(Endpoint::Agent);
    connection.origin = None;
    assert_eq!(connection.open().unwrap_err(), Refused { status: 403 });
    let sign_out = Request::new("POST", address::SIGN_OUT).header("cookie", &cookie);
    assert_eq!(installation.send(&sign_out).status, 403);
    let sign_in = Request::new("POST", address::SIGN_IN)
        .json(&serde_json::json!({ "assertion": installation.credentials.assertion() }));
    assert_eq!(installation.send(&sign_in).status, 403);
    let status = Request::new("GET", address::AGENT_STATUS).header("cookie", &cookie);
    assert_eq!(installation.send(&status).status, 200);
}

#[test]
fn a_request_to_another_address_is_refused() {
    let installation = Installation::start();
    let request = installation
        .owner_request("GET", address::AGENT_STATUS)
        .header("host", "other.example");
    assert_eq!(installation.send(&request).status, 421);
}

#[test]
fn the_owner_reads_the_status_and_the_session() {
    let installation = Installation::start();
    let status = installation.send(&installation.owner_request("GET", address::AGENT_STATUS));
    assert_eq!(status.status, 200);
    assert_eq!(status.header("cache-control"), Some("no-store"));
    assert_eq!(status.json()["model"]["model"], "scripted");
    let session = installation.send(&installation.owner_request("GET", address::SESSION));
    assert_eq!(session.status, 200);
    assert_eq!(session.header("cache-control"), Some("no-store"));
}

#[test]
fn an_internal_call_sent_from_outside_finds_nothing_and_makes_nothing() {
    let installation = Installation::start();
    let real = installation.create("Untouched");
    let files = installation.database_files();
    let conversation = format!("{}/sub/conversation/{}", address::AGENT, real.id);
    let paths = [
        "/socket".to_owned(),
        "/status".to_owned(),
        "/messages".to_owned(),
        "/link".to_owned(),
        format!("/conversation/{}/socket", real.id),
        format!("/conversation/{}/messages", real.id),
        format!("{}/link", address::AGENT),
        format!("{}/socket", address::AGENT),
        format!("{}/status/", address::AGENT),
        format!("{}/status/more", address::AGENT),
        format!("{}/sub", address::AGENT),
        format!("{}/sub/conversation", address::AGENT),
        format!("{}/sub/conversation/", address::AGENT),
        format!("{}/sub/conversation/not-a-uuid", address::AGENT),
        format!(
            "{}/sub/conversation/{}",
            address::AGENT,
            real.id.to_string().to_uppercase()
        ),
        format!("{}/sub/fixture/{}", address::AGENT, real.id),
        format!("{conversation}/"),
        format!("{conversation}/link"),
        format!("{conversation}/socket"),
        format!("{conversation}/get-messages/"),
        format!("{conversation}/get-messages/more"),
        format!("{conversation}/sub/conversation/{UNKNOWN}"),
        format!("/agents/conversation/{}", real.id),
        "/agents/personal-agent/other".to_owned(),
        "/agents/personal-agent/other/status".to_owned(),
        "/agents/PersonalAgent/personal".to_owned(),
        "/agents/personal-agent/personal%2Fstatus".to_owned(),
        "//agents/personal-agent/personal".to_owned(),
        "/api/sign-out/".to_owned(),
        "/internal/link".to_owned(),
    ];
    let bodies = [
        r#"{"request":"end_sessions"}"#,
        r#"{"request":"close_sockets","reason":"deleted"}"#,
        r#"{"request":"initialise","id":"0191e7a0-5b1c-7cc0-8000-000000000001","at":1}"#,
    ];
    let grant = r#"{"connection":"c","expires_at":9999999999999,"client":"flarebot"}"#;
    let mut open = installation.agent();
    for path in &paths {
        for body in bodies {
            let request = installation
                .owner_request("POST", path)
                .header("x-flarebot-grant", grant)
                .body(body);
            let status = installation.send(&request).status;
            assert!(
                matches!(status, 404 | 405),
                "POST {path} is answered with {status}"
            );
        }
        let request = installation
            .owner_request("GET", path)
            .header("x-flarebot-grant", grant);
        assert_eq!(installation.send(&request).status, 404, "GET {path}");
        let mut connection = installation.connection(Endpoint::Agent);
        connection.target.clone_from(path);
        assert_eq!(
            connection.open().unwrap_err(),
            Refused { status: 404 },
            "a socket at {path}"
        );
    }
    let listed = open.call(&ListConversations {}).unwrap();
    assert_eq!(listed, [real]);
    assert_eq!(installation.database_files(), files);
}

#[test]
fn a_known_path_refuses_every_other_method_and_kind_of_request() {
    let installation = Installation::start();
    for (method, path, status) in [
        ("POST", address::AGENT_STATUS, 405),
        ("DELETE", address::AGENT_STATUS, 405),
        ("PUT", address::SESSION, 405),
        ("GET", address::SIGN_OUT, 405),
        ("POST", address::AGENT, 405),
        ("GET", address::AGENT, 426),
        ("DELETE", "/", 405),
        ("PUT", address::SIGN_IN, 405),
    ] {
        let response = installation.send(&installation.owner_request(method, path));
        assert_eq!(response.status, status, "{method} {path}");
    }
    for endpoint in [Endpoint::AgentStatus, Endpoint::Session] {
        let refused = installation.connection(endpoint).open().unwrap_err();
        assert_eq!(refused, Refused { status: 400 }, "a socket at {endpoint:?}");
    }
}

#[test]
fn an_installation_that_is_not_configured_says_which_variable_is_missing() {
    for (variable, value) in [
        ("FLAREBOT_SESSION_SECRET", None),
        ("FLAREBOT_SESSION_SECRET", Some("too-short-to-be-a-secret")),
        ("FLAREBOT_OWNER_SUBJECT", None),
        ("FLAREBOT_INSTALLATION_ID", None),
        ("FLAREBOT_RUNTIME_ORIGIN", Some("not an origin")),
        ("FLAREBOT_COMPATIBLE_BASE_URL", Some("not a url")),
    ] {
        let installation = Installation::start_with(Entry::Production, |variables| {
            match value {
                Some(value) => variables.insert(variable.to_owned(), value.to_owned()),
                None => variables.remove(variable),
            };
        });
        let response = installation.send(&installation.owner_request("GET", address::AGENT_STATUS));
        assert_eq!(response.status, 500, "{variable}");
        let text = response.text();
        assert!(text.contains(variable), "{variable} is not named: {text}");
        if let Some(value) = value {
            assert!(!text.contains(value), "the value of {variable} is shown");
        }
    }
}
