//! The internal paths of the two objects. The host names the receiver for the sake of logs; nothing resolves it.

use flarebot_protocol::ConversationId;

const AGENT_ORIGIN: &str = "https://agent.internal";
const CONVERSATION_ORIGIN: &str = "https://conversation.internal";
const SOCKET: &str = "/socket";
const STATUS: &str = "/status";
const MESSAGES: &str = "/messages";
const LINK: &str = "/link";
const CONVERSATION_PREFIX: &str = "/conversation/";

/// What a request to the agent's object asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentRoute {
    /// Open the agent's socket.
    Socket,
    /// The agent's status.
    Status,
    /// Open a conversation's socket.
    ConversationSocket(ConversationId),
    /// A conversation's transcript.
    ConversationMessages(ConversationId),
    /// An [`crate::AgentRequest`] in the body.
    Link,
}

impl AgentRoute {
    /// The address that reaches this route.
    #[must_use]
    pub fn url(self) -> String {
        let path = match self {
            Self::Socket => SOCKET.to_owned(),
            Self::Status => STATUS.to_owned(),
            Self::ConversationSocket(id) => format!("{CONVERSATION_PREFIX}{id}{SOCKET}"),
            Self::ConversationMessages(id) => format!("{CONVERSATION_PREFIX}{id}{MESSAGES}"),
            Self::Link => LINK.to_owned(),
        };
        format!("{AGENT_ORIGIN}{path}")
    }

    /// Reads the path of a request.
    #[must_use]
    pub fn parse(path: &str) -> Option<Self> {
        match path {
            SOCKET => Some(Self::Socket),
            STATUS => Some(Self::Status),
            LINK => Some(Self::Link),
            _ => {
                let rest = path.strip_prefix(CONVERSATION_PREFIX)?;
                if let Some(id) = rest.strip_suffix(SOCKET) {
                    return id.parse().ok().map(Self::ConversationSocket);
                }
                rest.strip_suffix(MESSAGES)?
                    .parse()
                    .ok()
                    .map(Self::ConversationMessages)
            }
        }
    }
}

/// What a request to a conversation's object asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationRoute {
    /// Open a socket.
    Socket,
    /// The transcript.
    Messages,
    /// A [`crate::ConversationRequest`] in the body.
    Link,
}

impl ConversationRoute {
    /// The address that reaches this route.
    #[must_use]
    pub fn url(self) -> String {
        let path = match self {
            Self::Socket => SOCKET,
            Self::Messages => MESSAGES,
            Self::Link => LINK,
        };
        format!("{CONVERSATION_ORIGIN}{path}")
    }

    /// Reads the path of a request.
    #[must_use]
    pub fn parse(path: &str) -> Option<Self> {
        match path {
            SOCKET => Some(Self::Socket),
            MESSAGES => Some(Self::Messages),
            LINK => Some(Self::Link),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(url: &str) -> String {
        let rest = url.split_once("://").unwrap().1;
        format!("/{}", rest.split_once('/').unwrap().1)
    }

    #[test]
    fn every_route_of_the_agent_reads_back() {
        let id: ConversationId = "0191e7a0-5b1c-7cc0-8000-000000000001".parse().unwrap();
        for route in [
            AgentRoute::Socket,
            AgentRoute::Status,
            AgentRoute::ConversationSocket(id),
            AgentRoute::ConversationMessages(id),
            AgentRoute::Link,
        ] {
            assert_eq!(AgentRoute::parse(&path(&route.url())), Some(route));
        }
    }

    #[test]
    fn every_route_of_a_conversation_reads_back() {
        for route in [
            ConversationRoute::Socket,
            ConversationRoute::Messages,
            ConversationRoute::Link,
        ] {
            assert_eq!(ConversationRoute::parse(&path(&route.url())), Some(route));
        }
    }

    #[test]
    fn a_path_that_is_not_a_route_is_refused() {
        for hostile in [
            "",
            "/",
            "/socket/",
            "/conversation/x/socket",
            "/conversation//messages",
            "/Link",
        ] {
            assert_eq!(AgentRoute::parse(hostile), None, "{hostile}");
        }
    }
}
