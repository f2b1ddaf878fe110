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
#[path = "../support/mod.rs"]
mod support;

use flarebot_model::workers_ai::{Answer, Decoder};
use flarebot_model::{AnswerHead, ModelEvent};
use support::failed;

fn decoder(head: AnswerHead<'_>) -> Decoder {
    Decoder::of(Answer::default(), head)
}

fn answer<'a>(head: AnswerHead<'_>, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<ModelEvent> {
    support::answer(decoder(head), pieces)
}

fn streamed(stream: &str) -> Vec<ModelEvent> {
    answer(AnswerHead::STREAM, [stream.as_bytes()])
}
