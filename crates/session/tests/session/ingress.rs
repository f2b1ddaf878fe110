//! What a request may reach.

use crate::support::{CONVERSATION as ID, NOW, ORIGIN, configuration, session_header, status};
use flarebot_protocol::ConversationId;
use flarebot_protocol::address::Page;
use flarebot_protocol::frame::ClientKind;
use flarebot_session::cookie::{LIFETIME, OwnerSession, SessionRefusal};
use flarebot_session::ingress::{Decision, Refusal, RequestHead, Upgrade, decide};

const AGENT: &str = "/agents/personal-agent/personal";
const SESSION: OwnerSession = OwnerSession {
    expires_at: NOW + LIFETIME,
};

/// Requests of a small notation: `GET /path`, with the words `signed-in`, `own` or `foreign` (the `Origin` header),
/// `socket`, and `elsewhere` (an address that is not the configured one).
fn ask(request: &str) -> Decision {
    let words: Vec<&str> = request.split_whitespace().collect();
    let has = |word: &str| words[2..].contains(&word);
    let (path, query) = words[1]
        .split_once('?')
        .map_or((words[1], None), |(path, query)| (path, Some(query)));
    let configuration = configuration();
    let cookie = session_header(&configuration, NOW);
    let head = RequestHead {
        method: words[0],
        path,
        query,
        address_origin: if has("elsewhere") {
            "https://127.0.0.1"
        } else {
            ORIGIN
        },
        origin: match (has("own"), has("foreign")) {
            (true, _) => Some(ORIGIN),
            (_, true) => Some("https://evil.example"),
            _ => None,
        },
        cookie: has("signed-in").then_some(cookie.as_str()),
        upgrade: if has("socket") {
            Upgrade::WebSocket
        } else {
            Upgrade::None
        },
    };
    decide(&configuration, &head, NOW)
}

fn id() -> ConversationId {
    ID.parse().unwrap()
}

fn refused(request: &str) -> Refusal {
    let decision = ask(request);
    let Decision::Refuse(refusal) = decision else {
        panic!("expected a refusal, got {decision:?}");
    };
    refusal
}

#[test]
fn what_is_public() {
    for (request, expected) in [
        ("GET /", Decision::Shell(Page::Home)),
        ("HEAD /", Decision::Shell(Page::Home)),
        ("GET /?utm=1", Decision::Shell(Page::Home)),
        ("GET / foreign elsewhere", Decision::Shell(Page::Home)),
        (&format!("GET /c/{ID}"), Decision::Shell(Page::Conversation(id()))),
        ("GET /settings", Decision::Shell(Page::Settings)),
        ("GET /settings/models/one", Decision::Shell(Page::Settings)),
        ("GET /tasks", Decision::Shell(Page::Tasks)),
        ("GET /sign-in", Decision::Shell(Page::SignIn)),
        ("HEAD /sign-in", Decision::Shell(Page::SignIn)),
        ("POST /sign-in own", Decision::SignIn),
        ("POST /sign-in own signed-in", Decision::SignIn),
        ("GET /assets/app-1a2b3c.wasm", Decision::Asset),
        ("HEAD /assets/style.css", Decision::Asset),
    ] {
        assert_eq!(ask(request), expected, "{request}");
    }
}

#[test]
fn what_a_session_reaches() {
    let (session, id) = (SESSION, id());
    let sdk = ClientKind::Sdk;
    let flarebot = ClientKind::Flarebot;
    for (request, expected) in [
        ("GET /api/session".to_owned(), Decision::Session { session }),
        ("GET /api/session own".to_owned(), Decision::Session { session }),
        ("POST /api/sign-out own".to_owned(), Decision::SignOut { session }),
        (format!("GET {AGENT}/status"), Decision::AgentStatus { session }),
        (
            format!("GET {AGENT} own socket"),
            Decision::AgentSocket { session, client: sdk },
        ),
        (
            format!("GET {AGENT}?client=flarebot-1 own socket"),
            Decision::AgentSocket {
                session,
                client: flarebot,
            },
        ),
        (
            format!("GET {AGENT}?_pk=7&client=flarebot-2 own socket"),
            Decision::AgentSocket { session, client: sdk },
        ),
        (
            format!("GET {AGENT}/sub/conversation/{ID}?_pk=7 own socket"),
            Decision::ConversationSocket {
                id,
                session,
                client: sdk,
            },
        ),
        (
            format!("GET {AGENT}/sub/conversation/{ID}?_pk=7&client=flarebot-1 own socket"),
            Decision::ConversationSocket {
                id,
                session,
                client: flarebot,
            },
        ),
        (
            format!("GET {AGENT}/sub/conversation/{ID}/get-messages"),
            Decision::ConversationMessages { id, session },
        ),
    ] {
        assert_eq!(ask(&format!("{request} signed-in")), expected, "{request}");
    }
}

