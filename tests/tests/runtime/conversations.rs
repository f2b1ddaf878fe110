//! The life of a conversation by calls: made, renamed, listed, deleted, and never made by asking for it.

use flarebot_protocol::ConversationId;
use flarebot_protocol::address::Endpoint;
use flarebot_protocol::call::{
    CreateConversation, DeleteConversation, FailureCode, ListConversations, RenameConversation,
};
use flarebot_protocol::frame::{AgentKind, ServerFrame, SharedState};
use flarebot_protocol::tool_activity::ConversationState;
use flarebot_tests::client::{Closed, Socket};
use flarebot_tests::{Installation, PATIENCE};

const UNKNOWN: &str = "0191e7a0-5b1c-7cc0-8000-000000000001";

fn create(agent: &mut Socket, name: &str) -> ConversationId {
    let name = Some(name.to_owned());
    agent.call(&CreateConversation { name }).unwrap().id
}

fn names(agent: &mut Socket) -> Vec<String> {
    let listed = agent.call(&ListConversations {}).unwrap();
    listed.into_iter().map(|conversation| conversation.name).collect()
}

#[test]
fn a_conversation_is_made_renamed_listed_and_deleted() {
    let mut installation = Installation::start();
    let mut agent = installation.agent();
    let first = create(&mut agent, "  First  ");
    let second = create(&mut agent, "Second");
    assert_eq!(names(&mut agent), ["Second", "First"]);
    let renamed = agent
        .call(&RenameConversation {
            id: first,
            name: "Renamed".to_owned(),
        })
        .unwrap();
    assert_eq!(renamed.name, "Renamed");
    assert!(renamed.updated_at > renamed.created_at);
    assert_eq!(
        names(&mut agent),
        ["Renamed", "Second"],
        "the one renamed last comes first"
    );
    agent.call(&DeleteConversation { id: second }).unwrap();
    agent.call(&DeleteConversation { id: second }).unwrap();
    agent
        .call(&DeleteConversation {
            id: UNKNOWN.parse().unwrap(),
        })
        .unwrap();
    assert_eq!(names(&mut agent), ["Renamed"]);
    installation.kill();
    installation.start_again();
    assert_eq!(names(&mut installation.agent()), ["Renamed"]);
}

#[test]
fn a_name_has_1_to_120_units_without_controls() {
    let installation = Installation::start();
    let mut agent = installation.agent();
    let longest = "x".repeat(120);
    let widest = "😀".repeat(60);
    for name in ["a", "Ünïcode 世界 😀", &longest, &widest] {
        create(&mut agent, name);
    }
    let too_wide = "😀".repeat(61);
    let too_long = "x".repeat(121);
    let padded = format!(" {longest}");
    let before = names(&mut agent);
    for name in [
        "",
        "   ",
        "\u{a0}\u{2003}",
        "a\nb",
        "a\tb",
        "\u{7f}",
        "\u{85}",
        &too_long,
        &too_wide,
        &padded,
    ] {
        let created = agent.call(&CreateConversation {
            name: Some(name.to_owned()),
        });
        assert_eq!(
            created.unwrap_err().code,
            FailureCode::InvalidArguments,
            "{name:?}"
        );
        let renamed = agent.call(&RenameConversation {
            id: UNKNOWN.parse().unwrap(),
            name: name.to_owned(),
        });
        renamed.unwrap_err();
    }
    assert_eq!(names(&mut agent), before);
}

#[test]
fn a_renamed_conversation_that_does_not_exist_is_not_found() {
    let installation = Installation::start();
    let mut agent = installation.agent();
    let gone = create(&mut agent, "Gone");
    agent.call(&DeleteConversation { id: gone }).unwrap();
    for id in [gone, UNKNOWN.parse().unwrap()] {
        let name = "Back".to_owned();
        let renamed = agent.call(&RenameConversation { id, name });
        assert_eq!(renamed.unwrap_err().code, FailureCode::NotFound);
    }
}

#[test]
fn an_unknown_conversation_accepts_no_frame_and_is_not_made_by_asking() {
    let installation = Installation::start();
    let mut agent = installation.agent();
    create(&mut agent, "Known");
    let gone = create(&mut agent, "Gone");
    agent.call(&DeleteConversation { id: gone }).unwrap();
    let files = installation.database_files();
    for id in [gone, UNKNOWN.parse().unwrap()] {
        for connection in [
            installation.connection(Endpoint::Conversation(id)),
            installation.sdk_connection(Endpoint::Conversation(id)),
        ] {
            let mut socket = connection.open().unwrap();
            assert_eq!(
                socket.expect_closed(PATIENCE),
                Closed {
                    code: 4004,
                    reason: "Conversation deleted".to_owned()
                }
            );
        }
        let path = Endpoint::ConversationMessages(id).path();
        let response = installation.send(&installation.owner_request("GET", &path));
        assert_eq!(response.status, 404);
        assert_eq!(response.header("cache-control"), Some("no-store"));
    }
    assert_eq!(installation.database_files(), files);
    assert_eq!(names(&mut agent), ["Known"]);
}

#[test]
fn a_conversation_introduces_itself_and_starts_empty() {
    let installation = Installation::start();
    let (id, mut page) = installation.new_conversation("Empty");
    let identity = page.next_within(PATIENCE).unwrap();
    assert_eq!(
        identity,
        ServerFrame::Identity {
            name: id.to_string(),
            agent: AgentKind::Conversation,
            state_follows: true,
        }
    );
    assert_eq!(
        page.next_within(PATIENCE),
        Some(ServerFrame::State {
            state: SharedState::Conversation(ConversationState::default())
        })
    );
    let history = page.expect_history();
    assert!(history.messages.is_empty() && history.running.is_none() && history.queued.is_empty());
}

#[test]
fn conversations_do_not_hear_each_other() {
    let installation = Installation::start();
    let (first_id, mut first) = installation.new_conversation("First");
    let (_, mut second) = installation.new_conversation("Second");
    first.ask("Something for the first alone");
    assert_eq!(second.history().messages, []);
    assert_eq!(installation.conversation(first_id).history().messages.len(), 2);
}
