//! Tools that wait for the owner: they run once they are allowed and never otherwise, however long that takes and whatever
//! happens meanwhile.

use crate::tools::{error, moments, script, tools};
use crate::turns::outcome;
use flarebot_protocol::address::Endpoint;
use flarebot_protocol::call::{CallFailure, DecideApproval};
use flarebot_protocol::frame::ServerFrame;
use flarebot_protocol::message::{Decision, Message, Outcome, ToolState};
use flarebot_protocol::{ConversationId, RequestId};
use flarebot_tests::client::Socket;
use flarebot_tests::provider::{Script, ToolMoment};
use flarebot_tests::{Entry, Installation, PATIENCE, eventually};
use serde_json::{Value, json};
use std::time::Duration;

/// How long an answer may take that nobody watches on a busy machine.
const UNATTENDED: Duration = Duration::from_secs(30);

/// Begins an answer that calls these tools, and waits until it waits for the owner.
fn paused(
    installation: &Installation,
    socket: &mut Socket,
    label: &str,
    calls: &[(&str, u64)],
) -> (RequestId, Script, Message) {
    let script = script(installation, label, calls);
    let request = socket.say(&script.to_string());
    let message = eventually("the answer waits", PATIENCE, || {
        let last = socket.history().messages.pop()?;
        tools(&last)
            .iter()
            .any(|call| call.state.waits_for_approval())
            .then_some(last)
    });
    assert_eq!(outcome(&message), None);
    (request, script, message)
}

fn word(message: &Message, number: usize, decision: Decision) -> DecideApproval {
    DecideApproval {
        message_id: message.id.clone(),
        tool_call_id: tools(message)[number].tool_call_id.clone(),
        decision,
    }
}

fn decide(socket: &mut Socket, message: &Message, decision: Decision) -> Result<(), CallFailure> {
    socket.call(&word(message, 0, decision))
}

/// The answer once it has ended, as it is stored.
fn ended(installation: &Installation, id: ConversationId, message: &Message) -> Message {
    eventually("the answer ends", UNATTENDED, || {
        let mut messages = installation.messages(id).into_iter();
        messages.find(|stored| stored.id == message.id && outcome(stored).is_some())
    })
}

fn assert_whole(ended: &Message, script: &Script) {
    let whole = (Some(Outcome::Completed), script.whole_text());
    assert_eq!((outcome(ended), ended.text()), whole);
}

#[test]
fn an_allowed_call_runs_once_and_the_answer_goes_on_while_others_were_answered() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Approval");
    let (_, script, message) = paused(
        &installation,
        &mut socket,
        "allowed",
        &[("order", 50), ("look", 50)],
    );
    assert_eq!(
        moments(&installation, "allowed", "look"),
        (1, 1),
        "what needs no approval runs"
    );
    assert_eq!(moments(&installation, "allowed", "order"), (0, 0));
    assert_eq!(socket.ask("And now?").outcome, Some(Outcome::Completed));
    let meanwhile = installation.provider.wait_for_request("And now?", PATIENCE);
    let mut results = meanwhile.messages.iter().filter(|message| message.role == "tool");
    assert_eq!(results.clone().count(), 2);
    assert!(results.any(|result| format!("{result:?}").contains("waits for the owner")));

    decide(&mut socket, &message, Decision::Approved).unwrap();
    let ended = ended(&installation, id, &message);
    assert_whole(&ended, &script);
    assert!(matches!(
        tools(&ended)[0].state,
        ToolState::OutputAvailable { .. }
    ));
    assert_eq!(moments(&installation, "allowed", "order"), (1, 1));
    assert_eq!(moments(&installation, "allowed", "look"), (1, 1));
    let asked = installation.provider.labelled("allowed");
    assert_eq!((asked.len(), asked[1].standing.results.len()), (2, 2));
    let places = installation.messages(id).into_iter().map(|message| message.id);
    assert_eq!(
        places.skip(1).step_by(2).next(),
        Some(message.id),
        "the answer keeps its place"
    );
}

#[test]
fn a_declined_call_does_not_run_and_the_model_is_told() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Approval");
    let (_, script, message) = paused(&installation, &mut socket, "declined", &[("order", 0)]);
    decide(&mut socket, &message, Decision::Declined).unwrap();
    let ended = ended(&installation, id, &message);
    assert_whole(&ended, &script);
    assert!(matches!(tools(&ended)[0].state, ToolState::OutputDenied { .. }));
    assert_eq!(moments(&installation, "declined", "order"), (0, 0));
    let told = &installation.provider.labelled("declined")[1].standing.results[0].1;
    assert!(told.contains("declined"), "{told}");
}

#[test]
fn a_turn_that_waits_survives_kills_owes_no_alarm_and_goes_on_with_nobody_connected() {
    let mut installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Approval");
    let (_, script, message) = paused(&installation, &mut socket, "patient", &[("order", 50)]);
    socket.close();
    eventually("no alarm", UNATTENDED, || {
        (installation.alarms() == 0).then_some(())
    });
    for _ in 0..5 {
        installation.kill();
        installation.start_again();
        let stored = installation.messages(id).pop().unwrap();
        assert_eq!(stored, message, "nothing happens to it");
    }
    let mut socket = installation.conversation(id);
    let history = socket.expect_history();
    assert_eq!((history.running, history.messages.last()), (None, Some(&message)));
    decide(&mut socket, &message, Decision::Approved).unwrap();
    socket.close();
    let ended = ended(&installation, id, &message);
    assert_whole(&ended, &script);
    assert_eq!(moments(&installation, "patient", "order"), (1, 1));
    eventually("no alarm", UNATTENDED, || {
        (installation.alarms() == 0).then_some(())
    });
}

