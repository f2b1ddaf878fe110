//! The client's half of a socket, without the socket: a state machine that a driver feeds with what happened and asks
//! what to do next. It has no clock and no randomness, so every course of events can be tested.
//!
//! [`ClientSession`] keeps one socket alive: it connects, waits until the server is ready, reconnects with growing
//! delays, matches replies to calls, and sends again what may have been lost. [`TranscriptView`] is what a page shows of
//! one conversation: it takes the frames of a conversation's socket and says what each of them changed.
//!
//! A driver does this after every call of a `handle_…` method or of a request:
//!
//! ```
//! # use flarebot_protocol::client::{ClientSession, Output};
//! # let mut session = ClientSession::new();
//! session.start(1_000);
//! while let Some(output) = session.poll_output() {
//!     match output {
//!         Output::Connect => { /* open a socket, report its events */ }
//!         Output::Transmit(text) => { /* send the text */ }
//!         Output::Disconnect => { /* close the socket and report nothing more of it */ }
//!         Output::Event(event) => { /* tell the page */ }
//!     }
//! }
//! let wake_at = session.poll_timeout(); // then call `handle_timeout`
//! # assert_eq!(wake_at, Some(16_000));
//! ```

mod backoff;
mod calls;
mod event;
mod handshake;
mod session;
mod submissions;
mod transcript;

pub use event::{ConnectionStatus, Output, SessionEvent, Settlement, SubmissionState};
pub use session::ClientSession;
pub use transcript::{Change, Delivery, Entry, EntryState, TranscriptView};
