//! A blocking WebSocket whose frames are the protocol's own types. A frame that is none of them fails the test.

use flarebot_protocol::CallId;
use flarebot_protocol::call::{Call, CallFailure};
use flarebot_protocol::frame::{RpcReply, ServerFrame};
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tungstenite::client::ClientRequestBuilder;
use tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tungstenite::{HandshakeError, Message, WebSocket};
use uuid::Uuid;

use super::Record;
use crate::PATIENCE;

/// How to connect.
#[derive(Debug, Clone)]
pub struct Connection {
    /// `host:port`.
    pub authority: String,
    /// The path with its query.
    pub target: String,
    /// The `Cookie` header.
    pub cookie: Option<String>,
    /// The `Origin` header.
    pub origin: Option<String>,
    /// Where frames are kept, if they are.
    pub record: Option<Record>,
}

/// The handshake was answered with something else than a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The HTTP status.
    pub status: u16,
}

/// How a socket ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// The close code; 1006 when the connection broke without one.
    pub code: u16,
    /// The reason that came with it.
    pub reason: String,
}

/// An open socket. Frames that nobody has asked for yet are kept in the order of their arrival.
pub struct Socket {
    stream: WebSocket<TcpStream>,
    kept: VecDeque<ServerFrame>,
    closed: Option<Closed>,
    record: Option<Record>,
}

impl fmt::Debug for Socket {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Socket")
            .field("kept", &self.kept)
            .field("closed", &self.closed)
            .finish_non_exhaustive()
    }
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// When the server answers with an ordinary response.
    ///
    /// # Panics
    /// When there is no server, or it does not speak the protocol.
    pub fn open(&self) -> Result<Socket, Refused> {
        self.try_open().expect("the server can be reached")
    }

    /// Connects to a server that may be gone.
    ///
    /// # Errors
    /// When the connection fails; the inner error is a refusal in plain HTTP.
    pub fn try_open(&self) -> io::Result<Result<Socket, Refused>> {
        let stream = super::http::connect(&self.authority)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let uri = format!("ws://{}{}", self.authority, self.target);
        let mut request =
            ClientRequestBuilder::new(uri.parse().expect("the address of a test is well formed"));
        if let Some(cookie) = &self.cookie {
            request = request.with_header("Cookie", cookie);
        }
        if let Some(origin) = &self.origin {
            request = request.with_header("Origin", origin);
        }
        let limits = WebSocketConfig::default()
            .max_message_size(None)
            .max_frame_size(None);
        match tungstenite::client::client_with_config(request, stream, Some(limits)) {
            Ok((stream, _)) => Ok(Ok(Socket {
                stream,
                kept: VecDeque::new(),
                closed: None,
                record: self.record.clone(),
            })),
            Err(HandshakeError::Failure(tungstenite::Error::Http(response))) => Ok(Err(Refused {
                status: response.status().as_u16(),
            })),
            Err(error) => Err(io::Error::other(error.to_string())),
        }
    }
}

impl Socket {
    /// Sends text as it is.
    ///
    /// # Panics
    /// When the socket is closed.
    pub fn send_text(&mut self, text: impl Into<String>) {
        let sent = self.try_send(Message::text(text.into()));
        sent.expect("the socket is open");
    }

    /// Sends one JSON frame.
    ///
    /// # Panics
    /// When the socket is closed.
    pub fn send(&mut self, frame: &serde_json::Value) {
        self.send_text(frame.to_string());
    }

    /// Sends one JSON frame to a server that may be gone.
    ///
    /// # Errors
    /// When the connection broke.
    pub fn try_send_frame(&mut self, frame: &serde_json::Value) -> io::Result<()> {
        self.try_send(Message::text(frame.to_string()))
    }

    /// Sends text to a server that may be gone.
    ///
    /// # Errors
    /// When the connection broke.
    pub fn try_send_text(&mut self, text: impl Into<String>) -> io::Result<()> {
        self.try_send(Message::text(text.into()))
    }

