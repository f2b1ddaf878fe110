//! The local runtime as a process: started, stopped, killed, and started again on the same storage.

use crate::client::http::{Request, Response};
use crate::credentials::Variables;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Which bundle a host runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// The release bundle.
    Production,
    /// The release bundle's crates with the fixture object beside them.
    Fixture,
    /// The pass-through object that latency is compared with.
    Bare,
}

/// What a host needs to know.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// Which bundle runs.
    pub entry: Entry,
    /// The folder of the objects' storage.
    pub storage: PathBuf,
    /// The port on the loopback interface.
    pub port: u16,
    /// The configuration of the deployment.
    pub variables: Variables,
    /// `host:port` of the one outbound address that is served.
    pub provider: String,
    /// The folder of the bundle, unless it is the usual one.
    pub bundle: Option<PathBuf>,
}

impl HostOptions {
    /// The folder of the bundle.
    pub(crate) fn bundle(&self) -> PathBuf {
        let (variable, folder) = self.entry.bundle();
        let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
        let told = || std::env::var_os(variable).map(PathBuf::from);
        self.bundle.clone().or_else(told).unwrap_or_else(usual)
    }
}

impl Entry {
    /// The variable that names the folder of the bundle, and where it is in the checkout.
    fn bundle(self) -> (&'static str, &'static str) {
        match self {
            Self::Production => ("FLAREBOT_BUNDLE", "build/worker"),
            Self::Fixture => ("FLAREBOT_FIXTURE_BUNDLE", "build/fixture"),
            Self::Bare => ("FLAREBOT_BARE_BUNDLE", "tests/host/bare"),
        }
    }
}

/// A running host. Dropping it kills it.
#[derive(Debug)]
pub struct Host {
    process: Child,
    control: String,
    log: PathBuf,
}

impl Host {
    /// Starts a host and waits until it is ready.
    ///
    /// # Panics
    /// When it does not become ready; the message holds what it printed.
    #[must_use]
    pub fn start(options: &HostOptions) -> Self {
        let log = options.storage.with_extension("log");
        let mut process = spawn(options, &log);
        let mut line = String::new();
        let mut printed = BufReader::new(process.stdout.take().unwrap());
        printed.read_line(&mut line).unwrap();
        let ready: Option<serde_json::Value> = serde_json::from_str(&line).ok();
        let port = ready.and_then(|ready| ready["control"].as_u64());
        let Some(port) = port else {
            let printed = fs::read_to_string(&log).unwrap_or_default();
            panic!("the host did not start: {line}{printed}");
        };
        // Whatever else is printed is a part of the log.
        let mut rest = open_log(&log);
        std::thread::spawn(move || io::copy(&mut printed, &mut rest));
        Self {
            process,
            control: format!("127.0.0.1:{port}"),
            log,
        }
    }

    /// Kills Node and the runtime at once, as a power cut would, and waits for their end.
    pub fn kill(self) {
        drop(self);
    }

    /// Sends the signal that kills Node and the runtime, while others may still use them.
    pub fn kill_now(&self) {
        if let Some(group) = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw) {
            // A group that is gone already needs no signal.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// Lets the host end in good order.
    ///
    /// # Panics
    /// When it cannot be waited for.
    pub fn stop(mut self) {
        drop(self.process.stdin.take());
        self.process.wait().unwrap();
    }

    /// Asks the fixture object, which no request from outside can reach.
    ///
    /// # Panics
    /// When the host does not answer.
    #[must_use]
    pub fn fixture(&self, target: &str) -> Response {
        let request = Request::new("POST", &format!("/fixture{target}"));
        request.send(&self.control).expect("the host answers")
    }

    /// Every outbound request that was not for the provider.
    ///
    /// # Panics
    /// When the host does not answer.
    #[must_use]
    pub fn refused(&self) -> Vec<String> {
        let response = Request::new("GET", "/refused").send(&self.control);
        serde_json::from_slice(&response.expect("the host answers").body).expect("a list")
    }

    /// What the host and its runtime have printed, since the first start on this storage.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.kill_now();
        drop(self.process.wait());
        if std::thread::panicking() {
            let mut printed = String::new();
            if let Ok(mut log) = File::open(&self.log) {
                drop(log.read_to_string(&mut printed));
            }
            eprintln!("--- the runtime's log ---\n{printed}");
        }
    }
}

/// A port of the loopback interface that nobody uses, for a runtime that must come back on it after a kill.
///
/// It is below the range from which the system hands out ports by itself, so that no connection of another test can
/// take it while the runtime is down.
///
/// # Panics
/// When there is none.
#[must_use]
pub(crate) fn free_port() -> u16 {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    const FIRST: u32 = 20_000;
    const COUNT: u32 = 12_000;
    (0..COUNT)
        .map(|_| {
            TAKEN
                .fetch_add(1, Ordering::Relaxed)
                .wrapping_add(std::process::id())
        })
        .map(|number| u16::try_from(FIRST + number % COUNT).unwrap())
        .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .expect("a free port")
}

fn open_log(path: &Path) -> File {
    File::options().create(true).append(true).open(path).unwrap()
}

fn spawn(options: &HostOptions, log: &Path) -> Child {
    let entry = match options.entry {
        Entry::Production => "production",
        Entry::Fixture => "fixture",
        Entry::Bare => "bare",
    };
    let arguments = serde_json::json!({
        "entry": entry,
        "storage": options.storage,
        "port": options.port,
        "variables": options.variables,
        "provider": options.provider,
    });
    let node = std::env::var_os("FLAREBOT_NODE").unwrap_or_else(|| "node".into());
    let log = open_log(log);
    Command::new(&node)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("host/host.mjs"))
        .arg(arguments.to_string())
        .env(options.entry.bundle().0, options.bundle())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(log)
        .process_group(0)
        .spawn()
        .unwrap_or_else(|error| panic!("{} cannot be started: {error}", node.display()))
}
