//! Turns whose process is gone.

use crate::script::{answer_to, finished, sent, text};
use crate::support::{message_id, request_id, text_delta};
use flarebot_conversation::stream_log::LoggedStream;
use flarebot_conversation::turn::{Effect, Event, Turn, TurnState};
use flarebot_protocol::chunk::{Chunk, FinishReason};
use flarebot_protocol::message::{Message, Outcome, Part, PartState};

fn resumed(chunks: Vec<Chunk>) -> (Outcome, Message, Option<String>) {
    let state = TurnState {
        request_id: request_id("request-a"),
        message_id: message_id("answer-a"),
        model: Some("small".to_owned()),
        begun_at: 7,
    };
    let next_seq = chunks.len() as u64;
    let mut turn = Turn::resume(state, LoggedStream { chunks, next_seq });
    assert_eq!(turn.handle(Event::Tick, 50), []);
    let mut effects = turn.handle(Event::Resumed, 60);
    assert!(turn.is_finished());
    match (effects.pop(), effects.is_empty()) {
        (
            Some(Effect::Finish {
                outcome,
                message,
                notice,
            }),
            true,
        ) => (outcome, message, notice),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_lost_turn_ends_as_interrupted_with_what_was_logged() {
    let begin = vec![
        Chunk::StartStep,
        Chunk::TextStart {
            id: "text-0".to_owned(),
        },
        text_delta("Half an"),
    ];
    let (outcome, message, notice) = resumed(begin);
    assert_eq!(
        (outcome, message.text().as_str()),
        (Outcome::Interrupted, "Half an")
    );
    assert!(notice.unwrap().contains("incomplete"));
    let done = Part::Text {
        text: "Half an".to_owned(),
        state: Some(PartState::Done),
    };
    assert_eq!(message.parts[1], done);
    let metadata = message.metadata.unwrap();
    assert_eq!(metadata.model.as_deref(), Some("small"));
    assert_eq!(metadata.created_at, Some(7));
    assert_eq!(metadata.outcome, Some(Outcome::Interrupted));

    let (outcome, message, notice) = resumed(Vec::new());
    assert_eq!(
        (outcome, message.id),
        (Outcome::Interrupted, message_id("answer-a"))
    );
    assert!(notice.unwrap().contains("before this answer began"));
}

#[test]
fn a_lost_turn_whose_end_was_logged_ends_so() {
    for events in [
        vec![text("Whole."), finished(FinishReason::Stop)],
        vec![text("Long"), finished(FinishReason::Length)],
        vec![text("Half"), Event::Cancel],
        vec![text("Half"), Event::ModelClosed],
    ] {
        let (effects, outcome, message, notice) = answer_to(events);
        let (resumed_outcome, resumed_message, resumed_notice) = resumed(sent(&effects));
        assert_eq!((resumed_outcome, resumed_notice), (outcome, notice));
        assert_eq!(resumed_message.parts, message.parts);
        assert_eq!(resumed_message.metadata, message.metadata);
    }
}
