//! Paths are read exactly or not at all.

use crate::support::conversation_id;
use flarebot_protocol::ConversationId;
use flarebot_protocol::address::{Endpoint, Page};
use proptest::prelude::*;

const ID: &str = "0d9e8a3c-7f2b-4c55-9d1e-3a6b8c0f1e2d";

#[test]
fn every_page_is_read_back_from_its_path() {
    let pages = [
        Page::Home,
        Page::Conversation(conversation_id()),
        Page::Settings,
        Page::Tasks,
        Page::SignIn,
    ];
    for page in pages {
        assert_eq!(Page::parse(&page.path()), Some(page));
    }
    assert_eq!(Page::parse("/settings/models"), Some(Page::Settings));
}

#[test]
fn every_endpoint_is_read_back_from_its_path() {
    let endpoints = [
        Endpoint::Agent,
        Endpoint::AgentStatus,
        Endpoint::Conversation(conversation_id()),
        Endpoint::ConversationMessages(conversation_id()),
        Endpoint::SignOut,
        Endpoint::Session,
    ];
    for endpoint in endpoints {
        assert_eq!(Endpoint::parse(&endpoint.path()), Some(endpoint));
    }
}

#[test]
fn a_conversation_has_one_address() {
    let other_spellings = [
        ID.to_uppercase(),
        ID.replace('-', ""),
        format!("{{{ID}}}"),
        format!("urn:uuid:{ID}"),
        format!(" {ID}"),
        format!("{ID}%20"),
        format!("{ID}/"),
        ID.replacen('0', "%30", 1),
    ];
    for spelling in other_spellings {
        assert_eq!(Page::parse(&format!("/c/{spelling}")), None, "{spelling}");
        let path = Endpoint::Conversation(conversation_id())
            .path()
            .replace(ID, &spelling);
        assert_eq!(Endpoint::parse(&path), None, "{spelling}");
        assert!(spelling.parse::<ConversationId>().is_err());
    }
}

#[test]
fn hostile_paths_name_nothing() {
    let base = "/agents/personal-agent/personal";
    let hostile = [
        String::new(),
        "//".to_owned(),
        "/agents".to_owned(),
        "/agents/".to_owned(),
        "/agents/personal-agent".to_owned(),
        "/agents/personal-agent/other".to_owned(),
        "/agents/Personal-Agent/personal".to_owned(),
        format!("{base}/"),
        format!("/{base}"),
        format!("{base}/status/"),
        format!("{base}/get-messages"),
        format!("{base}/../personal"),
        format!("{base}%2Fstatus"),
        format!("{base}/sub/conversation/"),
        format!("{base}/sub/conversation/{ID}/get-messages/"),
        format!("{base}/sub/conversation/{ID}/internal"),
        format!("{base}/sub/conversation/{ID}/sub/conversation/{ID}"),
        format!("{base}/sub/conversation//{ID}"),
        format!("{base}/sub/Conversation/{ID}"),
        format!("{base}/sub/conversation/../../status"),
        format!("/agents/conversation/{ID}"),
        format!("{base}?x"),
        format!("{base}#x"),
        "/api/".to_owned(),
        "/api/session/".to_owned(),
        "/api/sign-out/x".to_owned(),
        "/API/session".to_owned(),
    ];
    for path in hostile {
        assert_eq!(Endpoint::parse(&path), None, "{path}");
        assert_eq!(Page::parse(&path), None, "{path}");
    }
}

proptest! {
    #[test]
    fn whatever_is_read_as_an_endpoint_is_its_path(path in "(/agents/personal-agent/personal)?[/a-z0-9%.-]{0,80}") {
        if let Some(endpoint) = Endpoint::parse(&path) {
            prop_assert_eq!(endpoint.path(), path);
        }
    }

    #[test]
    fn every_conversation_is_read_back(bytes in any::<u128>()) {
        let id = ConversationId::new(uuid::Uuid::from_u128(bytes));
        let endpoint = Endpoint::Conversation(id);
        prop_assert_eq!(Endpoint::parse(&endpoint.path()), Some(endpoint));
        let page = Page::Conversation(id);
        prop_assert_eq!(Page::parse(&page.path()), Some(page));
    }
}
