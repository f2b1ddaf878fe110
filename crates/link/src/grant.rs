//! What the ingress grants to a socket, carried in one header of the rebuilt upgrade request.

use flarebot_protocol::ConnectionId;
use flarebot_protocol::frame::ClientKind;
use serde::{Deserialize, Serialize};

/// The header that carries a [`SocketGrant`].
pub const GRANT_HEADER: &str = "x-flarebot-grant";

/// A socket that the ingress has authenticated. It is also what the socket's attachment keeps through hibernation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SocketGrant {
    /// The socket's id, made by the ingress.
    pub connection: ConnectionId,
    /// When the owner's session ends, in milliseconds since 1970. The socket does not outlive it.
    pub expires_at: i64,
    /// What the client asked for.
    pub client: ClientKind,
}

/// A header that is no grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the socket carries no grant of the ingress")]
pub struct GrantError;

impl SocketGrant {
    /// The header's value.
    #[must_use]
    pub fn to_header(&self) -> String {
        // Serialising our own types cannot fail: their maps have string keys.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the header's value.
    ///
    /// # Errors
    /// [`GrantError`] for a missing or unreadable header.
    pub fn from_header(value: Option<&str>) -> Result<Self, GrantError> {
        serde_json::from_str(value.ok_or(GrantError)?).map_err(|_| GrantError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_survives_its_header() {
        let grant = SocketGrant {
            connection: ConnectionId::new("c1").unwrap(),
            expires_at: 1_796_000_000_000,
            client: ClientKind::Flarebot,
        };
        assert_eq!(SocketGrant::from_header(Some(&grant.to_header())), Ok(grant));
    }

    #[test]
    fn a_missing_or_foreign_header_is_no_grant() {
        assert_eq!(SocketGrant::from_header(None), Err(GrantError));
        assert_eq!(SocketGrant::from_header(Some("{}")), Err(GrantError));
    }
}
