//! The turn machine with a conversation that does not fit its model, and what is stored of that.

use crate::long::asks_for_a_summary;
use crate::script::{finished, reasoning, run, sent, text};
use crate::support::{accept, answer, claim, claimed, complete, context, database, message_id, request_id};
use flarebot_conversation::compaction::{self, SUMMARY_CHARACTERS};
use flarebot_conversation::history::{Coverage, History, KEPT_MESSAGES, Said, Summary};
use flarebot_conversation::ledger::{self, Settlement};
use flarebot_conversation::transcript;
use flarebot_conversation::turn::{Effect, Event, Turn, TurnContext, TurnState};
use flarebot_model::{
    FailureKind, ModelEvent, ModelFailure, ModelMessage, ModelRequest, SILENCE_MILLISECONDS,
};
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::{Outcome, Usage};

fn too_long() -> Event {
    Event::Model(ModelEvent::Failed(ModelFailure::new(FailureKind::ContextTooLong)))
}

fn history_of(messages: i64) -> History {
    let said = |position| Said {
        position,
        messages: vec![ModelMessage::User {
            text: format!("message {position}"),
        }],
    };
    History {
        said: (1..=messages).map(said).collect(),
        ..History::default()
    }
}

/// A turn after so many earlier messages.
fn turn_after(earlier: i64) -> Turn {
    let context = TurnContext {
        history: history_of(earlier + 1),
        ..context()
    };
    Turn::new(claimed(), context)
}

fn requests(effects: &[Effect]) -> Vec<&ModelRequest> {
    let requests = effects.iter().filter_map(|effect| match effect {
        Effect::CallModel(request) => Some(request),
        _ => None,
    });
    requests.collect()
}

fn texts(request: &ModelRequest) -> Vec<&str> {
    let texts = request.messages.iter().map(|message| match message {
        ModelMessage::User { text } | ModelMessage::Assistant { text, .. } => text.as_str(),
        ModelMessage::Tool { output, .. } => output,
    });
    texts.collect()
}

fn end(effects: &[Effect]) -> (Outcome, String, String) {
    match effects.last() {
        Some(Effect::Finish {
            outcome,
            message,
            notice,
        }) => (*outcome, message.text(), notice.clone().unwrap_or_default()),
        other => panic!("the last effect is {other:?}"),
    }
}

