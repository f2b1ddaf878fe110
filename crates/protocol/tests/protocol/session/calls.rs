//! Calls settle exactly once, whatever happens.

use super::{ABNORMAL, Driver, history, identity, settlements, transmitted};
use crate::support::call_id;
use flarebot_protocol::call::{
    CallFailure, CreateConversation, DeleteConversation, FailureCode, GetHistory, GetStatus, HistoryPage,
};
use flarebot_protocol::client::Output;
use flarebot_protocol::frame::{AgentKind, RpcReply, ServerFrame};
use serde_json::json;

fn code(outputs: &[Output]) -> Vec<Result<(), FailureCode>> {
    let result = |settlement: flarebot_protocol::client::Settlement| match settlement.result {
        Ok(_) => Ok(()),
        Err(failure) => Err(failure.code),
    };
    settlements(outputs).into_iter().map(result).collect()
}

#[test]
fn a_reply_is_read_as_what_the_call_answers() {
    let mut driver = Driver::ready();
    driver
        .session
        .call(&GetHistory { before: None }, call_id("c"), driver.now);
    assert_eq!(
        transmitted(&driver.outputs()),
        [r#"{"type":"rpc","id":"c","method":"getHistory","args":[null]}"#]
    );
    let result = json!({"messages": [], "hasMore": true});
    driver.receive(&ServerFrame::Rpc(RpcReply::succeeded("c".to_owned(), result)));
    let settlement = settlements(&driver.outputs()).remove(0);
    assert_eq!((settlement.id.as_str(), settlement.method), ("c", "getHistory"));
    let page = HistoryPage {
        messages: Vec::new(),
        has_more: true,
    };
    assert_eq!(settlement.clone().reply::<GetHistory>(), Ok(page));
    assert_eq!(
        settlement.reply::<GetStatus>().unwrap_err().code,
        FailureCode::Internal
    );
}

#[test]
fn a_call_without_a_result_succeeds_with_nothing() {
    let mut driver = Driver::ready();
    let call = DeleteConversation {
        id: crate::support::conversation_id(),
    };
    driver.session.call(&call, call_id("c"), driver.now);
    driver.session.handle_text(
        r#"{"type":"rpc","id":"c","success":true,"done":true}"#,
        driver.now,
    );
    let settlement = settlements(&driver.outputs()).remove(0);
    assert_eq!(settlement.reply::<DeleteConversation>(), Ok(()));
}

#[test]
fn a_failure_says_what_the_server_said() {
    let mut driver = Driver::ready();
    driver.session.call(&GetStatus {}, call_id("c"), driver.now);
    let failure = CallFailure::new(FailureCode::Unsupported, "Not in this version.");
    driver.receive(&ServerFrame::Rpc(RpcReply::failed(
        "c".to_owned(),
        failure.clone(),
    )));
    assert_eq!(
        settlements(&driver.outputs()).remove(0).reply::<GetStatus>(),
        Err(failure)
    );
}

#[test]
fn a_reply_to_nothing_is_ignored() {
    let mut driver = Driver::ready();
    driver.receive(&ServerFrame::Rpc(RpcReply::succeeded(
        "never".to_owned(),
        json!(1),
    )));
    assert_eq!(driver.outputs(), []);
}

#[test]
fn replies_may_come_in_any_order_and_count_once() {
    let mut driver = Driver::ready();
    for id in ["a", "b"] {
        driver.session.call(&GetStatus {}, call_id(id), driver.now);
    }
    for id in ["b", "a", "a", "b"] {
        driver.receive(&ServerFrame::Rpc(RpcReply::succeeded(id.to_owned(), json!(id))));
    }
    let ids: Vec<String> = settlements(&driver.outputs())
        .iter()
        .map(|settled| settled.id.to_string())
        .collect();
    assert_eq!(ids, ["b", "a"]);
}

#[test]
fn a_call_waits_until_the_connection_is_ready() {
    let mut driver = Driver::new();
    driver.session.call(&GetStatus {}, call_id("early"), driver.now);
    driver.session.start(driver.now);
    driver.session.handle_opened(driver.now);
    driver.session.call(&GetStatus {}, call_id("later"), driver.now);
    assert_eq!(transmitted(&driver.outputs()), [] as [&str; 0]);
    driver.receive(&identity(AgentKind::PersonalAgent, false));
    let outputs = driver.outputs();
    let texts = transmitted(&outputs);
    assert_eq!(texts.len(), 2);
    assert!(texts[0].contains("early") && texts[1].contains("later"));
}

#[test]
fn only_64_calls_wait() {
    let mut driver = Driver::new();
    for number in 0..64 {
        driver
            .session
            .call(&GetStatus {}, call_id(&number.to_string()), driver.now);
    }
    assert_eq!(driver.outputs(), []);
    driver.session.call(&GetStatus {}, call_id("65th"), driver.now);
    assert_eq!(code(&driver.outputs()), [Err(FailureCode::Disconnected)]);
}

#[test]
fn a_call_fails_after_30_seconds_without_an_answer() {
    let mut driver = Driver::ready();
    let begun = driver.now;
    driver.session.call(&GetStatus {}, call_id("c"), driver.now);
    driver.now += 10_000;
    driver.receive(&history(Vec::new()));
    driver.outputs();
    driver.wait();
    assert_eq!(driver.now, begun + 30_000);
    let outputs = driver.outputs();
    assert_eq!(code(&outputs), [Err(FailureCode::Disconnected)]);
    assert_eq!(outputs.len(), 1, "the connection is alive and stays");
    driver.receive(&ServerFrame::Rpc(RpcReply::succeeded("c".to_owned(), json!(1))));
    assert_eq!(driver.outputs(), [], "an answer that comes too late");
}

#[test]
fn a_connection_that_says_nothing_for_30_seconds_is_dead() {
    let mut driver = Driver::ready();
    driver.session.call(&GetStatus {}, call_id("c"), driver.now);
    driver.outputs();
    driver.wait();
    let outputs = driver.outputs();
    assert_eq!(outputs.first(), Some(&Output::Disconnect));
    assert_eq!(code(&outputs), [Err(FailureCode::Disconnected)]);
}

#[test]
fn a_lost_connection_fails_what_was_sent_and_keeps_what_was_not() {
    let mut driver = Driver::ready();
    driver.session.call(&GetStatus {}, call_id("sent"), driver.now);
    driver.outputs();
    driver.session.handle_closed(ABNORMAL, driver.now, 0.5);
    let name = None;
    driver
        .session
        .call(&CreateConversation { name }, call_id("waiting"), driver.now);
    let outputs = driver.outputs();
    assert_eq!(settlements(&outputs).len(), 1);
    assert_eq!(settlements(&outputs)[0].id, call_id("sent"));
    driver.wait();
    driver.receive(&identity(AgentKind::PersonalAgent, false));
    let outputs = driver.outputs();
    assert_eq!(transmitted(&outputs).len(), 1);
    assert!(transmitted(&outputs)[0].contains("createConversation"));
}

#[test]
fn the_end_of_the_session_fails_every_call() {
    for stop in [true, false] {
        let mut driver = Driver::ready();
        driver.session.call(&GetStatus {}, call_id("sent"), driver.now);
        if stop {
            driver.session.stop();
        } else {
            driver.session.handle_closed(4001, driver.now, 0.5);
        }
        assert_eq!(code(&driver.outputs()), [Err(FailureCode::Disconnected)]);

        let mut driver = Driver::connected();
        driver.session.call(&GetStatus {}, call_id("waiting"), driver.now);
        if stop {
            driver.session.stop();
        } else {
            driver.session.handle_closed(4001, driver.now, 0.5);
        }
        assert_eq!(code(&driver.outputs()), [Err(FailureCode::Disconnected)]);
    }
}
