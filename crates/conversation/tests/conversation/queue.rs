//! What waits can be changed, deleted and moved to the front, until its answer begins; and whatever is done, questions are
//! answered in the order in which they stand.

use crate::support::{accept, answer, claim, database, message_id, request, request_id, transcript_ids};
use flarebot_conversation::ledger::queue::{self, QueueRefusal};
use flarebot_conversation::ledger::{self, Acceptance, Settlement, TurnStatus};
use flarebot_conversation::transcript;
use flarebot_model::ModelMessage;
use flarebot_protocol::MAXIMUM_MESSAGE_BYTES;
use flarebot_protocol::message::{Message, Outcome};
use flarebot_sql::Sql;
use flarebot_sql::native::Database;
use proptest::prelude::*;

fn accepted(names: &[&str]) -> Database {
    let database = database();
    for name in names {
        accept(&database, name);
    }
    database
}

fn edit(sql: &impl Sql, name: &str, text: &str) -> Result<Message, QueueRefusal> {
    queue::edit(sql, &request_id(&format!("request-{name}")), text).unwrap()
}

fn delete(sql: &impl Sql, name: &str) -> Result<(), QueueRefusal> {
    let deleted = queue::delete(sql, &request_id(&format!("request-{name}")), 40).unwrap()?;
    assert_eq!(deleted, message_id(&format!("user-{name}")));
    Ok(())
}

fn send_now(sql: &impl Sql, name: &str) -> Result<(), QueueRefusal> {
    queue::move_to_front(sql, &request_id(&format!("request-{name}"))).unwrap()
}

fn waiting(sql: &impl Sql) -> Vec<String> {
    let queued = ledger::queued(sql).unwrap().into_iter();
    queued.map(|turn| turn.request_id.to_string()).collect()
}

/// Settles the running turn `name`, with an answer.
fn settle(sql: &impl Sql, name: &str) {
    let message = answer(&format!("answer-{name}"), &format!("answer {name}"));
    let settlement = ledger::settle(
        sql,
        &request_id(&format!("request-{name}")),
        Outcome::Completed,
        &message,
        30,
    );
    assert_eq!(settlement, Ok(Settlement::Applied));
}

/// What the model is given to answer the question `name`.
fn told(sql: &impl Sql, name: &str) -> Vec<String> {
    let history = transcript::for_model(sql, &message_id(&format!("user-{name}"))).unwrap();
    let texts = history
        .unwrap()
        .messages()
        .into_iter()
        .map(|message| match message {
            ModelMessage::User { text } | ModelMessage::Assistant { text, .. } => text,
            ModelMessage::Tool { .. } => panic!("no tool was called"),
        });
    texts.collect()
}

#[test]
fn a_waiting_message_can_be_changed_and_the_model_reads_the_change() {
    let database = accepted(&["a", "b"]);
    claim(&database);
    let changed = edit(&database, "b", "better").unwrap();
    assert_eq!(changed.text(), "better");
    assert_eq!(
        changed.metadata.as_ref().unwrap().created_at,
        Some(10),
        "its time stays"
    );
    assert_eq!(transcript::newest(&database).unwrap()[1], changed);
    settle(&database, "a");
    claim(&database);
    assert_eq!(told(&database, "b"), ["question a", "answer a", "better"]);
}

#[test]
fn a_deleted_message_leaves_nothing_and_does_not_come_back() {
    let database = accepted(&["a", "b", "c"]);
    claim(&database);
    assert_eq!(delete(&database, "b"), Ok(()));
    assert_eq!(transcript_ids(&database), ["user-a", "user-c"]);
    assert_eq!(waiting(&database), ["request-c"]);
    let repeated = ledger::accept(&database, &request("b", "question b"), &message_id("again"), 50).unwrap();
    let status = TurnStatus::Ended(Outcome::Aborted);
    let request_id = request_id("request-b");
    assert_eq!(repeated, Acceptance::Duplicate { request_id, status });
    assert_eq!(transcript_ids(&database), ["user-a", "user-c"]);
    settle(&database, "a");
    assert_eq!(claim(&database).request_id.as_str(), "request-c");
    assert_eq!(told(&database, "c"), ["question a", "answer a", "question c"]);
}

