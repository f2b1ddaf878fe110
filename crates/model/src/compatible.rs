//! The codec for OpenAI's chat completions as many servers speak them, lenient where those servers differ.

mod answer;
mod calls;
mod completion;
mod decode;
mod encode;
mod problem;

pub use decode::Decoder;
pub use encode::encode;
