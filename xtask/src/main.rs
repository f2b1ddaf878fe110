//! The developer's commands. `cargo xtask <command>` does all the set-up that the command needs, on Linux and macOS, with
//! nothing but cargo, Node with npm, and Python; `--help` lists the commands.

use std::env;
use std::process::ExitCode;

mod arguments;
mod bench;
mod build;
mod check;
mod checkout;
mod dev;
mod digest;
mod failure;
mod files;
mod model;
mod parts;
mod probe;
mod process;
mod progress;
mod randomness;
mod setup;
mod sign_in;
mod test;
mod variables;
mod workspace;

use arguments::Arguments;
use failure::{Failure, Result};

const HELP: &str = "\
Usage: cargo xtask <command> [options]

Commands:
  dev       run it here, with a local model, and print a sign-in link
  test      run the suites and count them
  check     check everything that can be judged without running the product
  build     build the release bundle and print its sizes
  bench     measure what an answer costs, beside bare pass-throughs and a peer
  sign-in   print a one-time sign-in link for an installation
  setup     install the Wasm toolchain and the pinned tools

`cargo xtask <command> --help` says more about one of them. Every command does its own set-up first.";

fn main() -> ExitCode {
    progress::start();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let mut words = env::args().skip(1);
    let Some(command) = words.next() else {
        println!("{HELP}");
        return Ok(());
    };
    let arguments = Arguments::new(words);
    match command.as_str() {
        "setup" | "set-up" => setup::command(arguments),
        "build" => build::command(arguments),
        "bench" => bench::command(arguments),
        "dev" => dev::command(arguments),
        "sign-in" => sign_in::command(arguments),
        "check" => check::command(arguments),
        "test" => test::command(arguments),
        "help" | "--help" | "-h" => {
            println!("{HELP}");
            Ok(())
        }
        unknown => Err(Failure::new(
            format!("there is no command `{unknown}`"),
            "run `cargo xtask --help` for the list",
        )),
    }
}
