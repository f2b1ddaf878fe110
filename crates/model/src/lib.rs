//! How Flarebot speaks with language models: what is asked and what comes back in terms of no provider, one codec for
//! each kind of provider, and failures that can be shown to the owner.
//!
//! Nothing here opens a connection. A [`Codec`] turns a [`ModelRequest`] into what is to be sent, the caller sends it and
//! feeds the bytes of the answer to the codec's decoder, which hands back [`ModelEvent`]s. A request names a
//! [`KeySlot`] and never holds a key. Which models there are, the [`catalog`] says.

pub mod anthropic;
mod calls;
pub mod catalog;
mod codec;
pub mod compatible;
mod decode;
mod endpoint;
mod event;
mod failure;
mod provider;
mod request;
mod said;
pub mod sse;
mod thought;
pub mod workers_ai;

pub use codec::{Codec, Decoder, Outgoing};
pub use decode::{Answer, AnswerDecoder, AnswerHead};
pub use endpoint::{CompatibleEndpoint, EndpointError, check_key};
pub use event::ModelEvent;
pub use failure::{FailureKind, ModelFailure};
pub use provider::{Provider, owner_key};
pub use request::{
    BindingRequest, HttpRequest, KeySlot, ModelMessage, ModelRequest, ToolCall, ToolChoice, ToolDefinition,
};
pub use thought::{MAXIMUM_THOUGHT_BYTES, Thought, ThoughtContent};

/// The most tokens that one call of a model may write.
pub const MAXIMUM_OUTPUT_TOKENS: u32 = 4096;

/// The most calls of tools that are taken from one answer of a model. Those beyond are dropped: the model sees the
/// results of the others and can ask again.
pub const MAXIMUM_CALLS: usize = 16;

/// The most bytes that all calls of one answer may take: ids, names and arguments. An answer with more has failed with
/// [`FailureKind::TooLong`].
pub const MAXIMUM_CALL_BYTES: usize = 256 * 1024;

/// How long a model may send nothing at all, before its first byte or between two, in milliseconds. The caller owns
/// the clock: it gives up then with [`FailureKind::Silent`].
pub const SILENCE_MILLISECONDS: i64 = 60_000;
