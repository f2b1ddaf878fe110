//! Streams as real servers send them, and what is left when they are split, cut or mixed with rubbish.

use super::support::{any_cuts, any_event, any_head, any_rubbish, assert_split_anywhere, check_one_end};
use super::{STOP, answer, events_of, failed, is_call, is_terminal, streamed};
use flarebot_model::FailureKind;
use flarebot_model::compatible::{Answer, Decoder};
use proptest::prelude::*;

const OPENAI: &str = include_str!("streams/openai.txt");
const LLAMA_CPP: &str = include_str!("streams/llama-cpp.txt");
const OLLAMA: &str = include_str!("streams/ollama.txt");
const OPENROUTER: &str = include_str!("streams/openrouter.txt");
const OPENROUTER_BREAKS: &str = include_str!("streams/openrouter-breaks.txt");
const OPENAI_CALLS: &str = include_str!("streams/openai-calls.txt");
const LLAMA_CPP_CALLS: &str = include_str!("streams/llama-cpp-calls.txt");
const OLLAMA_CALLS: &str = include_str!("streams/ollama-calls.txt");
const GEMINI_CALLS: &str = include_str!("streams/gemini-calls.txt");

/// Those that end as their servers end answers.
const COMPLETE: [&str; 8] = [
    OPENAI,
    LLAMA_CPP,
    OLLAMA,
    OPENROUTER,
    OPENAI_CALLS,
    LLAMA_CPP_CALLS,
    OLLAMA_CALLS,
    GEMINI_CALLS,
];

#[test]
fn recorded_streams() {
    for (name, stream) in [
        ("openai", OPENAI),
        ("llama_cpp", LLAMA_CPP),
        ("ollama", OLLAMA),
        ("openrouter", OPENROUTER),
        ("openrouter_breaks", OPENROUTER_BREAKS),
        ("openai_calls", OPENAI_CALLS),
        ("llama_cpp_calls", LLAMA_CPP_CALLS),
        ("ollama_calls", OLLAMA_CALLS),
        ("gemini_calls", GEMINI_CALLS),
    ] {
        insta::assert_debug_snapshot!(name, streamed(stream));
    }
}

#[test]
fn a_recorded_stream_split_anywhere_gives_the_same_events() {
    for stream in COMPLETE.into_iter().chain([OPENROUTER_BREAKS]) {
        assert_split_anywhere(stream, || Decoder::new(200, None, None));
    }
}

#[test]
fn a_stream_cut_before_its_finish_never_counts_as_finished() {
    for stream in COMPLETE {
        let whole = streamed(stream);
        let finish = ["stop", "length", "tool_calls"]
            .iter()
            .find_map(|reason| stream.find(&format!(r#""finish_reason":"{reason}""#)))
            .unwrap();
        let certain = finish + stream[finish..].find("\n\n").unwrap() + 2;
        for cut in 0..stream.len() {
            let decoder = Decoder::new(200, Some("text/event-stream"), None);
            let events = answer(decoder, [&stream.as_bytes()[..cut]]);
            let last = events.last().unwrap();
            if cut < certain {
                assert_eq!(last, &failed(FailureKind::Truncated), "cut at {cut}");
                assert!(!events.iter().any(is_call), "cut at {cut}");
            } else {
                assert_eq!(last, whole.last().unwrap(), "cut at {cut}");
            }
            assert_eq!(events.iter().filter(|event| is_terminal(event)).count(), 1);
        }
    }
}

fn fragments() -> impl Strategy<Value = Vec<u8>> {
    let parts = prop_oneof![
        4 => any_event(&[&COMPLETE[..], &[OPENROUTER_BREAKS]].concat()),
        1 => Just(events_of(&["{", STOP]).into_bytes()),
        1 => Just(b"\r\n".to_vec()),
        1 => Just("\u{feff}".as_bytes().to_vec()),
        2 => any_rubbish(),
    ];
    prop::collection::vec(parts, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_bytes_split_anywhere_give_the_same_events_and_one_end(
        bytes in fragments(),
        cuts in any_cuts(),
        head in any_head(),
    ) {
        check_one_end(|| Decoder::of(Answer::default(), head), &bytes, &cuts)?;
    }
}
