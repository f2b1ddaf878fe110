//! A conversation's object: its transcript, its turns and its sockets, in a database of its own.
//!
//! It never assumes that the agent is in memory, or that it was itself a moment ago: a socket's frame may wake it
//! alone, with nothing but its database and the sockets' attachments.

mod acceptance;
mod activities;
mod announcing;
mod approving;
mod calls;
mod connecting;
mod fetching;
mod foresight;
mod hearing;
mod tool_calls;
mod turn_context;
mod turns;

use crate::clock::now;
use crate::fault::{Fault, log};
use crate::object;
use crate::socket::{Socket, Sockets};
use crate::storage::ObjectSql;
use acceptance::Acknowledgements;
use activities::Told;
use flarebot_conversation::{ledger, transcript};
use flarebot_link::route::ConversationRoute;
use flarebot_link::{AgentRequest, CloseReason, ConversationReply, ConversationRequest};
use flarebot_protocol::frame::ClientKind;
use flarebot_protocol::{CloseCode, ConversationId};
use foresight::Foreseen;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use turns::RunningTurn;
use worker::{
    DurableObject, Env, Request, Response, State, WebSocket, WebSocketIncomingMessage, durable_object,
};

/// One conversation, a child object of the agent.
#[durable_object(websocket)]
pub struct Conversation {
    chat: Rc<Chat>,
}

/// What the handlers share with the turns that they leave running.
struct Chat {
    state: State,
    environment: Env,
    sql: ObjectSql,
    /// The conversation that this object is, once it is initialised. Until then it refuses everything else.
    id: Cell<Option<ConversationId>>,
    sockets: Sockets,
    told: Told,
    running: RefCell<Option<RunningTurn>>,
    work: Cell<Work>,
    foreseen: RefCell<Option<Foreseen>>,
    acknowledgements: Acknowledgements,
    closing: Cell<bool>,
}

/// Who looks after the accepted turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    /// Nobody has looked yet: an earlier life of this object may have left some.
    Unknown,
    /// Nothing is left to do.
    AtRest,
    /// A task of this object's is at it.
    UnderWay,
}

impl DurableObject for Conversation {
    fn new(state: State, environment: Env) -> Self {
        let sql = ObjectSql::new(state.storage());
        let id = flarebot_conversation::open(&sql, now()).unwrap_or_else(|error| {
            log("a conversation does not open", &error.into());
            None
        });
        let chat = Chat {
            state,
            environment,
            sql,
            id: Cell::new(id),
            sockets: Sockets::default(),
            told: Told::default(),
            running: RefCell::new(None),
            work: Cell::new(Work::Unknown),
            foreseen: RefCell::new(None),
            acknowledgements: Acknowledgements::default(),
            closing: Cell::new(false),
        };
        Self { chat: Rc::new(chat) }
    }

    async fn fetch(&self, request: Request) -> worker::Result<Response> {
        Ok(self.chat.answer(request).await?)
    }

    async fn websocket_message(
        &self,
        socket: WebSocket,
        message: WebSocketIncomingMessage,
    ) -> worker::Result<()> {
        let Some(socket) = Socket::of(socket) else {
            return Ok(());
        };
        if socket.expired(now()) {
            socket.close(CloseCode::SessionEnded);
            return Ok(());
        }
        if self.chat.id.get().is_none() || self.chat.closing.get() {
            socket.close(CloseCode::ConversationDeleted);
            return Ok(());
        }
        self.chat.take_up_lost_work();
        self.chat.hear(socket, message);
        Ok(())
    }

    async fn websocket_close(
        &self,
        socket: WebSocket,
        code: usize,
        _: String,
        _: bool,
    ) -> worker::Result<()> {
        self.chat.socket_gone(socket, u16::try_from(code).ok()).await;
        Ok(())
    }

    async fn websocket_error(&self, socket: WebSocket, _: worker::Error) -> worker::Result<()> {
        self.chat.socket_gone(socket, None).await;
        Ok(())
    }
}

impl Chat {
    async fn answer(self: &Rc<Self>, mut request: Request) -> Result<Response, Fault> {
        let Some(route) = ConversationRoute::parse(&request.path()) else {
            return Ok(Response::error("no such route", 404)?);
        };
        match route {
            ConversationRoute::Link => {
                let reply = self.serve_link(object::read(&mut request).await?)?;
                object::reply::<ConversationRequest>(&reply)
            }
            ConversationRoute::Socket | ConversationRoute::Messages if self.id.get().is_none() => {
                Ok(Response::error("the conversation is not initialised", 409)?)
            }
            ConversationRoute::Socket => {
                self.take_up_lost_work();
                self.open_socket(&request)
            }
            ConversationRoute::Messages => {
                self.take_up_lost_work();
                Ok(Response::from_json(&transcript::newest(&self.sql)?)?)
            }
        }
    }

    fn serve_link(self: &Rc<Self>, request: ConversationRequest) -> Result<ConversationReply, Fault> {
        match request {
            ConversationRequest::Initialise { id, at } => {
                flarebot_conversation::initialise(&self.sql, id, at)?;
                self.id.set(Some(id));
            }
            ConversationRequest::Wake => self.take_up_lost_work(),
            ConversationRequest::ExpireSockets => {
                let now = now();
                self.sockets
                    .close(&self.state, CloseCode::SessionEnded, |socket| socket.expired(now));
            }
            ConversationRequest::CloseSockets { reason } => {
                if reason == CloseReason::Deleted {
                    self.closing.set(true);
                    self.stop_running();
                }
                self.sockets.close(&self.state, reason.close_code(), |_| true);
            }
        }
        Ok(ConversationReply {
            busy: self.work.get() == Work::UnderWay,
            connections: self
                .sockets
                .all(&self.state)
                .iter()
                .map(|socket| socket.attachment.grant.connection.clone())
                .collect(),
        })
    }

    async fn socket_gone(&self, socket: WebSocket, code: Option<u16>) {
        // An unanswered close reaches the other end as an abnormal one.
        let _ = socket.close(code.filter(|code| *code != 1005 && *code != 1006), None::<&str>);
        self.sockets.forget();
        let (Some(conversation), Some(socket)) = (self.id.get(), Socket::of(socket)) else {
            return;
        };
        if self.closing.get() {
            return;
        }
        let closed = AgentRequest::SocketClosed {
            conversation,
            connection: socket.attachment.grant.connection,
        };
        if let Err(fault) = object::ask_agent(&self.environment, &closed).await {
            log("a closed socket's lease stays until its session ends", &fault);
        }
    }

    /// Whether a page of ours is open on this conversation.
    fn seen(&self) -> bool {
        self.sockets
            .all(&self.state)
            .iter()
            .any(|socket| socket.client() == ClientKind::Flarebot)
    }

    /// Goes on with what an earlier life of this object left running, and with what waits.
    fn take_up_lost_work(self: &Rc<Self>) {
        if self.work.get() != Work::Unknown || self.id.get().is_none() {
            return;
        }
        let left = self
            .take_over_lost_turn()
            .and_then(|taken_over| Ok(!taken_over && ledger::has_work(&self.sql)?));
        match left {
            Ok(true) => self.begin_work(),
            Ok(false) if self.work.get() == Work::Unknown => self.work.set(Work::AtRest),
            Ok(false) => {}
            Err(fault) => log("lost work could not be taken up", &fault),
        }
    }
}
