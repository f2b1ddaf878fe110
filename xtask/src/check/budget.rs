//! The size budgets of the release bundle.

use crate::build;
use crate::failure::{Failure, Result};
use crate::setup::Setup;

/// What the platform is sent, compressed by gzip, in bytes.
const WORKER_GZIP: u64 = 1_500_000;

/// What a browser loads once, compressed by Brotli, in bytes.
const BROWSER_BROTLI: u64 = 450_000;

/// Weighs the release bundle of the present sources, building it if need be.
pub(super) fn check(setup: &Setup) -> Result<()> {
    let bundle = build::product(setup, build::Profile::Release)?;
    let sizes = build::measure(&setup.node, &bundle)?;
    eprint!("{sizes}");
    let budgets = [
        ("the Worker's gzip", sizes.worker().gzip, WORKER_GZIP),
        ("the page's Brotli", sizes.browser().brotli, BROWSER_BROTLI),
    ];
    let over: Vec<String> = budgets
        .iter()
        .filter(|(_, bytes, budget)| bytes > budget)
        .map(|(name, bytes, budget)| format!("{name} has {bytes} bytes, more than {budget}"))
        .collect();
    if over.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        over.join("\n       "),
        "find the heavy dependency and leave it out, or make a case for it",
    ))
}
