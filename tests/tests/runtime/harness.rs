//! The host itself: text passes through it, it can be killed and started again, and it leads nothing out.

use flarebot_protocol::address::Endpoint;
use flarebot_tests::provider::{ExchangeEnd, Script};
use flarebot_tests::{Entry, Installation, PATIENCE};

#[test]
fn a_host_passes_text_on_before_and_after_it_was_killed() {
    let mut installation = Installation::start_entry(Entry::Bare);
    for label in ["before", "after"] {
        let mut connection = installation.sdk_connection(Endpoint::Agent);
        connection.target = "/".to_owned();
        let mut socket = connection.open().unwrap();
        let script = Script::labelled(label);
        socket.send_text(script.to_string());
        let mut text = String::new();
        while let Some(piece) = socket
            .next_text_within(PATIENCE)
            .filter(|piece| !piece.is_empty())
        {
            text.push_str(&piece);
        }
        assert_eq!(text, script.whole_text());
        let end = installation.provider.wait_for_end(label, PATIENCE);
        assert_eq!(end, ExchangeEnd::Played);
        installation.kill();
        assert_eq!(socket.expect_closed(PATIENCE).code, 1006);
        installation.start_again();
    }
}

#[test]
fn a_host_leads_no_request_out_but_to_the_provider() {
    let installation = Installation::start_with(Entry::Bare, |variables| {
        variables.insert(
            "FLAREBOT_COMPATIBLE_BASE_URL".to_owned(),
            "https://models.example/v1".to_owned(),
        );
    });
    let mut connection = installation.sdk_connection(Endpoint::Agent);
    connection.target = "/".to_owned();
    let mut socket = connection.open().unwrap();
    socket.send_text("Hello");
    socket.next_text_within(PATIENCE);
    let refused = installation.host().refused();
    assert_eq!(refused, ["POST models.example/v1/chat/completions"]);
}
