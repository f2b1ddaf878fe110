//! A program leaves a message, hears later what became of it, and may ask again for whatever it is unsure of.

use crate::turns::outcome;
use flarebot_protocol::call::{
    CallFailure, CancelSubmission, DeleteSubmission, FailureCode, FindSubmission, GetSubmission,
    ListSubmissions, SubmitMessage,
};
use flarebot_protocol::message::Outcome;
use flarebot_protocol::submission::{Submission, SubmissionStatus, Submitted};
use flarebot_protocol::{ConversationId, MAXIMUM_MESSAGE_BYTES, SubmissionKey};
use flarebot_tests::client::Socket;
use flarebot_tests::provider::Script;
use flarebot_tests::{Installation, PATIENCE, eventually};
use std::time::Duration;

/// How long an answer may stand still before the agent's own alarm brings it back, with some slack for a busy machine.
const UNATTENDED: Duration = Duration::from_secs(30);

fn submit(socket: &mut Socket, text: &str, key: Option<&str>) -> Result<Submitted, CallFailure> {
    socket.call(&SubmitMessage {
        text: text.to_owned(),
        key: key.map(|key| SubmissionKey::new(key).unwrap()),
    })
}

fn inspect(socket: &mut Socket, submission: &Submission) -> Submission {
    let request_id = submission.request_id.clone();
    socket.call(&GetSubmission { request_id }).unwrap()
}

fn wait_for_end(socket: &mut Socket, submission: &Submission) -> SubmissionStatus {
    eventually("the submission ends", UNATTENDED, || {
        let now = inspect(socket, submission);
        now.ended_at.is_some().then_some(now.status)
    })
}

fn held(label: &str) -> Script {
    Script {
        chunks: 20,
        gate_after: Some(10),
        ..Script::labelled(label)
    }
}

fn questions(installation: &Installation, id: ConversationId) -> usize {
    installation.messages(id).len()
}

#[test]
fn a_submission_is_answered_with_nobody_connected_and_after_a_kill() {
    let mut installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Left alone");
    let script = held("alone");
    let submitted = submit(&mut socket, &script.to_string(), Some("daily")).unwrap();
    assert!(submitted.accepted);
    installation
        .provider
        .wait_for("alone", PATIENCE, |exchange| exchange.pieces >= 10);
    socket.close();
    installation.kill();
    installation.provider.release("alone");
    installation.start_again();
    eventually("the answer is stored", UNATTENDED, || {
        (installation.messages(id).len() == 2).then_some(())
    });

    let mut socket = installation.conversation(id);
    let again = submit(&mut socket, &script.to_string(), Some("daily")).unwrap();
    assert!(!again.accepted, "the reply was lost, the message was not");
    assert_eq!(again.submission.status, SubmissionStatus::Completed);
    assert_eq!(again.submission.request_id, submitted.submission.request_id);
    assert!(again.submission.attempts >= 2);
    let messages = installation.messages(id);
    assert_eq!(messages.len(), 2);
    assert_eq!(outcome(&messages[1]), Some(Outcome::Completed));
    assert_eq!(messages[1].text(), script.whole_text());
}

#[test]
fn submissions_wait_their_turn_can_be_listed_found_cancelled_and_forgotten() {
    let installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Queue");
    let first = submit(&mut socket, &held("first").to_string(), Some("first")).unwrap();
    installation.provider.wait_for_request("first", PATIENCE);
    let second = submit(&mut socket, "Second", Some("second")).unwrap();
    let third = submit(&mut socket, "Third", None).unwrap();
    assert_eq!(
        inspect(&mut socket, &first.submission).status,
        SubmissionStatus::Running
    );
    assert_eq!(third.submission.status, SubmissionStatus::Queued);

    let listed = socket.call(&ListSubmissions { before: None }).unwrap();
    let order: Vec<_> = listed
        .submissions
        .iter()
        .map(|listed| &listed.request_id)
        .collect();
    let expected = [&third, &second, &first].map(|submitted| &submitted.submission.request_id);
    assert_eq!(order, expected);
    let key = SubmissionKey::new("second").unwrap();
    let found = socket.call(&FindSubmission { key }).unwrap();
    assert_eq!(found.request_id, second.submission.request_id);

    let running = DeleteSubmission {
        request_id: first.submission.request_id.clone(),
    };
    assert_eq!(socket.call(&running).unwrap_err().code, FailureCode::Unsupported);
    for submitted in [&second, &first] {
        let request_id = submitted.submission.request_id.clone();
        socket.call(&CancelSubmission { request_id }).unwrap();
        assert_eq!(
            wait_for_end(&mut socket, &submitted.submission),
            SubmissionStatus::Aborted
        );
    }
    assert_eq!(
        wait_for_end(&mut socket, &third.submission),
        SubmissionStatus::Completed
    );
    socket.call(&running).unwrap();
    assert_eq!(socket.call(&running).unwrap_err().code, FailureCode::NotFound);
    assert!(questions(&installation, id) >= 4, "its messages stay");
}

#[test]
fn what_cannot_be_submitted_is_refused_in_words_and_leaves_nothing() {
    let installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Refusals");
    let too_long = "x".repeat(MAXIMUM_MESSAGE_BYTES + 1);
    for text in ["", " \n ", &too_long] {
        let refused = submit(&mut socket, text, Some("key")).unwrap_err();
        assert_eq!(refused.code, FailureCode::InvalidArguments);
    }
    for key in ["", "with a space", &"k".repeat(129)] {
        let reply = socket.call_method("submitMessage", &["Hello".into(), key.into()]);
        assert!(reply.error.is_some(), "{key:?} is no key");
    }
    let unknown = SubmissionKey::new("key").unwrap();
    let missing = socket.call(&FindSubmission { key: unknown }).unwrap_err();
    assert_eq!(missing.code, FailureCode::NotFound);
    assert_eq!(questions(&installation, id), 0);
}
