//! Every path of an installation, written and read in one place, so that server, page and tests cannot disagree.

use crate::ConversationId;

/// The query parameter by which a client asks for more than the Agents SDK's frames.
pub const CLIENT_PARAMETER: &str = "client";

/// The value of [`CLIENT_PARAMETER`] that our own page sends.
pub const FLAREBOT_CLIENT: &str = "flarebot-1";

/// The agent's socket, as the Agents SDK client builds it from class and instance.
pub const AGENT: &str = "/agents/personal-agent/personal";

/// The agent's status over HTTP.
pub const AGENT_STATUS: &str = "/agents/personal-agent/personal/status";

/// Where the page posts a sign-in assertion.
pub const SIGN_IN: &str = "/sign-in";

/// Where the page posts to sign out.
pub const SIGN_OUT: &str = "/api/sign-out";

/// Whether the browser holds a valid session, asked by the page before it connects.
pub const SESSION: &str = "/api/session";

/// The prefix of static files, whose names carry a hash of their content.
pub const ASSETS: &str = "/assets/";

const CONVERSATION_PREFIX: &str = "/agents/personal-agent/personal/sub/conversation/";
const CONVERSATION_PAGE_PREFIX: &str = "/c/";

/// A page of the installation. Every page is a content-free shell: its bytes do not depend on what exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// A new conversation.
    Home,
    /// One conversation.
    Conversation(ConversationId),
    /// The owner's settings.
    Settings,
    /// Scheduled tasks.
    Tasks,
    /// Where a sign-in link leads.
    SignIn,
}

impl Page {
    /// Reads the path of a page. Anything but an exact page path is `None`.
    #[must_use]
    pub fn parse(path: &str) -> Option<Self> {
        match path {
            "/" => Some(Self::Home),
            "/settings" => Some(Self::Settings),
            "/tasks" => Some(Self::Tasks),
            SIGN_IN => Some(Self::SignIn),
            _ if path.starts_with("/settings/") => Some(Self::Settings),
            _ => path
                .strip_prefix(CONVERSATION_PAGE_PREFIX)?
                .parse()
                .ok()
                .map(Self::Conversation),
        }
    }

    /// The path of this page.
    #[must_use]
    pub fn path(self) -> String {
        match self {
            Self::Home => "/".to_owned(),
            Self::Conversation(id) => format!("{CONVERSATION_PAGE_PREFIX}{id}"),
            Self::Settings => "/settings".to_owned(),
            Self::Tasks => "/tasks".to_owned(),
            Self::SignIn => SIGN_IN.to_owned(),
        }
    }
}

/// What a private path below `/agents/` or `/api/` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// The agent's socket.
    Agent,
    /// The agent's status.
    AgentStatus,
    /// A conversation's socket.
    Conversation(ConversationId),
    /// A conversation's transcript over HTTP.
    ConversationMessages(ConversationId),
    /// Sign out.
    SignOut,
    /// The state of the session.
    Session,
}

impl Endpoint {
    /// Reads a private path. Anything but an exact, known path is `None`, deeper paths included.
    #[must_use]
    pub fn parse(path: &str) -> Option<Self> {
        match path {
            AGENT => Some(Self::Agent),
            AGENT_STATUS => Some(Self::AgentStatus),
            SIGN_OUT => Some(Self::SignOut),
            SESSION => Some(Self::Session),
            _ => {
                let rest = path.strip_prefix(CONVERSATION_PREFIX)?;
                match rest.split_once('/') {
                    None => rest.parse().ok().map(Self::Conversation),
                    Some((id, "get-messages")) => id.parse().ok().map(Self::ConversationMessages),
                    Some(_) => None,
                }
            }
        }
    }

    /// The path of this endpoint.
    #[must_use]
    pub fn path(self) -> String {
        match self {
            Self::Agent => AGENT.to_owned(),
            Self::AgentStatus => AGENT_STATUS.to_owned(),
            Self::Conversation(id) => format!("{CONVERSATION_PREFIX}{id}"),
            Self::ConversationMessages(id) => format!("{CONVERSATION_PREFIX}{id}/get-messages"),
            Self::SignOut => SIGN_OUT.to_owned(),
            Self::Session => SESSION.to_owned(),
        }
    }
}
