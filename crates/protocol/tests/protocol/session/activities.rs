//! The state of a conversation, as it reaches the page.

use super::{Driver, history, identity, statuses};
use crate::support::{activities, tool_activity};
use flarebot_protocol::client::{ConnectionStatus, Output, SessionEvent};
use flarebot_protocol::frame::AgentKind;
use flarebot_protocol::tool_activity::{ActivityKind, ToolActivity};

fn told(shown: &[ToolActivity]) -> Output {
    Output::Event(SessionEvent::ToolActivities(shown.to_vec()))
}

#[test]
fn a_conversation_is_ready_when_its_state_and_its_history_have_come_in_either_order() {
    for state_first in [true, false] {
        let mut frames = [activities(&[]), history(Vec::new())];
        if !state_first {
            frames.reverse();
        }
        let mut driver = Driver::connected();
        driver.receive(&identity(AgentKind::Conversation, true));
        driver.receive(&frames[0]);
        assert_eq!(statuses(&driver.outputs()), []);
        driver.receive(&frames[1]);
        assert_eq!(statuses(&driver.outputs()), [ConnectionStatus::Ready]);
    }
}

#[test]
fn the_page_is_told_of_the_activities_with_every_connection_and_with_every_change() {
    let mut driver = Driver::connected();
    driver.receive(&identity(AgentKind::Conversation, true));
    driver.outputs();
    driver.receive(&activities(&[]));
    assert_eq!(driver.outputs(), [told(&[])]);
    driver.receive(&history(Vec::new()));
    driver.outputs();
    let changed = [tool_activity()];
    driver.receive(&activities(&changed));
    assert_eq!(driver.outputs(), [told(&changed)]);
}

#[test]
fn what_a_newer_server_adds_to_an_activity_does_not_keep_it_from_being_read() {
    let mut driver = Driver::ready();
    let mut frame = serde_json::to_value(activities(&[tool_activity()])).unwrap();
    frame["state"]["activities"][0]["kind"] = "teleport".into();
    frame["state"]["activities"][0]["colour"] = "blue".into();
    frame["state"]["more"] = 1.into();
    driver.session.handle_text(&frame.to_string(), driver.now);
    let expected = ToolActivity {
        kind: ActivityKind::Other,
        ..tool_activity()
    };
    assert_eq!(driver.outputs(), [told(&[expected])]);
}
