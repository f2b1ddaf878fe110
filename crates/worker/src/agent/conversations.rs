//! The life of a conversation: pending, active, deleting, gone. The registry's row comes first at every step, so that
//! whatever is interrupted is finished later and nothing that was deleted comes back.

use super::{Agent, alarm};
use crate::clock::now;
use crate::fault::{Fault, log};
use crate::object;
use flarebot_agent::registry::{self, Deletion, RegistryError};
use flarebot_agent::{ConversationName, activity};
use flarebot_durable::lease;
use flarebot_link::route::ConversationRoute;
use flarebot_link::{CloseReason, ConversationRequest, GRANT_HEADER, SocketGrant};
use flarebot_protocol::call::{CallFailure, FailureCode};
use flarebot_protocol::conversation::ConversationSummary;
use flarebot_protocol::frame::ClientKind;
use flarebot_protocol::{CloseCode, ConversationId};
use futures_util::FutureExt as _;
use futures_util::future::{LocalBoxFuture, Shared};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use worker::{Request, Response, WebSocketPair};

/// One teardown, for as many as wait for it; its failure is text because all of them get it.
type Teardown = Shared<LocalBoxFuture<'static, Result<(), String>>>;

/// The teardowns under way, so that whoever deletes the same conversation waits for the same one.
#[derive(Default)]
pub(super) struct Teardowns {
    under_way: RefCell<HashMap<ConversationId, Teardown>>,
}

impl Agent {
    /// Finishes what an earlier life of this object left half done. Runs once, behind the first handler.
    pub(super) fn take_up_interrupted_work(self: &Rc<Self>) {
        if self.interrupted_work_taken_up.replace(true) {
            return;
        }
        self.forget_lost_sockets();
        match registry::unfinished(&self.sql) {
            Ok(unfinished) => {
                for id in unfinished {
                    let agent = Rc::clone(self);
                    wasm_bindgen_futures::spawn_local(async move {
                        if let Err(fault) = agent.delete(id).await {
                            log(
                                "a conversation could not be cleaned up and is tried again",
                                &fault,
                            );
                        }
                    });
                }
            }
            Err(error) => log("the registry could not be read", &error.into()),
        }
    }

    /// Creates a conversation. It is active, and acknowledged, only once its own storage exists.
    pub(super) async fn create(
        self: &Rc<Self>,
        id: ConversationId,
        name: &ConversationName,
    ) -> Result<ConversationSummary, Fault> {
        let at = now();
        registry::begin_create(&self.sql, id, name, at)?;
        lease::put(
            &self.sql,
            &alarm::conversation_lease(id, alarm::TEARDOWN, at.saturating_add(alarm::CREATION_LEASE)),
        )?;
        self.rearm().await?;
        let initialised =
            object::ask_conversation(&self.state, id, &ConversationRequest::Initialise { id, at }).await;
        let activated = initialised.and_then(|_| match registry::activate(&self.sql, id) {
            Ok(summary) => Ok(summary),
            Err(RegistryError::NotFound) => Err(Fault::internal("deleted while it was created")),
            Err(RegistryError::Sql(error)) => Err(error.into()),
        });
        let summary = match activated {
            Ok(summary) => summary,
            Err(fault) => {
                log("a conversation could not be created", &fault);
                self.delete(id).await?;
                let sentence = "The conversation could not be created. Try again.";
                return Err(CallFailure::new(FailureCode::Internal, sentence).into());
            }
        };
        lease::remove(&self.sql, &id.to_string(), alarm::TEARDOWN, "")?;
        self.rearm().await?;
        self.announce_conversations()?;
        Ok(summary)
    }

    /// Deletes a conversation: inaccessible at once, gone when this returns.
    pub(super) async fn delete(self: &Rc<Self>, id: ConversationId) -> Result<(), Fault> {
        match registry::begin_delete(&self.sql, id)? {
            Deletion::Absent => return Ok(()),
            Deletion::Started => {
                let retry_at = now().saturating_add(alarm::TEARDOWN_LEASE);
                lease::put(
                    &self.sql,
                    &alarm::conversation_lease(id, alarm::TEARDOWN, retry_at),
                )?;
                self.rearm().await?;
                self.announce_conversations()?;
            }
            Deletion::InProgress => {}
        }
        self.tear_down(id).await
    }

    /// Tears a deleted conversation down, or joins the teardown that is under way.
    async fn tear_down(self: &Rc<Self>, id: ConversationId) -> Result<(), Fault> {
        let teardown = self
            .teardowns
            .under_way
            .borrow_mut()
            .entry(id)
            .or_insert_with(|| {
                let agent = Rc::clone(self);
                async move { agent.erase(id).await.map_err(|fault| fault.to_string()) }
                    .boxed_local()
                    .shared()
            })
            .clone();
        let result = teardown.await;
        self.teardowns.under_way.borrow_mut().remove(&id);
        result.map_err(Fault::internal)
    }

    async fn erase(&self, id: ConversationId) -> Result<(), Fault> {
        // The sockets go first, with a code that says why; erasing the object would cut them without a word.
        let farewell = ConversationRequest::CloseSockets {
            reason: CloseReason::Deleted,
        };
        if let Err(fault) = object::ask_conversation(&self.state, id, &farewell).await {
            log("a deleted conversation could not close its sockets", &fault);
        }
        object::erase_conversation(&self.state, id)?;
        registry::finish_delete(&self.sql, id)?;
        self.rearm().await
    }

    /// Opens a socket at a conversation. One that does not exist is told so in a way that ends reconnecting: a refused
    /// handshake would look like a fault of the network.
    pub(super) async fn open_conversation_socket(
        self: &Rc<Self>,
        id: ConversationId,
        request: Request,
    ) -> Result<Response, Fault> {
        if !self.is_active(id)? {
            let pair = WebSocketPair::new()?;
            pair.server.accept()?;
            let code = CloseCode::ConversationDeleted;
            pair.server.close(Some(code.code()), Some(code.reason()))?;
            return Ok(Response::from_websocket(pair.client)?);
        }
        let header = request.headers().get(GRANT_HEADER)?;
        let grant = SocketGrant::from_header(header.as_deref())
            .map_err(|error| Fault::internal(error.to_string()))?;
        self.lease_socket(&id.to_string(), &grant).await?;
        if grant.client == ClientKind::Flarebot {
            self.announce_activity(activity::mark_read(&self.sql, id)?);
        }
        let mut init = worker::RequestInit::new();
        init.with_headers(request.headers().clone());
        let forwarded = Request::new_with_init(&ConversationRoute::Socket.url(), &init)?;
        // The registry may have changed while the alarm was set.
        if !self.is_active(id)? {
            return Err(Fault::internal(
                "the conversation was deleted while a socket opened",
            ));
        }
        Ok(object::conversation(&self.state, id)?
            .fetch_request(forwarded)
            .await?)
    }

    /// A conversation's transcript over HTTP.
    pub(super) async fn conversation_messages(&self, id: ConversationId) -> Result<Response, Fault> {
        if !self.is_active(id)? {
            return Ok(Response::from_json(
                &serde_json::json!({ "error": "This conversation does not exist." }),
            )?
            .with_status(404));
        }
        let child = object::conversation(&self.state, id)?;
        Ok(child.fetch(ConversationRoute::Messages.url(), None).await?)
    }
}
