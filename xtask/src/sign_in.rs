//! `sign-in`: a one-time link for an installation whose secret is at hand.

use std::time::{SystemTime, UNIX_EPOCH};

use flarebot_protocol::address;
use flarebot_session::{Configuration, assertion};

use crate::arguments::Arguments;
use crate::checkout;
use crate::failure::{Failure, Result};
use crate::randomness;
use crate::variables::{ORIGIN, Variables};

const HELP: &str = "\
Usage: cargo xtask sign-in [--origin URL]

Prints a link that signs the owner in once, within five minutes. The installation's secret and names come from the
environment or else from .dev.vars: FLAREBOT_SESSION_SECRET, FLAREBOT_OWNER_SUBJECT, FLAREBOT_INSTALLATION_ID and
FLAREBOT_RUNTIME_ORIGIN.

  --origin URL   the installation's origin, instead of FLAREBOT_RUNTIME_ORIGIN";

pub(crate) fn command(mut arguments: Arguments) -> Result<()> {
    if arguments.wants_help(HELP) {
        return Ok(());
    }
    let origin = arguments.value("--origin")?;
    arguments.finish()?;
    let mut variables = Variables::read(&checkout::root().join(".dev.vars"))?.under_environment();
    if let Some(origin) = origin {
        variables.set(ORIGIN, &origin);
    }
    println!("{}", link(&variables)?);
    Ok(())
}

/// A sign-in link for the installation that the variables describe.
pub(crate) fn link(variables: &Variables) -> Result<String> {
    let configuration = Configuration::read(|name| variables.get(name)).map_err(|error| {
        Failure::new(
            error.to_string(),
            "set the variable in the environment or in .dev.vars; `cargo xtask dev` makes a .dev.vars",
        )
    })?;
    let id = uuid::Builder::from_random_bytes(randomness::bytes()?).into_uuid();
    let assertion = assertion::issue(&configuration, id, now());
    Ok(format!(
        "{}{}#{assertion}",
        configuration.origin(),
        address::SIGN_IN
    ))
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
