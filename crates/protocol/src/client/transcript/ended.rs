//! Which answers have ended, so that late frames about them change nothing.

use crate::RequestId;
use std::collections::BTreeMap;

/// The last attempt at each answer that has ended. Earlier ones have ended with it; a later one may still go on.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Ended {
    attempts: BTreeMap<RequestId, u32>,
}

impl Ended {
    pub(super) fn insert(&mut self, request: &RequestId) {
        self.raise(request, request.attempt());
    }

    /// The answer to this request is being made, so what came before it has ended.
    pub(super) fn run(&mut self, request: &RequestId) {
        self.attempts.remove(&request.original());
        self.raise(request, request.attempt().saturating_sub(1));
    }

    pub(super) fn contains(&self, request: &RequestId) -> bool {
        let last = self.attempts.get(&request.original());
        last.is_some_and(|last| request.attempt() <= *last)
    }

    fn raise(&mut self, request: &RequestId, attempt: u32) {
        let last = self.attempts.entry(request.original()).or_default();
        *last = attempt.max(*last);
    }
}