#[test]
fn what_is_sent_now_comes_next_and_stands_before_what_it_overtook() {
    let database = accepted(&["a", "b", "c", "d"]);
    claim(&database);
    assert_eq!(send_now(&database, "d"), Ok(()));
    assert_eq!(waiting(&database), ["request-d", "request-b", "request-c"]);
    assert_eq!(
        transcript_ids(&database),
        ["user-a", "user-d", "user-b", "user-c"]
    );
    settle(&database, "a");
    assert_eq!(claim(&database).request_id.as_str(), "request-d");
    assert_eq!(told(&database, "d"), ["question a", "answer a", "question d"]);
    settle(&database, "d");
    assert_eq!(
        transcript_ids(&database),
        ["user-a", "answer-a", "user-d", "answer-d", "user-b", "user-c"]
    );
    assert_eq!(
        send_now(&database, "b"),
        Ok(()),
        "the next one stays the next one"
    );
    assert_eq!(waiting(&database), ["request-b", "request-c"]);
}

#[test]
fn a_message_that_is_answered_or_gone_is_left_alone() {
    let database = accepted(&["running", "ended", "cancelled", "deleted"]);
    assert_eq!(send_now(&database, "ended"), Ok(()));
    claim(&database);
    settle(&database, "ended");
    claim(&database);
    ledger::cancel_queued(&database, &request_id("request-cancelled"), 40).unwrap();
    assert_eq!(delete(&database, "deleted"), Ok(()));
    let before = transcript::newest(&database).unwrap();
    for name in ["running", "ended", "cancelled", "deleted", "unknown"] {
        assert_eq!(edit(&database, name, "late"), Err(QueueRefusal::NotWaiting));
        assert_eq!(delete(&database, name), Err(QueueRefusal::NotWaiting));
        assert_eq!(send_now(&database, name), Err(QueueRefusal::NotWaiting));
    }
    assert_eq!(transcript::newest(&database).unwrap(), before);
}

#[test]
fn a_change_to_nothing_or_too_much_is_refused() {
    let database = accepted(&["a"]);
    assert_eq!(edit(&database, "a", " \n "), Err(QueueRefusal::Empty));
    let long = "x".repeat(MAXIMUM_MESSAGE_BYTES + 1);
    assert_eq!(edit(&database, "a", &long), Err(QueueRefusal::TooLong));
    assert_eq!(transcript::newest(&database).unwrap()[0].text(), "question a");
    assert_eq!(
        edit(&database, "a", &long[1..]).unwrap().text().len(),
        MAXIMUM_MESSAGE_BYTES
    );
}

#[test]
fn a_process_that_dies_anywhere_leaves_the_queue_as_it_was_or_as_it_was_to_be() {
    let changes: [fn(&Database); 3] = [
        |database| drop(queue::edit(database, &request_id("request-c"), "better")),
        |database| drop(queue::delete(database, &request_id("request-c"), 40)),
        |database| drop(queue::move_to_front(database, &request_id("request-c"))),
    ];
    for change in changes {
        let look = |database: &Database| (transcript::newest(database).unwrap(), waiting(database));
        let original = accepted(&["a", "b", "c", "d"]);
        claim(&original);
        let before = look(&original);
        let changed = original.copy().unwrap();
        change(&changed);
        let after = look(&changed);
        assert_ne!(before, after);
        for statements in 0.. {
            let dying = original.copy().unwrap();
            dying.fail_after(statements);
            change(&dying);
            let died = dying.has_stopped();
            let left = look(&dying.copy().unwrap());
            assert!(
                left == before || left == after,
                "after {statements} statements: {left:?}"
            );
            if !died {
                assert_eq!(left, after);
                break;
            }
        }
    }
}

