//! What an installation is: its owner, its name, its address and the key that signs for it. Read once at the start;
//! an installation that is not fully configured does not start.

use crate::Secret;
use crate::token::SigningKey;
use crate::vault::VaultKey;
use std::fmt;
use url::{Host, Url};

/// The shortest session secret, in bytes: as long as what HMAC-SHA256 puts out.
pub const MINIMUM_SECRET_BYTES: usize = 32;

/// The longest owner subject or installation id, in bytes.
const MAXIMUM_NAME_BYTES: usize = 128;

/// The longest origin, in bytes. With the names' limit it bounds the size of what is signed.
const MAXIMUM_ORIGIN_BYTES: usize = 255;

/// A variable of the environment that every installation must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variable {
    /// The secret that signs sessions and sign-in links.
    SessionSecret,
    /// Who the owner is.
    OwnerSubject,
    /// Which installation this is.
    InstallationId,
    /// Where the installation is reached.
    RuntimeOrigin,
}

impl Variable {
    /// Every required variable, in the order in which they are read.
    pub const ALL: [Self; 4] = [
        Self::SessionSecret,
        Self::OwnerSubject,
        Self::InstallationId,
        Self::RuntimeOrigin,
    ];

    /// The variable's name in the environment.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SessionSecret => "FLAREBOT_SESSION_SECRET",
            Self::OwnerSubject => "FLAREBOT_OWNER_SUBJECT",
            Self::InstallationId => "FLAREBOT_INSTALLATION_ID",
            Self::RuntimeOrigin => "FLAREBOT_RUNTIME_ORIGIN",
        }
    }

    /// What a right value looks like.
    const fn expectation(self) -> &'static str {
        match self {
            Self::SessionSecret => {
                "a secret of at least 32 random bytes, such as `openssl rand -hex 32` prints"
            }
            Self::OwnerSubject => "the owner's name: 1 to 128 printable ASCII characters without spaces",
            Self::InstallationId => {
                "a name for this installation: 1 to 128 printable ASCII characters without spaces"
            }
            Self::RuntimeOrigin => {
                "the origin that the browser shows, such as https://agent.example.com: lower case, no path, no \
                 slash at the end, no default port; http only for localhost"
            }
        }
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Why an installation does not start. Names the variable and never its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ConfigurationError {
    /// The variable is not set, or empty.
    #[error("{0} is not set: it must be {expected}", expected = .0.expectation())]
    Missing(Variable),
    /// The variable is set to something that cannot be used.
    #[error("{0} cannot be used: it must be {expected}", expected = .0.expectation())]
    Malformed(Variable),
}

/// A complete and checked configuration. Its `Debug` shows no secret.
#[derive(Debug)]
pub struct Configuration {
    key: SigningKey,
    vault_key: VaultKey,
    owner_subject: String,
    installation_id: String,
    origin: String,
}

impl Configuration {
    /// Reads the configuration from the environment that `lookup` stands for.
    ///
    /// # Errors
    /// The first variable that is missing or that cannot be used.
    pub fn read(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigurationError> {
        let required = |variable: Variable| {
            lookup(variable.name())
                .filter(|value| !value.is_empty())
                .ok_or(ConfigurationError::Missing(variable))
        };
        let checked = |variable: Variable, check: fn(&str) -> bool| {
            let value = required(variable)?;
            if check(&value) {
                Ok(value)
            } else {
                Err(ConfigurationError::Malformed(variable))
            }
        };
        let secret = Secret::new(required(Variable::SessionSecret)?);
        let weak = ConfigurationError::Malformed(Variable::SessionSecret);
        if secret.expose().len() < MINIMUM_SECRET_BYTES {
            return Err(weak);
        }
        let key = SigningKey::new(secret.expose().as_bytes()).ok_or(weak)?;
        let owner_subject = checked(Variable::OwnerSubject, is_name)?;
        let installation_id = checked(Variable::InstallationId, is_name)?;
        Ok(Self {
            key,
            vault_key: VaultKey::derive(secret.expose(), &installation_id).ok_or(weak)?,
            owner_subject,
            installation_id,
            origin: checked(Variable::RuntimeOrigin, is_origin)?,
        })
    }

    /// Which installation this is.
    #[must_use]
    pub fn installation_id(&self) -> &str {
        &self.installation_id
    }

    /// Who owns it.
    #[must_use]
    pub fn owner_subject(&self) -> &str {
        &self.owner_subject
    }

    /// The one origin at which it is reached, written as a browser writes it in an `Origin` header.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    pub(crate) const fn vault_key(&self) -> &VaultKey {
        &self.vault_key
    }

    pub(crate) const fn key(&self) -> &SigningKey {
        &self.key
    }
}

fn is_name(value: &str) -> bool {
    value.len() <= MAXIMUM_NAME_BYTES && value.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Whether the text is an origin exactly as a browser writes it, so that later comparisons are of plain bytes.
fn is_origin(value: &str) -> bool {
    let Ok(url) = Url::parse(value) else {
        return false;
    };
    let secure = match url.scheme() {
        "https" => true,
        "http" => is_loopback(&url),
        _ => false,
    };
    secure && value.len() <= MAXIMUM_ORIGIN_BYTES && url.origin().ascii_serialization() == value
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(domain)) => domain == "localhost",
        Some(Host::Ipv4(address)) => address == std::net::Ipv4Addr::LOCALHOST,
        Some(Host::Ipv6(address)) => address == std::net::Ipv6Addr::LOCALHOST,
        None => false,
    }
}
