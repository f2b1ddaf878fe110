//! The calls of a conversation, as simple as they can be told.

use flarebot_protocol::tool_activity::{ActivityFailure, ActivityStatus, ToolActivity};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// What the model knows of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub(super) tool: &'static str,
    pub(super) stands: Stands,
    pub(super) attempts: u32,
    pub(super) interruptions: u32,
    pub(super) done: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Stands {
    Written,
    Asks,
    Allowed,
    Runs,
    Succeeded,
    Failed,
    TookTooLong,
    Declined,
    Cancelled,
    Unknown,
}

/// The plain model: each call of the conversation since it was cleared, by answer and call.
#[derive(Default)]
pub(super) struct Model {
    pub(super) calls: BTreeMap<(String, String), Call>,
    pub(super) answer: String,
    /// Whether the answer was erased under the machine that makes it.
    pub(super) erased: bool,
    pub(super) written: usize,
}

impl Model {
    pub(super) fn add(&mut self, tool: &'static str, stands: Stands) -> String {
        let id = format!("call-{}", self.written);
        self.written += 1;
        if !self.erased {
            let runs = stands == Stands::Runs;
            let call = Call {
                tool,
                stands,
                attempts: u32::from(runs),
                interruptions: 0,
                done: None,
            };
            self.calls.insert((self.answer.clone(), id.clone()), call);
        }
        id
    }

    /// The calls of the answer that is made.
    pub(super) fn current(&mut self) -> impl Iterator<Item = &mut Call> {
        let answer = self.answer.clone();
        let calls = self.calls.iter_mut();
        calls
            .filter(move |((of, _), _)| *of == answer)
            .map(|(_, call)| call)
    }

    pub(super) fn call(&mut self, id: &str) -> Option<&mut Call> {
        self.calls.get_mut(&(self.answer.clone(), id.to_owned()))
    }

    pub(super) fn set(&mut self, id: &str, stands: Stands) {
        if let Some(call) = self.call(id) {
            call.stands = stands;
        }
    }

    pub(super) fn stop(&mut self) {
        for call in self.current() {
            if matches!(
                call.stands,
                Stands::Written | Stands::Asks | Stands::Allowed | Stands::Runs
            ) {
                call.stands = Stands::Cancelled;
            }
        }
    }

    /// What the owner has allowed runs once nothing waits for a word any more.
    pub(super) fn allow(&mut self) {
        if self.current().all(|call| call.stands != Stands::Asks) {
            for call in self.current().filter(|call| call.stands == Stands::Allowed) {
                call.stands = Stands::Runs;
                call.attempts += 1;
            }
        }
    }

    /// The instance is gone; `goes_on` if another one goes on with the answer, `known` if a call had left its result.
    pub(super) fn lose(&mut self, goes_on: bool, known: Option<&str>) {
        let answer = self.answer.clone();
        for ((of, id), call) in &mut self.calls {
            if *of != answer || !matches!(call.stands, Stands::Written | Stands::Runs) {
                continue;
            }
            call.interruptions += 1;
            call.stands = match call.stands {
                Stands::Runs if goes_on && call.tool == "look" => {
                    call.attempts += 1;
                    call.done = None;
                    Stands::Runs
                }
                Stands::Runs if goes_on && known == Some(id) => Stands::Succeeded,
                _ => Stands::Unknown,
            };
        }
        if !goes_on {
            self.stop();
        }
    }

    pub(super) fn check(&self, activities: &[ToolActivity]) -> Result<(), TestCaseError> {
        prop_assert_eq!(activities.len(), self.calls.len());
        for activity in activities {
            let key = (activity.message_id.to_string(), activity.tool_call_id.clone());
            let call = self.calls.get(&key);
            let Some(call) = call else {
                return Err(TestCaseError::fail(format!("nobody has called {activity:?}")));
            };
            let expected = match call.stands {
                Stands::Written | Stands::Asks | Stands::Allowed => (ActivityStatus::Pending, None),
                Stands::Runs => (ActivityStatus::Running, None),
                Stands::Succeeded => (ActivityStatus::Succeeded, None),
                Stands::Failed => (ActivityStatus::Failed, Some(ActivityFailure::Tool)),
                Stands::TookTooLong => (ActivityStatus::Failed, Some(ActivityFailure::TimedOut)),
                Stands::Declined => (ActivityStatus::Failed, Some(ActivityFailure::Declined)),
                Stands::Unknown => (ActivityStatus::Failed, Some(ActivityFailure::Interrupted)),
                Stands::Cancelled => (ActivityStatus::Cancelled, None),
            };
            prop_assert_eq!(
                (activity.status, activity.failure),
                expected,
                "{:?} {:?}",
                call,
                activity
            );
            prop_assert_eq!(activity.attempts, call.attempts, "{:?} {:?}", call, activity);
            prop_assert_eq!(activity.interrupted_at.is_some(), call.interruptions > 0);
            let done = activity.progress.as_ref().and_then(|progress| progress.done);
            prop_assert_eq!(done, call.done, "{:?} {:?}", call, activity);
        }
        Ok(())
    }
}
