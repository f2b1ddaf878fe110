//! What the owner does with questions that wait, as every page hears of it.

use super::*;

/// A view in which `q1` is answered and the requests `r2`, `r3` and `r4` wait with their questions.
fn waiting() -> TranscriptView {
    let mut view = loaded(vec![question("q1", "One?")]);
    let _ = view.apply(chunk("r1", 0, &start("a1")));
    for number in 2..5 {
        let _ = view.apply(told(question(&format!("q{number}"), "More?")));
        let _ = view.apply(waits(&format!("r{number}"), &format!("q{number}")));
    }
    view
}

fn turn(number: u32) -> QueuedTurn {
    QueuedTurn {
        request_id: request_id(&format!("r{number}")),
        user_message_id: message_id(&format!("q{number}")),
    }
}

fn queue(queued: &[u32], deleted: &[u32]) -> ServerFrame {
    ServerFrame::Queue(QueueFrame {
        queued: queued.iter().map(|number| turn(*number)).collect(),
        deleted: deleted.iter().map(|number| turn(*number)).collect(),
    })
}

#[test]
fn what_is_sent_now_stands_next() {
    let mut view = waiting();
    assert_eq!(view.apply(queue(&[4, 2, 3], &[])), Change::Structure);
    assert_eq!(ids(&view), ["q1", "a1", "q4", "q2", "q3"]);
    let _ = view.apply(end("r1", Outcome::Aborted));
    let _ = view.apply(chunk("r4", 0, &start("a4")));
    assert_eq!(ids(&view), ["q1", "a1", "q4", "a4", "q2", "q3"]);
    assert_eq!(entry(&view, "q2").state(), EntryState::Queued(&request_id("r2")));
}

#[test]
fn what_was_cancelled_between_them_stays_where_it_is() {
    let mut view = waiting();
    let _ = view.apply(end("r3", Outcome::Aborted));
    let _ = view.apply(queue(&[4, 2], &[]));
    assert_eq!(ids(&view), ["q1", "a1", "q4", "q3", "q2"]);
}

#[test]
fn what_is_deleted_is_gone_for_good() {
    let mut view = waiting();
    let _ = view.apply(queue(&[2, 4], &[3]));
    assert_eq!(ids(&view), ["q1", "a1", "q2", "q4"]);
    assert_eq!(view.apply(waits("r3", "q3")), Change::Nothing, "it is late");
    let _ = view.apply(end("r1", Outcome::Completed));
    let _ = view.apply(chunk("r2", 0, &start("a2")));
    assert_eq!(ids(&view), ["q1", "a1", "q2", "a2", "q4"]);
}

#[test]
fn what_is_about_to_be_answered_is_not_taken_for_deleted() {
    let mut view = waiting();
    let _ = view.apply(end("r1", Outcome::Completed));
    let _ = view.apply(queue(&[4, 3], &[]));
    assert_eq!(ids(&view), ["q1", "a1", "q2", "q4", "q3"]);
    let _ = view.apply(chunk("r2", 0, &start("a2")));
    assert_eq!(ids(&view), ["q1", "a1", "q2", "a2", "q4", "q3"]);
}

#[test]
fn a_changed_text_shows_and_still_waits() {
    let mut view = waiting();
    assert_eq!(view.apply(told(question("q3", "Better?"))), Change::Message(3));
    assert_eq!(text(&view, "q3"), "Better?");
    assert_eq!(entry(&view, "q3").state(), EntryState::Queued(&request_id("r3")));
}

#[test]
fn a_queue_tells_also_of_what_was_not_known_to_wait() {
    let mut view = loaded(vec![question("q1", "One?")]);
    let mine = chat("r2", "Two?");
    let _ = view.submit(&mine);
    let _ = view.apply(told(question("q3", "Three?")));
    let _ = view.apply(ServerFrame::Queue(QueueFrame {
        queued: vec![
            turn(3),
            QueuedTurn {
                request_id: mine.id.clone(),
                user_message_id: mine.message.id.clone(),
            },
        ],
        deleted: Vec::new(),
    }));
    assert_eq!(ids(&view), ["q1", "q3", "r2-question"]);
    assert_eq!(entry(&view, "r2-question").state(), EntryState::Queued(&mine.id));
    assert_eq!(
        view.active(),
        None,
        "nothing is answered, and what waits is not stopped"
    );
}
