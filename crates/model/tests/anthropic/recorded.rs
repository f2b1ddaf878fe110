//! Whole streams, and what is left when they are split, cut or mixed with rubbish.

use super::support::{
    any_cuts, any_event, any_head, any_rubbish, assert_split_anywhere, check_one_end, failed, is_terminal,
};
use super::{answer, decoder, streamed};
use flarebot_model::{AnswerHead, FailureKind, ModelEvent};
use proptest::prelude::*;

const TEXT: &str = include_str!("streams/text.txt");
const TOOLS: &str = include_str!("streams/tools.txt");
const THINKING: &str = include_str!("streams/thinking.txt");
const REFUSAL: &str = include_str!("streams/refusal.txt");
const LIMIT: &str = include_str!("streams/limit.txt");
const OVERLOADED: &str = include_str!("streams/overloaded.txt");
const UNKNOWN: &str = include_str!("streams/unknown.txt");

const COMPLETE: [&str; 6] = [TEXT, TOOLS, THINKING, REFUSAL, LIMIT, UNKNOWN];

#[test]
fn recorded_streams() {
    for (name, stream) in [
        ("text", TEXT),
        ("tools", TOOLS),
        ("thinking", THINKING),
        ("refusal", REFUSAL),
        ("limit", LIMIT),
        ("overloaded", OVERLOADED),
        ("unknown", UNKNOWN),
    ] {
        insta::assert_debug_snapshot!(name, streamed(stream));
    }
}

#[test]
fn a_recorded_stream_split_anywhere_gives_the_same_events() {
    for stream in COMPLETE.into_iter().chain([OVERLOADED]) {
        assert_split_anywhere(stream, || decoder(AnswerHead::STREAM));
    }
}

#[test]
fn a_stream_cut_before_its_stop_reason_is_truncated_and_calls_nothing() {
    for stream in COMPLETE {
        let whole = streamed(stream);
        let reason = stream.find("event: message_delta").unwrap();
        let certain = reason + stream[reason..].find("\n\n").unwrap() + 2;
        for cut in 0..stream.len() {
            let events = answer(AnswerHead::STREAM, [&stream.as_bytes()[..cut]]);
            let last = events.last().unwrap();
            if cut < certain {
                assert_eq!(last, &failed(FailureKind::Truncated), "cut at {cut}");
                assert!(
                    !events
                        .iter()
                        .any(|event| matches!(event, ModelEvent::ToolCall(_))),
                    "cut at {cut}"
                );
            } else {
                assert_eq!(last, whole.last().unwrap(), "cut at {cut}");
            }
            assert_eq!(events.iter().filter(|event| is_terminal(event)).count(), 1);
        }
    }
}

fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let parts = prop_oneof![
        8 => any_event(&[&COMPLETE[..], &[OVERLOADED]].concat()),
        1 => Just(b"data: {\"type\":\n\n".to_vec()),
        1 => Just(b"\r\n".to_vec()),
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
