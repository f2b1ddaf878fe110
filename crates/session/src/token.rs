//! The signed text behind both the session cookie and the sign-in link.
//!
//! A token is `payload.signature`, both in unpadded base64url. The payload is one field a line: label, installation,
//! subject, audience, issued at, expires at and, for a sign-in link, its id; no field can contain a line break. The
//! label names purpose and version; it is signed as a prefix of its own too, so a token of one purpose can never pass
//! as the other, whatever its payload says.

use crate::Configuration;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;
use uuid::Uuid;

/// How far ahead of the reader's clock a token's issuer may be, in milliseconds. Signer and verifier are different
/// machines, and a link that was just made must work. Expiry has no tolerance.
pub const CLOCK_TOLERANCE: i64 = 60_000;

/// The longest token that is looked at, in bytes. The longest configuration makes fewer than 900.
const MAXIMUM_TOKEN_BYTES: usize = 1024;

/// Why a signed text was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenRefusal {
    /// Longer than any that is issued.
    #[error("too large")]
    TooLarge,
    /// Not of the form of a token.
    #[error("malformed")]
    Malformed,
    /// Not signed with this installation's secret for this purpose.
    #[error("wrong signature")]
    Forged,
    /// Signed for another owner.
    #[error("for another owner")]
    OtherOwner,
    /// Signed for another installation.
    #[error("for another installation")]
    OtherInstallation,
    /// Signed for another origin.
    #[error("for another origin")]
    OtherAudience,
    /// Lives longer than its purpose allows, or not at all.
    #[error("lifetime not allowed")]
    Lifetime,
    /// Issued further in the future than [`CLOCK_TOLERANCE`].
    #[error("issued in the future")]
    NotYetIssued,
    /// Over.
    #[error("expired")]
    Expired,
}

/// What a token is for. Each purpose signs in its own domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    OwnerSession,
    SignIn,
}

impl Purpose {
    const fn label(self) -> &'static str {
        match self {
            Self::OwnerSession => "flarebot-owner-session-1",
            Self::SignIn => "flarebot-sign-in-1",
        }
    }

    /// The longest that a token of this purpose lives, in milliseconds.
    pub(crate) const fn maximum_lifetime(self) -> i64 {
        match self {
            Self::OwnerSession => 8 * 60 * 60 * 1000,
            Self::SignIn => 5 * 60 * 1000,
        }
    }
}

/// What a token says beyond whom it is for. Times are milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Claims {
    pub(crate) issued_at: i64,
    pub(crate) expires_at: i64,
    pub(crate) id: Option<Uuid>,
}

/// The installation's secret, ready to sign. Wiped on drop by the implementation of HMAC.
pub(crate) struct SigningKey(Hmac<Sha256>);

impl SigningKey {
    pub(crate) fn new(secret: &[u8]) -> Option<Self> {
        Hmac::new_from_slice(secret).ok().map(Self)
    }

    fn mac(&self, purpose: Purpose, payload: &str) -> Hmac<Sha256> {
        self.0
            .clone()
            .chain_update(purpose.label())
            .chain_update([0])
            .chain_update(payload)
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SigningKey(hidden)")
    }
}

/// Writes and signs a token.
pub(crate) fn seal(configuration: &Configuration, purpose: Purpose, claims: &Claims) -> String {
    let mut payload = format!(
        "{}\n{}\n{}\n{}\n{}\n{}",
        purpose.label(),
        configuration.installation_id(),
        configuration.owner_subject(),
        configuration.origin(),
        claims.issued_at,
        claims.expires_at,
    );
    if let Some(id) = claims.id {
        payload.push('\n');
        payload.push_str(id.as_hyphenated().encode_lower(&mut Uuid::encode_buffer()));
    }
    let payload = URL_SAFE_NO_PAD.encode(payload);
    let signature = configuration.key().mac(purpose, &payload).finalize();
    format!("{payload}.{}", URL_SAFE_NO_PAD.encode(signature.as_bytes()))
}

/// Verifies a token: its signature first, in constant time, and only then what it says.
pub(crate) fn open(
    configuration: &Configuration,
    purpose: Purpose,
    token: &str,
    now: i64,
) -> Result<Claims, TokenRefusal> {
    if token.len() > MAXIMUM_TOKEN_BYTES {
        return Err(TokenRefusal::TooLarge);
    }
    let (payload, signature) = token.split_once('.').ok_or(TokenRefusal::Malformed)?;
    let signature = URL_SAFE_NO_PAD
        .decode(signature)
        .map_err(|_| TokenRefusal::Malformed)?;
    configuration
        .key()
        .mac(purpose, payload)
        .verify_slice(&signature)
        .map_err(|_| TokenRefusal::Forged)?;
    let claims = read_payload(configuration, purpose, payload)?;
    check_times(purpose, &claims, now)?;
    Ok(claims)
}

fn read_payload(
    configuration: &Configuration,
    purpose: Purpose,
    payload: &str,
) -> Result<Claims, TokenRefusal> {
    let payload = URL_SAFE_NO_PAD
        .decode(payload)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or(TokenRefusal::Malformed)?;
    let fields: Vec<&str> = payload.split('\n').collect();
    let [
        label,
        installation,
        subject,
        audience,
        issued_at,
        expires_at,
        id @ ..,
    ] = fields.as_slice()
    else {
        return Err(TokenRefusal::Malformed);
    };
    let expected = [
        (*label, purpose.label(), TokenRefusal::Malformed),
        (
            *installation,
            configuration.installation_id(),
            TokenRefusal::OtherInstallation,
        ),
        (*subject, configuration.owner_subject(), TokenRefusal::OtherOwner),
        (*audience, configuration.origin(), TokenRefusal::OtherAudience),
    ];
    for (found, wanted, refusal) in expected {
        if found != wanted {
            return Err(refusal);
        }
    }
    let time = |text: &str| text.parse().map_err(|_| TokenRefusal::Malformed);
    let id = match id {
        [] => None,
        [id] => Some(Uuid::try_parse(id).map_err(|_| TokenRefusal::Malformed)?),
        _ => return Err(TokenRefusal::Malformed),
    };
    Ok(Claims {
        issued_at: time(issued_at)?,
        expires_at: time(expires_at)?,
        id,
    })
}

fn check_times(purpose: Purpose, claims: &Claims, now: i64) -> Result<(), TokenRefusal> {
    let lifetime = claims.expires_at.saturating_sub(claims.issued_at);
    if lifetime <= 0 || lifetime > purpose.maximum_lifetime() {
        return Err(TokenRefusal::Lifetime);
    }
    if claims.issued_at > now.saturating_add(CLOCK_TOLERANCE) {
        return Err(TokenRefusal::NotYetIssued);
    }
    if now >= claims.expires_at {
        return Err(TokenRefusal::Expired);
    }
    Ok(())
}
