//! One Rust toolchain with the Wasm target for every cargo call, so that shared dependencies are built once.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::debian;
use crate::checkout;
use crate::failure::{Failure, Result};
use crate::process;
use crate::progress;

pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Long enough for a slow line, short enough that a blocked download does not look like work.
const RUSTUP_LIMIT: Duration = Duration::from_secs(300);

/// What `cargo run` tells the program that it starts, and what would mislead the cargo calls below.
const CARGO_RUN_VARIABLES: [&str; 4] = [
    "CARGO",
    "CARGO_MANIFEST_DIR",
    "CARGO_MANIFEST_PATH",
    "RUST_RECURSION_COUNT",
];

/// A toolchain that has the Wasm target's standard library.
pub(crate) struct Toolchain {
    selection: Selection,
    version: String,
}

#[derive(Clone, PartialEq, Eq)]
enum Selection {
    /// What the checkout, the user or the system selects by itself.
    Current,
    /// A toolchain that rustup knows by name.
    Rustup(&'static str),
    /// The compiler of the system's packages, on a machine without rustup.
    System,
}

impl Toolchain {
    /// Uses what is installed, then rustup, then Debian's packages.
    pub(crate) fn find() -> Result<Self> {
        let chosen_by_hand = env::var_os("RUSTUP_TOOLCHAIN").is_some_and(|name| name == debian::LINK);
        if !chosen_by_hand && has_wasm(&Selection::Current) {
            return Self::with(Selection::Current);
        }
        if may_download() && !chosen_by_hand {
            progress::step(&format!("adding the target {WASM} with rustup"));
            let mut add = command_for(&Selection::Current, "rustup");
            add.args(["target", "add", WASM]);
            if process::succeeds_within(RUSTUP_LIMIT, &mut add) && has_wasm(&Selection::Current) {
                return Self::with(Selection::Current);
            }
        }
        if debian::is_debian() {
            debian::prepare()?;
            let selection = if process::exists("rustup") {
                Selection::Rustup(debian::LINK)
            } else {
                Selection::System
            };
            if has_wasm(&selection) {
                return Self::with(selection);
            }
        }
        Err(Failure::new(
            format!("the Rust toolchain has no standard library for {WASM}"),
            format!("run `rustup target add {WASM}` (https://rustup.rs) and then this command again"),
        ))
    }

    /// A program of the toolchain, or one that runs the toolchain itself, started in the checkout.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        command_for(&self.selection, program)
    }

    /// A cargo call in the checkout.
    pub(crate) fn cargo<const N: usize>(&self, arguments: [&str; N]) -> Command {
        let mut command = self.command("cargo");
        command.args(arguments);
        command
    }

    /// The first line of the compiler's version, such as `rustc 1.95.0 (…)`.
    pub(crate) fn release(&self) -> &str {
        self.version.lines().next().unwrap_or_default()
    }

    /// Everything that the compiler says about its version and host: part of every build's inputs.
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    /// The host's name, such as `x86_64-unknown-linux-gnu`.
    pub(crate) fn host(&self) -> &str {
        self.version
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .unwrap_or_default()
    }

    /// Makes sure that clippy and rustfmt belong to this toolchain, asking rustup for them where it may download.
    pub(crate) fn require_lints(&self) -> Result<()> {
        let complete = || {
            process::succeeds(&mut self.cargo(["clippy", "--version"]))
                && process::succeeds(&mut self.cargo(["fmt", "--version"]))
        };
        if complete() {
            return Ok(());
        }
        if self.selection == Selection::Current && may_download() {
            let mut add = self.command("rustup");
            add.args(["component", "add", "clippy", "rustfmt"]);
            if process::succeeds_within(RUSTUP_LIMIT, &mut add) && complete() {
                return Ok(());
            }
        }
        Err(Failure::new(
            "clippy or rustfmt is missing from the toolchain",
            "run `rustup component add clippy rustfmt` and then this command again",
        ))
    }

    fn with(selection: Selection) -> Result<Self> {
        let version = process::capture(command_for(&selection, "rustc").arg("-vV"))?;
        Ok(Self { selection, version })
    }
}

/// Whether rustup is there and nobody said that the machine's toolchain is fixed.
fn may_download() -> bool {
    process::exists("rustup") && env::var_os("RUSTUP_AUTO_INSTALL").is_none_or(|value| value != "0")
}

fn command_for(selection: &Selection, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(checkout::root());
    for name in CARGO_RUN_VARIABLES {
        command.env_remove(name);
    }
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_PKG_") {
            command.env_remove(name);
        }
    }
    if env::var_os("CARGO_TARGET_DIR").is_some() {
        command.env("CARGO_TARGET_DIR", checkout::target());
    }
    match selection {
        Selection::Current => {}
        Selection::Rustup(name) => {
            command.env("RUSTUP_TOOLCHAIN", name);
        }
        Selection::System => {
            command.env("PATH", path_with(Path::new("/usr/bin")));
        }
    }
    command
}

/// PATH with a folder in front.
pub(crate) fn path_with(first: &Path) -> OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(first.to_path_buf()).chain(env::split_paths(&path));
    env::join_paths(folders).unwrap_or(path)
}

/// Looks for the library file: rustc prints the folder even when nothing is in it.
fn has_wasm(selection: &Selection) -> bool {
    let mut print = command_for(selection, "rustc");
    print.args(["--print", "target-libdir", "--target", WASM]);
    let Ok(folder) = process::capture(&mut print) else {
        return false;
    };
    std::fs::read_dir(folder.trim()).is_ok_and(|entries| {
        entries.flatten().any(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with("libstd-") && name.ends_with(".rlib")
        })
    })
}
