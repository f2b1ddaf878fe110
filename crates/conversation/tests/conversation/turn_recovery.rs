//! Turns whose process is gone, and answers that break off.

use crate::script::{answer_to, finished, run, sent, text};
use crate::support::{claimed, context, message_id, new_turn, request_id, text_delta};
use flarebot_conversation::ledger::ClaimedTurn;
use flarebot_conversation::stream_log::LoggedStream;
use flarebot_conversation::turn::{Effect, Event, MAXIMUM_ATTEMPTS, MAXIMUM_MODEL_CALLS, Turn, TurnState};
use flarebot_model::{FailureKind, ModelFailure, ModelMessage, ModelRequest, SILENCE_MILLISECONDS};
use flarebot_protocol::chunk::{Chunk, FinishReason};
use flarebot_protocol::message::{Message, Outcome, Part, PartState};

fn state() -> TurnState {
    let mut state = TurnState::new(request_id("request-a"), message_id("answer-a"), 7);
    state.model = Some("small".to_owned());
    state
}

/// A turn that is taken over as the attempt number `attempts`.
fn taken_over(chunks: Vec<Chunk>, attempts: u32) -> (Turn, Vec<Effect>) {
    let claimed = ClaimedTurn {
        attempts,
        ..claimed()
    };
    let next_seq = chunks.len() as u64;
    let mut turn = Turn::resume(claimed, context(), state(), LoggedStream { chunks, next_seq });
    assert_eq!(turn.handle(Event::Tick, 50), []);
    let effects = turn.handle(Event::Resumed, 60);
    (turn, effects)
}

