//! How objects talk: by `fetch` with a typed body, through this one client. (Rust classes cannot serve the platform's
//! own remote calls.)

use crate::fault::Fault;
use flarebot_link::route::{AgentRoute, ConversationRoute};
use flarebot_link::{AgentReply, AgentRequest, ConversationReply, ConversationRequest, Exchange};
use flarebot_protocol::ConversationId;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;
use worker::{Env, Fetcher, Method, Request, RequestInit, Response, State, Stub};

/// The name of the one agent.
const AGENT_NAME: &str = "personal";
/// The binding of the agent's class.
const AGENT_BINDING: &str = "PERSONAL_AGENT";
/// The exported class of a conversation.
const CONVERSATION_CLASS: &str = "Conversation";

/// The one agent of this installation.
pub(crate) fn agent(environment: &Env) -> Result<Stub, Fault> {
    Ok(environment
        .durable_object(AGENT_BINDING)?
        .get_by_name(AGENT_NAME)?)
}

/// Asks the agent.
pub(crate) async fn ask_agent(environment: &Env, request: &AgentRequest) -> Result<AgentReply, Fault> {
    let message = message(&AgentRoute::Link.url(), request)?;
    read_reply::<AgentRequest>(agent(environment)?.fetch_with_request(message).await?).await
}

/// A conversation's object. The caller has asked the registry: an unknown name would make an empty object.
pub(crate) fn conversation(state: &State, id: ConversationId) -> Result<Fetcher, Fault> {
    crate::sys::facet(state, CONVERSATION_CLASS, &id.to_string()).map_err(Fault::from_js)
}

/// Ends a conversation's object and erases its storage.
pub(crate) fn erase_conversation(state: &State, id: ConversationId) -> Result<(), Fault> {
    crate::sys::delete_facet(state, &id.to_string()).map_err(Fault::from_js)
}

/// Asks a conversation.
pub(crate) async fn ask_conversation(
    state: &State,
    id: ConversationId,
    request: &ConversationRequest,
) -> Result<ConversationReply, Fault> {
    let message = message(&ConversationRoute::Link.url(), request)?;
    read_reply::<ConversationRequest>(conversation(state, id)?.fetch_request(message).await?).await
}

/// Reads the typed body of a request between objects.
pub(crate) async fn read<T: DeserializeOwned>(request: &mut Request) -> Result<T, Fault> {
    let text = request.text().await?;
    serde_json::from_str(&text)
        .map_err(|error| Fault::internal(format!("an unreadable internal request: {error}")))
}

/// Answers a request between objects.
pub(crate) fn reply<E: Exchange>(reply: &E::Reply) -> Result<Response, Fault> {
    Ok(Response::from_json(reply)?)
}

fn message<E: Exchange>(url: &str, exchange: &E) -> Result<Request, Fault> {
    let body = serde_json::to_string(exchange).map_err(|error| Fault::internal(error.to_string()))?;
    let mut init = RequestInit::new();
    init.with_method(Method::Post)
        .with_body(Some(JsValue::from_str(&body)));
    Ok(Request::new_with_init(url, &init)?)
}

async fn read_reply<E: Exchange>(mut response: Response) -> Result<E::Reply, Fault> {
    let status = response.status_code();
    let text = response.text().await?;
    if status != 200 {
        return Err(Fault::internal(format!("an object answered {status}")));
    }
    serde_json::from_str(&text)
        .map_err(|error| Fault::internal(format!("an unreadable internal answer: {error}")))
}
