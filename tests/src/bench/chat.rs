//! A client of one room: it says something and reads what comes.

use super::frame::Frame;
use super::marks::MarkReader;
use super::trouble::{Result, Trouble};
use super::wire::{Address, Wire};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tungstenite::Message;
use uuid::Uuid;

/// How long anything may take that should come at once.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// What is spoken on a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    /// A script goes in, and the provider's bytes come out.
    Bytes,
    /// The frames of the Agents SDK.
    Frames,
}

/// A frame and how it came.
#[derive(Debug)]
pub(super) struct Seen {
    /// In microseconds of the provider's clock.
    pub(super) at: u64,
    pub(super) bytes: usize,
    pub(super) frame: Frame,
}

/// An open socket in a room.
pub(super) struct Chat {
    wire: Wire,
    language: Language,
    reader: MarkReader,
}

impl Chat {
    pub(super) fn open(address: &Address, language: Language) -> Result<Self> {
        Ok(Self {
            wire: Wire::open(address)?,
            language,
            reader: MarkReader::default(),
        })
    }

    /// Says something and gives the id by which the answer is known.
    pub(super) fn say(&mut self, message: &str) -> Result<String> {
        let id = Uuid::new_v4().to_string();
        match self.language {
            Language::Bytes => self.wire.send(message.to_owned())?,
            Language::Frames => {
                let part = json!({ "type": "text", "text": message });
                let message = json!({ "id": Uuid::new_v4(), "role": "user", "parts": [part] });
                let body = json!({ "messages": [message], "trigger": "submit-message" });
                self.send(&json!({
                    "type": "cf_agent_use_chat_request",
                    "id": id,
                    "init": { "method": "POST", "body": body.to_string() },
                }))?;
            }
        }
        Ok(id)
    }

    /// Takes up the offer to join a running answer.
    pub(super) fn acknowledge(&mut self, id: &str) -> Result<()> {
        self.send(&json!({ "type": "cf_agent_stream_resume_ack", "id": id }))
    }

    pub(super) fn call(&mut self, method: &str, arguments: &[Value]) -> Result<Value> {
        let call = Uuid::new_v4().to_string();
        self.send(&json!({ "type": "rpc", "id": call, "method": method, "args": arguments }))?;
        self.until(method, Duration::from_mins(5), |seen| match &seen.frame {
            Frame::Reply { id, result } if *id == call => Some(result.clone()),
            _ => None,
        })?
    }

    fn send(&mut self, frame: &Value) -> Result<()> {
        self.wire.send(frame.to_string())
    }

    /// The next frame; `None` at the deadline.
    pub(super) fn next(&mut self, deadline: Instant) -> Result<Option<Seen>> {
        let Some(arrival) = self.wire.next(deadline)? else {
            return Ok(None);
        };
        let frame = match (&arrival.message, self.language) {
            (Message::Text(text), Language::Frames) => Frame::read(text)?,
            (Message::Binary(bytes), Language::Bytes) => Frame::Piece {
                marks: self.reader.read(&String::from_utf8_lossy(bytes)),
            },
            (Message::Text(text), Language::Bytes) if text.is_empty() => Frame::Ended {
                id: String::new(),
                outcome: "completed".to_owned(),
            },
            _ => return Err(Trouble::new("a message of the wrong kind")),
        };
        Ok(Some(Seen {
            at: arrival.at,
            bytes: arrival.message.len(),
            frame,
        }))
    }

    /// Reads until `pick` has an answer.
    pub(super) fn until<T>(
        &mut self,
        what: &str,
        patience: Duration,
        mut pick: impl FnMut(&Seen) -> Option<T>,
    ) -> Result<T> {
        let deadline = Instant::now() + patience;
        while let Some(seen) = self.next(deadline)? {
            if let Some(picked) = pick(&seen) {
                return Ok(picked);
            }
        }
        Err(Trouble::new(format!("no {what} within {} s", patience.as_secs())))
    }

    /// Reads all that comes until nothing came for `quiet`, and gives the bytes.
    pub(super) fn drain(&mut self, quiet: Duration) -> Result<usize> {
        let mut bytes = 0;
        while let Some(seen) = self.next(Instant::now() + quiet)? {
            bytes += seen.bytes;
        }
        Ok(bytes)
    }

    /// Waits for the end of the answer to `id`.
    pub(super) fn end_of(&mut self, id: &str) -> Result<()> {
        let outcome = self.until("end of the answer", PATIENCE, |seen| match &seen.frame {
            Frame::Ended { id: ended, outcome } if ended == id || ended.is_empty() => Some(outcome.clone()),
            _ => None,
        })?;
        completed(&outcome)
    }
}

/// An answer that ended in another way is no measurement.
pub(super) fn completed(outcome: &str) -> Result<()> {
    match outcome {
        "completed" => Ok(()),
        other => Err(Trouble::new(format!("the turn ended as {other}"))),
    }
}
