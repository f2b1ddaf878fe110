//! An installation's variables, as `.dev.vars` holds them: one `NAME=value` a line.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use crate::failure::{Failure, Result};
use crate::files;

pub(crate) const SECRET: &str = "FLAREBOT_SESSION_SECRET";
pub(crate) const SUBJECT: &str = "FLAREBOT_OWNER_SUBJECT";
pub(crate) const INSTALLATION: &str = "FLAREBOT_INSTALLATION_ID";
pub(crate) const ORIGIN: &str = "FLAREBOT_RUNTIME_ORIGIN";
pub(crate) const MODEL_URL: &str = "FLAREBOT_COMPATIBLE_BASE_URL";
pub(crate) const MODEL_NAMES: &str = "FLAREBOT_COMPATIBLE_MODELS";
pub(crate) const MODEL_KEY: &str = "FLAREBOT_COMPATIBLE_KEY";

/// Names with their values. No `Debug`: one of them is the secret.
#[derive(Default)]
pub(crate) struct Variables {
    values: BTreeMap<String, String>,
}

impl Variables {
    /// Reads a file; one that does not exist holds nothing.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        if !path.is_file() {
            return Ok(Self::default());
        }
        let text = files::read_text(path)?;
        Ok(Self {
            values: text.lines().filter_map(read_line).collect(),
        })
    }

    /// The same with what the environment sets in front.
    pub(crate) fn under_environment(mut self) -> Self {
        for (name, value) in env::vars() {
            if name.starts_with("FLAREBOT_") && !value.is_empty() {
                self.values.insert(name, value);
            }
        }
        self
    }

    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.values.get(name).cloned()
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.values.insert(name.to_owned(), value.to_owned());
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.values.remove(name);
    }

    /// Writes a file that only its owner may read.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let mut text = String::new();
        for (name, value) in &self.values {
            let _ = writeln!(text, "{name}={value}");
        }
        if let Some(folder) = path.parent() {
            files::create_folder(folder)?;
        }
        let write = || -> std::io::Result<()> {
            let mut file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(true)
                .mode(0o600)
                .open(path)?;
            // The mode above only counts for a new file.
            fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
            file.write_all(text.as_bytes())
        };
        write().map_err(|error| Failure::at(path, &error))
    }
}

/// One line: comments and anything without a name are skipped, one pair of quotes is taken off.
fn read_line(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let (name, value) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
    let value = value.trim();
    let quoted = |quote: char| {
        value
            .strip_prefix(quote)
            .and_then(|value| value.strip_suffix(quote))
    };
    let value = quoted('"').or_else(|| quoted('\'')).unwrap_or(value);
    Some((name.trim().to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::read_line;

    #[test]
    fn lines_are_read_as_the_platform_reads_them() {
        let pair = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
        assert_eq!(read_line("A=b=c"), pair("A", "b=c"));
        assert_eq!(read_line(" A = \"b c\" "), pair("A", "b c"));
        assert_eq!(read_line("A='b'"), pair("A", "b"));
        assert_eq!(read_line("# A=b"), None);
        assert_eq!(read_line(""), None);
    }
}
