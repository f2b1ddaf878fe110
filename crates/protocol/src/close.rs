//! Close codes that mean something to a client.

/// Why the server closed a socket. All of these are final: a client does not reconnect after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseCode {
    /// The owner's session ended: expired or signed out.
    SessionEnded,
    /// The conversation was deleted, or never existed.
    ConversationDeleted,
    /// The client broke a rule of the protocol.
    Policy,
}

impl CloseCode {
    /// The code on the wire.
    #[must_use]
    pub const fn code(self) -> u16 {
        match self {
            Self::SessionEnded => 4001,
            Self::ConversationDeleted => 4004,
            Self::Policy => 1008,
        }
    }

    /// The reason on the wire, which a client may show.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::SessionEnded => "Session ended",
            Self::ConversationDeleted => "Conversation deleted",
            Self::Policy => "Policy violation",
        }
    }

    /// The meaning of a code that arrived.
    #[must_use]
    pub const fn from_code(code: u16) -> Option<Self> {
        match code {
            4001 => Some(Self::SessionEnded),
            4004 => Some(Self::ConversationDeleted),
            1008 => Some(Self::Policy),
            _ => None,
        }
    }
}
