//! The codec for Anthropic's Messages API: what is sent, and what its streams become. The streams have the form that
//! <https://platform.claude.com/docs/en/build-with-claude/streaming> documents; their words are invented.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop where it finds something wrong"
)]

mod answers;
mod recorded;
mod request;

use flarebot_model::anthropic::{Answer, Decoder};
use flarebot_model::{AnswerHead, FailureKind, ModelEvent, ModelFailure};

const MODEL: &str = "claude-sonnet-5-5";

fn decoder(head: AnswerHead<'_>) -> Decoder {
    Decoder::of(Answer::of(MODEL.to_owned()), head)
}

fn answer<'a>(head: AnswerHead<'_>, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<ModelEvent> {
    let mut decoder = decoder(head);
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
