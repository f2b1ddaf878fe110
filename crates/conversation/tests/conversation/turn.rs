//! The turn machine with scripted events.

use crate::script::{answer_to, finished, reasoning, run, sent, text};
use crate::support::{context, delta_text, message_id, new_turn, text_delta};
use flarebot_conversation::stream_log::LoggedStream;
use flarebot_conversation::turn::{Effect, Event, MAXIMUM_ANSWER_BYTES};
use flarebot_model::{
    FailureKind, MAXIMUM_OUTPUT_TOKENS, ModelEvent, ModelFailure, ModelRequest, SILENCE_MILLISECONDS,
};
use flarebot_protocol::chunk::{Chunk, FinishReason};
use flarebot_protocol::message::{Metadata, Outcome, Part, PartState, Usage};
use flarebot_sql::MAXIMUM_VALUE_BYTES;

#[test]
fn a_turn_that_was_claimed_calls_the_model_once_without_a_further_checkpoint() {
    let mut turn = new_turn();
    let metadata = Metadata {
        created_at: Some(7),
        model: Some("small".to_owned()),
        ..Metadata::default()
    };
    let expected = [
        Effect::Send {
            seq: 0,
            chunk: Chunk::Start {
                message_id: message_id("answer-a"),
                message_metadata: Some(metadata),
            },
        },
        Effect::Send {
            seq: 1,
            chunk: Chunk::StartStep,
        },
        Effect::CallModel(ModelRequest {
            model: "small".to_owned(),
            system: context().system,
            messages: context().history.messages(),
            max_output_tokens: MAXIMUM_OUTPUT_TOKENS,
            tools: Vec::new(),
            tool_choice: flarebot_model::ToolChoice::Automatic,
        }),
    ];
    let effects = turn.handle(Event::Accepted, 7);
    assert_eq!(effects, expected);
    assert_eq!(turn.handle(Event::Accepted, 8), []);
}

#[test]
fn an_answer_is_sent_in_order_logged_and_finished() {
    let usage = Usage {
        input_tokens: 3,
        output_tokens: 5,
        ..Usage::default()
    };
    let (effects, outcome, message, notice) = answer_to([
        text("Hel"),
        text("lo."),
        Event::Model(ModelEvent::Usage(usage)),
        finished(FinishReason::Stop),
    ]);
    let metadata = Metadata {
        outcome: Some(Outcome::Completed),
        usage: Some(usage),
        ..Metadata::default()
    };
    let chunks = sent(&effects);
    let expected = [
        Chunk::TextStart {
            id: "text-0".to_owned(),
        },
        text_delta("Hel"),
        text_delta("lo."),
        Chunk::TextEnd {
            id: "text-0".to_owned(),
        },
        Chunk::FinishStep,
        Chunk::Finish {
            finish_reason: Some(FinishReason::Stop),
            message_metadata: Some(metadata),
        },
    ];
    assert_eq!(chunks[2..], expected);
    let logged = |effect: &Effect| matches!(effect, Effect::Append { .. });
    assert!(
        !effects.iter().any(logged),
        "a short answer is stored once, when it ends"
    );
    assert!(!effects.contains(&Effect::StopModel), "the model ended by itself");

    assert_eq!((outcome, notice), (Outcome::Completed, None));
    let text = Part::Text {
        text: "Hello.".to_owned(),
        state: Some(PartState::Done),
    };
    assert_eq!(message.parts, [Part::StepStart, text]);
    let metadata = message.metadata.unwrap();
    assert_eq!(metadata.usage, Some(usage));
    assert_eq!(metadata.model.as_deref(), Some("small"));
    assert_eq!(metadata.created_at, Some(0));
}

