//! What a new connection tells, and older pages.

use super::*;

#[test]
fn an_empty_view_is_not_an_empty_conversation() {
    assert!(!TranscriptView::new().is_loaded());
    assert!(loaded(Vec::new()).is_loaded());
}

#[test]
fn joining_a_running_answer_shows_what_was_said_and_goes_on() {
    let mut view = TranscriptView::new();
    let _ = view.apply(ServerFrame::History(HistoryFrame {
        messages: vec![question("q", "Hello?"), question("q2", "And?")],
        has_more: false,
        running: Some(running("r", &hello()[..3], 3)),
        queued: vec![QueuedTurn {
            request_id: request_id("r2"),
            user_message_id: message_id("q2"),
        }],
    }));
    assert_eq!(ids(&view), ["q", "a", "q2"]);
    assert_eq!(text(&view, "a"), "Hel");
    assert_eq!(view.apply(chunk("r", 2, &hello()[2])), Change::Nothing);
    assert_eq!(view.apply(chunk("r", 3, &hello()[3])), Change::Message(1));
    assert_eq!(text(&view, "a"), "Hello.");
}

#[test]
fn a_history_keeps_older_pages_that_it_continues() {
    let mut view = TranscriptView::new();
    let _ = view.apply(history(vec![question("3", ""), question("4", "")], true, None));
    assert_eq!(view.oldest(), Some(&message_id("3")));
    let page = HistoryPage {
        messages: vec![question("1", ""), question("2", ""), question("3", "")],
        has_more: false,
    };
    assert_eq!(view.prepend(page.clone(), &message_id("3")), Change::Structure);
    assert_eq!(
        view.prepend(page, &message_id("3")),
        Change::Nothing,
        "it no longer fits"
    );
    assert_eq!(ids(&view), ["1", "2", "3", "4"]);
    assert!(!view.has_more());
    let _ = view.apply(history(vec![question("4", ""), question("5", "")], true, None));
    assert_eq!(ids(&view), ["1", "2", "3", "4", "5"]);
    assert!(!view.has_more());
}

#[test]
fn a_history_drops_older_pages_that_an_answer_may_be_missing_from() {
    let mut waiting = loaded(vec![question("1", "")]);
    let mine = chat("r", "Hello?");
    let _ = waiting.submit(&mine);
    let _ = waiting.apply(told(mine.message));
    let mut running = loaded(vec![question("1", "")]);
    let _ = running.apply(chunk("r", 0, &start("a")));
    for mut view in [waiting, running] {
        let _ = view.apply(told(question("2", "")));
        let _ = view.apply(history(vec![question("2", ""), question("3", "")], true, None));
        assert_eq!(ids(&view), ["2", "3"]);
        assert!(view.has_more());
    }
}

#[test]
fn a_history_that_continues_nothing_replaces_everything() {
    let mut view = loaded(vec![question("1", ""), question("2", "")]);
    let _ = view.apply(history(vec![question("8", ""), question("9", "")], true, None));
    assert_eq!(ids(&view), ["8", "9"]);
    assert!(view.has_more());
    let _ = view.apply(history(vec![question("9", "")], false, None));
    assert_eq!(ids(&view), ["9"], "it is the whole transcript");
    assert!(!view.has_more());
}

#[test]
fn a_history_keeps_what_the_server_has_not_confirmed() {
    let mut view = loaded(Vec::new());
    for id in ["1", "2", "3"] {
        let _ = view.submit(&chat(id, "Hello?"));
    }
    let _ = view.apply(ServerFrame::History(HistoryFrame {
        messages: vec![question("1-question", "Hello?"), question("2-question", "Hello?")],
        has_more: false,
        running: Some(running("1", &[start("a")], 1)),
        queued: vec![QueuedTurn {
            request_id: request_id("2"),
            user_message_id: message_id("2-question"),
        }],
    }));
    assert_eq!(ids(&view), ["1-question", "a", "2-question", "3-question"]);
    assert!(matches!(
        entry(&view, "3-question").state(),
        EntryState::Unconfirmed(..)
    ));
}

#[test]
fn an_answer_that_ended_while_away_is_the_servers() {
    let mut view = loaded(vec![question("q", "Hello?")]);
    let _ = view.apply(chunk("r", 0, &start("a")));
    let answer = ended(question("a", "Done."), Outcome::Completed);
    let _ = view.apply(history(
        vec![question("q", "Hello?"), answer.clone()],
        false,
        None,
    ));
    assert_eq!(*entry(&view, "a").message(), answer);
    assert_eq!(view.active(), None);
    assert_eq!(view.apply(chunk("r", 1, &text_start("t"))), Change::Nothing);
}

#[test]
fn clearing_leaves_only_what_was_not_sent() {
    let mut view = loaded(vec![question("q", "Hello?")]);
    let _ = view.apply(chunk("r", 0, &start("a")));
    let _ = view.submit(&chat("mine", "Wait!"));
    assert_eq!(view.apply(ServerFrame::ChatClear), Change::Structure);
    assert_eq!(ids(&view), ["mine-question"]);
    assert_eq!(
        view.apply(chunk("r", 1, &text_start("t"))),
        Change::Nothing,
        "it is late"
    );
    assert_eq!(view.apply(end("r", Outcome::Aborted)), Change::Nothing);
    assert_eq!(ids(&view), ["mine-question"]);
}

#[test]
fn other_frames_change_nothing() {
    let mut view = loaded(vec![question("q", "Hello?")]);
    let frame = ServerFrame::ChatMessages {
        messages: Vec::new(),
        connect: None,
    };
    assert_eq!(view.apply(frame), Change::Nothing);
    assert_eq!(ids(&view), ["q"]);
}