    /// Sends a binary frame.
    ///
    /// # Panics
    /// When the socket is closed.
    pub fn send_binary(&mut self, bytes: &[u8]) {
        let sent = self.try_send(Message::binary(bytes.to_vec()));
        sent.expect("the socket is open");
    }

    fn try_send(&mut self, message: Message) -> io::Result<()> {
        // A read may have left a short deadline behind, but only for reading.
        self.stream
            .send(message)
            .map_err(|error| io::Error::other(error.to_string()))
    }

    /// The next frame, kept ones first; `None` after `patience` or when the socket is closed.
    ///
    /// # Panics
    /// When a frame is not of the protocol.
    pub fn next_within(&mut self, patience: Duration) -> Option<ServerFrame> {
        match self.kept.pop_front() {
            Some(frame) => Some(frame),
            None => self.receive_until(Instant::now() + patience),
        }
    }

    /// The next text as it is, from a server that does not speak the protocol.
    pub fn next_text_within(&mut self, patience: Duration) -> Option<String> {
        self.receive_text_until(Instant::now() + patience)
    }

    /// The first frame for which `pick` has an answer. Other frames are kept for later.
    ///
    /// # Panics
    /// When there is none within `patience`; the message names `what` was expected and what came instead.
    pub fn expect_within<T>(
        &mut self,
        what: &str,
        patience: Duration,
        pick: impl FnMut(&ServerFrame) -> Option<T>,
    ) -> T {
        self.find_within(patience, pick)
            .unwrap_or_else(|| panic!("{what}: not within {patience:?}, but {self:#?}"))
    }

    /// As [`Socket::expect_within`], with the usual patience.
    pub fn expect<T>(&mut self, what: &str, pick: impl FnMut(&ServerFrame) -> Option<T>) -> T {
        self.expect_within(what, PATIENCE, pick)
    }

    /// As [`Socket::expect_within`], for a socket that may be closed or silent.
    pub fn find_within<T>(
        &mut self,
        patience: Duration,
        mut pick: impl FnMut(&ServerFrame) -> Option<T>,
    ) -> Option<T> {
        let deadline = Instant::now() + patience;
        let found = self
            .kept
            .iter()
            .enumerate()
            .find_map(|(place, frame)| pick(frame).map(|found| (place, found)));
        if let Some((place, found)) = found {
            self.kept.remove(place);
            return Some(found);
        }
        loop {
            let frame = self.receive_until(deadline)?;
            match pick(&frame) {
                Some(found) => return Some(found),
                None => self.kept.push_back(frame),
            }
        }
    }

    /// All frames that have arrived and that nobody has asked for, once none comes for `quiet`.
    pub fn drain(&mut self, quiet: Duration) -> Vec<ServerFrame> {
        while let Some(frame) = self.receive_until(Instant::now() + quiet) {
            self.kept.push_back(frame);
        }
        self.kept.drain(..).collect()
    }

    /// How the socket ended. Frames that came before are kept.
    ///
    /// # Panics
    /// When it is still open after `patience`.
    pub fn expect_closed(&mut self, patience: Duration) -> Closed {
        let deadline = Instant::now() + patience;
        while let Some(frame) = self.receive_until(deadline) {
            self.kept.push_back(frame);
        }
        self.closed
            .clone()
            .unwrap_or_else(|| panic!("the socket is still open after {patience:?}: {self:#?}"))
    }

    /// How the socket ended, as far as anything was read from it.
    #[must_use]
    pub fn closed(&self) -> Option<&Closed> {
        self.closed.as_ref()
    }

    /// Closes the socket as a browser does when its page goes away.
    pub fn close(mut self) {
        // A server that is already gone needs no farewell.
        drop(self.stream.close(None));
        self.receive_until(Instant::now() + Duration::from_secs(1));
    }