#[test]
fn reasoning_and_text_become_parts_of_their_own() {
    let (_, _, message, _) = answer_to([
        reasoning("Hm"),
        reasoning("."),
        text("Yes"),
        reasoning("Wait."),
        text("No"),
        finished(FinishReason::Stop),
    ]);
    let state = Some(PartState::Done);
    let text = |text: &str| Part::Text {
        text: text.to_owned(),
        state,
    };
    let reasoning = |text: &str| Part::Reasoning {
        text: text.to_owned(),
        state,
    };
    let expected = [
        Part::StepStart,
        reasoning("Hm."),
        text("Yes"),
        reasoning("Wait."),
        text("No"),
    ];
    assert_eq!(message.parts, expected);
}

#[test]
fn a_sent_chunk_is_logged_within_a_quarter_of_a_second() {
    let mut turn = new_turn();
    turn.handle(Event::Accepted, 0);
    assert_eq!(turn.deadline(), Some(250));
    assert_eq!(turn.handle(Event::Tick, 249), []);
    let effects = turn.handle(Event::Tick, 250);
    assert!(
        matches!(&effects[..], [Effect::Append { first_seq: 0, chunks }] if chunks.len() == 2),
        "{effects:?}"
    );
    assert_eq!(turn.deadline(), Some(SILENCE_MILLISECONDS));

    turn.handle(text("late"), 300);
    assert_eq!(turn.deadline(), Some(550));
    let effects = turn.handle(text("later"), 551);
    assert!(matches!(
        &effects[..],
        [Effect::Append { first_seq: 2, .. }, Effect::Send { seq: 4, .. }]
    ));
}

#[test]
fn a_kilobyte_is_logged_before_it_is_sent() {
    let mut turn = new_turn();
    turn.handle(Event::Accepted, 0);
    let effects = turn.handle(text(&"x".repeat(1023)), 1);
    assert!(matches!(
        &effects[..],
        [Effect::Send { seq: 2, .. }, Effect::Send { seq: 3, .. }]
    ));
    let effects = turn.handle(text("y"), 2);
    assert!(matches!(
        &effects[..],
        [Effect::Append { first_seq: 0, chunks }, Effect::Send { seq: 4, .. }] if chunks.len() == 5
    ));
}

