//! Whole streams, and what is left when they are split, cut or mixed with rubbish.

use super::{answer, failed, is_terminal, streamed};
use flarebot_model::{AnswerHead, FailureKind};
use proptest::prelude::*;

const OWN: &str = include_str!("streams/own.txt");
const COMPLETIONS: &str = include_str!("streams/completions.txt");
const BOTH: &str = include_str!("streams/both.txt");
const OWN_CALLS: &str = include_str!("streams/own-calls.txt");
const COMPLETIONS_CALLS: &str = include_str!("streams/completions-calls.txt");
const CAPACITY: &str = include_str!("streams/capacity.txt");

const ALL: [&str; 6] = [OWN, COMPLETIONS, BOTH, OWN_CALLS, COMPLETIONS_CALLS, CAPACITY];

#[test]
fn recorded_streams() {
    for (name, stream) in [
        ("own", OWN),
        ("completions", COMPLETIONS),
        ("both", BOTH),
        ("own_calls", OWN_CALLS),
        ("completions_calls", COMPLETIONS_CALLS),
        ("capacity", CAPACITY),
    ] {
        insta::assert_debug_snapshot!(name, streamed(stream));
    }
}

#[test]
fn a_recorded_stream_split_anywhere_gives_the_same_events() {
    for stream in ALL {
        let expected = streamed(stream);
        let bytes = stream.as_bytes();
        for cut in 0..=bytes.len() {
            let pieces = [&bytes[..cut], &bytes[cut..]];
            assert_eq!(answer(AnswerHead::STREAM, pieces), expected, "split at {cut}");
        }
        assert_eq!(answer(AnswerHead::STREAM, bytes.chunks(1)), expected);
    }
}

#[test]
fn a_stream_of_the_own_shape_is_finished_by_its_mark_alone() {
    let mark = OWN.find("data: [DONE]").unwrap() + "data: [DONE]\n".len();
    for cut in 0..mark {
        let events = answer(AnswerHead::STREAM, [&OWN.as_bytes()[..cut]]);
        assert_eq!(
            events.last(),
            Some(&failed(FailureKind::Truncated)),
            "cut at {cut}"
        );
    }
}

fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let events = prop::sample::select(ALL.to_vec()).prop_flat_map(|stream| {
        prop::sample::select(stream.split_inclusive("\n\n").collect::<Vec<_>>())
            .prop_map(|event| event.as_bytes().to_vec())
    });
    let strange = prop::sample::select(vec![
        r#"{"response":{"a":[1]},"tool_calls":{}}"#,
        r#"{"response":7,"choices":[7]}"#,
        r#"{"tool_calls":[null,7,{"name":"f"},{"function":7}]}"#,
        r#"{"choices":{},"response":null}"#,
        r#"{"errors":7,"success":true}"#,
        "7",
        "{",
    ]);
    let parts = prop_oneof![
        8 => events,
        4 => strange.prop_map(|data| format!("data: {data}\n\n").into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ];
    prop::collection::vec(parts, 0..16).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_bytes_split_anywhere_give_the_same_events_and_one_end(
        bytes in fragments(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        content_type in prop::option::of(prop::sample::select(vec!["text/event-stream", "application/json"])),
    ) {
        let head = AnswerHead { content_type, ..AnswerHead::STREAM };
        let expected = answer(head, [bytes.as_slice()]);
        prop_assert_eq!(expected.iter().filter(|event| is_terminal(event)).count(), 1);
        prop_assert!(expected.last().is_some_and(is_terminal));

        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let pieces = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
        prop_assert_eq!(answer(head, pieces), expected);
    }
}