/// What a turn is to the reference: a question with perhaps an answer, in its place.
struct Reference {
    name: String,
    text: String,
    status: Status,
    has_answer: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Queued,
    Running,
    Ended,
    Deleted,
}

/// A conversation as a plain list, in the order in which it is read.
#[derive(Default)]
struct Plain {
    turns: Vec<Reference>,
}

impl Plain {
    fn of(&self, status: Status) -> Vec<usize> {
        let turns = self.turns.iter().enumerate();
        turns
            .filter(|(_, turn)| turn.status == status)
            .map(|(place, _)| place)
            .collect()
    }

    /// The waiting turn that takes the places of those before it.
    fn move_to_front(&mut self, number: usize) {
        let places = &self.of(Status::Queued)[..=number];
        for pair in places.windows(2).rev() {
            self.turns.swap(pair[0], pair[1]);
        }
    }

    fn texts(&self) -> Vec<String> {
        let shown = self.turns.iter().filter(|turn| turn.status != Status::Deleted);
        let texts = shown.flat_map(|turn| {
            let answer = turn.has_answer.then(|| format!("answer {}", turn.name));
            [Some(turn.text.clone()), answer]
        });
        texts.flatten().collect()
    }
}

proptest! {
    #[test]
    fn whatever_is_done_questions_are_answered_in_the_order_in_which_they_stand(
        steps in prop::collection::vec((0..8_u8, any::<prop::sample::Index>()), 0..60),
    ) {
        let (database, mut plain) = (database(), Plain::default());
        for (number, (step, which)) in steps.into_iter().enumerate() {
            let queued = plain.of(Status::Queued);
            let chosen = (!queued.is_empty()).then(|| which.index(queued.len()));
            let name = chosen.map(|chosen| plain.turns[queued[chosen]].name.clone());
            match (step, chosen, name) {
                (0..=2, ..) if queued.len() < 20 => {
                    let name = number.to_string();
                    accept(&database, &name);
                    let text = format!("question {name}");
                    plain.turns.push(Reference { name, text, status: Status::Queued, has_answer: false });
                }
                (3, Some(chosen), Some(name)) => {
                    let text = format!("edited {number}");
                    prop_assert!(edit(&database, &name, &text).is_ok());
                    plain.turns[queued[chosen]].text = text;
                }
                (4, Some(chosen), Some(name)) => {
                    prop_assert_eq!(delete(&database, &name), Ok(()));
                    plain.turns[queued[chosen]].status = Status::Deleted;
                }
                (5, Some(chosen), Some(name)) => {
                    prop_assert_eq!(send_now(&database, &name), Ok(()));
                    plain.move_to_front(chosen);
                }
                (6, Some(chosen), Some(name)) => {
                    let request_id = request_id(&format!("request-{name}"));
                    prop_assert_eq!(ledger::cancel_queued(&database, &request_id, 40), Ok(Settlement::Applied));
                    plain.turns[queued[chosen]].status = Status::Ended;
                }
                _ => match plain.of(Status::Running).first() {
                    Some(running) => {
                        settle(&database, &plain.turns[*running].name);
                        plain.turns[*running].has_answer = true;
                        plain.turns[*running].status = Status::Ended;
                    }
                    None if !queued.is_empty() => {
                        let turn = &mut plain.turns[queued[0]];
                        turn.status = Status::Running;
                        let (name, text) = (turn.name.clone(), turn.text.clone());
                        prop_assert_eq!(claim(&database).request_id.to_string(), format!("request-{name}"));
                        let before = plain.texts();
                        let place = before.iter().position(|other| *other == text).unwrap();
                        prop_assert_eq!(told(&database, &name), &before[..=place]);
                    }
                    None => {}
                },
            }
            let texts: Vec<String> = transcript::newest(&database).unwrap().iter().map(Message::text).collect();
            prop_assert_eq!(texts, plain.texts());
            let names = plain.of(Status::Queued).into_iter();
            let names: Vec<String> = names.map(|place| format!("request-{}", plain.turns[place].name)).collect();
            prop_assert_eq!(waiting(&database), names);
        }
    }
}
