//! The event stream format at every split.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop where it finds something wrong"
)]

use flarebot_model::sse::{Decoder, Event, EventTooLong, MAXIMUM_EVENT_BYTES};
use proptest::prelude::*;

/// A byte order mark, all three line ends, comments, no space after the colon, two spaces, a field without a colon, data of
/// several lines, unknown fields, an event that is no JSON, characters of two to four bytes, a cut event at the end.
const MIXED: &str = "\u{feff}: hello\r\n\r\ndata:{\"a\":\"é\"}\r\rdata: one\ndata:  two\r\ndata\r\ndata: zwölf 🌧️\n\n\
    event: error\rid: 7\nretry: 10\nunknown: x\ndata: {not json\r\n\r\nevent: lost\n\nid: 1\n\ndata\n\ndata: last — 数\r\r\ndata: cut\n";

fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Result<Event, EventTooLong>> {
    let mut decoder = Decoder::default();
    pieces.into_iter().flat_map(|piece| decoder.push(piece)).collect()
}

fn event(name: &str, data: &str) -> Result<Event, EventTooLong> {
    Ok(Event {
        name: name.to_owned(),
        data: data.to_owned(),
    })
}

fn expected() -> Vec<Result<Event, EventTooLong>> {
    vec![
        event("message", "{\"a\":\"é\"}"),
        event("message", "one\n two\n\nzwölf 🌧️"),
        event("error", "{not json"),
        event("message", ""),
        event("message", "last — 数"),
    ]
}

#[test]
fn every_line_end_and_field_is_read() {
    assert_eq!(decode([MIXED.as_bytes()]), expected());
}

#[test]
fn a_split_at_any_two_places_changes_nothing() {
    let bytes = MIXED.as_bytes();
    for first in 0..=bytes.len() {
        for second in first..=bytes.len() {
            let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
            assert_eq!(decode(pieces), expected(), "split at {first} and {second}");
        }
    }
}

#[test]
fn single_bytes_change_nothing() {
    assert_eq!(decode(MIXED.as_bytes().chunks(1)), expected());
}

#[test]
fn an_event_comes_with_the_return_that_ends_it() {
    let mut decoder = Decoder::default();
    assert_eq!(decoder.push(b"data: a\r\n\r"), [event("message", "a")]);
    assert_eq!(decoder.push(b"\ndata: b\r\n"), []);
    assert_eq!(decoder.push(b"\r\n"), [event("message", "b")]);
}

#[test]
fn a_byte_order_mark_counts_only_at_the_start() {
    let stream = "data: a\n\n\u{feff}data: b\n\ndata: \u{feff}c\n\n";
    assert_eq!(
        decode([stream.as_bytes()]),
        [event("message", "a"), event("message", "\u{feff}c")]
    );
}

#[test]
fn an_event_may_be_as_large_as_the_limit_and_no_larger() {
    for (surplus, fits) in [(0, true), (1, false)] {
        let field = "data: ";
        let filling = "x".repeat(MAXIMUM_EVENT_BYTES - field.len() + surplus);
        let stream = format!("data: first\n\n{field}{filling}\n\ndata: after\n\n");
        for size in [1, 4099, stream.len()] {
            let events = decode(stream.as_bytes().chunks(size));
            let second = if fits {
                event("message", &filling)
            } else {
                Err(EventTooLong)
            };
            assert_eq!(events.len(), if fits { 3 } else { 2 });
            assert!(events[1] == second, "pieces of {size} bytes");
        }
    }
}

#[test]
fn many_lines_of_one_event_count_together_and_comments_do_not() {
    let comments = ": keep-alive\n".repeat(MAXIMUM_EVENT_BYTES / 8);
    assert_eq!(decode([comments.as_bytes()]), []);
    let lines = "data: 1234567\n".repeat(MAXIMUM_EVENT_BYTES / 7);
    assert_eq!(decode([lines.as_bytes()]), [Err(EventTooLong)]);
}

fn pieces_of(bytes: &[u8], cuts: &[prop::sample::Index]) -> Vec<Vec<u8>> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places
        .windows(2)
        .map(|pair| bytes[pair[0]..pair[1]].to_vec())
        .collect()
}

proptest! {
    #[test]
    fn any_bytes_split_anywhere_give_the_same_events(
        parts in prop::collection::vec(
            prop_oneof![
                Just(b"data:".to_vec()), Just(b"event: ".to_vec()), Just(b"\r".to_vec()), Just(b"\n".to_vec()),
                Just(b"\r\n".to_vec()), Just(b": c".to_vec()), Just("\u{feff}".as_bytes().to_vec()),
                prop::collection::vec(any::<u8>(), 0..6), "\\PC{0,4}".prop_map(String::into_bytes),
            ],
            0..40,
        ),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let bytes = parts.concat();
        let pieces = pieces_of(&bytes, &cuts);
        prop_assert_eq!(
            decode(pieces.iter().map(Vec::as_slice)),
            decode([bytes.as_slice()])
        );
    }
}
