//! The bundles: the page's assets, the Worker, and the fixture Worker of the tests. A bundle whose inputs did not change
//! is left alone.

use std::fs::File;
use std::path::PathBuf;
use std::process::Command;

use crate::arguments::Arguments;
use crate::checkout;
use crate::digest::Inputs;
use crate::failure::{Failure, Result};
use crate::files;
use crate::process;
use crate::progress;
use crate::setup::{Setup, Toolchain};
use crate::workspace::Workspace;

mod client;
mod sizes;
mod worker;

pub(crate) use sizes::measure;

const HELP: &str = "\
Usage: cargo xtask build [--dev] [--fixture]

Builds the page (Wasm, script and style sheet under content-hashed names, in build/assets) and the Worker (in
build/worker), and prints their sizes: raw, gzip and brotli. What did not change is not built again.

  --dev       unoptimised, into build/dev: what `cargo xtask dev` serves
  --fixture   also the fixture Worker of the tests, into build/fixture";

/// How a bundle is compiled and where it goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    Release,
    Development,
}

impl Profile {
    /// The folder of this profile's bundles.
    pub(crate) fn folder(self) -> PathBuf {
        match self {
            Self::Release => checkout::build(),
            Self::Development => checkout::build().join("dev"),
        }
    }

    /// The profile's name as cargo's and worker-build's option.
    fn option(self) -> &'static str {
        match self {
            Self::Release => "--release",
            Self::Development => "--dev",
        }
    }

    /// Where cargo puts the Wasm module of a crate.
    fn module(self, crate_name: &str) -> PathBuf {
        let folder = match self {
            Self::Release => "release",
            Self::Development => "debug",
        };
        let target = checkout::target().join("wasm32-unknown-unknown").join(folder);
        target.join(format!("{}.wasm", crate_name.replace('-', "_")))
    }
}

/// The folders of a finished bundle.
pub(crate) struct Bundle {
    pub(crate) worker: PathBuf,
    pub(crate) assets: PathBuf,
}

pub(crate) fn command(mut arguments: Arguments) -> Result<()> {
    if arguments.wants_help(HELP) {
        return Ok(());
    }
    let profile = if arguments.flag("--dev") {
        Profile::Development
    } else {
        Profile::Release
    };
    let with_fixture = arguments.flag("--fixture");
    arguments.finish()?;
    let setup = Setup::complete()?;
    let bundle = product(&setup, profile)?;
    if with_fixture {
        fixture(&setup)?;
    }
    println!("{}", measure(&setup.node, &bundle)?);
    Ok(())
}

/// Builds the page and the Worker.
pub(crate) fn product(setup: &Setup, profile: Profile) -> Result<Bundle> {
    let _lock = lock()?;
    let workspace = Workspace::read(&setup.toolchain)?;
    let assets = client::build(setup, &workspace, profile)?;
    let folder = profile.folder();
    worker::build(setup, &workspace, profile, &worker::PRODUCT, &assets)?;
    Ok(Bundle {
        worker: folder.join("worker"),
        assets: folder.join("assets"),
    })
}

/// Builds the fixture Worker of the tests, if the checkout has one, and says where it is.
pub(crate) fn fixture(setup: &Setup) -> Result<Option<PathBuf>> {
    let workspace = Workspace::read(&setup.toolchain)?;
    if workspace.find(worker::FIXTURE.package).is_none() {
        progress::step("the workspace has no fixture Worker");
        return Ok(None);
    }
    let _lock = lock()?;
    let assets = client::build(setup, &workspace, Profile::Release)?;
    worker::build(setup, &workspace, Profile::Release, &worker::FIXTURE, &assets)?;
    Ok(Some(Profile::Release.folder().join(worker::FIXTURE.output)))
}

/// Keeps a second build of this checkout waiting: both would write the same folders. Ends with the returned file.
fn lock() -> Result<File> {
    let path = checkout::build().join("lock");
    files::write(&path, "")?;
    let file = File::open(&path).map_err(|error| Failure::at(&path, &error))?;
    if file.try_lock().is_err() {
        progress::step("waiting for another build of this checkout");
        file.lock().map_err(|error| Failure::at(&path, &error))?;
    }
    Ok(file)
}

/// The inputs that every bundle shares.
fn common_inputs(setup: &Setup, profile: Profile) -> Inputs {
    Inputs::default()
        .fact("profile", profile.option())
        .fact("compiler", setup.toolchain.version())
        .fact("tools", setup.tools.versions())
        .fact("packages", setup.node.lock())
        .fact("steps", env!("CARGO_PKG_VERSION"))
}

/// Makes a Wasm module small and takes the function names out. The features are named, so that a newer encoding is never
/// written before the runtime reads it.
fn optimise(setup: &Setup, module: &std::path::Path) -> Result<()> {
    const FEATURES: [&str; 7] = [
        "--enable-mutable-globals",
        "--enable-sign-ext",
        "--enable-nontrapping-float-to-int",
        "--enable-bulk-memory",
        "--enable-multivalue",
        "--enable-reference-types",
        "--enable-exception-handling",
    ];
    let small = module.with_extension("small");
    let mut wasm_opt = setup.node.script("binaryen/bin/wasm-opt");
    wasm_opt
        .arg("-Oz")
        .args(FEATURES)
        .arg(module)
        .arg("-o")
        .arg(&small);
    process::run("wasm-opt", &mut wasm_opt)?;
    std::fs::rename(&small, module).map_err(|error| Failure::at(module, &error))
}

/// A cargo or worker-build call for Wasm: both set the same variable, so that shared dependencies build once.
pub(crate) fn wasm_command(toolchain: &Toolchain, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = toolchain.command(program);
    command.env("WASM_BINDGEN_USE_JS_SYS", "1");
    command
}