/// The end of a turn that is taken over and not gone on with.
fn ended(chunks: Vec<Chunk>, attempts: u32) -> (Outcome, Message, Option<String>) {
    let (turn, mut effects) = taken_over(chunks, attempts);
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

fn half() -> Vec<Chunk> {
    vec![
        Chunk::Start {
            message_id: message_id("answer-a"),
            message_metadata: None,
        },
        Chunk::StartStep,
        Chunk::TextStart {
            id: "text-0".to_owned(),
        },
        text_delta("Half an"),
    ]
}

fn request(effects: &[Effect]) -> &ModelRequest {
    match effects.last() {
        Some(Effect::CallModel(request)) => request,
        other => panic!("the last effect is {other:?}"),
    }
}

#[test]
fn a_lost_turn_goes_on_with_what_was_logged_under_a_request_of_its_own() {
    let (mut turn, effects) = taken_over(half(), 2);
    assert!(
        matches!(effects[0], Effect::Checkpoint(_)),
        "counted before anything else"
    );
    let rewound = LoggedStream {
        chunks: half(),
        next_seq: 4,
    };
    assert_eq!(effects[1], Effect::Rewind(rewound));
    assert_eq!(turn.stream_id(), &request_id("request-a~2"));
    assert!(matches!(
        request(&effects).messages.as_slice(),
        [ModelMessage::Assistant { text, .. }, ModelMessage::User { text: wish }]
            if text == "Half an" && wish.contains("Go on")
    ));
    let effects = run(&mut turn, [text(" hour"), finished(FinishReason::Stop)]);
    assert_eq!(
        effects[0],
        Effect::Send {
            seq: 4,
            chunk: text_delta(" hour")
        }
    );
    let Some(Effect::Finish {
        outcome,
        message,
        notice,
    }) = effects.last()
    else {
        panic!("{effects:?}")
    };
    assert_eq!((*outcome, notice), (Outcome::Completed, &None));
    let whole = Part::Text {
        text: "Half an hour".to_owned(),
        state: Some(PartState::Done),
    };
    assert_eq!(message.parts, [Part::StepStart, whole]);
}

#[test]
fn a_lost_turn_without_a_word_is_asked_for_again() {
    for logged in [0, 2] {
        let (_, effects) = taken_over(half().into_iter().take(logged).collect(), 2);
        assert_eq!(request(&effects).messages, context().history.messages());
        let announced = |effect: &Effect| {
            matches!(
                effect,
                Effect::Send {
                    chunk: Chunk::Start { .. },
                    ..
                }
            )
        };
        assert_eq!(
            effects.iter().filter(|effect| announced(effect)).count(),
            usize::from(logged == 0)
        );
    }
}

#[test]
fn a_turn_that_was_lost_too_often_ends_as_interrupted_with_what_was_logged() {
    let (outcome, message, notice) = ended(half(), MAXIMUM_ATTEMPTS + 1);
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

    let (outcome, message, notice) = ended(Vec::new(), MAXIMUM_ATTEMPTS + 1);
    assert_eq!(
        (outcome, message.id),
        (Outcome::Interrupted, message_id("answer-a"))
    );
    assert!(notice.unwrap().contains("before this answer began"));
}

#[test]
fn a_reader_who_joins_a_turn_that_goes_on_gets_what_was_logged() {
    let (mut turn, _) = taken_over(half(), 3);
    turn.handle(text(" hour"), 70);
    let running = turn.running(LoggedStream {
        chunks: half(),
        next_seq: 4,
    });
    assert_eq!(running.request_id, request_id("request-a~3"));
    assert_eq!(running.user_message_id, Some(message_id("user-a")));
    assert_eq!(running.next_seq, 5);
    assert_eq!(running.chunks.last(), Some(&text_delta("Half an hour")));
}

#[test]
fn an_answer_that_breaks_off_goes_on_in_the_same_stream() {
    let mut turn = new_turn();
    let mut effects = run(&mut turn, [Event::Accepted, text("Half an"), Event::ModelClosed]);
    assert_eq!(request(&effects).messages.len(), context().history.said.len() + 2);
    effects.extend(run(&mut turn, [text(" hour"), finished(FinishReason::Stop)]));
    sent(&effects);
    let Some(Effect::Finish { outcome, message, .. }) = effects.last() else {
        panic!("{effects:?}")
    };
    assert_eq!(
        (*outcome, message.text().as_str()),
        (Outcome::Completed, "Half an hour")
    );
}

#[test]
fn an_answer_that_breaks_off_again_and_again_keeps_what_came_and_says_why() {
    let mut turn = new_turn();
    let mut effects = run(
        &mut turn,
        [
            Event::Accepted,
            text("Half"),
            Event::ModelClosed,
            Event::ModelClosed,
        ],
    );
    let mut pauses = Vec::new();
    let mut now = 3;
    while !turn.is_finished() {
        effects = turn.handle(Event::Tick, turn.deadline().unwrap());
        let deadline = turn.deadline().unwrap_or(now);
        if effects
            .iter()
            .any(|effect| matches!(effect, Effect::CallModel(_)))
        {
            pauses.push(deadline);
            effects = turn.handle(Event::ModelClosed, now);
        }
        now += 1;
        assert!(now < 100);
    }
    assert_eq!(pauses.len(), 2, "the second and the third attempt wait");
    let Some(Effect::Finish {
        outcome,
        message,
        notice,
    }) = effects.last()
    else {
        panic!("{effects:?}")
    };
    assert_eq!((*outcome, message.text().as_str()), (Outcome::Error, "Half"));
    assert_eq!(
        notice,
        &Some(ModelFailure::new(FailureKind::Truncated).sentence())
    );
}

#[test]
fn a_silent_model_is_asked_again_and_any_byte_puts_it_off() {
    let mut turn = new_turn();
    turn.handle(Event::Accepted, 0);
    turn.handle(text("Half"), 1000);
    turn.handle(Event::Tick, 1250);
    turn.handle(Event::ModelActive, 50_000);
    assert_eq!(turn.deadline(), Some(50_000 + SILENCE_MILLISECONDS));
    assert_eq!(turn.handle(Event::Tick, 49_999 + SILENCE_MILLISECONDS), []);
    let effects = turn.handle(Event::Tick, 50_000 + SILENCE_MILLISECONDS);
    assert_eq!(effects.first(), Some(&Effect::StopModel));
    request(&effects);

    let mut last = Vec::new();
    while let Some(deadline) = turn.deadline() {
        last = turn.handle(Event::Tick, deadline);
    }
    let Some(Effect::Finish {
        outcome,
        message,
        notice,
    }) = last.last()
    else {
        panic!("{last:?}")
    };
    assert_eq!((*outcome, message.text().as_str()), (Outcome::Error, "Half"));
    assert_eq!(notice, &Some(ModelFailure::new(FailureKind::Silent).sentence()));
}

#[test]
fn a_model_that_starts_over_does_not_say_anything_twice() {
    let mut turn = new_turn();
    let first = "Once upon a time there was a ";
    let mut effects = run(&mut turn, [Event::Accepted, text(first), Event::ModelClosed]);
    effects.extend(run(
        &mut turn,
        [
            text("Once upon a time "),
            text("there was a king."),
            finished(FinishReason::Stop),
        ],
    ));
    let Some(Effect::Finish { message, .. }) = effects.last() else {
        panic!("{effects:?}")
    };
    assert_eq!(message.text(), "Once upon a time there was a king.");
}

#[test]
fn a_lost_turn_whose_end_was_logged_ends_so() {
    for events in [
        vec![text("Whole."), finished(FinishReason::Stop)],
        vec![text("Long"), finished(FinishReason::Length)],
        vec![text("Half"), Event::Cancel],
        vec![
            text("Half"),
            Event::Failed {
                sentence: "It failed.".to_owned(),
            },
        ],
    ] {
        let (effects, outcome, message, notice) = answer_to(events);
        let (resumed_outcome, resumed_message, resumed_notice) = ended(sent(&effects), 2);
        assert_eq!((resumed_outcome, resumed_notice), (outcome, notice));
        assert_eq!(resumed_message.parts, message.parts);
        assert_eq!(resumed_message.metadata, message.metadata);
    }
}

#[test]
fn a_lost_turn_that_is_stopped_first_calls_no_model() {
    let claimed = ClaimedTurn {
        attempts: 2,
        ..claimed()
    };
    let logged = LoggedStream {
        chunks: half(),
        next_seq: 4,
    };
    let mut turn = Turn::resume(claimed, context(), state(), logged);
    let effects = turn.handle(Event::Cancel, 60);
    let [
        Effect::Finish {
            outcome,
            message,
            notice,
        },
    ] = &effects[..]
    else {
        panic!("{effects:?}")
    };
    assert_eq!((*outcome, notice), (Outcome::Aborted, &None));
    assert_eq!(message.text(), "Half an");
    assert_eq!(turn.handle(Event::Resumed, 61), []);
}

#[test]
fn an_answer_that_breaks_off_for_ever_stops_calling_the_model_whatever_progress_it_makes() {
    let mut turn = new_turn();
    let mut effects = turn.handle(Event::Accepted, 0);
    let mut calls = 1;
    while !turn.is_finished() {
        effects = turn.handle(text(&format!("Part {calls}. ")), calls);
        effects.extend(turn.handle(Event::ModelClosed, calls));
        calls += 1;
        assert!(calls < 100);
    }
    assert_eq!(calls - 1, i64::from(MAXIMUM_MODEL_CALLS));
    let Some(Effect::Finish {
        outcome,
        message,
        notice,
    }) = effects.last()
    else {
        panic!("{effects:?}")
    };
    assert_eq!(*outcome, Outcome::Error);
    assert!(message.text().starts_with("Part 1. Part 2. "));
    assert!(notice.as_ref().unwrap().contains("limit its cost"));
}
