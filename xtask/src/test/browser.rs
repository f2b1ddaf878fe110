//! The release bundle in a real Chromium.

use std::env;
use std::path::PathBuf;

use super::{Counts, Ground};
use crate::checkout;
use crate::failure::{Failure, Result};
use crate::files;
use crate::process;
use crate::setup;

const CONFIGURATION: &str = "tests/browser/playwright.config.mjs";

/// Where packages put the browser: Debian, other Linux systems, and the application on macOS.
const PLACES: [&str; 5] = [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

pub(super) fn run(ground: &Ground) -> Result<Counts> {
    let Some(chromium) = find_chromium() else {
        return Ok(Counts::skipped(
            "browser",
            "no Chromium here and it cannot be installed: install one, or name one in FLAREBOT_CHROMIUM",
        ));
    };
    let report = checkout::target().join("browser.json");
    files::write(&report, "")?;
    let mut playwright = ground.setup.node.script("@playwright/test/cli.js");
    playwright
        .args(["test", "--config", CONFIGURATION, "--reporter=list,json"])
        .env("PLAYWRIGHT_JSON_OUTPUT_NAME", &report)
        .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")
        .env("FLAREBOT_CHROMIUM", chromium)
        .env("FLAREBOT_INSTALLATION", ground.installation()?);
    let status = process::observe("browser", ground.describe(&mut playwright), |_| ())?;
    let parsed = serde_json::from_slice(&files::read(&report)?).map_err(|_| {
        Failure::new(
            "Playwright wrote no report",
            "its last lines are above, behind `browser |`",
        )
    })?;
    Ok(Counts::read_playwright(&parsed).checked("browser", status.success()))
}

fn find_chromium() -> Option<PathBuf> {
    let chosen = env::var_os("FLAREBOT_CHROMIUM").map(PathBuf::from);
    let installed = || PLACES.iter().map(PathBuf::from).find(|path| path.is_file());
    chosen
        .filter(|path| path.is_file())
        .or_else(installed)
        .or_else(|| {
            if setup::install_debian_packages(&["chromium"]).is_err() {
                return None;
            }
            installed()
        })
}
