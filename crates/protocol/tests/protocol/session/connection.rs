//! Connecting, staying connected, and knowing when not to.

use super::{ABNORMAL, Driver, history, identity, state, statuses};
use flarebot_protocol::CloseCode;
use flarebot_protocol::client::{ClientSession, ConnectionStatus, Output, SessionEvent};
use flarebot_protocol::frame::AgentKind;
use proptest::prelude::*;

#[test]
fn an_agents_socket_is_ready_when_its_state_has_come() {
    let mut driver = Driver::connected();
    driver.receive(&identity(AgentKind::PersonalAgent, true));
    assert_eq!(statuses(&driver.outputs()), []);
    driver.receive(&state());
    assert_eq!(statuses(&driver.outputs()), [ConnectionStatus::Ready]);
}

#[test]
fn without_a_state_to_follow_the_identity_is_enough() {
    let mut driver = Driver::connected();
    driver.receive(&identity(AgentKind::PersonalAgent, false));
    assert_eq!(statuses(&driver.outputs()), [ConnectionStatus::Ready]);
}

#[test]
fn a_conversations_socket_is_ready_when_its_history_has_come() {
    let mut driver = Driver::connected();
    driver.introduce_conversation();
    assert_eq!(statuses(&driver.outputs()), []);
    driver.receive(&history(Vec::new()));
    let outputs = driver.outputs();
    let ready = Output::Event(SessionEvent::Status(ConnectionStatus::Ready));
    let frame = Output::Event(SessionEvent::Frame(Box::new(history(Vec::new()))));
    assert_eq!(outputs, [frame, ready]);
}

#[test]
fn starting_connects_once() {
    let mut session = ClientSession::new();
    session.start(0);
    session.start(0);
    assert_eq!(session.poll_output(), Some(Output::Connect));
    let connecting = SessionEvent::Status(ConnectionStatus::Connecting);
    assert_eq!(session.poll_output(), Some(Output::Event(connecting)));
    assert_eq!(session.poll_output(), None);
}

