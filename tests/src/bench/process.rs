//! What the system knows of a process: its time on the processor, its memory, and what it wrote to the disk.

use super::trouble::{Result, Trouble};
use std::fs;

/// Clock ticks a second in `/proc`, the same on every architecture that Linux runs on here.
const TICKS_PER_SECOND: f64 = 100.0;

/// A running process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Process(u32);

impl Process {
    /// The child of `parent` that runs the local runtime.
    pub(super) fn runtime_below(parent: u32) -> Result<Self> {
        let mut open = vec![parent];
        while let Some(process) = open.pop() {
            for task in fs::read_dir(format!("/proc/{process}/task"))
                .map_err(|_| unreadable())?
                .flatten()
            {
                let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
                open.extend(
                    children
                        .split_whitespace()
                        .filter_map(|child| child.parse::<u32>().ok()),
                );
            }
            let program = fs::read_link(format!("/proc/{process}/exe")).unwrap_or_default();
            if program.file_name().is_some_and(|name| name == "workerd") {
                return Ok(Self(process));
            }
        }
        Err(Trouble::new("the runtime's process was not found"))
    }

    /// The time that it had the processor, in milliseconds, in steps of 10.
    pub(super) fn processor_time(self) -> Result<f64> {
        let text = self.read("stat")?;
        // The name in parentheses may contain anything.
        let (_, fields) = text.rsplit_once(')').ok_or_else(unreadable)?;
        let ticks = fields
            .split_whitespace()
            .skip(11)
            .take(2)
            .filter_map(|field| field.parse::<f64>().ok());
        Ok(ticks.sum::<f64>() * 1000.0 / TICKS_PER_SECOND)
    }

    /// Its memory that is in use, in bytes.
    pub(super) fn memory(self) -> Result<f64> {
        Ok(self.field("status", "VmRSS:")? * 1024.0)
    }

    /// The bytes that it caused to be written to a disk. Writes to a file system in memory do not count.
    pub(super) fn written(self) -> Result<f64> {
        self.field("io", "write_bytes:")
    }

    fn field(self, file: &str, name: &str) -> Result<f64> {
        let text = self.read(file)?;
        let value = text.lines().find_map(|line| line.strip_prefix(name));
        let number = value.and_then(|value| value.split_whitespace().next());
        number
            .and_then(|number| number.parse().ok())
            .ok_or_else(unreadable)
    }

    fn read(self, file: &str) -> Result<String> {
        fs::read_to_string(format!("/proc/{}/{file}", self.0)).map_err(|_| unreadable())
    }
}

fn unreadable() -> Trouble {
    Trouble::new("this needs Linux and its /proc")
}
