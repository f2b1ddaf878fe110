//! The codec for Anthropic's Messages API, at its one fixed endpoint and with the owner's key.

mod answer;
mod encode;
mod problem;
mod sent;

pub use answer::Answer;
pub use encode::{ENDPOINT, encode};

/// Reads the answer to one request of [`encode`].
pub type Decoder = crate::AnswerDecoder<Answer>;
