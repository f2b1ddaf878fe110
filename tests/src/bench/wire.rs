//! A blocking WebSocket that says when each message came and how large it was, and looks at nothing else: the clock is
//! read before anything is parsed.

use super::trouble::{Result, Trouble};
use crate::client::http::connect;
use crate::provider::Clock;
use std::io;
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tungstenite::client::ClientRequestBuilder;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

/// How often a silent socket looks whether its deadline is over. One for all reads, since setting it costs a system call.
const TICK: Duration = Duration::from_millis(20);

/// Where to connect, and as whom.
#[derive(Debug, Clone)]
pub(super) struct Address {
    /// `host:port`.
    pub(super) authority: String,
    /// The path with its query.
    pub(super) target: String,
    pub(super) headers: Vec<(&'static str, String)>,
}

/// A message and the moment of its arrival.
#[derive(Debug)]
pub(super) struct Arrival {
    /// In microseconds of [`Clock`].
    pub(super) at: u64,
    pub(super) message: Message,
}

/// An open socket.
pub(super) struct Wire(WebSocket<TcpStream>);

impl Wire {
    pub(super) fn open(address: &Address) -> Result<Self> {
        let stream = connect(&address.authority)?;
        // The handshake may wait for a start; what comes after it is polled.
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        let uri = format!("ws://{}{}", address.authority, address.target);
        let uri = uri.parse().map_err(|_| Trouble::new("not an address"))?;
        let mut request = ClientRequestBuilder::new(uri);
        for (name, value) in &address.headers {
            request = request.with_header(*name, value);
        }
        let limits = WebSocketConfig::default()
            .max_message_size(None)
            .max_frame_size(None);
        let (socket, _) = tungstenite::client::client_with_config(request, stream, Some(limits))
            .map_err(|error| Trouble::new(format!("cannot connect: {error}")))?;
        socket.get_ref().set_read_timeout(Some(TICK))?;
        Ok(Self(socket))
    }

    pub(super) fn send(&mut self, text: String) -> Result<()> {
        let sent = self.0.send(Message::text(text));
        sent.map_err(|error| Trouble::new(format!("cannot send: {error}")))
    }

    /// The next text or bytes; `None` at the deadline.
    pub(super) fn next(&mut self, deadline: Instant) -> Result<Option<Arrival>> {
        loop {
            match self.0.read() {
                Ok(message @ (Message::Text(_) | Message::Binary(_))) => {
                    return Ok(Some(Arrival {
                        at: Clock::micros(),
                        message,
                    }));
                }
                Ok(Message::Close(frame)) => {
                    let code = frame.map_or(1005, |frame| u16::from(frame.code));
                    return Err(Trouble::new(format!("the socket was closed with {code}")));
                }
                Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
                Err(tungstenite::Error::Io(error))
                    if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
                Err(error) => return Err(Trouble::new(format!("the socket broke: {error}"))),
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
        }
    }
}
