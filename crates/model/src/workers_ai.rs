//! The codec for Workers AI, through the Worker's AI binding: no address, no key, and errors that are thrown.

mod answer;
mod encode;
mod problem;

pub use answer::Answer;
pub use encode::encode;
pub use problem::thrown;

/// Reads the stream that the binding returned; see [`AnswerHead::STREAM`](crate::AnswerHead::STREAM). A binding that
/// returned an object instead gives its JSON, as `application/json`.
pub type Decoder = crate::AnswerDecoder<Answer>;
