//! The codec for Workers AI: what the binding is given, what its streams become, and what its errors mean. The streams
//! have the forms that <https://developers.cloudflare.com/workers-ai/> documents for streaming and for function calling,
//! and the one that is documented nowhere, with the same words twice; their words are invented.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop where it finds something wrong"
)]

mod answers;
mod recorded;
mod request;

use flarebot_model::workers_ai::{Answer, Decoder};
use flarebot_model::{AnswerHead, FailureKind, ModelEvent, ModelFailure};

fn answer<'a>(head: AnswerHead<'_>, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<ModelEvent> {
    let mut decoder = Decoder::of(Answer::default(), head);
    let mut events: Vec<ModelEvent> = pieces.into_iter().flat_map(|piece| decoder.push(piece)).collect();
    events.extend(decoder.end());
    events
}

fn streamed(stream: &str) -> Vec<ModelEvent> {
    answer(AnswerHead::STREAM, [stream.as_bytes()])
}

fn failed(kind: FailureKind) -> ModelEvent {
    ModelEvent::Failed(ModelFailure::new(kind))
}

fn is_terminal(event: &ModelEvent) -> bool {
    matches!(event, ModelEvent::Finished(_) | ModelEvent::Failed(_))
}
