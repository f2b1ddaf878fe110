//! Whole streams, and what is left when they are split, cut or mixed with rubbish.

use super::support::{
    any_cuts, any_event, any_head, any_rubbish, assert_split_anywhere, check_one_end, failed,
};
use super::{answer, decoder, streamed};
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
        assert_split_anywhere(stream, || decoder(AnswerHead::STREAM));
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
        8 => any_event(&ALL),
        4 => strange.prop_map(|data| format!("data: {data}\n\n").into_bytes()),
        1 => any_rubbish(),
    ];
    prop::collection::vec(parts, 0..16).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_bytes_split_anywhere_give_the_same_events_and_one_end(
        bytes in fragments(),
        cuts in any_cuts(),
        head in any_head(),
    ) {
        check_one_end(|| decoder(head), &bytes, &cuts)?;
    }
}
