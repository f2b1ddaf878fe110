//! The Worker's entry: it authenticates, routes and holds no state. A request that goes further is never the caller's
//! own: it is built anew from the decision, so that no internal route can be reached from outside.

use crate::clock::{now, random_uuid};
use crate::configuration::Deployment;
use crate::fault::{Fault, log};
use crate::{object, page};
use flarebot_link::route::AgentRoute;
use flarebot_link::{AgentReply, AgentRequest, ConsumeAssertion, GRANT_HEADER, SocketGrant};
use flarebot_protocol::ConnectionId;
use flarebot_protocol::frame::ClientKind;
use flarebot_session::assertion::{self, AssertionRefusal};
use flarebot_session::cookie::{self, OwnerSession};
use flarebot_session::headers::private_headers;
use flarebot_session::ingress::{Decision, RequestHead, Upgrade, decide};
use worker::{Context, Env, Headers, Method, Request, RequestInit, Response, ResponseBuilder, event};

#[event(fetch)]
async fn fetch(request: Request, environment: Env, _context: Context) -> worker::Result<Response> {
    let deployment = match Deployment::of(&environment) {
        Ok(deployment) => deployment,
        Err(error) => {
            worker::console_error!("the installation is not configured: {error}");
            return Ok(problem(500, &format!("Flarebot is not configured: {error}"))?);
        }
    };
    match answer(request, &environment, &deployment).await {
        Ok(response) => Ok(response),
        Err(fault) => {
            log("a request failed", &fault);
            Ok(problem(500, "Something went wrong on the server. Try again.")?)
        }
    }
}

async fn answer(request: Request, environment: &Env, deployment: &Deployment) -> Result<Response, Fault> {
    let configuration = &deployment.session;
    let url = request.url()?;
    let headers = request.headers();
    let (origin, cookie) = (headers.get("origin")?, headers.get("cookie")?);
    let upgrade = headers.get("upgrade")?;
    let method = request.method();
    let address_origin = url.origin().ascii_serialization();
    let decision = decide(
        configuration,
        &RequestHead {
            method: method.as_ref(),
            path: url.path(),
            query: url.query(),
            address_origin: &address_origin,
            origin: origin.as_deref(),
            cookie: cookie.as_deref(),
            upgrade: Upgrade::from_header(upgrade.as_deref()),
        },
        now(),
    );
    match decision {
        Decision::Shell(page) => page::shell(page),
        Decision::Asset => Ok(environment.assets("ASSETS")?.fetch_request(request).await?),
        Decision::SignIn => sign_in(request, environment, deployment).await,
        Decision::SignOut { .. } => {
            object::ask_agent(environment, &AgentRequest::EndSessions).await?;
            Ok(private(204)?.with_header("set-cookie", &cookie::clear())?.empty())
        }
        Decision::Session { session } => {
            Ok(private(200)?.from_json(&serde_json::json!({ "expiresAt": session.expires_at }))?)
        }
        Decision::AgentSocket { session, client } => {
            connect(environment, &request, AgentRoute::Socket, session, client).await
        }
        Decision::ConversationSocket { id, session, client } => {
            connect(
                environment,
                &request,
                AgentRoute::ConversationSocket(id),
                session,
                client,
            )
            .await
        }
        Decision::AgentStatus { .. } => forward(environment, AgentRoute::Status).await,
        Decision::ConversationMessages { id, .. } => {
            forward(environment, AgentRoute::ConversationMessages(id)).await
        }
        Decision::NotFound => problem(404, "There is nothing at this address."),
        Decision::Refuse(refusal) => {
            let mut response = problem(refusal.status(), refusal.sentence())?;
            if let Some((name, value)) = refusal.header() {
                response.headers_mut().set(name, value)?;
            }
            Ok(response)
        }
    }
}

/// Turns a sign-in assertion into a session. Its signature is checked before the agent hears of it.
async fn sign_in(
    mut request: Request,
    environment: &Env,
    deployment: &Deployment,
) -> Result<Response, Fault> {
    let declared = request
        .headers()
        .get("content-length")?
        .and_then(|length| length.parse::<usize>().ok());
    if declared.is_none_or(|length| length > assertion::MAXIMUM_BODY_BYTES) {
        return problem(413, AssertionRefusal::Forged.sentence());
    }
    let body = request.bytes().await?;
    let verified = match assertion::verify_body(&deployment.session, &body, now()) {
        Ok(verified) => verified,
        Err(refusal) => return problem(403, refusal.sentence()),
    };
    let consume = ConsumeAssertion {
        id: verified.id.to_string(),
        expires_at: verified.expires_at,
    };
    match object::ask_agent(environment, &AgentRequest::ConsumeAssertion(consume)).await? {
        AgentReply::AssertionUsed => problem(403, AssertionRefusal::Used.sentence()),
        AgentReply::ToolAnswer { .. } | AgentReply::TurnSettings(_) | AgentReply::Refused { .. } => {
            Err(Fault::internal("the agent answered another question"))
        }
        AgentReply::Done => {
            let issued = cookie::issue(&deployment.session, now());
            Ok(private(204)?
                .with_header("set-cookie", &issued.set_cookie)?
                .empty())
        }
    }
}

/// Opens a socket at the agent or, through it, at a conversation. Of the caller's headers only the handshake's own
/// go along.
async fn connect(
    environment: &Env,
    request: &Request,
    route: AgentRoute,
    session: OwnerSession,
    client: ClientKind,
) -> Result<Response, Fault> {
    let connection = ConnectionId::from_uuid(random_uuid()?);
    let grant = SocketGrant {
        connection,
        expires_at: session.expires_at,
        client,
    };
    let headers = Headers::new();
    headers.set("upgrade", "websocket")?;
    headers.set(GRANT_HEADER, &grant.to_header())?;
    for name in [
        "connection",
        "sec-websocket-key",
        "sec-websocket-version",
        "sec-websocket-extensions",
    ] {
        if let Some(value) = request.headers().get(name)? {
            headers.set(name, &value)?;
        }
    }
    let mut init = RequestInit::new();
    init.with_method(Method::Get).with_headers(headers);
    let rebuilt = Request::new_with_init(&route.url(), &init)?;
    Ok(object::agent(environment)?.fetch_with_request(rebuilt).await?)
}

async fn forward(environment: &Env, route: AgentRoute) -> Result<Response, Fault> {
    let response = object::agent(environment)?.fetch_with_str(&route.url()).await?;
    let status = response.status_code();
    let mut response = response.with_headers(Headers::new()).with_status(status);
    response.headers_mut().set("content-type", "application/json")?;
    no_store(response)
}

fn private(status: u16) -> Result<ResponseBuilder, Fault> {
    let mut builder = ResponseBuilder::new().with_status(status);
    for (name, value) in private_headers() {
        builder = builder.with_header(name, value)?;
    }
    Ok(builder)
}

fn problem(status: u16, sentence: &str) -> Result<Response, Fault> {
    Ok(private(status)?.from_json(&serde_json::json!({ "error": sentence }))?)
}

fn no_store(mut response: Response) -> Result<Response, Fault> {
    for (name, value) in private_headers() {
        response.headers_mut().set(name, value)?;
    }
    Ok(response)
}