#[test]
fn of_two_approvals_at_once_one_counts_and_the_call_runs_once() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Approval");
    let mut other = installation.conversation(id);
    let (_, script, message) = paused(&installation, &mut socket, "double", &[("order", 200)]);
    let rpc = |name: &str| {
        let call = tools(&message)[0].tool_call_id.clone();
        json!({ "type": "rpc", "id": name, "method": "decideApproval", "args": [message.id, call, "approved"] })
    };
    socket.send(&rpc("one"));
    other.send(&rpc("two"));
    let reply = |socket: &mut Socket, name: &str| {
        socket.expect("a reply", |frame| match frame {
            ServerFrame::Rpc(reply) if reply.id == name => Some((reply.success, reply.error.clone())),
            _ => None,
        })
    };
    let replies = [reply(&mut socket, "one"), reply(&mut other, "two")];
    assert_eq!(
        replies.iter().filter(|(success, _)| *success).count(),
        1,
        "{replies:?}"
    );
    let refused = replies.into_iter().find_map(|(_, error)| error).unwrap();
    assert!(refused.contains("already"), "{refused}");
    assert_whole(&ended(&installation, id, &message), &script);
    assert_eq!(moments(&installation, "double", "order"), (1, 1));
}

#[test]
fn a_client_of_the_sdk_decides_with_its_own_frame_and_follows() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Approval");
    let (_, script, message) = paused(&installation, &mut socket, "official", &[("order", 50)]);
    let mut client = installation
        .sdk_connection(Endpoint::Conversation(id))
        .open()
        .unwrap();
    let approval = json!({
        "type": "cf_agent_tool_approval",
        "toolCallId": tools(&message)[0].tool_call_id,
        "approved": true,
        "autoContinue": true,
    });
    client.send(&approval);
    let offered = client.expect("the offer of the stream", |frame| match frame {
        ServerFrame::StreamResuming { id, .. } => Some(id.clone()),
        _ => None,
    });
    assert!(!offered.is_original());
    assert_whole(&ended(&installation, id, &message), &script);
    client.send(&approval);
    let refused = client.expect("a refusal", |frame| match frame {
        ServerFrame::Rpc(reply) if !reply.success => reply.error.clone(),
        _ => None,
    });
    assert!(refused.contains("no longer waits"), "{refused}");
    assert_eq!(moments(&installation, "official", "order"), (1, 1));
}

#[test]
fn a_stop_ends_an_answer_that_waits() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Approval");
    let (request, _, message) = paused(&installation, &mut socket, "stopped-waiting", &[("order", 0)]);
    socket.stop(&request);
    let ended = ended(&installation, id, &message);
    assert_eq!(outcome(&ended), Some(Outcome::Aborted));
    assert!(error(tools(&ended)[0]).contains("was not run"));
    let late = decide(&mut socket, &message, Decision::Approved).unwrap_err();
    assert!(late.message.contains("no longer waits"), "{late}");
    assert_eq!(socket.ask("And now?").outcome, Some(Outcome::Completed));
    assert_eq!(moments(&installation, "stopped-waiting", "order"), (0, 0));
    assert_eq!(installation.provider.labelled("stopped-waiting").len(), 1);
}

#[test]
fn a_kill_around_a_decision_or_in_the_allowed_call_never_runs_it_twice() {
    let mut installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Approval");
    let (_, script, message) = paused(&installation, &mut socket, "decided", &[("order", 1500)]);
    decide(&mut socket, &message, Decision::Approved).unwrap();
    installation.kill();
    installation.start_again();
    // The call may have begun or not; if it has, nobody knows its end.
    let ended = ended(&installation, id, &message);
    assert_whole(&ended, &script);
    let (begun, done) = moments(&installation, "decided", "order");
    match &tools(&ended)[0].state {
        ToolState::OutputAvailable { output, .. } => {
            assert_eq!((begun, done, output), (1, 1, &json!({ "done": true })));
        }
        ToolState::OutputError { error_text, .. } => {
            assert!(
                error_text.contains("not known") && begun <= 1 && done <= begun,
                "{error_text}"
            );
        }
        state => panic!("{state:?}"),
    }

    let mut socket = installation.conversation(id);
    let (_, script, message) = paused(&installation, &mut socket, "running", &[("order", 1500)]);
    decide(&mut socket, &message, Decision::Approved).unwrap();
    installation
        .provider
        .wait_for_report("running", "order", ToolMoment::Begun, PATIENCE);
    installation.kill();
    installation.start_again();
    let ended = self::ended(&installation, id, &message);
    assert_whole(&ended, &script);
    assert!(error(tools(&ended)[0]).contains("not known"));
    assert_eq!(moments(&installation, "running", "order"), (1, 0));
}

#[test]
fn the_arguments_that_the_owner_saw_are_those_that_run() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Approval");
    let (_, _, message) = paused(
        &installation,
        &mut socket,
        "arguments",
        &[("order", 0), ("order", 0)],
    );
    let inputs = |message: &Message| -> Vec<Value> {
        let inputs = tools(message)
            .into_iter()
            .filter_map(|call| call.state.input().cloned());
        inputs.collect()
    };
    let seen = inputs(&message);
    socket.call(&word(&message, 1, Decision::Declined)).unwrap();
    assert_eq!(
        moments(&installation, "arguments", "order"),
        (0, 0),
        "one call is still undecided"
    );
    socket.call(&word(&message, 0, Decision::Approved)).unwrap();
    let ended = ended(&installation, id, &message);
    assert_eq!(inputs(&ended), seen);
    assert_eq!(moments(&installation, "arguments", "order"), (1, 1));
}
