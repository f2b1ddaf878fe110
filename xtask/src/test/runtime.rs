//! The release bundle inside the local Cloudflare runtime, driven by the test crate.

use super::{Counts, Ground, native};
use crate::failure::Result;

pub(super) fn run(ground: &Ground) -> Result<Counts> {
    let toolchain = &ground.setup.toolchain;
    let mut cargo = toolchain.cargo(["test", "--package", "flarebot-tests", "--features", "runtime"]);
    cargo.args(["--no-fail-fast", "--test", "runtime"]);
    // Each test runs a runtime of its own; more of them than cores only makes deadlines miss.
    cargo.env("RUST_TEST_THREADS", "2");
    native::run_cargo("runtime", ground.describe(&mut cargo))
}
