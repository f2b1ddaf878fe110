//! The open sockets of one object. What must survive hibernation is in each socket's attachment; the list is only a
//! cache of it, so that a chunk costs no look-up.

use crate::fault::{Fault, log};
use crate::sys;
use flarebot_link::{GRANT_HEADER, SocketGrant};
use flarebot_protocol::frame::{ClientKind, ServerFrame};
use flarebot_protocol::{CloseCode, RequestId};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;
use worker::{Request, Response, State, WebSocket, WebSocketPair};

/// What a socket's attachment keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Attachment {
    /// What the ingress granted.
    pub(crate) grant: SocketGrant,
    /// The running answer that was offered to this socket and that it has not asked for yet. Until it does, it gets
    /// none of that answer's chunks.
    pub(crate) offered: Option<RequestId>,
}

/// One open socket with its attachment.
#[derive(Clone)]
pub(crate) struct Socket {
    pub(crate) socket: WebSocket,
    pub(crate) attachment: Attachment,
}

impl Socket {
    /// The socket behind a handler's argument. One without a readable attachment is none of ours.
    pub(crate) fn of(socket: WebSocket) -> Option<Self> {
        let text: String = socket.deserialize_attachment().ok().flatten()?;
        let attachment = serde_json::from_str(&text).ok()?;
        Some(Self { socket, attachment })
    }

    /// What kind of client is at the other end.
    pub(crate) fn client(&self) -> ClientKind {
        self.attachment.grant.client
    }

    /// Whether the owner's session has ended.
    pub(crate) fn expired(&self, now: i64) -> bool {
        self.attachment.grant.expires_at <= now
    }

    /// Sends a frame. A socket that is already closed takes it nowhere, and that is no failure.
    pub(crate) fn send(&self, frame: &ServerFrame) {
        self.send_text(&encode(frame));
    }

    /// Sends an encoded frame.
    pub(crate) fn send_text(&self, text: &str) {
        let _ = self.socket.send_with_str(text);
    }

    /// Closes the socket with a code that clients understand.
    pub(crate) fn close(&self, code: CloseCode) {
        let _ = self.socket.close(Some(code.code()), Some(code.reason()));
    }

    fn store_attachment(&self) -> Result<(), Fault> {
        let text =
            serde_json::to_string(&self.attachment).map_err(|error| Fault::internal(error.to_string()))?;
        Ok(self.socket.serialize_attachment(text)?)
    }
}

/// A frame as text.
pub(crate) fn encode(frame: &ServerFrame) -> String {
    // Serialising our own types cannot fail: their maps have string keys.
    serde_json::to_string(frame).unwrap_or_default()
}

/// The open sockets of one object.
#[derive(Default)]
pub(crate) struct Sockets {
    cache: RefCell<Option<Rc<[Socket]>>>,
}

impl Sockets {
    /// Accepts the socket of an upgrade request that carries a grant, so that it hibernates with its object.
    pub(crate) fn accept(
        &self,
        state: &State,
        request: &Request,
        offered: Option<RequestId>,
    ) -> Result<(Socket, Response), Fault> {
        let header = request.headers().get(GRANT_HEADER)?;
        let grant = SocketGrant::from_header(header.as_deref())
            .map_err(|error| Fault::internal(error.to_string()))?;
        let pair = WebSocketPair::new()?;
        sys::accept_socket(state, &pair.server).map_err(Fault::from_js)?;
        let socket = Socket {
            socket: pair.server,
            attachment: Attachment { grant, offered },
        };
        socket.store_attachment()?;
        self.forget();
        Ok((socket, Response::from_websocket(pair.client)?))
    }

    /// Every open socket.
    pub(crate) fn all(&self, state: &State) -> Rc<[Socket]> {
        let open = || {
            let sockets = sys::sockets(state).unwrap_or_else(|thrown| {
                log("the open sockets could not be listed", &Fault::from_js(thrown));
                Vec::new()
            });
            sockets.into_iter().filter_map(Socket::of).collect()
        };
        Rc::clone(self.cache.borrow_mut().get_or_insert_with(open))
    }

    /// Sends a frame to the sockets that `wanted` picks.
    pub(crate) fn send(&self, state: &State, frame: &ServerFrame, wanted: impl Fn(&Socket) -> bool) {
        let mut text = None;
        for socket in self.all(state).iter().filter(|socket| wanted(socket)) {
            socket.send_text(text.get_or_insert_with(|| encode(frame)));
        }
    }

    /// Sends a frame to every page of ours.
    pub(crate) fn send_to_pages(&self, state: &State, frame: &ServerFrame) {
        self.send(state, frame, |socket| socket.client() == ClientKind::Flarebot);
    }

    /// Closes the sockets that `wanted` picks.
    pub(crate) fn close(&self, state: &State, code: CloseCode, wanted: impl Fn(&Socket) -> bool) {
        for socket in self.all(state).iter().filter(|socket| wanted(socket)) {
            socket.close(code);
        }
        self.forget();
    }

    /// Marks what is offered to a socket, or that nothing is any more.
    pub(crate) fn offer(&self, socket: &mut Socket, offered: Option<RequestId>) -> Result<(), Fault> {
        socket.attachment.offered = offered;
        socket.store_attachment()?;
        self.forget();
        Ok(())
    }

    /// Forgets the list: a socket came, went or changed.
    pub(crate) fn forget(&self) {
        self.cache.borrow_mut().take();
    }
}
