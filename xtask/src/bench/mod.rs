//! `bench`: measures the release bundle beside bare pass-throughs and, if there is one, a peer. The measurements
//! themselves are in `tests/src/bench`; this makes sure that everything is there and built.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arguments::Arguments;
use crate::build;
use crate::checkout;
use crate::failure::{Failure, Result};
use crate::files;
use crate::process;
use crate::progress;
use crate::setup::{Setup, Toolchain};

mod peer;

const HELP: &str = "\
Usage: cargo xtask bench turns [--peer FOLDER] [--quick] [--kills N] [--json FILE] [row…]

Measures what an answer costs, in one run and as ratios, and prints a table; docs/benchmarks.md says what each row
means. Without rows it measures all of them, in about half an hour: latency, burst, rows, disk, reload, kill, orphan,
history, turn, memory, bundle. It needs Linux, and a machine that does nothing else.

  --peer FOLDER   also a peer, installed and built there if it is not; the folder must be writable
  --quick         one round with small numbers: shows that everything runs, and measures nothing
  --kills N       how often `kill` kills the runtime (10)
  --json FILE     where the figures go for programs (bench/turns.json in cargo's target folder)

The bundle is built first, unless FLAREBOT_BUNDLE, FLAREBOT_ASSETS and FLAREBOT_NODE name a finished one and the Node to
run it with.";

pub(crate) fn command(mut arguments: Arguments) -> Result<()> {
    if arguments.wants_help(HELP) {
        return Ok(());
    }
    let peer = arguments.value("--peer")?;
    let kills = arguments.value("--kills")?;
    let json = arguments.value("--json")?;
    let quick = arguments.flag("--quick");
    let words = arguments.rest()?;
    let Some((benchmark, rows)) = words.split_first().filter(|(first, _)| *first == "turns") else {
        return Err(Failure::new(
            "there is no such benchmark",
            "name the one that there is: `cargo xtask bench turns`",
        ));
    };
    let ground = Ground::find()?;
    let json = json.map_or_else(|| checkout::target().join("bench/turns.json"), absolute);
    if let Some(folder) = json.parent() {
        files::create_folder(folder)?;
    }
    let mut bench = Command::new(ground.program()?);
    bench
        .arg(benchmark)
        .args(rows)
        .arg("--json")
        .arg(&json)
        .env("FLAREBOT_BUNDLE", &ground.worker)
        .env("FLAREBOT_ASSETS", &ground.assets)
        .env("FLAREBOT_NODE", &ground.node);
    if let Some(peer) = peer {
        let folder = absolute(peer);
        peer::prepare(&folder, &ground.node)?;
        bench.arg("--peer").arg(folder);
    }
    if let Some(kills) = kills {
        bench.arg("--kills").arg(kills);
    }
    if quick {
        bench.arg("--quick");
    }
    progress::step("measuring");
    // The table is the result, so it goes to standard output as it is.
    let status = bench
        .status()
        .map_err(|error| process::cannot_start(&bench, &error))?;
    if !status.success() {
        return Err(Failure::Reported);
    }
    progress::step(&format!("the figures are in {}", json.display()));
    Ok(())
}

/// A path as the caller meant it; the program may be started elsewhere.
fn absolute(path: String) -> PathBuf {
    let path = PathBuf::from(path);
    std::path::absolute(&path).unwrap_or(path)
}

/// What is measured, and with which Node it is run.
struct Ground {
    toolchain: Toolchain,
    worker: PathBuf,
    assets: PathBuf,
    node: PathBuf,
}

impl Ground {
    /// What the environment names, or what is built now.
    fn find() -> Result<Self> {
        let named = |name: &str| env::var_os(name).map(|path| absolute(path.to_string_lossy().into_owned()));
        if let (Some(worker), Some(assets), Some(node)) = (
            named("FLAREBOT_BUNDLE"),
            named("FLAREBOT_ASSETS"),
            named("FLAREBOT_NODE"),
        ) {
            let toolchain = Toolchain::find()?;
            return Ok(Self {
                toolchain,
                worker,
                assets,
                node,
            });
        }
        let setup = Setup::complete()?;
        let bundle = build::product(&setup, build::Profile::Release)?;
        Ok(Self {
            worker: bundle.worker,
            assets: bundle.assets,
            node: setup.node.binary().to_path_buf(),
            toolchain: setup.toolchain,
        })
    }

    /// Builds the program that measures. A slow client would hide what it measures, so this is a release build.
    fn program(&self) -> Result<PathBuf> {
        const PROGRAM: [&str; 4] = ["--package", "flarebot-tests", "--bin", "bench"];
        let mut cargo = self.toolchain.cargo(["build", "--release"]);
        process::run("bench", cargo.args(PROGRAM))?;
        Ok(checkout::target().join("release/bench"))
    }
}

/// A program of Node's with this Node first on PATH.
fn with_node(program: impl AsRef<Path>, node: &Path) -> Command {
    let mut command = Command::new(program.as_ref());
    let folders = node.parent().map(Path::to_path_buf).into_iter();
    let inherited = env::var_os("PATH").unwrap_or_default();
    let paths = env::join_paths(folders.chain(env::split_paths(&inherited)));
    command.env("PATH", paths.unwrap_or(inherited));
    command
}
