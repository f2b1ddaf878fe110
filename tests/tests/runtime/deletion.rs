//! Deleting a conversation while things happen in it: its sockets are told, its work stops, its storage goes, and
//! nothing brings it back.

use flarebot_protocol::address::Endpoint;
use flarebot_protocol::call::{DeleteConversation, ListConversations};
use flarebot_tests::client::Closed;
use flarebot_tests::provider::{ExchangeEnd, Script};
use flarebot_tests::{Installation, PATIENCE, eventually};

fn deleted() -> Closed {
    Closed {
        code: 4004,
        reason: "Conversation deleted".to_owned(),
    }
}

fn endless(label: &str) -> Script {
    Script {
        chunks: 5000,
        gap: 20,
        ..Script::labelled(label)
    }
}

#[test]
fn deleting_during_a_stream_closes_with_4004_and_hangs_up_on_the_provider() {
    let installation = Installation::start();
    let files = installation.database_files();
    let (id, mut first) = installation.new_conversation("Doomed");
    let mut second = installation.conversation(id);
    let mut bystander = installation.create("Bystander");
    let with_bystander = installation.database_files().len();
    let request = first.say(&endless("doomed").to_string());
    first.follow("some text", &request, PATIENCE, |answer| answer.text().len() > 50);
    let mut agent = installation.agent();
    agent.call(&DeleteConversation { id }).unwrap();
    assert_eq!(first.expect_closed(PATIENCE), deleted());
    assert_eq!(second.expect_closed(PATIENCE), deleted());
    assert_eq!(
        installation.provider.wait_for_end("doomed", PATIENCE),
        ExchangeEnd::ClosedByCaller
    );
    let left = agent.call(&ListConversations {}).unwrap();
    bystander = left.into_iter().find(|left| left.id == bystander.id).unwrap();
    assert_eq!(bystander.name, "Bystander");
    eventually("the storage of the deleted one is gone", PATIENCE, || {
        (installation.database_files().len() < with_bystander).then_some(())
    });
    assert!(installation.database_files().len() > files.len());
}

#[test]
fn a_late_frame_does_not_bring_a_conversation_back() {
    let mut installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Doomed");
    socket.expect_history();
    let mut agent = installation.agent();
    agent.call(&DeleteConversation { id }).unwrap();
    let files = installation.database_files();
    // Sent before the close was read, as a page would that is typing right now.
    for _ in 0..20 {
        let request = flarebot_protocol::RequestId::new("late").unwrap();
        let frame = flarebot_tests::client::chat_request(&request, "Am I too late?");
        if socket.try_send_frame(&frame).is_err() {
            break;
        }
    }
    assert_eq!(socket.expect_closed(PATIENCE), deleted());
    let reconnected = installation.conversation(id).expect_closed(PATIENCE);
    assert_eq!(reconnected, deleted());
    assert!(installation.provider.exchanges().is_empty());
    assert_eq!(installation.database_files(), files);
    installation.kill();
    installation.start_again();
    assert_eq!(installation.conversation(id).expect_closed(PATIENCE), deleted());
    assert_eq!(installation.agent().call(&ListConversations {}).unwrap(), []);
}

#[test]
fn deletes_at_once_share_one_teardown() {
    let installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Doomed");
    let request = socket.say(&endless("doomed").to_string());
    socket.follow("some text", &request, PATIENCE, |answer| {
        !answer.text().is_empty()
    });
    std::thread::scope(|scope| {
        for _ in 0..5 {
            scope.spawn(|| {
                let mut agent = installation.agent();
                agent.call(&DeleteConversation { id }).unwrap();
                let listed = agent.call(&ListConversations {}).unwrap();
                assert_eq!(listed, [], "an acknowledged delete is done");
            });
        }
        let path = Endpoint::ConversationMessages(id).path();
        for _ in 0..5 {
            let read = installation.send(&installation.owner_request("GET", &path));
            assert!(matches!(read.status, 200 | 404), "{read:?}");
        }
    });
    assert_eq!(socket.expect_closed(PATIENCE), deleted());
}
