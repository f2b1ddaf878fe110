//! What holds for every request, however it is spelled.

use crate::support::{CONVERSATION, NOW, ORIGIN, configuration, session_header, status};
use flarebot_protocol::address::{AGENT, Endpoint};
use flarebot_session::ingress::{Decision, Refusal, RequestHead, Upgrade, decide};
use proptest::prelude::*;

/// The path that a decision stands for, if it leads to an object or ends the session.
fn endpoint(decision: Decision) -> Option<Endpoint> {
    match decision {
        Decision::SignOut { .. } => Some(Endpoint::SignOut),
        Decision::Session { .. } => Some(Endpoint::Session),
        Decision::AgentSocket { .. } => Some(Endpoint::Agent),
        Decision::AgentStatus { .. } => Some(Endpoint::AgentStatus),
        Decision::ConversationSocket { id, .. } => Some(Endpoint::Conversation(id)),
        Decision::ConversationMessages { id, .. } => Some(Endpoint::ConversationMessages(id)),
        Decision::Shell(_)
        | Decision::Asset
        | Decision::SignIn
        | Decision::NotFound
        | Decision::Refuse(_) => None,
    }
}

fn any_path() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "/".to_owned(),
        "/sign-in".to_owned(),
        "/settings".to_owned(),
        "/tasks".to_owned(),
        "/assets/app.js".to_owned(),
        format!("/c/{CONVERSATION}"),
        "/api/session".to_owned(),
        "/api/sign-out".to_owned(),
        AGENT.to_owned(),
        format!("{AGENT}/status"),
        format!("{AGENT}/sub/conversation/{CONVERSATION}"),
        format!("{AGENT}/sub/conversation/{CONVERSATION}/get-messages"),
    ]);
    let piece = prop::sample::select(vec![
        "/", "//", "/.", "/..", "%2e", "%2F", "\\", ";", "agents", "api", "personal", "sub", "status", "A",
        "\0", "é",
    ]);
    let edited = (known.clone(), any::<prop::sample::Index>(), piece, any::<bool>()).prop_map(
        |(path, position, piece, replace)| {
            let position = position.index(path.len());
            let rest = &path[position + usize::from(replace)..];
            format!("{}{piece}{rest}", &path[..position])
        },
    );
    prop_oneof![2 => known, 4 => edited, 1 => "/(agents|api|assets|c|settings)/.*", 1 => ".*"]
}

fn any_request() -> impl Strategy<Value = (&'static str, String, Option<&'static str>, &'static str, Upgrade)>
{
    (
        prop::sample::select(vec!["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "get"]),
        any_path(),
        prop::sample::select(vec![
            None,
            Some(ORIGIN),
            Some("https://evil.example"),
            Some("null"),
        ]),
        prop::sample::select(vec![ORIGIN, ORIGIN, "https://127.0.0.1"]),
        prop::sample::select(vec![Upgrade::None, Upgrade::WebSocket]),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn only_the_exact_paths_of_the_allow_list_reach_anything(
        (method, path, origin, address_origin, upgrade) in any_request(),
    ) {
        let configuration = configuration();
        let cookie = session_header(&configuration, NOW);
        let head = RequestHead {
            method, path: &path, query: None, address_origin, origin, cookie: Some(&cookie), upgrade,
        };
        let decision = decide(&configuration, &head, NOW);
        if let Some(endpoint) = endpoint(decision) {
            prop_assert_eq!(endpoint.path(), path);
            prop_assert_eq!(address_origin, ORIGIN);
            prop_assert!(origin.is_none_or(|origin| origin == ORIGIN));
            let changes = method != "GET" || upgrade == Upgrade::WebSocket;
            prop_assert!(!changes || origin == Some(ORIGIN));
        } else if decision == Decision::SignIn {
            prop_assert_eq!((method, path.as_str()), ("POST", "/sign-in"));
            prop_assert_eq!((origin, address_origin), (Some(ORIGIN), ORIGIN));
        }
    }

    #[test]
    fn without_a_session_nothing_private_is_reached_or_told_apart(
        (method, path, origin, address_origin, upgrade) in any_request(),
        cookie in prop_oneof![Just(None), ".*".prop_map(Some)],
    ) {
        let configuration = configuration();
        let head = RequestHead {
            method, path: &path, query: None, address_origin, origin, cookie: cookie.as_deref(), upgrade,
        };
        let decision = decide(&configuration, &head, NOW);
        if path.starts_with("/agents/") || path.starts_with("/api/") {
            prop_assert_eq!(status(decision), 401);
        } else {
            prop_assert_eq!(endpoint(decision), None);
            let signed_out = matches!(decision, Decision::Refuse(Refusal::SignedOut(_)));
            prop_assert!(!signed_out);
        }
    }
}
