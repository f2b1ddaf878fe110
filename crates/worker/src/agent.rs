//! The agent's object: the registry of conversations, the public state, and the one alarm of the whole installation.

mod alarm;
mod conversations;
mod lost_sockets;
mod memories;
mod service;
mod settings;
mod tool_questions;
mod watching;

use crate::clock::now;
use crate::configuration::Deployment;
use crate::fault::{Fault, log};
use crate::object;
use crate::socket::{Socket, Sockets};
use crate::storage::ObjectSql;
use alarm::AlarmClock;
use conversations::Teardowns;
use flarebot_agent::assertions::{self, Consumption};
use flarebot_agent::registry::{self, State as Life};
use flarebot_agent::{Identity, Runtime, activity, time};
use flarebot_durable::lease;
use flarebot_link::route::AgentRoute;
use flarebot_link::{AgentReply, AgentRequest, CloseReason, ConversationRequest, SocketGrant};
use flarebot_protocol::call::{AgentCall, AgentService as _};
use flarebot_protocol::conversation::{ConversationActivity, PublicState};
use flarebot_protocol::frame::{
    AgentKind, ClientFrame, ClientKind, FrameFault, RpcReply, ServerFrame, SharedState,
};
use flarebot_protocol::{CloseCode, ConversationId};
use service::Service;
use std::cell::Cell;
use std::rc::Rc;
use worker::{
    DurableObject, Env, Request, Response, State, WebSocket, WebSocketIncomingMessage, durable_object,
};

/// The name under which the agent's own leases stand.
const OWN_LEASES: &str = "agent";

/// The one object of an installation that owns everything else.
#[durable_object]
pub struct PersonalAgent {
    agent: Rc<Agent>,
}

/// What the handlers share with the work that they leave behind.
struct Agent {
    state: State,
    environment: Env,
    sql: ObjectSql,
    opened: Result<Opened, String>,
    sockets: Sockets,
    alarm_clock: AlarmClock,
    teardowns: Teardowns,
    interrupted_work_taken_up: Cell<bool>,
}

struct Opened {
    runtime: Runtime,
    deployment: Rc<Deployment>,
}

impl DurableObject for PersonalAgent {
    fn new(state: State, environment: Env) -> Self {
        let sql = ObjectSql::new(state.storage());
        let opened = open(&sql, &environment);
        if let Err(reason) = &opened {
            worker::console_error!("the agent does not start: {reason}");
        }
        let agent = Agent {
            state,
            environment,
            sql,
            opened,
            sockets: Sockets::default(),
            alarm_clock: AlarmClock::default(),
            teardowns: Teardowns::default(),
            interrupted_work_taken_up: Cell::new(false),
        };
        Self {
            agent: Rc::new(agent),
        }
    }

    async fn fetch(&self, request: Request) -> worker::Result<Response> {
        if let Err(reason) = &self.agent.opened {
            return Response::error(reason.clone(), 503);
        }
        self.agent.take_up_interrupted_work();
        Ok(self.agent.answer(request).await?)
    }

    async fn alarm(&self) -> worker::Result<Response> {
        if self.agent.opened.is_ok() {
            self.agent.take_up_interrupted_work();
            self.agent.ring().await?;
        }
        Response::empty()
    }

    async fn websocket_message(
        &self,
        socket: WebSocket,
        message: WebSocketIncomingMessage,
    ) -> worker::Result<()> {
        if let Some(socket) = Socket::of(socket) {
            self.agent.take_up_interrupted_work();
            self.agent.hear(&socket, message).await;
        }
        Ok(())
    }

    async fn websocket_close(
        &self,
        socket: WebSocket,
        code: usize,
        _: String,
        _: bool,
    ) -> worker::Result<()> {
        self.agent.socket_gone(socket, u16::try_from(code).ok()).await;
        Ok(())
    }

    async fn websocket_error(&self, socket: WebSocket, _: worker::Error) -> worker::Result<()> {
        self.agent.socket_gone(socket, None).await;
        Ok(())
    }

    async fn connect(&self, _: worker::Socket) -> worker::Result<()> {
        Err(worker::Error::RustError(
            "this object takes no connections".to_owned(),
        ))
    }
}

