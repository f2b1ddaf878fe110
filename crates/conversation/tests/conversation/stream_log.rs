//! The log of a stream gives back what was appended, and nothing after its turn has ended.

use crate::support::{accept, answer, claim, database, request_id, text_delta};
use flarebot_conversation::stream_log::{self, LoggedStream};
use flarebot_conversation::{ledger, transcript};
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::message::Outcome;

#[test]
fn a_stream_is_read_merged_with_its_next_number() {
    let database = database();
    accept(&database, "a");
    let id = claim(&database).request_id;
    let start = Chunk::TextStart {
        id: "text-0".to_owned(),
    };
    stream_log::append(
        &database,
        &id,
        0,
        &[Chunk::StartStep, start.clone(), text_delta("one ")],
    )
    .unwrap();
    stream_log::append(&database, &id, 3, &[text_delta("two "), text_delta("three ")]).unwrap();
    stream_log::append(&database, &id, 5, &[text_delta("four")]).unwrap();
    let expected = LoggedStream {
        chunks: vec![Chunk::StartStep, start, text_delta("one two three four")],
        next_seq: 6,
    };
    assert_eq!(stream_log::read(&database, &id), Ok(expected));
    assert_eq!(
        stream_log::read(&database, &request_id("other")),
        Ok(LoggedStream::default())
    );
}

#[test]
fn a_number_never_means_two_chunks() {
    let database = database();
    accept(&database, "a");
    let id = claim(&database).request_id;
    stream_log::append(&database, &id, 0, &[text_delta("one")]).unwrap();
    stream_log::append(&database, &id, 0, &[text_delta("other")]).unwrap_err();
    assert_eq!(
        stream_log::read(&database, &id).unwrap().chunks,
        [text_delta("one")]
    );
}

#[test]
fn what_comes_after_the_end_of_a_turn_is_not_kept() {
    let database = database();
    accept(&database, "a");
    let id = claim(&database).request_id;
    stream_log::append(&database, &id, 0, &[text_delta("one")]).unwrap();
    ledger::settle(&database, &id, Outcome::Aborted, &answer("answer-a", "one"), 30).unwrap();
    stream_log::append(&database, &id, 1, &[text_delta("two")]).unwrap();
    assert_eq!(stream_log::read(&database, &id), Ok(LoggedStream::default()));

    accept(&database, "b");
    let id = claim(&database).request_id;
    transcript::clear(&database).unwrap();
    stream_log::append(&database, &id, 0, &[text_delta("one")]).unwrap();
    assert_eq!(stream_log::read(&database, &id), Ok(LoggedStream::default()));
}