#[test]
fn stop_works_from_the_first_moment_and_keeps_what_came() {
    let mut turn = new_turn();
    let effects = turn.handle(Event::Cancel, 0);
    let [
        ..,
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
    assert!(message.parts.is_empty());
    assert!(
        !effects
            .iter()
            .any(|effect| matches!(effect, Effect::CallModel(_)))
    );

    let (effects, outcome, message, _) = answer_to([Event::Cancel]);
    assert_eq!((outcome, message.text()), (Outcome::Aborted, String::new()));
    assert_eq!(sent(&effects).last(), Some(&Chunk::Abort));
    assert!(effects.contains(&Effect::StopModel));

    let (effects, outcome, message, notice) = answer_to([text("Half an"), Event::Cancel]);
    assert_eq!((outcome, notice), (Outcome::Aborted, None));
    assert_eq!(message.text(), "Half an");
    assert_eq!(message.metadata.unwrap().outcome, Some(Outcome::Aborted));
    assert_eq!(sent(&effects).last(), Some(&Chunk::Abort));
}

#[test]
fn a_failure_keeps_what_came_and_says_why() {
    let failure = ModelFailure::new(FailureKind::RateLimited);
    let cases = [
        (
            Event::Model(ModelEvent::Failed(failure)),
            failure.sentence(),
            true,
        ),
        (
            Event::Failed {
                sentence: "No model is configured.".to_owned(),
            },
            "No model is configured.".to_owned(),
            true,
        ),
    ];
    for (event, sentence, stops) in cases {
        let (effects, outcome, message, notice) = answer_to([text("Half"), event]);
        assert_eq!((outcome, message.text().as_str()), (Outcome::Error, "Half"));
        assert_eq!(notice, Some(sentence.clone()));
        assert_eq!(
            sent(&effects).last(),
            Some(&Chunk::Error { error_text: sentence })
        );
        assert_eq!(effects.contains(&Effect::StopModel), stops);
    }
}

#[test]
fn a_turn_that_cannot_begin_ends_with_its_sentence() {
    let mut turn = new_turn();
    let sentence = "No model is configured.".to_owned();
    let effects = turn.handle(
        Event::Failed {
            sentence: sentence.clone(),
        },
        0,
    );
    let Some(Effect::Finish { outcome, notice, .. }) = effects.last() else {
        panic!("{effects:?}")
    };
    assert_eq!((*outcome, notice), (Outcome::Error, &Some(sentence)));
    assert!(
        !effects
            .iter()
            .any(|effect| matches!(effect, Effect::CallModel(_)))
    );
}

#[test]
fn an_answer_that_did_not_simply_end_has_a_notice() {
    let cases = [
        (vec![text("Half")], FinishReason::Length, "limit of its length"),
        (vec![reasoning("Hm.")], FinishReason::Length, "before it wrote"),
        (vec![text("Half")], FinishReason::ContentFilter, "filter"),
        (vec![], FinishReason::Stop, "empty answer"),
        (vec![text(" \n")], FinishReason::Stop, "empty answer"),
        (vec![], FinishReason::ToolCalls, "empty answer"),
    ];
    for (mut events, reason, expected) in cases {
        events.push(finished(reason));
        let (_, outcome, _, notice) = answer_to(events);
        assert_eq!(outcome, Outcome::Completed);
        assert!(
            notice.as_ref().unwrap().contains(expected),
            "{reason:?}: {notice:?}"
        );
    }
}

#[test]
fn an_answer_is_cut_at_the_largest_size_that_can_be_stored() {
    // As stored, these take six bytes, three, two and one.
    for piece in ["\u{1}", "漢", "\"", "x"] {
        let (effects, outcome, message, notice) =
            answer_to([text("Begin."), text(&piece.repeat(MAXIMUM_ANSWER_BYTES))]);
        assert_eq!(outcome, Outcome::Completed);
        assert!(notice.unwrap().contains("largest size"));
        assert!(effects.contains(&Effect::StopModel));
        let stored = serde_json::to_string(&message).unwrap();
        assert!(stored.len() > MAXIMUM_ANSWER_BYTES - 100, "{}", stored.len());
        assert!(stored.len() < MAXIMUM_VALUE_BYTES, "{}", stored.len());
    }

    let alternating = (0..20_000).flat_map(|_| [text("x"), reasoning("y")]);
    let (_, _, message, _) = answer_to(alternating);
    let stored = serde_json::to_string(&message).unwrap();
    assert!(stored.len() < MAXIMUM_VALUE_BYTES, "{}", stored.len());
}

#[test]
fn nothing_changes_a_finished_turn() {
    let mut turn = new_turn();
    run(&mut turn, [Event::Accepted, Event::Cancel]);
    let later = [
        text("more"),
        Event::Cancel,
        Event::Resumed,
        Event::Tick,
        Event::Accepted,
    ];
    assert_eq!(run(&mut turn, later), []);
    assert_eq!(turn.deadline(), None);
}

#[test]
fn a_reader_who_joins_gets_everything_that_was_sent() {
    let mut turn = new_turn();
    let mut effects = turn.handle(Event::Accepted, 0);
    effects.extend(turn.handle(text("logged "), 1));
    effects.extend(turn.handle(Event::Tick, 250));
    let mut logged = LoggedStream::default();
    for effect in &effects {
        if let Effect::Append { first_seq, chunks } = effect {
            logged.next_seq = first_seq + chunks.len() as u64;
            logged.chunks.extend(chunks.iter().cloned());
        }
    }
    turn.handle(text("and "), 260);
    turn.handle(text("not"), 261);
    let running = turn.running(logged);
    assert_eq!(running.next_seq, 6);
    assert_eq!(delta_text(&running.chunks), "logged and not");
}
