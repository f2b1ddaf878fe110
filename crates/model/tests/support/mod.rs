//! What the tests of every codec do with recorded streams: read them, split them anywhere, mix their events with rubbish.

use flarebot_model::{Answer, AnswerDecoder, AnswerHead, FailureKind, ModelEvent, ModelFailure};
use proptest::prelude::*;
use proptest::sample::Index;

/// All events of an answer whose bytes come in these pieces.
pub(crate) fn answer<'a, A: Answer>(
    mut decoder: AnswerDecoder<A>,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<ModelEvent> {
    let mut events: Vec<ModelEvent> = pieces.into_iter().flat_map(|piece| decoder.push(piece)).collect();
    events.extend(decoder.end());
    events
}

pub(crate) fn failed(kind: FailureKind) -> ModelEvent {
    ModelEvent::Failed(ModelFailure::new(kind))
}

pub(crate) fn is_terminal(event: &ModelEvent) -> bool {
    matches!(event, ModelEvent::Finished(_) | ModelEvent::Failed(_))
}

/// Asserts that a stream gives the same events wherever its bytes are split, and byte by byte.
pub(crate) fn assert_split_anywhere<A: Answer>(stream: &str, decoder: impl Fn() -> AnswerDecoder<A>) {
    let bytes = stream.as_bytes();
    let expected = answer(decoder(), [bytes]);
    for cut in 0..=bytes.len() {
        let pieces = [&bytes[..cut], &bytes[cut..]];
        assert_eq!(answer(decoder(), pieces), expected, "split at {cut}");
    }
    assert_eq!(answer(decoder(), bytes.chunks(1)), expected);
}

/// One event of one of these streams.
pub(crate) fn any_event(streams: &[&'static str]) -> impl Strategy<Value = Vec<u8>> + use<> {
    prop::sample::select(streams.to_vec()).prop_flat_map(|stream| {
        let events: Vec<&str> = stream.split_inclusive("\n\n").collect();
        prop::sample::select(events).prop_map(|event| event.as_bytes().to_vec())
    })
}

/// A few bytes of whatever.
pub(crate) fn any_rubbish() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..12)
}

/// Where bytes of any number are split.
pub(crate) fn any_cuts() -> impl Strategy<Value = Vec<Index>> {
    prop::collection::vec(any::<Index>(), 0..6)
}

/// The head of an answer: mostly a good one, in one of the forms that answers have.
pub(crate) fn any_head() -> impl Strategy<Value = AnswerHead<'static>> {
    let status = prop_oneof![4 => Just(200_u16), 1 => any::<u16>()];
    let forms = vec!["text/event-stream", "application/json", "text/html"];
    let content_type = prop::option::of(prop::sample::select(forms));
    (status, content_type).prop_map(|(status, content_type)| AnswerHead {
        status,
        content_type,
        retry_after: None,
    })
}

/// Whatever the bytes are and wherever they are split, they give the same events, of which one is an end: the last.
pub(crate) fn check_one_end<A: Answer>(
    decoder: impl Fn() -> AnswerDecoder<A>,
    bytes: &[u8],
    cuts: &[Index],
) -> Result<(), TestCaseError> {
    let expected = answer(decoder(), [bytes]);
    prop_assert_eq!(expected.iter().filter(|event| is_terminal(event)).count(), 1);
    prop_assert!(expected.last().is_some_and(is_terminal));

    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    let pieces = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
    prop_assert_eq!(answer(decoder(), pieces), expected);
    Ok(())
}
