//! Conversations that do not fit their model, with storage, tools and a process that dies after any effect.

use crate::long::{Long, SUMMARY, Writing};
use crate::simulation::{Calls, Continuation, Outcome, Plan, play_long, step_text};
use crate::support::message_id;
use flarebot_conversation::{compaction, transcript};
use flarebot_protocol::message::{self, Part};
use proptest::prelude::*;

fn calls(acts: usize, looks: usize) -> Calls {
    Calls {
        acts,
        looks,
        signs: 0,
    }
}

fn plan(lives: Vec<usize>) -> Plan {
    Plan {
        tools: vec![calls(1, 1), calls(1, 0)],
        owner: Vec::new(),
        marks: 4,
        continuation: Continuation::Continues,
        lives,
        cuts: Vec::new(),
    }
}

/// A conversation of which the model takes about the newer half.
fn long(summary: Writing) -> Long {
    Long {
        earlier: 20,
        room: 5_000,
        summary,
    }
}

fn outcome(played: &Outcome) -> (Option<message::Outcome>, String) {
    let metadata = played.message.metadata.clone().unwrap();
    (metadata.outcome, metadata.notice.unwrap_or_default())
}

fn whole_text(plan: &Plan) -> String {
    (0..=plan.tools.len())
        .map(|step| step_text(step, plan.marks))
        .collect()
}

fn no_action_ran_twice(played: &Outcome) {
    for ((tool, call), count) in &played.runs {
        assert!(tool != "act" || *count == 1, "{call} ran {count} times");
    }
}

#[test]
fn a_conversation_that_does_not_fit_is_answered_from_a_summary_and_stays_whole() {
    let plan = plan(Vec::new());
    let played = play_long(&plan, long(Writing::Whole));
    let (outcome, notice) = outcome(&played);
    assert_eq!(outcome, Some(message::Outcome::Completed));
    assert!(
        notice.contains("summary") && notice.contains("still see"),
        "{notice}"
    );
    assert_eq!(played.message.text(), whole_text(&plan));
    assert_eq!((played.model_calls, played.compactions), (3, 1));
    assert_eq!(transcript::newest(&played.database).unwrap().len(), 42);
    let summary = compaction::latest(&played.database, 1_000).unwrap().unwrap();
    assert_eq!(summary.text, SUMMARY);
    let told = transcript::for_model(&played.database, &message_id("user-a"))
        .unwrap()
        .unwrap();
    assert!(told.said.iter().all(|said| said.position > summary.through));
    assert_eq!(told.summary, Some(summary));
}

/// An answer without what depends on the moment of a death: when it began, and whether an action's end was seen.
fn told(played: &Outcome) -> (String, Vec<String>, (Option<message::Outcome>, String)) {
    let calls = played.message.parts.iter().filter_map(|part| match part {
        Part::Tool(call) => Some(call.tool_call_id.clone()),
        _ => None,
    });
    (played.message.text(), calls.collect(), outcome(played))
}

#[test]
fn a_death_after_any_effect_makes_one_summary_and_the_same_answer() {
    let undisturbed = told(&play_long(&plan(Vec::new()), long(Writing::Whole)));
    // Refused at first, and only together with what the first and the second step have brought.
    for room in [5_000, 8_450, 8_600] {
        for life in 0.. {
            let long = Long {
                room,
                ..long(Writing::Whole)
            };
            let played = play_long(&plan(vec![life]), long);
            assert_eq!(told(&played), undisturbed, "{room} {life}");
            assert_eq!(played.compactions, 1);
            no_action_ran_twice(&played);
            if played.deaths == 0 {
                assert!(life > 50, "a turn has many effects");
                break;
            }
        }
    }
}

#[test]
fn without_a_summary_the_older_part_is_left_out_and_nothing_is_stored_of_that() {
    for writing in [
        Writing::Empty,
        Writing::BreaksOff,
        Writing::Refused,
        Writing::Silent,
    ] {
        for lives in [vec![], vec![5], vec![6, 3], vec![9]] {
            let plan = plan(lives);
            let played = play_long(&plan, long(writing));
            let (outcome, notice) = outcome(&played);
            assert_eq!(outcome, Some(message::Outcome::Completed), "{writing:?}");
            assert_eq!(played.message.text(), whole_text(&plan));
            assert!(
                notice.contains("without it") && notice.contains("new chat"),
                "{notice}"
            );
            assert_eq!(played.compactions, 0);
            assert_eq!(compaction::latest(&played.database, 1_000), Ok(None));
            no_action_ran_twice(&played);
        }
    }
}

#[test]
fn what_does_not_even_fit_shortened_ends_in_words_that_offer_a_way_on() {
    for (earlier, room) in [(20, 600), (1, 20), (0, 5)] {
        let long = Long {
            earlier,
            room,
            summary: Writing::Whole,
        };
        let played = play_long(&plan(Vec::new()), long);
        let (outcome, notice) = outcome(&played);
        assert_eq!(outcome, Some(message::Outcome::Error), "{earlier} {room}");
        assert!(
            notice.contains("new chat") && notice.contains("larger context"),
            "{notice}"
        );
        assert_eq!(played.compactions, 0, "{earlier} {room}");
    }
}

#[test]
fn an_answer_that_grows_too_long_for_its_model_keeps_its_words_and_its_results() {
    let plan = Plan {
        tools: vec![calls(1, 1); 6],
        ..plan(Vec::new())
    };
    let long = Long {
        earlier: 1,
        room: 1_000,
        summary: Writing::Whole,
    };
    let played = play_long(&plan, long);
    let (outcome, _) = outcome(&played);
    assert_eq!(outcome, Some(message::Outcome::Error));
    let text = played.message.text();
    assert!(
        !text.is_empty() && whole_text(&plan).starts_with(&text),
        "{text:?}"
    );
    assert!(!played.runs.is_empty());
    no_action_ran_twice(&played);
}

fn writings() -> impl Strategy<Value = Writing> {
    prop_oneof![
        4 => Just(Writing::Whole),
        1 => Just(Writing::Empty),
        1 => Just(Writing::BreaksOff),
        1 => Just(Writing::Refused),
        1 => Just(Writing::Silent),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn whatever_does_not_fit_and_whenever_a_process_dies_nothing_is_lost_or_doubled(
        earlier in 0..24_usize,
        room in 0..12_000_usize,
        summary in writings(),
        lives in prop::collection::vec(1..60_usize, 0..5),
        cuts in prop::collection::vec(0..12_usize, 0..3),
    ) {
        let plan = Plan { cuts, ..plan(lives) };
        let played = play_long(&plan, Long { earlier, room, summary });
        no_action_ran_twice(&played);
        prop_assert!(played.compactions <= 1);
        let text = played.message.text();
        let (outcome, notice) = outcome(&played);
        if outcome == Some(message::Outcome::Completed) {
            prop_assert_eq!(text, whole_text(&plan));
        } else {
            prop_assert!(whole_text(&plan).starts_with(&text));
            prop_assert!(!notice.is_empty());
        }
    }
}
