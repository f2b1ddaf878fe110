//! What a page shows of a conversation, frame by frame.

use crate::support::{
    chat, empty_answer, ended, message_id, question, request_id, start, text_delta, text_start,
};
use flarebot_protocol::call::HistoryPage;
use flarebot_protocol::chunk::{Chunk, merge};
use flarebot_protocol::client::{Change, Delivery, Entry, EntryState, SubmissionState, TranscriptView};
use flarebot_protocol::frame::{ChatResponse, HistoryFrame, QueuedTurn, RunningTurn, ServerFrame};
use flarebot_protocol::message::{Message, Metadata, Outcome, Part, PartState};
use flarebot_protocol::reduce;
use proptest::prelude::*;

fn loaded(messages: Vec<Message>) -> TranscriptView {
    let mut view = TranscriptView::new();
    let _ = view.apply(history(messages, false, None));
    view
}

fn history(messages: Vec<Message>, has_more: bool, running: Option<RunningTurn>) -> ServerFrame {
    ServerFrame::History(HistoryFrame {
        messages,
        has_more,
        running,
        queued: Vec::new(),
    })
}

fn running(request: &str, chunks: &[Chunk], next_seq: u64) -> RunningTurn {
    RunningTurn {
        request_id: request_id(request),
        message_id: message_id("a"),
        chunks: merge(chunks.to_vec()),
        next_seq,
    }
}

fn chunk(request: &str, seq: u64, chunk: &Chunk) -> ServerFrame {
    ServerFrame::ChatResponse(ChatResponse::chunk(request_id(request), seq, chunk))
}

fn end(request: &str, outcome: Outcome) -> ServerFrame {
    ServerFrame::ChatResponse(ChatResponse::ended(request_id(request), outcome, Vec::new()))
}

fn told(message: Message) -> ServerFrame {
    ServerFrame::Message { message }
}

fn waits(request: &str, message: &str) -> ServerFrame {
    ServerFrame::Queued(QueuedTurn {
        request_id: request_id(request),
        user_message_id: message_id(message),
    })
}

fn ids(view: &TranscriptView) -> Vec<&str> {
    view.entries()
        .iter()
        .map(|entry| entry.message().id.as_str())
        .collect()
}

fn text(view: &TranscriptView, id: &str) -> String {
    entry(view, id).message().text()
}

fn entry<'a>(view: &'a TranscriptView, id: &str) -> &'a Entry {
    view.entries()
        .iter()
        .find(|entry| entry.message().id.as_str() == id)
        .expect(id)
}

fn hello() -> [Chunk; 4] {
    [
        start("a"),
        text_start("t"),
        text_delta("t", "Hel"),
        text_delta("t", "lo."),
    ]
}

#[test]
fn an_empty_view_is_not_an_empty_conversation() {
    assert!(!TranscriptView::new().is_loaded());
    assert!(loaded(Vec::new()).is_loaded());
}

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
        (
            Outcome::Interrupted,
            Some("This answer was interrupted. Send your message again."),
        ),
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
