//! Chunks become the same message however they are cut, merged and interleaved.

use crate::support::{empty_answer, message_id, start, text_delta, text_end, text_start};
use flarebot_protocol::chunk::{Chunk, FinishReason, merge};
use flarebot_protocol::message::{Message, Metadata, Outcome, Part, PartState};
use flarebot_protocol::reduce;
use proptest::prelude::*;

fn reasoning_delta(id: &str, delta: &str) -> Chunk {
    Chunk::ReasoningDelta {
        id: id.to_owned(),
        delta: delta.to_owned(),
    }
}

fn text(text: &str, state: PartState) -> Part {
    Part::Text {
        text: text.to_owned(),
        state: Some(state),
    }
}

fn reasoning(text: &str, state: PartState) -> Part {
    Part::Reasoning {
        text: text.to_owned(),
        state: Some(state),
    }
}

fn parts(chunks: &[Chunk]) -> Vec<Part> {
    reduce(empty_answer("answer"), chunks).parts
}

#[test]
fn an_answer_grows_part_by_part() {
    let chunks = [
        start("final"),
        Chunk::StartStep,
        Chunk::ReasoningStart { id: "r".to_owned() },
        reasoning_delta("r", "Hm."),
        Chunk::ReasoningEnd { id: "r".to_owned() },
        text_start("t"),
        text_delta("t", "Hel"),
        text_delta("t", "lo."),
    ];
    let message = reduce(empty_answer("answer"), &chunks);
    assert_eq!(message.id, message_id("final"));
    assert_eq!(
        message.parts,
        [
            Part::StepStart,
            reasoning("Hm.", PartState::Done),
            text("Hello.", PartState::Streaming)
        ]
    );
}

#[test]
fn text_and_reasoning_of_the_same_id_never_mix() {
    let chunks = [
        Chunk::ReasoningStart { id: "0".to_owned() },
        text_start("0"),
        reasoning_delta("0", "thought"),
        text_delta("0", "word"),
        Chunk::ReasoningEnd { id: "0".to_owned() },
        text_delta("0", "s"),
    ];
    assert_eq!(
        parts(&chunks),
        [
            reasoning("thought", PartState::Done),
            text("words", PartState::Streaming)
        ]
    );
}

#[test]
fn a_part_that_is_not_open_is_never_written_to() {
    let chunks = [
        text_delta("t", "before"),
        text_start("t"),
        reasoning_delta("t", "other kind"),
        text_end("t"),
        text_delta("t", "after"),
        text_end("never"),
    ];
    assert_eq!(parts(&chunks), [text("", PartState::Done)]);
}

#[test]
fn an_id_that_begins_again_is_a_new_part_and_ends_the_old_one() {
    let chunks = [
        text_start("t"),
        text_delta("t", "one"),
        text_start("t"),
        text_delta("t", "two"),
    ];
    assert_eq!(
        parts(&chunks),
        [text("one", PartState::Done), text("two", PartState::Streaming)]
    );
}

#[test]
fn whatever_ends_an_answer_ends_its_parts() {
    let ends = [
        Chunk::Abort,
        Chunk::Error {
            error_text: "Busy.".to_owned(),
        },
        Chunk::Finish {
            finish_reason: Some(FinishReason::Stop),
            message_metadata: None,
        },
    ];
    for end in ends {
        let chunks = [text_start("a"), text_start("b"), text_delta("a", "x"), end];
        assert_eq!(
            parts(&chunks),
            [text("x", PartState::Done), text("", PartState::Done)]
        );
    }
}

#[test]
fn metadata_is_added_to_and_never_lost() {
    let begun = Metadata {
        created_at: Some(1),
        model: Some("small".to_owned()),
        ..Metadata::default()
    };
    let finished = Metadata {
        outcome: Some(Outcome::Completed),
        notice: Some("Cut.".to_owned()),
        ..Metadata::default()
    };
    let chunks = [
        Chunk::Start {
            message_id: message_id("answer"),
            message_metadata: Some(begun.clone()),
        },
        Chunk::Finish {
            finish_reason: None,
            message_metadata: Some(finished.clone()),
        },
    ];
    let expected = Metadata {
        created_at: begun.created_at,
        model: begun.model,
        ..finished
    };
    assert_eq!(reduce(empty_answer("answer"), &chunks).metadata, Some(expected));
}

/// Chunks of a few parts, in any order, fitting or not.
fn chunks() -> impl Strategy<Value = Vec<Chunk>> {
    let id = || prop::sample::select(vec!["a", "b"]).prop_map(str::to_owned);
    let chunk = prop_oneof![
        1 => Just(start("answer")),
        1 => Just(Chunk::StartStep),
        2 => id().prop_map(|id| Chunk::TextStart { id }),
        8 => (id(), "\\PC{0,4}").prop_map(|(id, delta)| Chunk::TextDelta { id, delta }),
        1 => id().prop_map(|id| Chunk::TextEnd { id }),
        2 => id().prop_map(|id| Chunk::ReasoningStart { id }),
        8 => (id(), "\\PC{0,4}").prop_map(|(id, delta)| Chunk::ReasoningDelta { id, delta }),
        1 => id().prop_map(|id| Chunk::ReasoningEnd { id }),
        1 => Just(Chunk::FinishStep),
        1 => Just(Chunk::Abort),
    ];
    prop::collection::vec(chunk, 0..40)
}