#[test]
fn what_is_refused_and_with_which_status() {
    for (request, expected) in [
        // Without a session a private path says nothing else, whatever is wrong with the request.
        ("GET /api/session", 401),
        ("GET /api/session elsewhere", 401),
        ("POST /api/sign-out foreign", 401),
        ("GET /api/unknown", 401),
        ("GET /api/", 401),
        ("DELETE /agents/", 401),
        ("GET /agents/other/personal own socket", 401),
        ("GET /agents/personal-agent/personal own socket", 401),
        ("GET /agents/personal-agent/personal/status", 401),
        // Reached by another name.
        ("GET /api/session signed-in elsewhere", 421),
        ("POST /sign-in own elsewhere", 421),
        // Foreign, or without the origin that a change requires.
        ("GET /api/session signed-in foreign", 403),
        ("GET /api/unknown signed-in foreign", 403),
        ("POST /api/sign-out signed-in", 403),
        ("POST /api/sign-out signed-in foreign", 403),
        ("DELETE /api/session signed-in", 403),
        ("OPTIONS /api/session signed-in foreign", 403),
        ("GET /agents/personal-agent/personal signed-in socket", 403),
        (
            "GET /agents/personal-agent/personal signed-in socket foreign",
            403,
        ),
        (
            "GET /agents/personal-agent/personal/status signed-in foreign",
            403,
        ),
        ("POST /sign-in", 403),
        ("POST /sign-in foreign", 403),
        // Unknown or deeper.
        ("GET /api/ signed-in", 404),
        ("GET /api/session/more signed-in", 404),
        ("POST /api/unknown signed-in own", 404),
        ("GET /agents/personal-agent signed-in own socket", 404),
        ("GET /agents/personal-agent/other signed-in own socket", 404),
        ("GET /agents/conversation/personal signed-in own socket", 404),
        (
            "GET /agents/personal-agent/personal/sub signed-in own socket",
            404,
        ),
        (
            "GET /agents/personal-agent/personal/sub/conversation signed-in own socket",
            404,
        ),
        (
            "GET /agents/personal-agent/personal/sub/conversation/one signed-in own socket",
            404,
        ),
        ("GET /agents/personal-agent/personal/internal signed-in", 404),
        ("GET /unknown", 404),
        ("POST /unknown", 404),
        ("GET /c/one", 404),
        ("GET /agents", 404),
        ("GET /assets", 404),
        ("GET /settings-other", 404),
        // Known, with another method.
        ("POST /", 405),
        ("DELETE /sign-in", 405),
        ("POST /assets/style.css", 405),
        ("HEAD /api/session signed-in", 405),
        ("POST /api/session signed-in own", 405),
        ("GET /api/sign-out signed-in", 405),
        ("POST /agents/personal-agent/personal signed-in own", 405),
        ("POST /agents/personal-agent/personal signed-in own socket", 405),
        ("get /api/session signed-in own", 405),
        // A socket where there is none, and none where there is one.
        ("GET /agents/personal-agent/personal signed-in", 426),
        ("GET /agents/personal-agent/personal signed-in own", 426),
        (
            "GET /agents/personal-agent/personal/status signed-in own socket",
            400,
        ),
        ("GET /api/session signed-in own socket", 400),
        ("GET / socket", 400),
        ("POST /sign-in own socket", 400),
        ("GET /assets/style.css socket", 400),
    ] {
        assert_eq!(status(ask(request)), expected, "{request}");
    }
    for deeper in [
        "/",
        "/more",
        "/get-messages/",
        "/get-messages/more",
        "/sub/conversation/x",
    ] {
        let request = format!("GET {AGENT}/sub/conversation/{ID}{deeper} signed-in own");
        assert_eq!(status(ask(&request)), 404, "{request}");
        assert_eq!(status(ask(&format!("{request} socket"))), 404, "{request}");
    }
}

