//! The owner's messages: on their way, waiting, refused.

use super::*;

#[test]
fn a_sent_message_shows_at_once_and_takes_its_place_when_confirmed() {
    let mut view = loaded(Vec::new());
    let mine = chat("r", "Hello?");
    assert_eq!(view.submit(&mine), Change::Structure);
    assert_eq!(view.submit(&mine), Change::Nothing);
    let sending = EntryState::Unconfirmed(&mine.id, &Delivery::Sending);
    assert_eq!(entry(&view, "r-question").state(), sending);
    assert_eq!(view.active(), Some(&mine.id));
    assert_eq!(view.apply(told(question("other", "First!"))), Change::Structure);
    assert_eq!(ids(&view), ["other", "r-question"]);

    let mut stored = mine.message.clone();
    stored.metadata = Some(Metadata {
        created_at: Some(7),
        ..Metadata::default()
    });
    assert_eq!(view.apply(told(stored.clone())), Change::Structure);
    assert_eq!(*entry(&view, "r-question").message(), stored);
    assert_eq!(entry(&view, "r-question").state(), EntryState::Settled);
    assert_eq!(
        view.active(),
        Some(&mine.id),
        "it can be stopped before its first token"
    );
    let _ = view.apply(chunk("r", 0, &start("a")));
    assert_eq!(view.active(), Some(&mine.id));
    let _ = view.apply(end("r", Outcome::Aborted));
    assert_eq!(view.active(), None);
}

#[test]
fn confirmed_messages_keep_the_servers_order() {
    let mut view = loaded(Vec::new());
    let (first, second) = (chat("1", "One."), chat("2", "Two."));
    let _ = view.submit(&first);
    let _ = view.submit(&second);
    let _ = view.apply(told(second.message));
    assert_eq!(ids(&view), ["2-question", "1-question"]);
    let _ = view.apply(told(first.message));
    assert_eq!(ids(&view), ["2-question", "1-question"]);
}

#[test]
fn a_refused_message_says_why_and_gives_its_text_back() {
    let mut view = loaded(Vec::new());
    let mine = chat("r", "Hello?");
    let _ = view.submit(&mine);
    let sentence = "The message is empty.".to_owned();
    let refusal = ChatResponse::refused(request_id("r"), sentence.clone());
    let _ = view.apply(ServerFrame::ChatResponse(refusal));
    let failed = Delivery::Failed { sentence };
    assert_eq!(
        entry(&view, "r-question").state(),
        EntryState::Unconfirmed(&mine.id, &failed)
    );
    assert_eq!(view.active(), None);
    assert_eq!(view.withdraw(&mine.id), Some(mine.message));
    assert_eq!(ids(&view), [] as [&str; 0]);
    assert_eq!(view.withdraw(&request_id("r")), None);
}

#[test]
fn the_sessions_word_on_a_message_shows() {
    let mut view = loaded(Vec::new());
    let mine = chat("r", "Hello?");
    let _ = view.submit(&mine);
    assert_eq!(
        view.apply_submission(&mine.id, &SubmissionState::Sent),
        Change::Nothing
    );
    assert_eq!(
        view.apply_submission(&mine.id, &SubmissionState::Uncertain),
        Change::Structure
    );
    assert_eq!(
        entry(&view, "r-question").state(),
        EntryState::Unconfirmed(&mine.id, &Delivery::Uncertain)
    );
    let _ = view.apply_submission(&mine.id, &SubmissionState::Undelivered);
    assert!(matches!(
        entry(&view, "r-question").state(),
        EntryState::Unconfirmed(_, Delivery::Failed { .. })
    ));
    let _ = view.apply_submission(&mine.id, &SubmissionState::Accepted);
    assert_eq!(entry(&view, "r-question").state(), EntryState::Settled);
}

#[test]
fn a_message_that_waits_stands_behind_the_running_answer() {
    let mut view = loaded(vec![question("q1", "One?")]);
    let _ = view.apply(told(question("q2", "Two?")));
    let _ = view.apply(waits("r2", "q2"));
    let _ = view.apply(waits("r2", "q2"));
    assert_eq!(view.apply(chunk("r1", 0, &start("a1"))), Change::Structure);
    assert_eq!(ids(&view), ["q1", "a1", "q2"]);
    assert_eq!(entry(&view, "q2").state(), EntryState::Queued(&request_id("r2")));
    let _ = view.apply(end("r1", Outcome::Completed));
    let _ = view.apply(chunk("r2", 0, &start("a2")));
    assert_eq!(ids(&view), ["q1", "a1", "q2", "a2"]);
    assert_eq!(entry(&view, "q2").state(), EntryState::Settled);
    assert_eq!(
        view.apply(waits("r2", "q2")),
        Change::Nothing,
        "a late repetition"
    );
}

#[test]
fn a_message_that_waits_may_be_told_before_or_after_that_it_waits() {
    let mine = chat("r2", "Two?");
    for frames in [
        [told(mine.message.clone()), waits("r2", "r2-question")],
        [waits("r2", "r2-question"), told(mine.message.clone())],
    ] {
        for is_mine in [true, false] {
            let mut view = loaded(vec![question("q1", "One?")]);
            let _ = view.apply(chunk("r1", 0, &start("a1")));
            if is_mine {
                let _ = view.submit(&mine);
            }
            for frame in frames.clone() {
                let _ = view.apply(frame);
            }
            assert_eq!(ids(&view), ["q1", "a1", "r2-question"]);
            assert_eq!(entry(&view, "r2-question").state(), EntryState::Queued(&mine.id));
            assert_eq!(view.active(), Some(&request_id("r1")));
        }
    }
}

#[test]
fn a_cancelled_message_that_waited_keeps_its_place() {
    let mut view = loaded(vec![question("q1", "One?")]);
    let _ = view.apply(chunk("r1", 0, &start("a1")));
    for (request, message) in [("r2", "q2"), ("r3", "q3")] {
        let _ = view.apply(told(question(message, "More?")));
        let _ = view.apply(waits(request, message));
    }
    let _ = view.apply(end("r3", Outcome::Aborted));
    let _ = view.apply(end("r1", Outcome::Completed));
    let _ = view.apply(chunk("r2", 0, &start("a2")));
    assert_eq!(ids(&view), ["q1", "a1", "q2", "a2", "q3"]);
    assert_eq!(entry(&view, "q3").state(), EntryState::Settled);
}

#[test]
fn an_answer_without_chunks_stands_behind_its_question_and_before_what_waits() {
    let mut view = loaded(vec![question("q1", "One?")]);
    let _ = view.apply(told(question("q2", "Two?")));
    let _ = view.apply(waits("r2", "q2"));
    let _ = view.apply(told(ended(empty_answer("a1"), Outcome::Error)));
    assert_eq!(ids(&view), ["q1", "a1", "q2"]);
}