fn open(sql: &ObjectSql, environment: &Env) -> Result<Opened, String> {
    let deployment = Deployment::of(environment).map_err(|error| error.to_string())?;
    let identity = Identity {
        installation_id: deployment.session.installation_id(),
        owner_subject: deployment.session.owner_subject(),
    };
    let runtime = flarebot_agent::open(sql, &identity, now()).map_err(|error| error.to_string())?;
    flarebot_memory::open(sql, now()).map_err(|error| error.to_string())?;
    Ok(Opened { runtime, deployment })
}

impl Agent {
    async fn answer(self: &Rc<Self>, mut request: Request) -> Result<Response, Fault> {
        let Some(route) = AgentRoute::parse(&request.path()) else {
            return Ok(Response::error("no such route", 404)?);
        };
        match route {
            AgentRoute::Socket => self.open_socket(&request).await,
            AgentRoute::Status => Ok(Response::from_json(&self.status()?)?),
            AgentRoute::ConversationSocket(id) => self.open_conversation_socket(id, request).await,
            AgentRoute::ConversationMessages(id) => self.conversation_messages(id).await,
            AgentRoute::Link => {
                let asked = object::read(&mut request).await?;
                object::reply::<AgentRequest>(&self.serve_link(asked).await?)
            }
        }
    }

    async fn open_socket(&self, request: &Request) -> Result<Response, Fault> {
        let (socket, response) = self.sockets.accept(&self.state, request, None)?;
        self.lease_socket(OWN_LEASES, &socket.attachment.grant).await?;
        socket.send(&ServerFrame::Identity {
            name: "personal".to_owned(),
            agent: AgentKind::PersonalAgent,
            state_follows: true,
        });
        socket.send(&ServerFrame::State {
            state: SharedState::Agent(self.public_state()?),
        });
        if socket.client() == ClientKind::Flarebot {
            socket.send(&self.conversations_frame()?);
        }
        Ok(response)
    }

    /// A socket must not outlive its session, hibernating or not: its expiry is a lease on the alarm.
    async fn lease_socket(&self, owner: &str, grant: &SocketGrant) -> Result<(), Fault> {
        let lease = alarm::socket_lease(owner, grant.connection.as_str(), grant.expires_at);
        lease::put(&self.sql, &lease)?;
        self.rearm().await
    }

    async fn serve_link(self: &Rc<Self>, request: AgentRequest) -> Result<AgentReply, Fault> {
        match request {
            AgentRequest::ConsumeAssertion(assertion) => {
                match assertions::consume(&self.sql, &assertion.id, assertion.expires_at, now())? {
                    Consumption::First => {}
                    Consumption::Used => return Ok(AgentReply::AssertionUsed),
                }
            }
            AgentRequest::EndSessions => self.end_sessions().await?,
            AgentRequest::BeginTurn(turn) => {
                self.turn_begins(turn.conversation, turn.at).await?;
                let settings = self.turn_settings(turn.conversation, &turn.query)?;
                return Ok(AgentReply::TurnSettings(settings));
            }
            AgentRequest::TurnsEnded(report) => {
                self.turns_ended(report.conversation, report.at, report.seen)
                    .await?;
            }
            AgentRequest::ToolQuestion(asked) => return self.answer_tool(&asked),
            AgentRequest::SocketClosed {
                conversation,
                connection,
            } => {
                lease::remove(
                    &self.sql,
                    &conversation.to_string(),
                    alarm::SOCKET,
                    connection.as_str(),
                )?;
                self.rearm().await?;
            }
        }
        Ok(AgentReply::Done)
    }

    /// Closes every socket of the owner, those that hibernate in conversations too. Answers go on.
    async fn end_sessions(self: &Rc<Self>) -> Result<(), Fault> {
        self.sockets.close(&self.state, CloseCode::SessionEnded, |_| true);
        lease::remove_kind(&self.sql, OWN_LEASES, alarm::SOCKET)?;
        for owner in lease::owners(&self.sql, alarm::SOCKET)? {
            let Some(id) = self.active_conversation(&owner)? else {
                continue;
            };
            let request = ConversationRequest::CloseSockets {
                reason: CloseReason::SignedOut,
            };
            object::ask_conversation(&self.state, id, &request).await?;
            lease::remove_kind(&self.sql, &owner, alarm::SOCKET)?;
        }
        self.rearm().await
    }

