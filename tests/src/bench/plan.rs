//! How much is measured.

use super::system::Subject;
use std::path::PathBuf;

/// What the caller chose.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The folder of a peer that was built, if it is compared.
    pub peer: Option<PathBuf>,
    /// One round of everything with small numbers: shows that it runs, and no more.
    pub quick: bool,
    /// How often the runtime is killed with a client that comes back.
    pub kills: usize,
}

impl Plan {
    pub(super) fn rounds(&self, rounds: usize) -> usize {
        if self.quick { 1 } else { rounds }
    }

    /// A number of chunks or messages, or its tenth.
    pub(super) fn count(&self, count: u32) -> u32 {
        if self.quick { count / 10 } else { count }
    }

    /// Those of the subjects that are there.
    pub(super) fn present(&self, subjects: &[Subject]) -> Vec<Subject> {
        let mut present = subjects.to_vec();
        present.retain(|subject| *subject != Subject::Peer || self.peer.is_some());
        present
    }
}
