//! The allow-list: what a request may reach, decided from its head alone.
//!
//! Everything below `/agents/` and `/api/` is private. There the checks run in one order, and the first that fails is
//! the answer: session (401), address (421), origin (403), path (404), method (405), upgrade (426 or 400). So a caller
//! without a session learns nothing, not even which paths exist. Paths are compared as they were sent: an encoded,
//! doubled or dotted spelling of a known path is an unknown path.

use crate::Configuration;
use crate::cookie::{self, OwnerSession, SessionRefusal};
use flarebot_protocol::ConversationId;
use flarebot_protocol::address::{self, Endpoint, Page};
use flarebot_protocol::frame::ClientKind;
use std::fmt;
use url::form_urlencoded;

const PRIVATE_PREFIXES: [&str; 2] = ["/agents/", "/api/"];

/// Whether a request asks to become a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upgrade {
    /// An ordinary request.
    None,
    /// A WebSocket handshake.
    WebSocket,
}

impl Upgrade {
    /// Reads the `Upgrade` header. A list that names `websocket` anywhere counts, so that no spelling of a handshake
    /// escapes the checks of one.
    #[must_use]
    pub fn from_header(value: Option<&str>) -> Self {
        let names_socket = |value: &str| {
            value
                .split(',')
                .any(|protocol| protocol.trim().eq_ignore_ascii_case("websocket"))
        };
        if value.is_some_and(names_socket) {
            Self::WebSocket
        } else {
            Self::None
        }
    }
}

/// What the decision looks at. Its `Debug` does not show the cookies.
#[derive(Clone, Copy)]
pub struct RequestHead<'a> {
    /// The method, in capitals.
    pub method: &'a str,
    /// The path of the address, as it was sent.
    pub path: &'a str,
    /// The query of the address, without its question mark.
    pub query: Option<&'a str>,
    /// The origin of the request's own address.
    pub address_origin: &'a str,
    /// The `Origin` header.
    pub origin: Option<&'a str>,
    /// The `Cookie` header.
    pub cookie: Option<&'a str>,
    /// Whether it asks to become a socket.
    pub upgrade: Upgrade,
}

impl fmt::Debug for RequestHead<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RequestHead")
            .field("method", &self.method)
            .field("path", &self.path)
            .field("query", &self.query)
            .field("address_origin", &self.address_origin)
            .field("origin", &self.origin)
            .field("upgrade", &self.upgrade)
            .finish_non_exhaustive()
    }
}

/// What is to be done with a request. Only variants that carry a session lead to an object, and
/// [`Decision::SignIn`] once the assertion in its body is verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Answer with the content-free shell of a page; no session was looked at.
    Shell(Page),
    /// Answer with a static file.
    Asset,
    /// Read the body (at most [`crate::assertion::MAXIMUM_BODY_BYTES`]), verify its assertion, then let the agent
    /// consume it.
    SignIn,
    /// Clear the cookie and close the owner's sockets.
    SignOut {
        /// The session that ends.
        session: OwnerSession,
    },
    /// Say that the owner is signed in.
    Session {
        /// The session that was asked about.
        session: OwnerSession,
    },
    /// Connect to the agent.
    AgentSocket {
        /// The session that bounds the socket's life.
        session: OwnerSession,
        /// What the client asked for.
        client: ClientKind,
    },
    /// Answer with the agent's status.
    AgentStatus {
        /// The session that was asked with.
        session: OwnerSession,
    },
    /// Connect to a conversation, if the registry knows it.
    ConversationSocket {
        /// The conversation.
        id: ConversationId,
        /// The session that bounds the socket's life.
        session: OwnerSession,
        /// What the client asked for.
        client: ClientKind,
    },
    /// Answer with a conversation's transcript, if the registry knows it.
    ConversationMessages {
        /// The conversation.
        id: ConversationId,
        /// The session that was asked with.
        session: OwnerSession,
    },
    /// No such public path: 404.
    NotFound,
    /// Answer with a refusal.
    Refuse(Refusal),
}

/// Why a request goes no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// 401: a private path without a valid session, whatever the path.
    #[error("not signed in: {0}")]
    SignedOut(#[from] SessionRefusal),
    /// 421: the request was sent to an address that is not the configured one.
    #[error("not the configured address")]
    OtherAddress,
    /// 403: a foreign `Origin`, or none where one is required.
    #[error("not the configured origin")]
    OtherOrigin,
    /// 404: an unknown private path.
    #[error("no such path")]
    UnknownPath,
    /// 405: a known path with another method.
    #[error("method not allowed")]
    Method {
        /// The value of the `Allow` header.
        allowed: &'static str,
    },
    /// 426: a socket's path without a handshake.
    #[error("a socket handshake is required")]
    UpgradeRequired,
    /// 400: a handshake where there is no socket.
    #[error("there is no socket here")]
    UnexpectedUpgrade,
}

