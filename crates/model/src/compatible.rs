//! The codec for OpenAI's chat completions as many servers speak them, lenient where those servers differ.

pub(crate) mod answer;
pub(crate) mod completion;
mod encode;
mod problem;

pub use answer::Answer;
pub(crate) use encode::definition;
pub use encode::encode;

/// Reads the answer to one request of [`encode`].
pub type Decoder = crate::AnswerDecoder<Answer>;