/// The chunks with each delta cut in two at a place that `cuts` chooses.
fn split(chunks: &[Chunk], cuts: &[usize]) -> Vec<Chunk> {
    let mut pieces = Vec::new();
    let mut cuts = cuts.iter().cycle();
    for chunk in chunks {
        match chunk {
            Chunk::TextDelta { id, delta } => {
                let (left, right) = halves(delta, *cuts.next().unwrap());
                pieces.extend([text_delta(id, left), text_delta(id, right)]);
            }
            Chunk::ReasoningDelta { id, delta } => {
                let (left, right) = halves(delta, *cuts.next().unwrap());
                pieces.extend([reasoning_delta(id, left), reasoning_delta(id, right)]);
            }
            other => pieces.push(other.clone()),
        }
    }
    pieces
}

fn halves(text: &str, cut: usize) -> (&str, &str) {
    let borders: Vec<usize> = text
        .char_indices()
        .map(|(place, _)| place)
        .chain([text.len()])
        .collect();
    text.split_at(borders[cut % borders.len()])
}

/// One part with its deltas, alone.
fn part(kind: usize, id: &str, deltas: &[String]) -> Vec<Chunk> {
    let id = id.to_owned();
    let mut chunks = Vec::new();
    if kind == 0 {
        chunks.push(text_start(&id));
        chunks.extend(deltas.iter().map(|delta| text_delta(&id, delta)));
        chunks.push(text_end(&id));
    } else {
        chunks.push(Chunk::ReasoningStart { id: id.clone() });
        chunks.extend(deltas.iter().map(|delta| reasoning_delta(&id, delta)));
        chunks.push(Chunk::ReasoningEnd { id });
    }
    chunks
}

fn sorted_texts(message: &Message) -> Vec<(bool, String)> {
    let mut texts: Vec<(bool, String)> = message
        .parts
        .iter()
        .map(|part| match part {
            Part::Text { text, .. } => (true, text.clone()),
            Part::Reasoning { text, .. } => (false, text.clone()),
            Part::StepStart => (false, "step".to_owned()),
            Part::Tool(tool) => (false, tool.tool_name.clone()),
        })
        .collect();
    texts.sort();
    texts
}

proptest! {
    #[test]
    fn merged_chunks_reduce_to_the_same_message(chunks in chunks()) {
        let merged = merge(chunks.clone());
        prop_assert!(merged.len() <= chunks.len());
        prop_assert_eq!(reduce(empty_answer("answer"), &merged), reduce(empty_answer("answer"), &chunks));
        prop_assert_eq!(merge(merged.clone()), merged);
    }

    #[test]
    fn deltas_may_be_cut_anywhere(chunks in chunks(), cuts in prop::collection::vec(0..8_usize, 1..8)) {
        let pieces = split(&chunks, &cuts);
        prop_assert_eq!(reduce(empty_answer("answer"), &pieces), reduce(empty_answer("answer"), &chunks));
    }

    #[test]
    fn a_message_may_be_continued_from_any_merged_prefix(chunks in chunks(), at in any::<prop::sample::Index>()) {
        let (before, after) = chunks.split_at(at.index(chunks.len() + 1));
        let continued: Vec<Chunk> = merge(before.to_vec()).into_iter().chain(after.to_vec()).collect();
        prop_assert_eq!(reduce(empty_answer("answer"), &continued), reduce(empty_answer("answer"), &chunks));
    }

    #[test]
    fn interleaved_parts_never_mix(
        contents in prop::collection::vec(prop::collection::vec("\\PC{0,3}", 0..5), 1..5),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 64),
    ) {
        // Text and reasoning in turn, so that each id is used by one of both.
        let mut waiting: Vec<Vec<Chunk>> = contents
            .iter()
            .enumerate()
            .map(|(number, deltas)| part(number % 2, &(number / 2).to_string(), deltas))
            .collect();
        let mut interleaved = Vec::new();
        for choice in choices.iter().cycle() {
            waiting.retain(|chunks| !chunks.is_empty());
            if waiting.is_empty() {
                break;
            }
            let chosen = choice.index(waiting.len());
            interleaved.push(waiting[chosen].remove(0));
        }
        let texts = contents.iter().enumerate();
        let mut expected: Vec<(bool, String)> =
            texts.map(|(number, deltas)| (number % 2 == 0, deltas.concat())).collect();
        expected.sort();
        prop_assert_eq!(sorted_texts(&reduce(empty_answer("answer"), &interleaved)), expected);
    }
}
