//! The published client package, unmodified, against the release bundle.

use super::{Counts, Ground};
use crate::checkout;
use crate::failure::{Failure, Result};
use crate::files;
use crate::process;

pub(super) fn run(ground: &Ground) -> Result<Counts> {
    let folder = checkout::root().join("tests/interop");
    let is_test = |path: &std::path::PathBuf| path.to_string_lossy().ends_with(".test.mjs");
    let tests: Vec<_> = files::below(&folder)?.into_iter().filter(is_test).collect();
    if tests.is_empty() {
        return Err(Failure::new(
            "tests/interop holds no *.test.mjs",
            "restore the suite from version control",
        ));
    }
    let report = checkout::target().join("interop.tap");
    files::write(&report, "")?;
    let mut node = ground.setup.node.command();
    node.args([
        "--test",
        "--test-reporter=spec",
        "--test-reporter-destination=stdout",
        "--test-reporter=tap",
    ])
    .arg(format!("--test-reporter-destination={}", report.display()))
    .args(&tests)
    .env("FLAREBOT_INSTALLATION", ground.installation()?);
    let status = process::observe("interop", ground.describe(&mut node), |_| ())?;
    Ok(Counts::read_tap(&files::read_text(&report)?).checked("interop", status.success()))
}