#[test]
fn a_model_that_refuses_for_length_is_asked_for_a_summary_and_then_again() {
    let mut turn = turn_after(9);
    let usage = |tokens| {
        Event::Model(ModelEvent::Usage(Usage {
            input_tokens: tokens,
            output_tokens: 1,
            ..Usage::default()
        }))
    };
    let effects = run(
        &mut turn,
        [
            Event::Accepted,
            too_long(),
            reasoning("Hm."),
            text("They "),
            text("spoke.\n"),
            usage(7),
            finished(FinishReason::Stop),
            text("Here it is."),
            usage(3),
            finished(FinishReason::Stop),
        ],
    );
    let [first, summary, second] = requests(&effects)[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(first.messages.len(), 10);
    assert!(asks_for_a_summary(summary) && summary.tools.is_empty());
    let material = texts(summary);
    assert_eq!(material.len(), 1);
    assert!(material[0].contains("message 5") && !material[0].contains("message 6"));
    assert!(texts(second)[0].contains("They spoke."));
    assert_eq!(texts(second)[1..], texts(first)[5..]);
    let stored = effects.iter().find_map(|effect| match effect {
        Effect::Compact { summary, .. } => Some(summary),
        _ => None,
    });
    let expected = Summary {
        through: 5,
        text: "They spoke.".to_owned(),
    };
    assert_eq!(stored, Some(&expected));
    let sent = format!("{:?}", sent(&effects));
    assert!(!sent.contains("They") && !sent.contains("Hm."), "{sent}");

    let (outcome, text, notice) = end(&effects);
    assert_eq!((outcome, text.as_str()), (Outcome::Completed, "Here it is."));
    assert!(notice.contains("summary"), "{notice}");
    let Some(Effect::Finish { message, .. }) = effects.last() else {
        panic!()
    };
    let counted = message.metadata.as_ref().unwrap().usage.unwrap();
    assert_eq!(
        (counted.input_tokens, counted.output_tokens),
        (10, 2),
        "it is billed"
    );
}

#[test]
fn a_checkpoint_precedes_each_further_call_and_says_what_is_being_done() {
    let mut turn = turn_after(9);
    let effects = run(
        &mut turn,
        [
            Event::Accepted,
            too_long(),
            text("They."),
            finished(FinishReason::Stop),
        ],
    );
    let mut checkpoints = 0;
    let mut calls = 0;
    for effect in &effects {
        match effect {
            Effect::Checkpoint(_) => checkpoints += 1,
            Effect::CallModel(_) => {
                calls += 1;
                assert_eq!(checkpoints + 1, calls);
            }
            _ => {}
        }
    }
    assert_eq!(calls, 3);
}

#[test]
fn a_second_refusal_in_the_same_turn_ends_it_with_a_way_on() {
    for summary in [
        vec![text("They spoke."), finished(FinishReason::Stop)],
        vec![finished(FinishReason::Stop)],
        vec![too_long()],
    ] {
        let mut turn = turn_after(9);
        let mut effects = run(&mut turn, [Event::Accepted, text("Half"), too_long()]);
        effects.extend(run(&mut turn, summary));
        effects.extend(run(&mut turn, [too_long()]));
        assert_eq!(requests(&effects).len(), 3);
        let (outcome, text, notice) = end(&effects);
        assert_eq!(
            (outcome, text.as_str()),
            (Outcome::Error, "Half"),
            "its words are kept"
        );
        assert!(
            notice.contains("too long for the model") && notice.contains("Start a new chat"),
            "{notice}"
        );
    }
}

#[test]
fn what_cannot_be_shortened_ends_at_once_with_a_way_on() {
    for earlier in 0..3 {
        let mut turn = turn_after(earlier);
        let effects = run(&mut turn, [Event::Accepted, too_long()]);
        assert_eq!(requests(&effects).len(), 1);
        let (outcome, _, notice) = end(&effects);
        assert_eq!(outcome, Outcome::Error);
        assert!(notice.contains("Start a new chat"), "{notice}");
    }
}

#[test]
fn a_summary_that_does_not_come_is_done_without() {
    let failed = |kind| Event::Model(ModelEvent::Failed(ModelFailure::new(kind)));
    for summary in [
        vec![Event::ModelClosed],
        vec![text("Th"), failed(FailureKind::Truncated)],
        vec![failed(FailureKind::RateLimited)],
        vec![too_long()],
        vec![text(" \n"), finished(FinishReason::Stop)],
        vec![text("No"), finished(FinishReason::ContentFilter)],
    ] {
        let mut turn = turn_after(9);
        run(&mut turn, [Event::Accepted, too_long()]);
        let effects = run(&mut turn, summary);
        let [request] = requests(&effects)[..] else {
            panic!("{effects:?}")
        };
        assert_eq!(texts(request).len(), 1 + 5);
        assert!(texts(request)[0].contains("left out"));
        assert!(
            !effects
                .iter()
                .any(|effect| matches!(effect, Effect::Compact { .. }))
        );
        let effects = run(&mut turn, [text("Well."), finished(FinishReason::Stop)]);
        let (outcome, _, notice) = end(&effects);
        assert_eq!(outcome, Outcome::Completed);
        assert!(notice.contains("could not be summarised"), "{notice}");
    }
}

#[test]
fn what_is_longer_than_any_model_is_told_is_summarised_before_the_answer() {
    let context = TurnContext {
        history: History {
            coverage: Coverage::Newest,
            ..history_of(10)
        },
        ..context()
    };
    let mut turn = Turn::new(claimed(), context.clone());
    let effects = run(
        &mut turn,
        [Event::Accepted, text("They."), finished(FinishReason::Stop)],
    );
    let [summary, answer] = requests(&effects)[..] else {
        panic!("{effects:?}")
    };
    assert!(asks_for_a_summary(summary) && texts(summary)[0].contains("left out"));
    assert!(texts(answer)[0].contains("They.") && !texts(answer)[1].contains("left out"));

    let mut turn = Turn::new(claimed(), context);
    let effects = run(&mut turn, [Event::Accepted, too_long(), too_long(), too_long()]);
    let [_, told, shortened] = requests(&effects)[..] else {
        panic!("{effects:?}")
    };
    let lengths = (told.messages.len(), shortened.messages.len());
    assert_eq!(lengths, (11, 7), "no more is left out than has to be");
    assert_eq!(end(&effects).0, Outcome::Error);
}

#[test]
fn a_silent_summary_is_given_up_after_a_minute_and_any_byte_puts_it_off() {
    let mut turn = turn_after(9);
    run(&mut turn, [Event::Accepted, too_long()]);
    turn.handle(Event::Tick, 300);
    turn.handle(Event::ModelActive, 50_000);
    assert_eq!(turn.deadline(), Some(50_000 + SILENCE_MILLISECONDS));
    assert_eq!(turn.handle(Event::Tick, 49_999 + SILENCE_MILLISECONDS), []);
    let effects = turn.handle(Event::Tick, 50_000 + SILENCE_MILLISECONDS);
    assert_eq!(effects.first(), Some(&Effect::StopModel));
    assert!(texts(requests(&effects)[0])[0].contains("left out"));
}

#[test]
fn stopping_during_a_summary_hangs_up_on_the_model() {
    let mut turn = turn_after(9);
    run(&mut turn, [Event::Accepted, too_long(), text("Th")]);
    let effects = turn.handle(Event::Cancel, 20);
    assert_eq!(effects.first(), Some(&Effect::StopModel));
    let (outcome, text, notice) = end(&effects);
    assert_eq!(
        (outcome, text.as_str(), notice.as_str()),
        (Outcome::Aborted, "", "")
    );
    assert_eq!(turn.handle(finished(FinishReason::Stop), 21), []);
}

#[test]
fn a_summary_is_bounded_where_it_enters() {
    let mut turn = turn_after(9);
    run(&mut turn, [Event::Accepted, too_long()]);
    let piece = "漢".repeat(1_000);
    for _ in 0..200 {
        assert_eq!(turn.handle(text(&piece), 30), []);
    }
    let effects = turn.handle(finished(FinishReason::Stop), 31);
    let Some(Effect::Compact { summary, .. }) = effects.first() else {
        panic!("{effects:?}")
    };
    let characters = summary.text.chars().count();
    assert!((SUMMARY_CHARACTERS..SUMMARY_CHARACTERS + 10).contains(&characters));
    assert!(summary.text.ends_with("[…]"));
}

/// Stores a summary of all up to `through` as the running turn `name` does.
fn compact(sql: &impl flarebot_sql::Sql, name: &str, through: i64, text: &str) -> Settlement {
    let (request, answer) = (format!("request-{name}"), format!("answer-{name}"));
    let state = TurnState::new(request_id(&request), message_id(&answer), 20);
    let text = text.to_owned();
    let summary = Summary { through, text };
    compaction::store(sql, &state.request_id, &summary, &state, 25).unwrap()
}

fn told(sql: &impl flarebot_sql::Sql, name: &str) -> History {
    let id = message_id(&format!("user-{name}"));
    transcript::for_model(sql, &id).unwrap().unwrap()
}

#[test]
fn a_model_is_told_the_summary_and_what_follows_it_while_the_transcript_keeps_all() {
    let database = database();
    for name in ["a", "b", "c"] {
        complete(&database, name, "hello");
    }
    accept(&database, "d");
    let turn = claim(&database);
    let before = transcript::newest(&database).unwrap();
    assert_eq!(compact(&database, "d", 2, "First."), Settlement::Applied);
    let history = told(&database, "d");
    let positions: Vec<i64> = history.said.iter().map(|said| said.position).collect();
    assert_eq!(positions, [3, 4, 5, 6, 7]);
    assert_eq!(history.summary.unwrap().text, "First.");
    assert_eq!(transcript::newest(&database).unwrap(), before);

    // A later one speaks for all that the earlier one spoke for.
    assert_eq!(
        compact(&database, "d", 4, "First and second."),
        Settlement::Applied
    );
    let history = told(&database, "d");
    assert_eq!(
        (history.said[0].position, history.summary.unwrap().text),
        (5, "First and second.".to_owned())
    );
    assert_eq!(
        told(&database, "b").summary,
        None,
        "an earlier question is not answered from what came later"
    );

    let message = answer("answer-d", "hello");
    ledger::settle(&database, &turn.request_id, Outcome::Completed, &message, 30).unwrap();
    assert_eq!(compact(&database, "d", 6, "Late."), Settlement::Late);
    accept(&database, "e");
    let history = told(&database, "e");
    assert_eq!(history.summary.unwrap().text, "First and second.");
    assert!(history.said.len() >= KEPT_MESSAGES);

    transcript::clear(&database).unwrap();
    assert_eq!(compaction::latest(&database, 100), Ok(None));
}

#[test]
fn a_crash_anywhere_leaves_a_summary_with_its_state_or_neither() {
    for statements in 0.. {
        let database = database();
        complete(&database, "a", "hello");
        accept(&database, "b");
        claim(&database);
        let mut state = TurnState::new(request_id("request-b"), message_id("answer-b"), 20);
        state.model = Some("small".to_owned());
        let summary = Summary {
            through: 1,
            text: "First.".to_owned(),
        };
        database.fail_after(statements);
        let stored = compaction::store(&database, &state.request_id, &summary, &state, 25);
        let restarted = database.copy().unwrap();
        let lost = ledger::take_over(&restarted, 40).unwrap().unwrap();
        let found = compaction::latest(&restarted, 100).unwrap();
        assert_eq!(found.is_some(), lost.state == state);
        if stored.is_ok() {
            assert_eq!(found, Some(summary));
            break;
        }
        assert_eq!(found, None);
    }
}
