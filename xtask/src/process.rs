//! Running other programs: their lines are passed on behind a short prefix, and a program that fails or is missing ends
//! the command with the line that was run.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};

/// Runs a program to its end and passes its output on; a non-zero exit is a failure.
pub(crate) fn run(prefix: &str, command: &mut Command) -> Result<()> {
    let status = observe(prefix, command, |_| ())?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(
        format!("`{}` ended with {status}", line_of(command)),
        format!("its last lines are above, behind `{prefix} |`"),
    ))
}

/// Runs a program to its end, passes its output on and shows each line to `observer`.
pub(crate) fn observe(
    prefix: &str,
    command: &mut Command,
    mut observer: impl FnMut(&str),
) -> Result<ExitStatus> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| cannot_start(command, &error))?;
    let (sender, lines) = mpsc::channel();
    let readers = [
        child.stdout.take().map(|pipe| read_lines(pipe, sender.clone())),
        child.stderr.take().map(|pipe| read_lines(pipe, sender)),
    ];
    for line in lines {
        eprintln!("{prefix} | {line}");
        observer(&line);
    }
    for reader in readers.into_iter().flatten() {
        drop(reader.join());
    }
    child.wait().map_err(|error| cannot_start(command, &error))
}

/// Runs a program silently and returns its standard output; a non-zero exit is a failure with its complaint.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| cannot_start(command, &error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(Failure::new(
        format!(
            "`{}` ended with {}\n{}",
            line_of(command),
            output.status,
            String::from_utf8_lossy(&output.stderr).trim_end()
        ),
        "mend what it complains about and run the command again",
    ))
}

/// Whether a program can be run and ends well; its output is thrown away.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Like [`succeeds`], but the program may use the terminal and is ended after `limit`.
pub(crate) fn succeeds_within(limit: Duration, command: &mut Command) -> bool {
    let Ok(mut child) = command.stdin(Stdio::null()).spawn() else {
        return false;
    };
    let deadline = Instant::now() + limit;
    while Instant::now() < deadline {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => thread::sleep(Duration::from_millis(100)),
            Err(_) => return false,
        }
    }
    drop(child.kill());
    drop(child.wait());
    false
}

/// Where a program would be found by its name alone.
pub(crate) fn exists(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

/// A program's lines, sent as they come; anything that is not UTF-8 is replaced.
pub(crate) fn read_lines(
    pipe: impl Read + Send + 'static,
    sender: mpsc::Sender<String>,
) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let mut reader = BufReader::new(pipe);
        let mut bytes = Vec::new();
        while reader.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
            let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
            bytes.clear();
            if sender.send(line).is_err() {
                return;
            }
        }
    })
}

pub(crate) fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    let program = command.get_program().to_string_lossy();
    Failure::new(
        format!("cannot run `{program}`: {error}"),
        format!("install `{program}` or put it on PATH; docs/development.md lists what a new machine needs"),
    )
}

fn line_of(command: &Command) -> String {
    let words: Vec<_> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect();
    words.join(" ")
}