    /// Makes a call by its type.
    ///
    /// # Errors
    /// The failure that the server answered.
    ///
    /// # Panics
    /// When the reply does not come or has the wrong form.
    pub fn call<C: Call>(&mut self, call: &C) -> Result<C::Reply, CallFailure> {
        let reply = self.call_method(C::METHOD, &call.arguments());
        read_reply(reply)
    }

    /// Makes a call by its name, with whatever arguments.
    ///
    /// # Panics
    /// When no reply comes.
    pub fn call_method(&mut self, method: &str, arguments: &[serde_json::Value]) -> RpcReply {
        let id = self.start_call(method, arguments).expect("the socket is open");
        self.expect(&format!("a reply to {method}"), |frame| reply_to(&id, frame))
    }

    /// Makes a call to a server that may go away; `None` when it did before it answered.
    ///
    /// # Panics
    /// When the server stays and does not answer.
    pub fn try_call<C: Call>(&mut self, call: &C) -> Option<Result<C::Reply, CallFailure>> {
        let id = self.start_call(C::METHOD, &call.arguments()).ok()?;
        let reply = self.find_within(PATIENCE, |frame| reply_to(&id, frame));
        assert!(
            reply.is_some() || self.closed.is_some(),
            "{} is not answered",
            C::METHOD
        );
        reply.map(read_reply)
    }

    fn start_call(&mut self, method: &str, arguments: &[serde_json::Value]) -> io::Result<CallId> {
        let id = CallId::from_uuid(Uuid::new_v4());
        self.try_send_frame(
            &serde_json::json!({ "type": "rpc", "id": id, "method": method, "args": arguments }),
        )?;
        Ok(id)
    }

    fn receive_until(&mut self, deadline: Instant) -> Option<ServerFrame> {
        let text = self.receive_text_until(deadline)?;
        let frame = serde_json::from_str(&text);
        Some(frame.unwrap_or_else(|error| panic!("not a frame of the protocol ({error}): {text}")))
    }

    fn receive_text_until(&mut self, deadline: Instant) -> Option<String> {
        while self.closed.is_none() {
            let left = deadline.checked_duration_since(Instant::now())?;
            // Zero would mean "for ever".
            let timeout = left.max(Duration::from_millis(1));
            self.stream.get_ref().set_read_timeout(Some(timeout)).ok()?;
            match self.stream.read() {
                Ok(Message::Text(text)) => {
                    if let Some(record) = &self.record {
                        record.frame(&text);
                    }
                    return Some(text.to_string());
                }
                Ok(Message::Binary(bytes)) => panic!("a binary frame of {} bytes", bytes.len()),
                Ok(Message::Close(frame)) => {
                    // The farewell is answered with the next flush; the server may not wait for it.
                    drop(self.stream.flush());
                    self.closed = Some(closed(frame));
                }
                Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
                Err(tungstenite::Error::Io(error))
                    if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
                Err(_) => self.closed = Some(closed(None)),
            }
        }
        None
    }
}

fn closed(frame: Option<CloseFrame>) -> Closed {
    match frame {
        Some(frame) => Closed {
            code: frame.code.into(),
            reason: frame.reason.to_string(),
        },
        None => Closed {
            code: 1006,
            reason: String::new(),
        },
    }
}

fn reply_to(id: &CallId, frame: &ServerFrame) -> Option<RpcReply> {
    match frame {
        ServerFrame::Rpc(reply) if reply.id == id.as_str() => Some(reply.clone()),
        _ => None,
    }
}

fn read_reply<T: serde::de::DeserializeOwned>(reply: RpcReply) -> Result<T, CallFailure> {
    if reply.success {
        let result = reply.result.unwrap_or(serde_json::Value::Null);
        Ok(serde_json::from_value(result).expect("a reply has the form that its call promises"))
    } else {
        Err(CallFailure {
            code: reply.code.expect("a failed call has a code"),
            message: reply.error.expect("a failed call has a sentence"),
        })
    }
}
