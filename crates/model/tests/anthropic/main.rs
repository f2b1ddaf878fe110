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
#[path = "../support/mod.rs"]
mod support;

use flarebot_model::anthropic::{Answer, Decoder};
use flarebot_model::{AnswerHead, ModelEvent};
use support::failed;

const MODEL: &str = "claude-sonnet-5-5";

fn decoder(head: AnswerHead<'_>) -> Decoder {
    Decoder::of(Answer::of(MODEL.to_owned()), head)
}

fn answer<'a>(head: AnswerHead<'_>, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<ModelEvent> {
    support::answer(decoder(head), pieces)
}

fn streamed(stream: &str) -> Vec<ModelEvent> {
    answer(AnswerHead::STREAM, [stream.as_bytes()])
}
