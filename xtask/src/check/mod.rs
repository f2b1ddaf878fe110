//! Everything that can be judged without running the product. All steps run, so that one call shows all complaints; a
//! checkout that passed once is not checked again until something changes.

use crate::arguments::Arguments;
use crate::build;
use crate::checkout;
use crate::digest::{self, Inputs};
use crate::failure::{Failure, Result};
use crate::files;
use crate::process;
use crate::progress;
use crate::setup::{Setup, Toolchain};
use crate::test::server_features;
use crate::workspace::Workspace;

mod absences;
mod borders;
mod budget;
mod externs;
mod licence;
mod policy;

const HELP: &str = "\
Usage: cargo xtask check

Checks formatting, clippy with warnings denied (native, Worker and page), the dependency policy of deny.toml, the borders
between crates, the length of files, and the size budgets of the release bundle. Takes seconds when nothing changed.";

/// Room for the end of a thought behind the 400 lines that a file should have.
const MAXIMUM_LINES: usize = 450;

const COUNTED: [&str; 6] = ["rs", "mjs", "js", "ts", "py", "css"];

pub(crate) fn command(arguments: Arguments) -> Result<()> {
    if arguments.wants_help(HELP) {
        return Ok(());
    }
    arguments.finish()?;
    let setup = Setup::complete()?;
    let stamp = checkout::target().join("check.stamp");
    let inputs = Inputs::default()
        .fact("compiler", setup.toolchain.version())
        .path(&checkout::root())?
        .digest();
    if digest::is_current(&stamp, &inputs) {
        println!("nothing changed since the last check passed");
        return Ok(());
    }
    setup.toolchain.require_lints()?;

    let toolchain = &setup.toolchain;
    let workspace = Workspace::read(toolchain)?;
    let mut failed = Vec::new();
    let mut note = |name: &'static str, outcome: Result<()>| match outcome {
        Ok(()) => progress::step(&format!("{name}: fine")),
        Err(failure) => {
            progress::step(&format!("{name}: FAILED"));
            eprintln!("{failure}");
            failed.push(name);
        }
    };
    note(
        "format",
        process::run("fmt", &mut toolchain.cargo(["fmt", "--all", "--check"])),
    );
    note("length of files", lengths());
    note("borders between crates", complaints(borders::check(&workspace)));
    note("absences", complaints(absences::check().and_then(externs::check)));
    note("dependency policy", policy::check(toolchain));
    note("clippy, native", native_lints(toolchain));
    note("flarebot-bindgen", tool_lints(toolchain));
    for package in ["flarebot-worker", "flarebot-client", "flarebot-fixture"] {
        if workspace.find(package).is_some() {
            note(package, wasm_lints(toolchain, package));
        }
    }
    note("size budgets", budget::check(&setup));

    if failed.is_empty() {
        files::write(&stamp, inputs)?;
        println!("all checks passed");
        return Ok(());
    }
    println!("failed: {}", failed.join(", "));
    Err(Failure::Reported)
}

/// The crates that build natively, the page as the server renders it and the suites that need a feature among them.
fn native_lints(toolchain: &Toolchain) -> Result<()> {
    let mut clippy = toolchain.cargo(["clippy", "--quiet", "--all-targets"]);
    clippy
        .args(server_features(toolchain)?)
        .args(["--features", "flarebot-tests/runtime"]);
    process::run("clippy", clippy.args(["--", "--deny", "warnings"]))
}

/// No default member of the workspace: only the set-up compiles it.
fn tool_lints(toolchain: &Toolchain) -> Result<()> {
    let mut clippy = toolchain.cargo(["clippy", "--quiet", "--package", "flarebot-bindgen"]);
    process::run("clippy", clippy.args(["--", "--deny", "warnings"]))
}

/// One call for each Wasm crate: together they would unify the page's two features.
fn wasm_lints(toolchain: &Toolchain, package: &str) -> Result<()> {
    let mut clippy = build::wasm_command(toolchain, "cargo");
    clippy.args([
        "clippy",
        "--quiet",
        "--package",
        package,
        "--target",
        "wasm32-unknown-unknown",
    ]);
    process::run("clippy", clippy.args(["--", "--deny", "warnings"]))
}

fn lengths() -> Result<()> {
    let root = checkout::root();
    let mut long = Vec::new();
    for file in files::below(&root)? {
        let counted = file
            .extension()
            .is_some_and(|name| COUNTED.iter().any(|counted| name == *counted));
        if !counted {
            continue;
        }
        let lines = files::read_text(&file)?.lines().count();
        if lines > MAXIMUM_LINES {
            let shown = file.strip_prefix(&root).unwrap_or(&file);
            long.push(format!(
                "{} has {lines} lines, more than {MAXIMUM_LINES}",
                shown.display()
            ));
        }
    }
    complaints(Ok(long))
}

fn complaints(found: Result<Vec<String>>) -> Result<()> {
    let found = found?;
    if found.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        found.join("\n       "),
        "mend each line, or change the rule and say why in docs/decisions",
    ))
}
