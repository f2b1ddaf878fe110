//! The release bundle with a real model behind it, the one that `dev` serves. The model runs only while its tests do.

use std::thread;
use std::time::{Duration, Instant};

use super::{Counts, Ground, native};
use crate::checkout;
use crate::failure::{Failure, Result};
use crate::model::{self, LocalModel};
use crate::parts::{Output, Parts};
use crate::probe;
use crate::progress;

const START_LIMIT: Duration = Duration::from_secs(60);

pub(super) fn run(ground: &Ground) -> Result<Counts> {
    let model = match LocalModel::find() {
        Ok(model) => model,
        Err(failure) => {
            let reason = format!("the local model cannot be had here: {}", failure.what());
            return Ok(Counts::skipped("local-model", &reason));
        }
    };
    let port = probe::free_port()?;
    let mut parts = Parts::new(&checkout::target().join("local-model"))?;
    let outcome = serve(&mut parts, &model, port).and_then(|()| test(ground, port));
    parts.stop();
    outcome
}

fn serve(parts: &mut Parts, model: &LocalModel, port: u16) -> Result<()> {
    progress::step("serving the local model");
    parts.start("model", &mut model.serve(port), Output::LogOnly)?;
    let deadline = Instant::now() + START_LIMIT;
    while probe::status(port, "/health") != Some(200) {
        parts.check()?;
        if Instant::now() > deadline {
            return Err(Failure::new(
                format!(
                    "the local model does not answer after {} s",
                    START_LIMIT.as_secs()
                ),
                "read target/local-model/model.log",
            ));
        }
        thread::sleep(Duration::from_millis(200));
    }
    Ok(())
}

fn test(ground: &Ground, port: u16) -> Result<Counts> {
    let toolchain = &ground.setup.toolchain;
    let mut cargo = toolchain.cargo(["test", "--package", "flarebot-tests", "--features", "runtime"]);
    // One after the other: the model answers no faster for being asked twice.
    cargo.args([
        "--no-fail-fast",
        "--test",
        "local_model",
        "--",
        "--test-threads",
        "1",
    ]);
    cargo
        .env("FLAREBOT_LOCAL_MODEL", format!("127.0.0.1:{port}"))
        .env("FLAREBOT_LOCAL_MODEL_NAME", model::NAME);
    native::run_cargo("local-model", ground.describe(&mut cargo))
}
