//! The deployment's configuration and what the owner can prove with it, made by the product's own functions.

use flarebot_session::{Configuration, assertion, cookie};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use uuid::Uuid;

/// The present, in milliseconds since 1970.
#[must_use]
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The variables of one deployment, by name.
pub type Variables = BTreeMap<String, String>;

/// The four variables that every deployment needs, for an installation at `origin`.
#[must_use]
pub fn variables(origin: &str) -> Variables {
    [
        (
            "FLAREBOT_SESSION_SECRET",
            "a-secret-that-only-the-tests-of-this-project-use",
        ),
        ("FLAREBOT_OWNER_SUBJECT", "owner@example.com"),
        ("FLAREBOT_INSTALLATION_ID", "installation-under-test"),
        ("FLAREBOT_RUNTIME_ORIGIN", origin),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}

/// What the holder of a configuration can sign.
#[derive(Debug)]
pub struct Credentials {
    configuration: Configuration,
}

impl Credentials {
    /// Reads the configuration as the Worker does.
    ///
    /// # Panics
    /// When it is not complete.
    #[must_use]
    pub fn new(variables: &Variables) -> Self {
        let configuration = Configuration::read(|name| variables.get(name).cloned());
        Self {
            configuration: configuration.expect("the configuration of a test is complete"),
        }
    }

    /// A `Cookie` header with a fresh session.
    #[must_use]
    pub fn cookie(&self) -> String {
        self.cookie_issued_at(now())
    }

    /// A `Cookie` header with a session that ends after `lifetime`.
    #[must_use]
    pub fn cookie_for(&self, lifetime: Duration) -> String {
        self.cookie_issued_at(now() + milliseconds(lifetime) - cookie::LIFETIME)
    }

    /// A `Cookie` header with a session that ended a minute ago.
    #[must_use]
    pub fn expired_cookie(&self) -> String {
        self.cookie_issued_at(now() - cookie::LIFETIME - 60_000)
    }

    fn cookie_issued_at(&self, issued_at: i64) -> String {
        let session = cookie::issue(&self.configuration, issued_at);
        let (pair, _) = session.set_cookie.split_once(';').unwrap();
        pair.to_owned()
    }

    /// A fresh sign-in assertion.
    #[must_use]
    pub fn assertion(&self) -> String {
        assertion::issue(&self.configuration, Uuid::new_v4(), now())
    }

    /// A sign-in assertion that ended a minute ago.
    #[must_use]
    pub fn expired_assertion(&self) -> String {
        let issued_at = now() - assertion::LIFETIME - 60_000;
        assertion::issue(&self.configuration, Uuid::new_v4(), issued_at)
    }
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap()
}
