//! A program leaves messages under keys of its own and asks later what became of them, through every repetition.

use crate::support::{
    accept, answer, claim, complete, database, message_id, request, request_id, transcript_ids,
};
use flarebot_conversation::ledger::{self, Refusal};
use flarebot_conversation::submission::{self, Deletion, Submittal};
use flarebot_conversation::transcript;
use flarebot_protocol::SubmissionKey;
use flarebot_protocol::message::Outcome;
use flarebot_protocol::submission::{SUBMISSION_PAGE, Submission, SubmissionStatus};
use flarebot_sql::Sql;

fn key(text: &str) -> SubmissionKey {
    SubmissionKey::new(text).unwrap()
}

/// Submits the message `name` under a key.
fn submit(sql: &impl Sql, under: Option<&str>, name: &str) -> Submittal {
    let under = under.map(key);
    let answer = message_id(&format!("answer-{name}"));
    let request = request(name, &format!("question {name}"));
    submission::submit(sql, under.as_ref(), &request, &answer, 10).unwrap()
}

fn known(submittal: Submittal) -> Submission {
    let Submittal::Known(submission) = submittal else {
        panic!("{submittal:?} is no repetition");
    };
    submission
}

fn inspect(sql: &impl Sql, name: &str) -> Submission {
    let found = submission::inspect(sql, &request_id(&format!("request-{name}"))).unwrap();
    found.expect("a submission")
}

#[test]
fn a_message_that_is_submitted_again_under_its_key_is_not_taken_again() {
    let database = database();
    let Submittal::New { message, submission } = submit(&database, Some("daily"), "a") else {
        panic!("it is new");
    };
    assert_eq!(message.text(), "question a");
    assert_eq!(submission.key, Some(key("daily")));
    assert_eq!(submission.status, SubmissionStatus::Queued);
    assert_eq!(
        (submission.created_at, submission.started_at, submission.ended_at),
        (10, None, None)
    );

    let repeated = known(submit(&database, Some("daily"), "b"));
    assert_eq!(repeated, submission, "whatever else it says");
    assert_eq!(transcript_ids(&database), ["user-a"]);
}

#[test]
fn a_repetition_tells_how_far_the_first_one_is() {
    let database = database();
    submit(&database, Some("daily"), "a");
    claim(&database);
    let running = known(submit(&database, Some("daily"), "b"));
    assert_eq!(running.status, SubmissionStatus::Running);
    assert_eq!((running.attempts, running.started_at), (1, Some(20)));
    ledger::take_over(&database, 40).unwrap();
    assert_eq!(inspect(&database, "a").attempts, 2);

    let message = answer("answer-a", "done");
    ledger::settle(
        &database,
        &request_id("request-a"),
        Outcome::Completed,
        &message,
        30,
    )
    .unwrap();
    let ended = known(submit(&database, Some("daily"), "c"));
    assert_eq!(
        (ended.status, ended.ended_at),
        (SubmissionStatus::Completed, Some(30))
    );
    assert_eq!(ended.assistant_message_id, message_id("answer-a"));
    assert_eq!(transcript_ids(&database), ["user-a", "answer-a"]);
}

#[test]
fn without_a_key_the_request_and_the_message_are_what_is_known_again() {
    let database = database();
    assert!(matches!(submit(&database, None, "a"), Submittal::New { .. }));
    assert_eq!(known(submit(&database, None, "a")).key, None);
    assert_eq!(
        known(submit(&database, Some("late"), "a")).key,
        None,
        "a key is given once"
    );
    assert_eq!(submission::find(&database, &key("late")), Ok(None));
}

#[test]
fn what_the_owner_types_is_a_submission_too_and_both_are_answered_in_order() {
    let database = database();
    accept(&database, "a");
    submit(&database, Some("daily"), "b");
    accept(&database, "c");
    let listed = submission::list(&database, None).unwrap();
    let names: Vec<&str> = listed
        .submissions
        .iter()
        .map(|listed| listed.request_id.as_str())
        .collect();
    assert_eq!(names, ["request-c", "request-b", "request-a"]);
    assert!(!listed.has_more);
    assert_eq!(claim(&database).request_id, request_id("request-a"));
}

#[test]
fn what_cannot_be_accepted_is_refused_with_its_key_left_free() {
    let database = database();
    for number in 0..ledger::MAXIMUM_QUEUED {
        accept(&database, &number.to_string());
    }
    assert_eq!(
        submit(&database, Some("daily"), "late"),
        Submittal::Refused(Refusal::QueueFull)
    );
    assert_eq!(submission::find(&database, &key("daily")), Ok(None));
    claim(&database);
    assert!(matches!(
        submit(&database, Some("daily"), "late"),
        Submittal::New { .. }
    ));
}

#[test]
fn submissions_come_in_pages_without_a_gap() {
    let database = database();
    let count = usize::try_from(SUBMISSION_PAGE).unwrap() * 2 + 3;
    for number in 0..count {
        complete(&database, &number.to_string(), "answer");
    }
    let mut seen = Vec::new();
    let mut before = None;
    loop {
        let page = submission::list(&database, before.as_ref()).unwrap();
        before = page.submissions.last().map(|last| last.request_id.clone());
        seen.extend(
            page.submissions
                .into_iter()
                .map(|listed| listed.request_id.to_string()),
        );
        if !page.has_more {
            break;
        }
    }
    let expected: Vec<String> = (0..count)
        .rev()
        .map(|number| format!("request-{number}"))
        .collect();
    assert_eq!(seen, expected);
    let unknown = submission::list(&database, Some(&request_id("unknown"))).unwrap();
    assert!(unknown.submissions.is_empty() && !unknown.has_more);
}

#[test]
fn only_what_has_ended_can_be_forgotten_and_its_messages_stay() {
    let database = database();
    let delete = |name: &str| submission::delete(&database, &request_id(name)).unwrap();
    submit(&database, Some("daily"), "a");
    assert_eq!(delete("request-a"), Deletion::NotEnded);
    claim(&database);
    assert_eq!(delete("request-a"), Deletion::NotEnded);
    let message = answer("answer-a", "done");
    ledger::settle(
        &database,
        &request_id("request-a"),
        Outcome::Completed,
        &message,
        30,
    )
    .unwrap();
    assert_eq!(
        delete("request-a~2"),
        Deletion::Deleted,
        "any name of the turn will do"
    );
    assert_eq!(delete("request-a"), Deletion::Unknown);
    assert_eq!(transcript_ids(&database), ["user-a", "answer-a"]);
    assert!(matches!(
        submit(&database, Some("daily"), "b"),
        Submittal::New { .. }
    ));
}

#[test]
fn a_message_whose_submission_was_forgotten_is_still_not_taken_twice() {
    let database = database();
    complete(&database, "a", "done");
    submission::delete(&database, &request_id("request-a")).unwrap();
    assert_eq!(
        submit(&database, None, "a"),
        Submittal::Refused(Refusal::MessageIdTaken)
    );
}

#[test]
fn a_cancelled_submission_stays_known_and_a_cleared_one_does_not() {
    let database = database();
    submit(&database, Some("daily"), "a");
    ledger::cancel_queued(&database, &request_id("request-a"), 40).unwrap();
    let cancelled = known(submit(&database, Some("daily"), "b"));
    assert_eq!(
        (cancelled.status, cancelled.ended_at),
        (SubmissionStatus::Aborted, Some(40))
    );
    transcript::clear(&database).unwrap();
    assert_eq!(submission::find(&database, &key("daily")), Ok(None));
    assert!(matches!(
        submit(&database, Some("daily"), "a"),
        Submittal::New { .. }
    ));
}
