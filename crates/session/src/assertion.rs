//! The sign-in link: a signed statement that its bearer is the owner, good for minutes and for one use.
//!
//! It is made where the secret is known and travels in the fragment of the address, which no server log sees. The page
//! posts it back; once it is verified here, the agent consumes its id, so that it works once.

use crate::token::{self, Claims, Purpose};
use crate::{Configuration, TokenRefusal};
use flarebot_protocol::address;
use serde::Deserialize;
use uuid::Uuid;

/// How long a sign-in link lives, in milliseconds: five minutes. None may live longer.
pub const LIFETIME: i64 = Purpose::SignIn.maximum_lifetime();

/// The most of a sign-in request's body that is worth reading, in bytes.
pub const MAXIMUM_BODY_BYTES: usize = 2048;

/// A verified assertion, not yet consumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assertion {
    /// Its id, to be consumed once.
    pub id: Uuid,
    /// When it ends, in milliseconds since 1970. Until then its id has to be remembered.
    pub expires_at: i64,
}

/// Why a sign-in link does not work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AssertionRefusal {
    /// Its minutes are over.
    #[error("the sign-in assertion has expired")]
    Expired,
    /// Signed for another installation, owner or origin.
    #[error("the sign-in assertion is for another installation")]
    Foreign,
    /// Not signed by this installation's secret for this purpose, or not an assertion at all.
    #[error("the sign-in assertion is not valid")]
    Forged,
    /// Issued further in the future than [`crate::CLOCK_TOLERANCE`].
    #[error("the sign-in assertion was issued in the future")]
    NotYetIssued,
    /// Valid, but its id was consumed before. Found by whoever keeps the ids, never by [`verify`].
    #[error("the sign-in assertion was used before")]
    Used,
}

impl AssertionRefusal {
    /// What the owner reads.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Expired => "This sign-in link has expired. Run `cargo xtask sign-in` to get a new one.",
            Self::Foreign => {
                "This sign-in link belongs to another installation. Run `cargo xtask sign-in` with this \
                 installation's configuration to get a new one."
            }
            Self::Forged => {
                "This is not a valid sign-in link of this installation. Run `cargo xtask sign-in` to get a new \
                 one, and open all of it."
            }
            Self::NotYetIssued => {
                "This sign-in link was made by a computer whose clock is ahead. Set that clock right, then run \
                 `cargo xtask sign-in` to get a new one."
            }
            Self::Used => {
                "This sign-in link has already been used. Run `cargo xtask sign-in` to get a new one."
            }
        }
    }
}

impl From<TokenRefusal> for AssertionRefusal {
    fn from(refusal: TokenRefusal) -> Self {
        match refusal {
            TokenRefusal::Expired => Self::Expired,
            TokenRefusal::NotYetIssued => Self::NotYetIssued,
            TokenRefusal::OtherOwner | TokenRefusal::OtherInstallation | TokenRefusal::OtherAudience => {
                Self::Foreign
            }
            TokenRefusal::TooLarge
            | TokenRefusal::Malformed
            | TokenRefusal::Forged
            | TokenRefusal::Lifetime => Self::Forged,
        }
    }
}

/// Issues an assertion of five minutes under a random id that the caller made. Its text is safe in a fragment.
#[must_use]
pub fn issue(configuration: &Configuration, id: Uuid, now: i64) -> String {
    let claims = Claims {
        issued_at: now,
        expires_at: now.saturating_add(LIFETIME),
        id: Some(id),
    };
    token::seal(configuration, Purpose::SignIn, &claims)
}

/// The address that the owner opens to sign in with an assertion.
#[must_use]
pub fn link(configuration: &Configuration, assertion: &str) -> String {
    format!("{}{}#{assertion}", configuration.origin(), address::SIGN_IN)
}

/// Verifies an assertion's text. That it was not used before is for the keeper of the ids to say.
///
/// # Errors
/// Why it is refused.
pub fn verify(configuration: &Configuration, text: &str, now: i64) -> Result<Assertion, AssertionRefusal> {
    let claims = token::open(configuration, Purpose::SignIn, text, now)?;
    Ok(Assertion {
        id: claims.id.ok_or(AssertionRefusal::Forged)?,
        expires_at: claims.expires_at,
    })
}

/// Verifies the assertion in the body of a sign-in request, `{"assertion": "…"}`.
///
/// # Errors
/// As [`verify`]; a body of any other shape, or longer than [`MAXIMUM_BODY_BYTES`], counts as forged.
pub fn verify_body(
    configuration: &Configuration,
    body: &[u8],
    now: i64,
) -> Result<Assertion, AssertionRefusal> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct SignInBody {
        assertion: String,
    }
    if body.len() > MAXIMUM_BODY_BYTES {
        return Err(AssertionRefusal::Forged);
    }
    let body: SignInBody = serde_json::from_slice(body).map_err(|_| AssertionRefusal::Forged)?;
    verify(configuration, &body.assertion, now)
}
