//! One whole answer, from the message that asks for it to its end.

use super::chat::{Chat, PATIENCE, completed};
use super::frame::Frame;
use super::script::Script;
use super::statistics::milliseconds;
use super::trouble::{Result, Trouble};
use crate::provider::Clock;
use std::time::Instant;

/// What a client saw of an answer.
#[derive(Debug)]
pub(super) struct Stream {
    /// From the message to the end of its answer, in milliseconds.
    pub(super) wall: f64,
    /// From the provider's write to the client's read of each chunk, in milliseconds.
    pub(super) delays: Vec<f64>,
}

/// Asks for an answer and reads it to its end. Every chunk must come, once and in order.
pub(super) fn play(chat: &mut Chat, script: Script) -> Result<Stream> {
    let started = Clock::micros();
    let id = chat.say(&script.to_string())?;
    let mut delays = Vec::new();
    loop {
        let Some(seen) = chat.next(Instant::now() + PATIENCE)? else {
            let count = delays.len();
            return Err(Trouble::new(format!("the answer stopped after {count} chunks")));
        };
        match seen.frame {
            Frame::Piece { marks } => {
                for mark in marks {
                    if usize::try_from(mark.number).ok() != Some(delays.len()) {
                        return Err(Trouble::new(format!("chunk {} came out of turn", mark.number)));
                    }
                    delays.push(milliseconds(seen.at.saturating_sub(mark.written_at)));
                }
            }
            Frame::Ended { id: ended, outcome } if ended == id || ended.is_empty() => {
                completed(&outcome)?;
                let wall = milliseconds(seen.at - started);
                return Ok(Stream { wall, delays });
            }
            _ => {}
        }
    }
}