    /// The conversation behind a lease's owner, if the registry knows it as active.
    fn active_conversation(&self, owner: &str) -> Result<Option<ConversationId>, Fault> {
        let Ok(id) = owner.parse() else { return Ok(None) };
        Ok(self.is_active(id)?.then_some(id))
    }

    /// Whether the registry knows the conversation as active: asked before every way to it.
    fn is_active(&self, id: ConversationId) -> Result<bool, Fault> {
        Ok(registry::state(&self.sql, id)? == Some(Life::Active))
    }

    async fn hear(self: &Rc<Self>, socket: &Socket, message: WebSocketIncomingMessage) {
        if socket.expired(now()) {
            socket.close(CloseCode::SessionEnded);
            return;
        }
        if let Err(reason) = &self.opened {
            worker::console_error!("a frame came to an agent that does not start: {reason}");
            socket.close(CloseCode::Policy);
            return;
        }
        let frame = match message {
            WebSocketIncomingMessage::String(text) => ClientFrame::parse(&text),
            WebSocketIncomingMessage::Binary(_) => Err(FrameFault::binary()),
        };
        match frame {
            Ok(ClientFrame::Rpc {
                id,
                method,
                arguments,
            }) => {
                let result = match AgentCall::parse(&method, arguments) {
                    Ok(call) => Service(Rc::clone(self)).serve(call).await,
                    Err(failure) => Err(failure),
                };
                let reply = match result {
                    Ok(result) => RpcReply::succeeded(id.to_string(), result),
                    Err(failure) => RpcReply::failed(id.to_string(), failure),
                };
                socket.send(&ServerFrame::Rpc(reply));
            }
            Ok(ClientFrame::State) => {
                socket.send(&ServerFrame::StateError {
                    error: "State update rejected".to_owned(),
                });
            }
            Ok(other) => socket.send(&FrameFault::not_served(&other).answer(socket.client())),
            Err(fault) => socket.send(&fault.answer(socket.client())),
        }
    }

    async fn socket_gone(&self, socket: WebSocket, code: Option<u16>) {
        // An unanswered close reaches the other end as an abnormal one.
        let _ = socket.close(code.filter(|code| *code != 1005 && *code != 1006), None::<&str>);
        self.sockets.forget();
        let Some(socket) = Socket::of(socket) else { return };
        let connection = socket.attachment.grant.connection;
        let removed = lease::remove(&self.sql, OWN_LEASES, alarm::SOCKET, connection.as_str());
        if let Err(fault) = removed.map_err(Fault::from) {
            log("a closed socket's lease stays", &fault);
        }
        if let Err(fault) = self.rearm().await {
            log("the alarm could not be set", &fault);
        }
    }

    fn opened(&self) -> Result<&Opened, Fault> {
        self.opened
            .as_ref()
            .map_err(|reason| Fault::internal(reason.clone()))
    }

    fn public_state(&self) -> Result<PublicState, Fault> {
        let runtime = &self.opened()?.runtime;
        Ok(PublicState {
            schema_version: runtime.schema_version,
            created_at: time::iso8601(runtime.created_at),
        })
    }

    fn conversations_frame(&self) -> Result<ServerFrame, Fault> {
        Ok(ServerFrame::Conversations {
            conversations: registry::list(&self.sql)?,
            activity: activity::activities(&self.sql)?,
        })
    }

    /// Tells our own pages that the list changed.
    fn announce_conversations(&self) -> Result<(), Fault> {
        let frame = self.conversations_frame()?;
        self.sockets.send_to_pages(&self.state, &frame);
        Ok(())
    }

    /// Tells our own pages what has changed about a conversation.
    fn announce_activity(&self, activity: Option<ConversationActivity>) {
        if let Some(activity) = activity {
            let frame = ServerFrame::Activity { activity };
            self.sockets.send_to_pages(&self.state, &frame);
        }
    }
}
