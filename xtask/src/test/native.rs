//! The crates that build without Wasm, the page as the server renders it among them.

use super::Counts;
use crate::failure::Result;
use crate::process;
use crate::progress;
use crate::setup::Toolchain;
use crate::workspace::Workspace;

pub(super) fn run(toolchain: &Toolchain) -> Result<Counts> {
    progress::step("suite native");
    let mut cargo = toolchain.cargo(["test", "--no-fail-fast"]);
    cargo.args(server_features(toolchain)?);
    run_cargo("native", &mut cargo)
}

/// The page's crate does nothing useful without one of its two features.
pub(crate) fn server_features(toolchain: &Toolchain) -> Result<Vec<&'static str>> {
    let workspace = Workspace::read(toolchain)?;
    let has_ssr = workspace
        .find("flarebot-app")
        .is_some_and(|app| app.features.iter().any(|name| name == "ssr"));
    Ok(if has_ssr {
        vec!["--features", "flarebot-app/ssr"]
    } else {
        Vec::new()
    })
}

/// Runs a cargo test call and counts.
pub(super) fn run_cargo(suite: &str, cargo: &mut std::process::Command) -> Result<Counts> {
    let mut counts = Counts::default();
    let status = process::observe(suite, cargo, |line| counts.read_libtest(line))?;
    Ok(counts.checked(suite, status.success()))
}
