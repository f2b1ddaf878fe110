//! What cannot be read any more hides nothing else, and keeps nobody from going on.

use crate::recovery::{assert_completed, assert_shows_what_is_stored, begin, held, request_number};
use flarebot_protocol::message::Outcome;
use flarebot_tests::Installation;

#[test]
fn a_lost_answer_whose_log_cannot_be_read_is_made_from_its_beginning() {
    let mut installation = Installation::start();
    let script = held("unreadable");
    let (id, page, _, first) = begin(&installation, &script, 20);
    installation.kill();
    installation.damage("UPDATE stream_segment SET chunks = 'no chunks'");
    installation.provider.release("unreadable");
    installation.start_again();
    assert_completed(&installation, id, &script);
    let second = request_number(&installation, "unreadable", 2);
    assert_eq!(second.conversation(), first.conversation());
    assert_shows_what_is_stored(&installation, id, &page);
}

#[test]
fn a_message_that_cannot_be_read_is_said_to_be_so_and_the_conversation_goes_on() {
    let mut installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Damaged");
    socket.ask("One");
    socket.ask("Two");
    let whole = installation.messages(id);
    installation.kill();
    installation
        .damage("UPDATE message SET body = 'no JSON' WHERE position = (SELECT min(position) FROM message)");
    installation.start_again();

    let shown = installation.messages(id);
    assert_eq!(shown[1..], whole[1..]);
    assert_eq!((&shown[0].id, shown[0].role), (&whole[0].id, whole[0].role));
    let notice = shown[0].metadata.as_ref().and_then(|data| data.notice.clone());
    assert!(notice.unwrap().contains("cannot be read"), "{:?}", shown[0]);
    let mut socket = installation.conversation(id);
    assert_eq!(socket.expect_history().messages, shown);
    assert_eq!(socket.ask("Three").outcome, Some(Outcome::Completed));
    assert_eq!(installation.messages(id).len(), 6);
}
