//! Answers in the making and at their end.

use super::*;
use proptest::prelude::*;

#[test]
fn an_answer_grows_and_settles_with_little_to_render() {
    let mut view = loaded(vec![question("q", "Hello?")]);
    let [first, second, third, fourth] = hello();
    assert_eq!(view.apply(chunk("r", 0, &first)), Change::Structure);
    assert_eq!(entry(&view, "a").state(), EntryState::Running(&request_id("r")));
    assert_eq!(view.active(), Some(&request_id("r")));
    for (seq, piece) in [(1, second), (2, third), (3, fourth)] {
        assert_eq!(view.apply(chunk("r", seq, &piece)), Change::Message(1));
    }
    assert_eq!(text(&view, "a"), "Hello.");
    assert_eq!(view.apply(end("r", Outcome::Completed)), Change::Structure);
    assert_eq!(entry(&view, "a").state(), EntryState::Settled);
    assert_eq!(entry(&view, "a").notice(), None);
    assert_eq!(view.active(), None);
    let state = Some(PartState::Done);
    let text = "Hello.".to_owned();
    assert_eq!(entry(&view, "a").message().parts, [Part::Text { text, state }]);
}

#[test]
fn the_servers_final_message_replaces_the_reduced_one_in_either_order() {
    let fin = ended(question("a", "Hello, really."), Outcome::Completed);
    for message_first in [true, false] {
        let mut view = loaded(vec![question("q", "Hello?")]);
        for (seq, piece) in (0..).zip(hello()) {
            let _ = view.apply(chunk("r", seq, &piece));
        }
        let mut frames = vec![end("r", Outcome::Completed), told(fin.clone())];
        if message_first {
            frames.reverse();
        }
        for frame in frames {
            let _ = view.apply(frame);
        }
        assert_eq!(ids(&view), ["q", "a"]);
        assert_eq!(*entry(&view, "a").message(), fin);
        assert_eq!(entry(&view, "a").state(), EntryState::Settled);
        assert_eq!(view.apply(told(fin.clone())), Change::Nothing);
        assert_eq!(
            view.apply(chunk("r", 4, &text_delta("t", "late"))),
            Change::Nothing
        );
        assert_eq!(view.apply(chunk("r", 0, &start("a"))), Change::Nothing);
    }
}

#[test]
fn chunks_that_come_after_the_final_message_are_late() {
    let mut view = loaded(Vec::new());
    let _ = view.apply(chunk("r", 0, &start("a")));
    let _ = view.apply(told(ended(empty_answer("a"), Outcome::Completed)));
    for seq in [0, 1, 7] {
        assert_eq!(view.apply(chunk("r", seq, &text_start("t"))), Change::Nothing);
    }
}

#[test]
fn repeated_chunks_change_nothing() {
    let mut view = loaded(Vec::new());
    for (seq, piece) in (0..).zip(hello()) {
        let _ = view.apply(chunk("r", seq, &piece));
    }
    for (seq, piece) in (0..).zip(hello()) {
        assert_eq!(view.apply(chunk("r", seq, &piece)), Change::Nothing);
    }
    assert_eq!(text(&view, "a"), "Hello.");
}

#[test]
fn a_gap_asks_once_for_a_new_history_and_invents_nothing() {
    let mut view = loaded(Vec::new());
    let [first, second, third, fourth] = hello();
    let _ = view.apply(chunk("r", 0, &first));
    let _ = view.apply(chunk("r", 1, &second));
    assert_eq!(view.apply(chunk("r", 3, &fourth)), Change::Resynchronise);
    assert_eq!(view.apply(chunk("r", 4, &fourth)), Change::Nothing);
    assert_eq!(view.apply(chunk("r", 2, &third)), Change::Nothing);
    assert_eq!(text(&view, "a"), "");
    let _ = view.apply(history(Vec::new(), false, Some(running("r", &hello(), 4))));
    assert_eq!(text(&view, "a"), "Hello.");
    assert_eq!(
        view.apply(chunk("r", 4, &text_delta("t", " Bye."))),
        Change::Message(0)
    );
    assert_eq!(text(&view, "a"), "Hello. Bye.");
}

