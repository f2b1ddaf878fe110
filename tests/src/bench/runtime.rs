//! A measured system as a process: started, stopped, killed, and looked at from outside.

use super::process::Process;
use super::trouble::{Result, Trouble};
use crate::credentials::Variables;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What a system needs to know, for its first start and for every later one.
#[derive(Debug, Clone)]
pub(super) struct Options {
    /// `bare`, `product` or `peer`.
    pub(super) system: &'static str,
    /// The folder of its storage.
    pub(super) storage: PathBuf,
    /// The port on the loopback interface.
    pub(super) port: u16,
    pub(super) variables: Variables,
    /// The peer's folder.
    pub(super) peer: Option<PathBuf>,
    pub(super) count_rows: bool,
}

/// A running system. Dropping it kills it.
#[derive(Debug)]
pub(super) struct Runtime {
    node: Child,
    /// The runtime's own process, below Node's.
    pub(super) process: Process,
}

impl Runtime {
    /// Starts it and waits until it is ready.
    pub(super) fn start(options: &Options) -> Result<Self> {
        let log = options.storage.with_extension("log");
        let mut node = spawn(options, &log)?;
        let mut line = String::new();
        if let Some(output) = node.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        if line != "ready\n" {
            drop(node.kill());
            drop(node.wait());
            let printed = fs::read_to_string(&log).unwrap_or_default();
            eprintln!("--- {} did not start ---\n{printed}", options.system);
            return Err(Trouble::new("the runtime did not start"));
        }
        let process = Process::runtime_below(node.id())?;
        Ok(Self { node, process })
    }

    /// Lets it end in good order.
    pub(super) fn stop(mut self) -> Result<()> {
        drop(self.node.stdin.take());
        self.node.wait()?;
        Ok(())
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.node.id()).ok().and_then(Pid::from_raw) {
            // A group that is gone already needs no signal.
            let _ = kill_process_group(group, Signal::KILL);
        }
        drop(self.node.wait());
    }
}

fn spawn(options: &Options, log: &Path) -> Result<Child> {
    let arguments = serde_json::json!({
        "system": options.system,
        "storage": options.storage,
        "port": options.port,
        "variables": options.variables,
        "peer": options.peer,
        "countRows": options.count_rows,
    });
    let node = std::env::var_os("FLAREBOT_NODE").unwrap_or_else(|| "node".into());
    let log = File::options().create(true).append(true).open(log)?;
    let child = Command::new(node)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/host.mjs"))
        .arg(arguments.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(log)
        .process_group(0)
        .spawn()?;
    Ok(child)
}
