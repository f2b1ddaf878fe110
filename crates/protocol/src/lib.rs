//! What crosses a socket: identifiers, addresses, frames, calls with their replies, messages, stream chunks, and the
//! one reducer that turns chunks into messages on both ends.
//!
//! On the wire this is what the Agents SDK client (npm `agents` 0.32.0) speaks. Our own page asks for more with the
//! query parameter [`address::CLIENT_PARAMETER`] and then gets pages of history, single messages and `flarebot_*`
//! frames; every other client gets whole transcripts and the frames that it knows.

pub mod address;
pub mod call;
pub mod chunk;
pub mod client;
mod close;
pub mod conversation;
pub mod frame;
mod identifier;
pub mod memory;
pub mod message;
mod reducer;
pub mod settings;
pub mod submission;
pub mod tool_activity;

pub use close::CloseCode;
pub use identifier::{
    CallId, ConnectionId, ConversationId, IdentifierError, MessageId, RequestId, SubmissionKey,
};
pub use reducer::{Reduction, reduce};

/// The largest text frame that an object reads, in bytes. A larger one is answered with an error frame.
pub const MAXIMUM_FRAME_BYTES: usize = 8 * 1024 * 1024;

/// The longest text of one message that the owner sends, in UTF-8 bytes.
pub const MAXIMUM_MESSAGE_BYTES: usize = 262_144;

/// The most messages that one page of history holds.
pub const HISTORY_PAGE: u32 = 50;