#[test]
fn an_answer_that_begins_in_its_middle_is_a_gap() {
    let mut view = loaded(Vec::new());
    assert_eq!(
        view.apply(chunk("r", 2, &text_delta("t", "x"))),
        Change::Resynchronise
    );
    assert_eq!(ids(&view), [] as [&str; 0]);
}

#[test]
fn a_chunk_of_a_newer_server_is_counted_and_left_out() {
    let mut view = loaded(Vec::new());
    let mut response = ChatResponse::chunk(request_id("r"), 1, &Chunk::StartStep);
    response.body = r#"{"type":"brand-new"}"#.to_owned();
    let _ = view.apply(chunk("r", 0, &start("a")));
    let _ = view.apply(ServerFrame::ChatResponse(response));
    assert_eq!(view.apply(chunk("r", 2, &text_start("t"))), Change::Message(0));
}

#[test]
fn every_way_to_end_has_its_notice() {
    let told_by_server = |notice: &str| {
        let mut message = ended(empty_answer("a"), Outcome::Error);
        message.metadata.as_mut().unwrap().notice = Some(notice.to_owned());
        message
    };
    for (outcome, expected) in [
        (Outcome::Completed, None),
        (Outcome::Aborted, Some("You stopped this answer.")),
        (
            Outcome::Error,
            Some("This answer failed. Send your message again."),
        ),
        (Outcome::Interrupted, Some("This answer was interrupted.")),
    ] {
        let mut view = loaded(Vec::new());
        let _ = view.apply(chunk("r", 0, &start("a")));
        let _ = view.apply(end("r", outcome));
        assert_eq!(entry(&view, "a").notice(), expected);
    }
    let view = loaded(vec![told_by_server("The key is wrong.")]);
    assert_eq!(entry(&view, "a").notice(), Some("The key is wrong."));
}

#[test]
fn a_failure_shows_before_the_answer_ends() {
    let failures = [
        ServerFrame::ChatResponse(ChatResponse::failed(request_id("r"), "Busy.".to_owned())),
        chunk(
            "r",
            1,
            &Chunk::Error {
                error_text: "Busy.".to_owned(),
            },
        ),
    ];
    for failure in failures {
        let mut view = loaded(Vec::new());
        let _ = view.apply(chunk("r", 0, &start("a")));
        assert_eq!(view.apply(failure), Change::Message(0));
        assert_eq!(entry(&view, "a").notice(), Some("Busy."));
        let _ = view.apply(end("r", Outcome::Error));
        assert_eq!(entry(&view, "a").notice(), Some("Busy."));
    }
}

proptest! {
    /// Chunks may be joined anywhere and repeated any number of times in any order, as long as each comes at all.
    #[test]
    fn however_chunks_are_joined_and_repeated_the_answer_is_the_same(
        deltas in prop::collection::vec("\\PC{0,3}", 1..20),
        join in any::<prop::sample::Index>(),
        repeats in prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize), 0..20),
    ) {
        let mut chunks = vec![start("a"), text_start("t")];
        chunks.extend(deltas.iter().map(|delta| text_delta("t", delta)));
        let join = join.index(chunks.len() + 1);
        let mut view = TranscriptView::new();
        let joined = (join > 0).then(|| running("r", &chunks[..join], join as u64));
        let _ = view.apply(history(Vec::new(), false, joined));
        for seq in join..chunks.len() {
            prop_assert_ne!(view.apply(chunk("r", seq as u64, &chunks[seq])), Change::Resynchronise);
            for (which, times) in &repeats {
                let old = which.index(seq + 1);
                for _ in 0..*times {
                    prop_assert_eq!(view.apply(chunk("r", old as u64, &chunks[old])), Change::Nothing);
                }
            }
        }
        let expected = reduce(empty_answer("a"), &chunks);
        prop_assert_eq!(entry(&view, "a").message(), &expected);
    }
}
