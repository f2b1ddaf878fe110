//! Processes that serve while a command works, started together and stopped together, whatever ends this program.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};
use crate::files;
use crate::process;

/// Remembers the process groups that it is told and ends them when its input closes: even SIGKILL of this program closes
/// it, so that no runtime is left behind.
const KEEPER: &str = r#"
trap '' INT TERM HUP
groups=
while read -r group; do groups="$groups $group"; done
alive() { for group in $groups; do kill -s 0 -- "-$group" 2>/dev/null && return 0; done; return 1; }
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
tries=0
while alive && [ "$tries" -lt 40 ]; do sleep 0.1; tries=$((tries + 1)); done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
exit 0
"#;

/// Longer than the keeper's own patience.
const STOP_LIMIT: Duration = Duration::from_secs(8);

/// What is shown of a log when its part died.
const LAST_LINES: usize = 20;

/// What happens to a part's lines beside its log file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    Shown,
    LogOnly,
}

/// The running parts.
pub(crate) struct Parts {
    keeper: Child,
    groups: Option<ChildStdin>,
    parts: Vec<Part>,
    logs: PathBuf,
}

struct Part {
    name: &'static str,
    child: Child,
    log: PathBuf,
}

impl Parts {
    /// Starts the keeper; parts follow. Their logs go to `logs`.
    pub(crate) fn new(logs: &Path) -> Result<Self> {
        files::create_folder(logs)?;
        let mut command = Command::new("sh");
        command
            .args(["-c", KEEPER])
            .stdin(Stdio::piped())
            .process_group(0);
        let mut keeper = command
            .spawn()
            .map_err(|error| process::cannot_start(&command, &error))?;
        let groups = keeper.stdin.take();
        Ok(Self {
            keeper,
            groups,
            parts: Vec::new(),
            logs: logs.to_path_buf(),
        })
    }

    /// Starts a part in a process group of its own.
    pub(crate) fn start(&mut self, name: &'static str, command: &mut Command, output: Output) -> Result<()> {
        let log = self.logs.join(format!("{name}.log"));
        let mut file = File::create(&log).map_err(|error| Failure::at(&log, &error))?;
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = command
            .spawn()
            .map_err(|error| process::cannot_start(command, &error))?;
        if let Some(groups) = &mut self.groups {
            writeln!(groups, "{}", child.id()).map_err(|error| process::cannot_start(command, &error))?;
        }
        let (sender, lines) = mpsc::channel();
        drop(
            child
                .stdout
                .take()
                .map(|pipe| process::read_lines(pipe, sender.clone())),
        );
        drop(child.stderr.take().map(|pipe| process::read_lines(pipe, sender)));
        thread::spawn(move || {
            for line in lines {
                // A full disk must not stop the server.
                let _ = writeln!(file, "{line}");
                if output == Output::Shown {
                    eprintln!("{name} | {line}");
                }
            }
        });
        self.parts.push(Part { name, child, log });
        Ok(())
    }

    /// Fails if a part has ended.
    pub(crate) fn check(&mut self) -> Result<()> {
        for part in &mut self.parts {
            if let Ok(Some(status)) = part.child.try_wait() {
                return Err(part.died(status));
            }
        }
        Ok(())
    }

    /// Stops every part and waits until all are gone.
    pub(crate) fn stop(mut self) {
        drop(self.groups.take());
        let deadline = Instant::now() + STOP_LIMIT;
        while Instant::now() < deadline {
            // A child that was not waited for would look alive to the keeper.
            for part in &mut self.parts {
                drop(part.child.try_wait());
            }
            if matches!(self.keeper.try_wait(), Ok(Some(_)) | Err(_)) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Part {
    fn died(&self, status: ExitStatus) -> Failure {
        // Its last lines are still on their way into the log.
        thread::sleep(Duration::from_millis(200));
        let text = files::read_text(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let last = lines
            .get(lines.len().saturating_sub(LAST_LINES)..)
            .unwrap_or_default()
            .join("\n");
        Failure::new(
            format!("`{}` ended with {status}\n{last}", self.name),
            format!("mend what its log says ({}) and start again", self.log.display()),
        )
    }
}
