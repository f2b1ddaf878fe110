//! The developer's commands. `cargo xtask <command>` does all the set-up that the command needs, on Linux and macOS, with
//! nothing but cargo, Node with npm, and Python; `--help` lists the commands.

use std::env;
use std::process::ExitCode;

mod arguments;
mod build;
mod check;
mod checkout;
mod digest;
mod failure;
mod files;
mod process;
mod progress;
mod setup;
mod test;
mod workspace;

use arguments::Arguments;
use failure::{Failure, Result};

const HELP: &str = "\
Usage: cargo xtask <command> [options]

Commands:
  setup     install the Wasm toolchain and the pinned tools
  build     build the release bundle and print its sizes
  check     check everything that can be judged without running the product
  test      run the suites and count them

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
