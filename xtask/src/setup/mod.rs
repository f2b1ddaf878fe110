//! Everything that a command needs before it can work. Each part is quick when there is nothing to do, so that every
//! command may ask for all of it.

use crate::arguments::Arguments;
use crate::failure::{Failure, Result};
use crate::progress;

mod cargo_tools;
mod debian;
mod npm;
mod rust;

pub(crate) use cargo_tools::CargoTools;
pub(crate) use npm::Node;
pub(crate) use rust::Toolchain;

const HELP: &str = "\
Usage: cargo xtask setup

Installs what the other commands need, if it is missing: the Wasm target of the Rust toolchain (by rustup, or from
Debian's packages where rustup may not download), the npm packages of package-lock.json in ./node_modules, and
wasm-bindgen's generator and worker-build, compiled once for each user and compiler into the cache folder
($FLAREBOT_CACHE, $XDG_CACHE_HOME/flarebot, ~/.cache/flarebot, or ~/Library/Caches/flarebot on macOS).";

/// Installs Debian packages that are missing, where the system is Debian.
pub(crate) fn install_debian_packages(packages: &[&str]) -> Result<()> {
    if debian::is_debian() {
        return debian::install(packages);
    }
    Err(Failure::new(
        "this system has no apt",
        format!("install {} yourself", packages.join(" ")),
    ))
}

/// What a build or a test run works with.
pub(crate) struct Setup {
    pub(crate) toolchain: Toolchain,
    pub(crate) node: Node,
    pub(crate) tools: CargoTools,
}

impl Setup {
    /// Installs what is missing and says where everything is.
    pub(crate) fn complete() -> Result<Self> {
        let toolchain = Toolchain::find()?;
        let node = Node::find()?;
        let tools = CargoTools::find(&toolchain)?;
        Ok(Self {
            toolchain,
            node,
            tools,
        })
    }
}

pub(crate) fn command(arguments: Arguments) -> Result<()> {
    if arguments.wants_help(HELP) {
        return Ok(());
    }
    arguments.finish()?;
    let setup = Setup::complete()?;
    progress::step(&format!("set up: {}", setup.toolchain.release()));
    Ok(())
}
