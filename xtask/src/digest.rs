//! Content hashes: they name cached files and decide whether a step's inputs changed. A time stamp would rebuild after
//! every checkout and miss a file that an older one replaced.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::failure::{Failure, Result};
use crate::files;

/// Collects what a step depends on; the order of the calls counts.
#[derive(Default)]
pub(crate) struct Inputs {
    hash: Sha256,
}

impl Inputs {
    /// Adds a named fact, such as a tool's version.
    pub(crate) fn fact(mut self, name: &str, value: &str) -> Self {
        for part in [name.as_bytes(), value.as_bytes()] {
            self.hash.update((part.len() as u64).to_le_bytes());
            self.hash.update(part);
        }
        self
    }

    /// Adds a file, or every file of a folder. What does not exist counts as absent.
    pub(crate) fn path(mut self, path: &Path) -> Result<Self> {
        for file in files::below(path)? {
            let bytes = fs::read(&file).map_err(|error| Failure::at(&file, &error))?;
            let name = file
                .strip_prefix(path)
                .unwrap_or(&file)
                .to_string_lossy()
                .into_owned();
            self = self.fact(&name, &hex(&Sha256::digest(&bytes)));
        }
        Ok(self)
    }

    /// The hash of everything that was added, in hexadecimal.
    pub(crate) fn digest(self) -> String {
        hex(&self.hash.finalize())
    }
}

/// The SHA-256 of some bytes, in hexadecimal.
pub(crate) fn of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Whether the step that keeps its stamp at `stamp` last ended with these inputs.
pub(crate) fn is_current(stamp: &Path, digest: &str) -> bool {
    fs::read_to_string(stamp).is_ok_and(|recorded| recorded == digest)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::Inputs;

    #[test]
    fn facts_do_not_run_into_each_other() {
        let joined = Inputs::default().fact("ab", "c").digest();
        assert_ne!(joined, Inputs::default().fact("a", "bc").digest());
        assert_eq!(joined, Inputs::default().fact("ab", "c").digest());
    }
}
