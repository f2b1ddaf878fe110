//! The owner's session, carried by one signed cookie. The server keeps nothing: what the cookie says is the session.

use crate::token::{self, Claims, Purpose};
use crate::{Configuration, TokenRefusal};
use std::fmt;

/// The cookie's name. Browsers keep a cookie of this prefix only when it is `Secure`, for the whole host and for that
/// host alone.
pub const NAME: &str = "__Host-flarebot-session";

/// How long a session lives, in milliseconds: eight hours. None may live longer.
pub const LIFETIME: i64 = Purpose::OwnerSession.maximum_lifetime();

const ATTRIBUTES: &str = "Path=/; Secure; HttpOnly; SameSite=Lax";

/// A session that was just issued. Its `Debug` does not show the cookie.
#[derive(Clone, PartialEq, Eq)]
pub struct IssuedSession {
    /// The value of the `Set-Cookie` header.
    pub set_cookie: String,
    /// When the session ends, in milliseconds since 1970.
    pub expires_at: i64,
}

impl fmt::Debug for IssuedSession {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("IssuedSession")
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

/// A valid session of the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnerSession {
    /// When the session ends, in milliseconds since 1970.
    pub expires_at: i64,
}

/// Why a request has no session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SessionRefusal {
    /// No session cookie.
    #[error("no session cookie")]
    Missing,
    /// More than one session cookie. Which of them the browser means cannot be known.
    #[error("more than one session cookie")]
    Duplicate,
    /// A session cookie that is not valid.
    #[error("session cookie refused: {0}")]
    Invalid(#[from] TokenRefusal),
}

/// Issues a session of eight hours. The caller has authenticated the owner.
#[must_use]
pub fn issue(configuration: &Configuration, now: i64) -> IssuedSession {
    let claims = Claims {
        issued_at: now,
        expires_at: now.saturating_add(LIFETIME),
        id: None,
    };
    let token = token::seal(configuration, Purpose::OwnerSession, &claims);
    IssuedSession {
        set_cookie: format!("{NAME}={token}; Max-Age={}; {ATTRIBUTES}", LIFETIME / 1000),
        expires_at: claims.expires_at,
    }
}

/// Verifies the session in a request's `Cookie` header.
///
/// # Errors
/// Why there is no valid session.
pub fn verify(
    configuration: &Configuration,
    cookie_header: Option<&str>,
    now: i64,
) -> Result<OwnerSession, SessionRefusal> {
    let token = find(cookie_header.unwrap_or_default())?;
    let claims = token::open(configuration, Purpose::OwnerSession, token, now)?;
    Ok(OwnerSession {
        expires_at: claims.expires_at,
    })
}

/// The value of the `Set-Cookie` header that removes the session from the browser.
#[must_use]
pub fn clear() -> String {
    format!("{NAME}=; Max-Age=0; {ATTRIBUTES}")
}

fn find(header: &str) -> Result<&str, SessionRefusal> {
    let mut found = header.split(';').filter_map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (name.trim() == NAME).then_some(value.trim())
    });
    let token = found.next().ok_or(SessionRefusal::Missing)?;
    match found.next() {
        None => Ok(token),
        Some(_) => Err(SessionRefusal::Duplicate),
    }
}
