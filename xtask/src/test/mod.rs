//! The suites, one after the other, and one line at the end that counts them all. A suite that ends badly without saying
//! how many tests failed counts as one failure, and so does one that ran no test.

use std::path::PathBuf;
use std::process::Command;

use crate::arguments::Arguments;
use crate::build;
use crate::checkout;
use crate::failure::{Failure, Result};
use crate::process;
use crate::progress;
use crate::setup::{Setup, Toolchain};

mod browser;
mod counts;
mod durability;
mod interop;
mod local_model;
mod native;
mod runtime;

use counts::Counts;
pub(crate) use native::server_features;

const HELP: &str = "\
Usage: cargo xtask test [native] [runtime] [durability] [browser] [interop] [local-model]
                        [--seed N] [--soak]

Runs the named suites, or all of them, after all the set-up. The last line is `N passed, N failed`, with
`, N skipped` if any were; each skipped one is named with its reason above it.

  native      cargo's tests of the crates that need no Wasm
  runtime     the release bundle inside the local Cloudflare runtime
  durability  turns that are cut off by killing the process, and their ends
  browser     the release bundle in a real Chromium (Debian's package `chromium`, or FLAREBOT_CHROMIUM)
  interop     the published `agents` client against the release bundle
  local-model the release bundle with the model that `dev` serves

Options of `durability`:
  --seed N    another course of events; the seed of a run is printed
  --soak      all of it, about ten minutes, instead of a fifth";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Suite {
    Native,
    Runtime,
    Durability,
    Browser,
    Interop,
    LocalModel,
}

impl Suite {
    const ALL: [Self; 6] = [
        Self::Native,
        Self::Runtime,
        Self::Durability,
        Self::Browser,
        Self::Interop,
        Self::LocalModel,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Runtime => "runtime",
            Self::Durability => "durability",
            Self::Browser => "browser",
            Self::Interop => "interop",
            Self::LocalModel => "local-model",
        }
    }
}

/// What the suites beside `native` run against: the set-up and one release build for all of them.
struct Ground {
    setup: Setup,
    bundle: build::Bundle,
    fixture: Option<PathBuf>,
}

impl Ground {
    fn prepare() -> Result<Self> {
        let setup = Setup::complete()?;
        let bundle = build::product(&setup, build::Profile::Release)?;
        let fixture = build::fixture(&setup)?;
        Ok(Self {
            setup,
            bundle,
            fixture,
        })
    }

    /// Tells a test runner where everything is.
    fn describe<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env("FLAREBOT_BUNDLE", &self.bundle.worker)
            .env("FLAREBOT_ASSETS", &self.bundle.assets)
            .env("FLAREBOT_NODE", self.setup.node.binary())
            .env("PATH", self.setup.node.path());
        if let Some(fixture) = &self.fixture {
            command.env("FLAREBOT_FIXTURE_BUNDLE", fixture);
        }
        command
    }

    /// Builds the harness's program for the suites that are not written in Rust.
    fn installation(&self) -> Result<PathBuf> {
        let toolchain = &self.setup.toolchain;
        let mut cargo = toolchain.cargo(["build", "--package", "flarebot-tests", "--bin", "installation"]);
        process::run("installation", &mut cargo)?;
        Ok(checkout::target().join("debug/installation"))
    }
}

pub(crate) fn command(mut arguments: Arguments) -> Result<()> {
    if arguments.wants_help(HELP) {
        return Ok(());
    }
    let course = durability::Course::read(&mut arguments)?;
    let suites = selected(&arguments.rest()?)?;
    course.is_for(&suites)?;
    let toolchain = Toolchain::find()?;
    let mut total = Counts::default();
    if suites.contains(&Suite::Native) {
        total.add(finish(Suite::Native, native::run(&toolchain)));
    }
    let others: Vec<Suite> = suites
        .into_iter()
        .filter(|suite| *suite != Suite::Native)
        .collect();
    if !others.is_empty() {
        match Ground::prepare() {
            Ok(ground) => {
                for suite in others {
                    progress::step(&format!("suite {}", suite.name()));
                    let outcome = match suite {
                        Suite::Native => continue,
                        Suite::Runtime => runtime::run(&ground),
                        Suite::Durability => durability::run(&ground, &course),
                        Suite::Browser => browser::run(&ground),
                        Suite::Interop => interop::run(&ground),
                        Suite::LocalModel => local_model::run(&ground),
                    };
                    total.add(finish(suite, outcome));
                }
            }
            Err(failure) => {
                eprintln!("{failure}");
                for suite in others {
                    total.add(Counts::crashed(suite.name(), "the bundle was not built"));
                }
            }
        }
    }
    report(&total)
}

/// Turns whatever happened to a suite into counts, and prints them.
fn finish(suite: Suite, outcome: Result<Counts>) -> Counts {
    let name = suite.name();
    let counts = match outcome {
        Ok(counts) if counts.is_empty() => Counts::crashed(name, "it ran no test"),
        Ok(counts) => counts,
        Err(failure) => {
            eprintln!("{failure}");
            Counts::crashed(name, "it did not run to its end")
        }
    };
    progress::step(&format!("suite {name}: {counts}"));
    counts
}

fn report(total: &Counts) -> Result<()> {
    for failure in &total.crashes {
        println!("failed: {failure}");
    }
    for (name, reason) in &total.skipped {
        println!("skipped: {name}: {reason}");
    }
    println!("{total}");
    if total.failed == 0 {
        Ok(())
    } else {
        Err(Failure::Reported)
    }
}

fn selected(words: &[String]) -> Result<Vec<Suite>> {
    if let Some(unknown) = words
        .iter()
        .find(|word| Suite::ALL.iter().all(|suite| suite.name() != **word))
    {
        return Err(Failure::new(
            format!("there is no suite `{unknown}`"),
            "name `native`, `runtime`, `durability`, `browser`, `interop` or `local-model`",
        ));
    }
    let wanted = |suite: &Suite| words.is_empty() || words.iter().any(|word| word == suite.name());
    Ok(Suite::ALL.into_iter().filter(wanted).collect())
}
