//! What idempotent calls answer.

/// Whether a call made something new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acceptance {
    /// It did.
    Accepted,
    /// It found what an earlier call had made, unchanged.
    Existing,
}
