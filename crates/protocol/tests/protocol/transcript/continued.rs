//! Answers that a later instance goes on with, under the next request.

use super::*;

/// The second attempt at the answer to `r`, as far as "Hel".
fn second() -> RunningTurn {
    RunningTurn {
        user_message_id: Some(message_id("q")),
        ..running("r~2", &hello()[..3], 3)
    }
}

/// A view that shows "Hello." in answer to `q`.
fn said_hello() -> TranscriptView {
    let mut view = loaded(vec![question("q", "Hello?")]);
    for (seq, piece) in (0..).zip(hello()) {
        let _ = view.apply(chunk("r", seq, &piece));
    }
    view
}

#[test]
fn what_was_lost_is_taken_back_and_the_answer_goes_on() {
    let mut view = said_hello();
    assert_eq!(view.apply(ServerFrame::Running(second())), Change::Structure);
    assert_eq!(ids(&view), ["q", "a"]);
    assert_eq!(text(&view, "a"), "Hel");
    assert_eq!(entry(&view, "a").state(), EntryState::Running(&request_id("r~2")));
    assert_eq!(view.active(), Some(&request_id("r~2")));
    assert_eq!(
        view.apply(chunk("r~2", 3, &text_delta("t", "p!"))),
        Change::Message(1)
    );
    assert_eq!(text(&view, "a"), "Help!");
    let _ = view.apply(end("r~2", Outcome::Completed));
    assert_eq!(entry(&view, "a").state(), EntryState::Settled);
    assert_eq!(view.active(), None);
}

#[test]
fn frames_of_the_instance_that_is_gone_are_late() {
    let mut view = said_hello();
    let _ = view.apply(ServerFrame::Running(second()));
    let late = [
        chunk("r", 4, &text_delta("t", "late")),
        chunk("r", 0, &start("a")),
        end("r", Outcome::Interrupted),
        waits("r", "q"),
        ServerFrame::Running(second()),
    ];
    for frame in late {
        assert_eq!(view.apply(frame.clone()), Change::Nothing, "{frame:?}");
    }
    assert_eq!(text(&view, "a"), "Hel");
    let _ = view.apply(end("r~2", Outcome::Completed));
    assert_eq!(view.apply(ServerFrame::Running(second())), Change::Nothing);
}

#[test]
fn a_repetition_takes_nothing_back() {
    let mut view = said_hello();
    let _ = view.apply(ServerFrame::Running(second()));
    let _ = view.apply(chunk("r~2", 3, &text_delta("t", "p!")));
    assert_eq!(view.apply(ServerFrame::Running(second())), Change::Nothing);
    assert_eq!(text(&view, "a"), "Help!");
}

#[test]
fn an_answer_may_be_continued_more_than_once() {
    let mut view = said_hello();
    let _ = view.apply(ServerFrame::Running(second()));
    let third = RunningTurn {
        request_id: request_id("r~3"),
        ..second()
    };
    let _ = view.apply(ServerFrame::Running(third));
    assert_eq!(view.active(), Some(&request_id("r~3")));
    for late in ["r", "r~2"] {
        assert_eq!(view.apply(chunk(late, 3, &hello()[3])), Change::Nothing);
    }
}

#[test]
fn an_answer_that_was_given_up_as_interrupted_may_go_on() {
    let mut settled = said_hello();
    let _ = settled.apply(end("r", Outcome::Interrupted));
    let stored = ended(question("a", "Hello."), Outcome::Interrupted);
    let told = loaded(vec![question("q", "Hello?"), stored]);
    for mut view in [settled, told] {
        let _ = view.apply(ServerFrame::Running(second()));
        assert_eq!(ids(&view), ["q", "a"]);
        assert_eq!(entry(&view, "a").notice(), None);
        assert_eq!(view.active(), Some(&request_id("r~2")));
    }
}

#[test]
fn an_answer_that_was_never_seen_stands_behind_its_question() {
    let mut view = loaded(vec![question("q", "Hello?"), question("cancelled", "And?")]);
    let _ = view.apply(ServerFrame::Running(second()));
    assert_eq!(ids(&view), ["q", "a", "cancelled"]);
}

#[test]
fn a_question_that_waited_waits_no_more() {
    let mut queued = loaded(vec![question("q", "Hello?")]);
    let _ = queued.apply(waits("r", "q"));
    let mut awaited = loaded(Vec::new());
    let mut mine = chat("r", "Hello?");
    mine.message.id = message_id("q");
    let _ = awaited.submit(&mine);
    let mut unconfirmed = awaited.clone();
    let _ = awaited.apply(told(mine.message));
    for view in [&mut queued, &mut awaited, &mut unconfirmed] {
        let _ = view.apply(ServerFrame::Running(second()));
        assert_eq!(ids(view), ["q", "a"]);
        assert_eq!(entry(view, "q").state(), EntryState::Settled);
        let _ = view.apply(end("r~2", Outcome::Completed));
        assert_eq!(view.active(), None);
    }
}

#[test]
fn a_gap_in_the_answer_is_closed_by_its_continuation() {
    let mut view = said_hello();
    assert_eq!(view.apply(chunk("r", 9, &hello()[3])), Change::Resynchronise);
    let _ = view.apply(ServerFrame::Running(second()));
    assert_eq!(
        view.apply(chunk("r~2", 3, &text_delta("t", "p!"))),
        Change::Message(1)
    );
    assert_eq!(text(&view, "a"), "Help!");
}

#[test]
fn a_continuation_that_was_missed_is_a_gap() {
    let mut view = said_hello();
    assert_eq!(view.apply(chunk("r~2", 3, &hello()[3])), Change::Resynchronise);
    assert_eq!(text(&view, "a"), "Hello.");
}

#[test]
fn a_new_connection_may_tell_of_the_continuation_as_well() {
    let mut view = said_hello();
    let messages = vec![question("q", "Hello?"), question("cancelled", "And?")];
    let _ = view.apply(history(messages, false, Some(second())));
    assert_eq!(ids(&view), ["q", "a", "cancelled"], "behind its question");
    assert_eq!(text(&view, "a"), "Hel");
    assert_eq!(view.apply(chunk("r", 4, &hello()[3])), Change::Nothing);
    assert_eq!(view.apply(chunk("r~2", 3, &hello()[3])), Change::Message(1));
}