impl Refusal {
    /// The HTTP status.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::SignedOut(_) => 401,
            Self::OtherAddress => 421,
            Self::OtherOrigin => 403,
            Self::UnknownPath => 404,
            Self::Method { .. } => 405,
            Self::UpgradeRequired => 426,
            Self::UnexpectedUpgrade => 400,
        }
    }

    /// The header that HTTP asks for beside the status, if it does.
    #[must_use]
    pub const fn header(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Method { allowed } => Some(("Allow", allowed)),
            Self::UpgradeRequired => Some(("Upgrade", "websocket")),
            Self::SignedOut(_)
            | Self::OtherAddress
            | Self::OtherOrigin
            | Self::UnknownPath
            | Self::UnexpectedUpgrade => None,
        }
    }

    /// What the caller reads. It is the same for every reason to be signed out.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::SignedOut(_) => "You are signed out. Run `cargo xtask sign-in` to get a sign-in link.",
            Self::OtherAddress => {
                "This is not the address of this installation. Open the one that FLAREBOT_RUNTIME_ORIGIN names."
            }
            Self::OtherOrigin => "This request did not come from this installation's own pages.",
            Self::UnknownPath => "There is nothing at this address.",
            Self::Method { .. } => "This address does not take this method.",
            Self::UpgradeRequired => "This address is a socket. Connect to it with a WebSocket.",
            Self::UnexpectedUpgrade => "This address is not a socket. Ask it with an ordinary request.",
        }
    }
}

/// Decides what a request may reach.
#[must_use]
pub fn decide(configuration: &Configuration, head: &RequestHead<'_>, now: i64) -> Decision {
    let private = PRIVATE_PREFIXES
        .iter()
        .any(|prefix| head.path.starts_with(prefix));
    let decision = if private {
        decide_private(configuration, head, now)
    } else {
        decide_public(configuration, head)
    };
    decision.unwrap_or_else(Decision::Refuse)
}

fn decide_private(
    configuration: &Configuration,
    head: &RequestHead<'_>,
    now: i64,
) -> Result<Decision, Refusal> {
    let session = cookie::verify(configuration, head.cookie, now)?;
    require_own_address(configuration, head)?;
    if head.origin.is_some() || head.upgrade == Upgrade::WebSocket || !only_reads(head) {
        require_own_origin(configuration, head)?;
    }
    let endpoint = Endpoint::parse(head.path).ok_or(Refusal::UnknownPath)?;
    let (method, upgrade) = match endpoint {
        Endpoint::Agent | Endpoint::Conversation(_) => ("GET", Upgrade::WebSocket),
        Endpoint::AgentStatus | Endpoint::ConversationMessages(_) | Endpoint::Session => {
            ("GET", Upgrade::None)
        }
        Endpoint::SignOut => ("POST", Upgrade::None),
    };
    if head.method != method {
        return Err(Refusal::Method { allowed: method });
    }
    require_upgrade(head, upgrade)?;
    let client = client_kind(head.query);
    Ok(match endpoint {
        Endpoint::Agent => Decision::AgentSocket { session, client },
        Endpoint::AgentStatus => Decision::AgentStatus { session },
        Endpoint::Conversation(id) => Decision::ConversationSocket { id, session, client },
        Endpoint::ConversationMessages(id) => Decision::ConversationMessages { id, session },
        Endpoint::SignOut => Decision::SignOut { session },
        Endpoint::Session => Decision::Session { session },
    })
}

fn decide_public(configuration: &Configuration, head: &RequestHead<'_>) -> Result<Decision, Refusal> {
    if !is_plain(head.path) {
        return Ok(Decision::NotFound);
    }
    if head.path == address::SIGN_IN && head.method == "POST" {
        require_upgrade(head, Upgrade::None)?;
        require_own_address(configuration, head)?;
        require_own_origin(configuration, head)?;
        return Ok(Decision::SignIn);
    }
    let decision = match Page::parse(head.path) {
        Some(page) => Decision::Shell(page),
        None if head.path.starts_with(address::ASSETS) => Decision::Asset,
        None => return Ok(Decision::NotFound),
    };
    if !only_reads(head) {
        let allowed = if head.path == address::SIGN_IN {
            "GET, HEAD, POST"
        } else {
            "GET, HEAD"
        };
        return Err(Refusal::Method { allowed });
    }
    require_upgrade(head, Upgrade::None)?;
    Ok(decision)
}

fn only_reads(head: &RequestHead<'_>) -> bool {
    matches!(head.method, "GET" | "HEAD")
}

fn require_own_address(configuration: &Configuration, head: &RequestHead<'_>) -> Result<(), Refusal> {
    if head.address_origin == configuration.origin() {
        Ok(())
    } else {
        Err(Refusal::OtherAddress)
    }
}

fn require_own_origin(configuration: &Configuration, head: &RequestHead<'_>) -> Result<(), Refusal> {
    if head.origin == Some(configuration.origin()) {
        Ok(())
    } else {
        Err(Refusal::OtherOrigin)
    }
}

fn require_upgrade(head: &RequestHead<'_>, wanted: Upgrade) -> Result<(), Refusal> {
    match (wanted, head.upgrade) {
        (Upgrade::WebSocket, Upgrade::None) => Err(Refusal::UpgradeRequired),
        (Upgrade::None, Upgrade::WebSocket) => Err(Refusal::UnexpectedUpgrade),
        (Upgrade::WebSocket, Upgrade::WebSocket) | (Upgrade::None, Upgrade::None) => Ok(()),
    }
}

/// Whether every segment is a plain name, so that no later reader of the path can take it for another one.
fn is_plain(path: &str) -> bool {
    let is_name = |segment: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        !matches!(segment, "" | "." | "..") && segment.bytes().all(plain)
    };
    path == "/"
        || path
            .strip_prefix('/')
            .is_some_and(|rest| rest.split('/').all(is_name))
}

fn client_kind(query: Option<&str>) -> ClientKind {
    let parameter = form_urlencoded::parse(query.unwrap_or_default().as_bytes())
        .find(|(name, _)| name == address::CLIENT_PARAMETER);
    ClientKind::from_parameter(parameter.as_ref().map(|(_, value)| value.as_ref()))
}