#[test]
fn other_spellings_of_a_known_path_are_unknown() {
    for path in [
        "//",
        "/./",
        "/..",
        "/c/../",
        "/%2f",
        "/settings/",
        "/settings//models",
        "/settings/../tasks",
        "/settings/%2e%2e",
        "/tasks/",
        "/Tasks",
        "/sign-in/",
        "//sign-in",
        "/sign%2Din",
        "/assets/",
        "/assets//style.css",
        "/assets/../api/session",
        "/assets/%2e%2e/api",
        "/assets/a\\b",
        "/%61pi/session",
        "//api/session",
        "/API/session",
        "/./api/session",
        "",
        "api/session",
        "*",
        "/c/6F1C2A34-5B6D-4E7F-8A9B-0C1D2E3F4A5B",
        "/c/6f1c2a345b6d4e7f8a9b0c1d2e3f4a5b",
    ] {
        let configuration = configuration();
        let cookie = session_header(&configuration, NOW);
        for method in ["GET", "POST"] {
            let head = RequestHead {
                method,
                path,
                query: None,
                address_origin: ORIGIN,
                origin: Some(ORIGIN),
                cookie: Some(&cookie),
                upgrade: Upgrade::None,
            };
            assert_eq!(
                decide(&configuration, &head, NOW),
                Decision::NotFound,
                "{method} {path}"
            );
        }
    }
    for path in [
        "/api//session",
        "/api/session/",
        "/api/./session",
        "/api/x/../session",
        "/api/%73ession",
        "/api/Session",
        "/agents//personal-agent/personal",
        "/agents/personal-agent/personal/",
        "/agents/personal-agent/personal//status",
        "/agents/personal%2Dagent/personal",
        "/agents/PersonalAgent/personal",
        "/agents/personal-agent/personal;x",
        "/agents/personal-agent/personal/sub/conversation/6F1C2A34-5B6D-4E7F-8A9B-0C1D2E3F4A5B",
    ] {
        assert_eq!(status(ask(&format!("GET {path} signed-in own"))), 404, "{path}");
        assert_eq!(status(ask(&format!("GET {path} own"))), 401, "{path}");
    }
}

#[test]
fn an_expired_session_is_signed_out() {
    let configuration = configuration();
    let cookie = session_header(&configuration, NOW);
    let head = RequestHead {
        method: "GET",
        path: "/api/session",
        query: None,
        address_origin: ORIGIN,
        origin: None,
        cookie: Some(&cookie),
        upgrade: Upgrade::None,
    };
    assert_eq!(
        decide(&configuration, &head, NOW + LIFETIME - 1),
        Decision::Session { session: SESSION }
    );
    assert_eq!(status(decide(&configuration, &head, NOW + LIFETIME)), 401);
}

#[test]
fn the_origin_is_compared_exactly() {
    let configuration = configuration();
    let cookie = session_header(&configuration, NOW);
    for origin in [
        "",
        "null",
        "https://agent.example.com/",
        "https://agent.example.com:443",
        "http://agent.example.com",
        "https://AGENT.example.com",
        "https://agent.example.com.evil.example",
        "https://agent.example.co",
        "https://agent.example.com, https://agent.example.com",
    ] {
        let head = RequestHead {
            method: "GET",
            path: "/api/session",
            query: None,
            address_origin: ORIGIN,
            origin: Some(origin),
            cookie: Some(&cookie),
            upgrade: Upgrade::None,
        };
        assert_eq!(
            decide(&configuration, &head, NOW),
            Decision::Refuse(Refusal::OtherOrigin),
            "{origin}"
        );
    }
}

#[test]
fn refusals_carry_what_http_asks_for() {
    let header = |request: &str| refused(request).header();
    assert_eq!(header("POST /"), Some(("Allow", "GET, HEAD")));
    assert_eq!(header("PUT /sign-in"), Some(("Allow", "GET, HEAD, POST")));
    assert_eq!(header("GET /api/sign-out signed-in"), Some(("Allow", "POST")));
    assert_eq!(header("HEAD /api/session signed-in"), Some(("Allow", "GET")));
    assert_eq!(
        header(&format!("GET {AGENT} signed-in")),
        Some(("Upgrade", "websocket"))
    );
    assert_eq!(header("GET /api/session"), None);
}

#[test]
fn the_reason_for_being_signed_out_is_not_told() {
    let sentence = |refusal| Refusal::SignedOut(refusal).sentence();
    assert_eq!(
        sentence(SessionRefusal::Missing),
        sentence(SessionRefusal::Duplicate)
    );
    assert!(sentence(SessionRefusal::Missing).contains("`cargo xtask sign-in`"));
}

#[test]
fn any_spelling_of_a_handshake_is_one() {
    for value in ["websocket", "WebSocket", " websocket ", "h2c, websocket"] {
        assert_eq!(Upgrade::from_header(Some(value)), Upgrade::WebSocket, "{value}");
    }
    for value in [None, Some(""), Some("h2c"), Some("websockets")] {
        assert_eq!(Upgrade::from_header(value), Upgrade::None, "{value:?}");
    }
}