#[test]
fn a_lost_connection_is_made_again_after_a_growing_delay() {
    let mut driver = Driver::connected();
    let mut delays = Vec::new();
    for expected in 1..=8 {
        driver.session.handle_closed(ABNORMAL, driver.now, 0.5);
        let outputs = driver.outputs();
        let [ConnectionStatus::Reconnecting { attempt, retry_at }] = statuses(&outputs)[..] else {
            panic!("{outputs:?}");
        };
        assert_eq!(attempt, expected);
        assert_eq!(driver.session.poll_timeout(), Some(retry_at));
        delays.push(retry_at - driver.now);
        driver.wait();
        assert_eq!(driver.outputs().first(), Some(&Output::Connect));
    }
    assert_eq!(delays, [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
}

#[test]
fn only_a_stable_connection_resets_the_delay() {
    for (ready_for, expected) in [(9_999, 3), (10_000, 1)] {
        let mut driver = Driver::connected();
        for _ in 0..2 {
            driver.session.handle_closed(ABNORMAL, driver.now, 0.5);
            driver.wait();
        }
        driver.receive(&identity(AgentKind::PersonalAgent, false));
        driver.outputs();
        driver.now += ready_for;
        driver.session.handle_closed(ABNORMAL, driver.now, 0.5);
        let status = statuses(&driver.outputs())[0];
        assert!(matches!(status, ConnectionStatus::Reconnecting { attempt, .. } if attempt == expected));
    }
}

#[test]
fn a_final_close_code_is_final() {
    for code in [
        CloseCode::SessionEnded,
        CloseCode::ConversationDeleted,
        CloseCode::Policy,
    ] {
        let mut driver = Driver::ready();
        driver.session.handle_closed(code.code(), driver.now, 0.5);
        assert_eq!(statuses(&driver.outputs()), [ConnectionStatus::Closed(code)]);
        assert_eq!(driver.session.poll_timeout(), None);
        driver.session.handle_online(driver.now);
        driver.session.handle_timeout(i64::MAX, 0.5);
        assert_eq!(driver.outputs(), []);
        driver.session.start(driver.now);
        assert_eq!(driver.outputs().first(), Some(&Output::Connect));
    }
}

#[test]
fn any_other_close_code_is_not() {
    for code in [1000, 1001, 1005, ABNORMAL, 1011, 1012, 4000, 4002, 0, u16::MAX] {
        let mut driver = Driver::ready();
        driver.session.handle_closed(code, driver.now, 0.5);
        assert!(driver.session.poll_timeout().is_some(), "{code}");
    }
}

#[test]
fn a_socket_that_does_not_open_is_given_up_after_15_seconds() {
    let mut driver = Driver::new();
    driver.session.start(driver.now);
    driver.outputs();
    assert_eq!(driver.session.poll_timeout(), Some(driver.now + 15_000));
    driver.session.handle_timeout(driver.now + 14_999, 0.5);
    assert_eq!(driver.outputs(), []);
    driver.wait();
    let outputs = driver.outputs();
    assert_eq!(outputs.first(), Some(&Output::Disconnect));
    assert!(matches!(
        statuses(&outputs)[..],
        [ConnectionStatus::Reconnecting { attempt: 1, .. }]
    ));
}

#[test]
fn a_server_that_does_not_introduce_itself_is_given_up_too() {
    let mut driver = Driver::new();
    driver.session.start(driver.now);
    driver.now += 14_000;
    driver.session.handle_opened(driver.now);
    driver.receive(&identity(AgentKind::PersonalAgent, true));
    driver.outputs();
    assert_eq!(driver.session.poll_timeout(), Some(driver.now + 15_000));
    driver.wait();
    assert_eq!(driver.outputs().first(), Some(&Output::Disconnect));
}

#[test]
fn the_network_coming_back_ends_the_wait() {
    let mut driver = Driver::ready();
    driver.session.handle_closed(ABNORMAL, driver.now, 0.9);
    driver.outputs();
    driver.session.handle_online(driver.now);
    assert_eq!(driver.outputs().first(), Some(&Output::Connect));
    driver.session.handle_online(driver.now);
    assert_eq!(driver.outputs(), []);
}

#[test]
fn resynchronising_makes_a_new_connection_with_the_usual_delay() {
    let mut driver = Driver::ready();
    driver.session.resynchronise(driver.now, 0.5);
    assert_eq!(driver.outputs().first(), Some(&Output::Disconnect));
    assert_eq!(driver.session.poll_timeout(), Some(driver.now + 250));
    driver.session.resynchronise(driver.now, 0.5);
    assert_eq!(driver.outputs(), []);
}

#[test]
fn a_frame_that_cannot_be_read_is_reported_and_ignored() {
    let mut driver = Driver::ready();
    for (text, kind) in [
        (
            r#"{"type":"flarebot_brand_new","x":1}"#,
            Some("flarebot_brand_new"),
        ),
        (
            r#"{"type":"flarebot_queued","request_id":7}"#,
            Some("flarebot_queued"),
        ),
        ("not JSON", None),
        ("", None),
        ("[]", None),
    ] {
        driver.session.handle_text(text, driver.now);
        let kind = kind.map(str::to_owned);
        assert_eq!(
            driver.outputs(),
            [Output::Event(SessionEvent::Unreadable { kind })]
        );
    }
}

#[test]
fn a_history_that_cannot_be_read_does_not_keep_the_page_waiting() {
    let mut driver = Driver::connected();
    driver.introduce_conversation();
    driver
        .session
        .handle_text(r#"{"type":"flarebot_history","v":2}"#, driver.now);
    assert_eq!(statuses(&driver.outputs()), [ConnectionStatus::Ready]);
}

#[test]
fn a_stopped_session_does_nothing_more() {
    let mut driver = Driver::ready();
    driver.session.stop();
    assert_eq!(driver.outputs(), [Output::Disconnect]);
    driver.receive(&history(Vec::new()));
    driver.session.handle_closed(ABNORMAL, driver.now, 0.5);
    driver.session.handle_online(driver.now);
    driver.session.stop();
    assert_eq!(driver.outputs(), []);
    assert_eq!(driver.session.poll_timeout(), None);
}

proptest! {
    /// No course of events lets a session hang: it has stopped, it is closed for good, it is ready, or it has a
    /// deadline. And a driver is never told to use a socket that it was not told to open.
    #[test]
    fn a_session_never_hangs(events in prop::collection::vec((0..9_u8, 0..20_000_i64, 0.0..1.0_f64), 0..60)) {
        let mut driver = Driver::new();
        let mut socket = false;
        let mut last = None;
        for (event, pause, jitter) in events {
            driver.now += pause;
            let now = driver.now;
            match event {
                0 => driver.session.start(now),
                1 => driver.session.handle_opened(now),
                2 => driver.session.handle_closed(ABNORMAL, now, jitter),
                3 => driver.session.handle_closed(4001, now, jitter),
                4 => driver.receive(&identity(AgentKind::PersonalAgent, false)),
                5 => driver.session.handle_text("?", now),
                6 => driver.session.handle_timeout(now, jitter),
                7 => driver.session.handle_online(now),
                _ => { driver.session.stop(); last = None; }
            }
            if event == 2 || event == 3 {
                socket = false;
            }
            for output in driver.outputs() {
                match output {
                    Output::Connect => { prop_assert!(!socket); socket = true; }
                    Output::Transmit(_) => prop_assert!(socket),
                    Output::Disconnect => { prop_assert!(socket); socket = false; }
                    Output::Event(SessionEvent::Status(status)) => last = Some(status),
                    Output::Event(_) => {}
                }
            }
            match last {
                None | Some(ConnectionStatus::Closed(_) | ConnectionStatus::Ready) => {}
                Some(ConnectionStatus::Connecting | ConnectionStatus::Reconnecting { .. }) => {
                    prop_assert!(driver.session.poll_timeout().is_some());
                }
            }
        }
    }
}
