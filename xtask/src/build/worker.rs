//! A Worker's bundle: the module and glue that worker-build makes, and the guard entry in front of them.

use std::path::PathBuf;

use super::client::Assets;
use super::{Profile, common_inputs, optimise, wasm_command};
use crate::checkout;
use crate::digest;
use crate::failure::{Failure, Result};
use crate::files;
use crate::process;
use crate::progress;
use crate::setup::Setup;
use crate::workspace::Workspace;

/// A crate that becomes a Worker.
pub(super) struct Worker {
    pub(super) package: &'static str,
    /// The folder's name below the profile's.
    pub(super) output: &'static str,
    ships: Ships,
    /// The modules in front of the generated glue, which go into the bundle under their own names. The first one is
    /// its main module.
    modules: [&'static str; 2],
}

/// Whether anybody downloads the bundle. The last bytes are not worth a minute where nobody does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ships {
    Yes,
    No,
}

pub(super) const PRODUCT: Worker = Worker {
    package: "flarebot-worker",
    output: "worker",
    ships: Ships::Yes,
    modules: ["crates/worker/entry.mjs", "crates/worker/guard.mjs"],
};

/// The same crates with slow, failing and panicking parts, for the tests.
pub(super) const FIXTURE: Worker = Worker {
    package: "flarebot-fixture",
    output: "fixture",
    ships: Ships::No,
    modules: ["tests/fixture/entry.mjs", "crates/worker/guard.mjs"],
};

/// The files of a bundle; worker-build's other output is for publishing to npm.
const FILES: [&str; 2] = ["index.js", "index_bg.wasm"];

/// Builds a Worker unless its bundle is that of the present sources.
pub(super) fn build(
    setup: &Setup,
    workspace: &Workspace,
    profile: Profile,
    worker: &Worker,
    assets: &Assets,
) -> Result<()> {
    let digest = inputs(setup, workspace, profile, worker, assets)?;
    if is_built(profile, worker, &digest) {
        return Ok(());
    }
    progress::step(&format!("building the Worker `{}`", worker.package));
    let member = workspace.find(worker.package).ok_or_else(|| missing(worker))?;
    let staging = profile.folder().join(format!(".{}", worker.output));
    files::empty_folder(&staging)?;
    let made = staging.join("made");
    let mut worker_build = wasm_command(&setup.toolchain, setup.tools.worker_build());
    worker_build
        .current_dir(&member.folder)
        .args([profile.option(), "--no-opt", "--out-dir"])
        .arg(&made)
        .envs(assets.variables())
        // worker-build downloads these unless it is told where they are.
        .env("WASM_BINDGEN_BIN", setup.tools.wasm_bindgen())
        .env("ESBUILD_BIN", setup.node.esbuild()?);
    process::run(worker.output, &mut worker_build)?;
    if profile == Profile::Release && worker.ships == Ships::Yes {
        optimise(setup, &made.join("index_bg.wasm"))?;
    }

    let bundle = staging.join("bundle");
    for name in FILES {
        files::write(&bundle.join(name), files::read(&made.join(name))?)?;
    }
    for (name, path) in modules(worker)? {
        files::write(&bundle.join(name), files::read(&path)?)?;
    }
    files::mirror(&bundle, &profile.folder().join(worker.output))?;
    files::remove_folder(&staging)?;
    files::write(&stamp(profile, worker), digest)
}

fn is_built(profile: Profile, worker: &Worker, digest: &str) -> bool {
    let folder = profile.folder().join(worker.output);
    let complete = modules(worker).is_ok_and(|modules| {
        let mut names = modules.iter().map(|(name, _)| *name).chain(FILES);
        names.all(|name| folder.join(name).is_file())
    });
    complete && digest::is_current(&stamp(profile, worker), digest)
}

fn inputs(
    setup: &Setup,
    workspace: &Workspace,
    profile: Profile,
    worker: &Worker,
    assets: &Assets,
) -> Result<String> {
    if workspace.find(worker.package).is_none() {
        return Err(missing(worker));
    }
    let mut inputs = workspace.sources(worker.package, common_inputs(setup, profile))?;
    for (name, path) in assets.variables() {
        inputs = inputs.fact(name, path);
    }
    for (_, path) in modules(worker)? {
        inputs = inputs.path(&path)?;
    }
    Ok(inputs.digest())
}

/// The modules in front of the glue: their names in the bundle and where they are now.
fn modules(worker: &Worker) -> Result<Vec<(&'static str, PathBuf)>> {
    let root = checkout::root();
    let found = worker.modules.into_iter().map(|module| {
        let path = root.join(module);
        let name = module.rsplit('/').next().unwrap_or(module);
        if path.is_file() {
            return Ok((name, path));
        }
        Err(Failure::new(format!("{module} is missing"), "restore it"))
    });
    found.collect()
}

fn stamp(profile: Profile, worker: &Worker) -> PathBuf {
    profile.folder().join(format!("{}.inputs", worker.output))
}

fn missing(worker: &Worker) -> Failure {
    Failure::new(
        format!("the workspace has no `{}`", worker.package),
        "add its folder to `members` in Cargo.toml, or restore it",
    )
}
