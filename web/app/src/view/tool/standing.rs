//! How a call stands, from what its answer says and from what is known of its activity, and how that is said.

use crate::store::ShownState;
use flarebot_protocol::message::{ToolPart, ToolState};
use flarebot_protocol::tool_activity::{ActivityFailure, ActivityStatus, ToolActivity};

/// How a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// The model writes it.
    Preparing,
    Running,
    /// For the owner's word.
    Waiting,
    /// The owner has allowed it, and it has not begun.
    Allowed,
    Done,
    Failed,
    TimedOut,
    /// The server restarted while it ran.
    Interrupted,
    Declined,
    Cancelled,
    /// Its answer has ended without it, and no more is known.
    Stopped,
}

impl Standing {
    /// The answer knows what the owner decided and what came of the call; its activity knows why nothing did.
    pub(super) fn of(call: &ToolPart, activity: Option<&ToolActivity>, message: ShownState) -> Self {
        let told = Self::told_by(call, message);
        if let Self::Waiting | Self::Allowed | Self::Declined = told {
            return told;
        }
        let Some(activity) = activity else { return told };
        match (activity.status, activity.failure) {
            (ActivityStatus::Pending | ActivityStatus::Running, _) => told,
            (ActivityStatus::Succeeded, _) if told == Self::Failed => told,
            (ActivityStatus::Succeeded, _) => Self::Done,
            (ActivityStatus::Cancelled, _) => Self::Cancelled,
            (ActivityStatus::Failed, Some(ActivityFailure::Interrupted)) if told == Self::Done => told,
            (ActivityStatus::Failed, Some(ActivityFailure::Interrupted)) => Self::Interrupted,
            (ActivityStatus::Failed, Some(ActivityFailure::TimedOut)) => Self::TimedOut,
            (ActivityStatus::Failed, Some(ActivityFailure::Declined)) => Self::Declined,
            (ActivityStatus::Failed, Some(ActivityFailure::Tool) | None) => Self::Failed,
        }
    }

    /// A call that has not ended in an answer that has will never end.
    fn told_by(call: &ToolPart, message: ShownState) -> Self {
        let is_running = message == ShownState::Running;
        match &call.state {
            ToolState::OutputError { .. } => Self::Failed,
            ToolState::OutputAvailable { .. } if call.state.is_settled() => Self::Done,
            ToolState::OutputDenied { .. } => Self::Declined,
            ToolState::ApprovalRequested { .. } => Self::Waiting,
            ToolState::ApprovalResponded { .. } if call.state.is_declined() => Self::Declined,
            ToolState::ApprovalResponded { .. } if !is_running => Self::Allowed,
            ToolState::InputStreaming if is_running => Self::Preparing,
            ToolState::InputStreaming
            | ToolState::InputAvailable { .. }
            | ToolState::ApprovalResponded { .. }
            | ToolState::OutputAvailable { .. } => {
                if is_running {
                    Self::Running
                } else {
                    Self::Stopped
                }
            }
        }
    }

    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Preparing | Self::Running => "tool running",
            Self::Waiting => "tool waiting",
            Self::Failed | Self::TimedOut | Self::Interrupted => "tool failed",
            Self::Allowed | Self::Done | Self::Declined | Self::Cancelled | Self::Stopped => "tool",
        }
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Preparing => "preparing…",
            Self::Running => "running…",
            Self::Waiting => "needs your approval",
            Self::Allowed => "allowed",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::TimedOut => "took too long",
            Self::Interrupted => "interrupted",
            Self::Declined => "declined",
            Self::Cancelled => "cancelled",
            Self::Stopped => "stopped",
        }
    }

    /// What the owner must not be left to guess.
    pub(super) const fn note(self) -> Option<&'static str> {
        match self {
            Self::Cancelled | Self::TimedOut => {
                Some("Flarebot stopped waiting for it. It may still finish elsewhere.")
            }
            Self::Interrupted => {
                Some("The server restarted meanwhile. It is not known whether it was carried out.")
            }
            Self::Preparing
            | Self::Running
            | Self::Waiting
            | Self::Allowed
            | Self::Done
            | Self::Failed
            | Self::Declined
            | Self::Stopped => None,
        }
    }
}

/// How long a call took, or has taken until `now`; nothing of less than a second.
pub(super) fn elapsed(activity: &ToolActivity, standing: Standing, now: i64) -> Option<String> {
    let end = match (activity.ended_at, standing) {
        (Some(end), _) => end,
        (None, Standing::Running) => now,
        (None, _) => return None,
    };
    let seconds = end.saturating_sub(activity.started_at?).max(0) / 1_000;
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0) => None,
        (0, 0, seconds) => Some(format!("{seconds} s")),
        (0, minutes, seconds) => Some(format!("{minutes} min {seconds} s")),
        (hours, minutes, _) => Some(format!("{hours} h {minutes} min")),
    }
}

/// How often a call was begun, if not once.
pub(super) fn attempts(activity: &ToolActivity, standing: Standing) -> Option<String> {
    match (activity.attempts, standing) {
        (..=1, _) => None,
        (attempts, Standing::Running) => Some(format!("attempt {attempts}")),
        (attempts, _) => Some(format!("{attempts} attempts")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flarebot_protocol::MessageId;
    use flarebot_protocol::message::Approval;
    use flarebot_protocol::tool_activity::ActivityKind;
    use serde_json::json;

    fn call(state: ToolState) -> ToolPart {
        ToolPart::new("call", "look", state)
    }

    fn returned(preliminary: Option<bool>) -> ToolPart {
        call(ToolState::OutputAvailable {
            input: json!({}),
            output: json!(1),
            preliminary,
        })
    }

    fn failed() -> ToolPart {
        call(ToolState::OutputError {
            input: json!({}),
            error_text: "No clock.".to_owned(),
        })
    }

    fn answered(approved: bool) -> ToolPart {
        call(ToolState::ApprovalResponded {
            input: json!({}),
            approval: Approval::asked("answer/call").answered(approved, None),
        })
    }

    fn activity(status: ActivityStatus, failure: Option<ActivityFailure>) -> ToolActivity {
        ToolActivity {
            message_id: MessageId::new("answer").unwrap(),
            tool_call_id: "call".to_owned(),
            sequence: 1,
            kind: ActivityKind::Other,
            label: "Look".to_owned(),
            summary: None,
            status,
            failure,
            progress: None,
            attempts: 1,
            created_at: 1_000,
            started_at: Some(2_000),
            ended_at: None,
            interrupted_at: None,
        }
    }

    #[test]
    fn without_an_activity_the_answer_says_how_a_call_stands() {
        for (call, running, settled) in [
            (
                call(ToolState::InputStreaming),
                Standing::Preparing,
                Standing::Stopped,
            ),
            (
                call(ToolState::InputAvailable { input: json!({}) }),
                Standing::Running,
                Standing::Stopped,
            ),
            (returned(Some(true)), Standing::Running, Standing::Stopped),
            (returned(None), Standing::Done, Standing::Done),
            (failed(), Standing::Failed, Standing::Failed),
            (answered(true), Standing::Running, Standing::Allowed),
            (answered(false), Standing::Declined, Standing::Declined),
        ] {
            assert_eq!(
                Standing::of(&call, None, ShownState::Running),
                running,
                "{call:?}"
            );
            assert_eq!(
                Standing::of(&call, None, ShownState::Settled),
                settled,
                "{call:?}"
            );
        }
    }

    #[test]
    fn an_activity_says_why_nothing_came_of_a_call() {
        for (status, failure, expected) in [
            (ActivityStatus::Cancelled, None, Standing::Cancelled),
            (
                ActivityStatus::Failed,
                Some(ActivityFailure::Interrupted),
                Standing::Interrupted,
            ),
            (
                ActivityStatus::Failed,
                Some(ActivityFailure::TimedOut),
                Standing::TimedOut,
            ),
            (
                ActivityStatus::Failed,
                Some(ActivityFailure::Declined),
                Standing::Declined,
            ),
            (
                ActivityStatus::Failed,
                Some(ActivityFailure::Tool),
                Standing::Failed,
            ),
            (ActivityStatus::Running, None, Standing::Failed),
        ] {
            let activity = activity(status, failure);
            let standing = Standing::of(&failed(), Some(&activity), ShownState::Settled);
            assert_eq!(standing, expected, "{activity:?}");
        }
    }

    #[test]
    fn a_result_that_is_there_after_all_is_no_unknown_outcome() {
        let interrupted = activity(ActivityStatus::Failed, Some(ActivityFailure::Interrupted));
        let standing = Standing::of(&returned(None), Some(&interrupted), ShownState::Settled);
        assert_eq!(standing, Standing::Done);
    }

    #[test]
    fn a_result_that_means_failure_is_a_failure() {
        let refused = activity(ActivityStatus::Failed, Some(ActivityFailure::Tool));
        let standing = Standing::of(&returned(None), Some(&refused), ShownState::Settled);
        assert_eq!(standing, Standing::Failed);
    }

    #[test]
    fn what_was_cancelled_and_what_is_unknown_is_said() {
        let says = |standing: Standing, words: &str| standing.note().is_some_and(|note| note.contains(words));
        assert!(says(Standing::Cancelled, "may still finish elsewhere"));
        assert!(says(Standing::TimedOut, "may still finish elsewhere"));
        assert!(says(
            Standing::Interrupted,
            "not known whether it was carried out"
        ));
        assert_eq!(Standing::Done.note(), None);
    }

    #[test]
    fn time_is_told_from_the_beginning_to_the_end_or_to_now() {
        let mut activity = activity(ActivityStatus::Running, None);
        let mut told = |ended_at, standing, now| {
            activity.ended_at = ended_at;
            elapsed(&activity, standing, now)
        };
        assert_eq!(told(None, Standing::Running, 2_999), None);
        assert_eq!(told(None, Standing::Running, 14_500).as_deref(), Some("12 s"));
        assert_eq!(told(None, Standing::Running, 0), None);
        assert_eq!(told(None, Standing::Stopped, 14_500), None);
        assert_eq!(
            told(Some(67_000), Standing::Done, 0).as_deref(),
            Some("1 min 5 s")
        );
        assert_eq!(
            told(Some(7_322_000), Standing::Done, 0).as_deref(),
            Some("2 h 2 min")
        );
    }

    #[test]
    fn a_call_that_was_begun_again_says_so() {
        let mut activity = activity(ActivityStatus::Running, None);
        assert_eq!(attempts(&activity, Standing::Running), None);
        activity.attempts = 2;
        assert_eq!(
            attempts(&activity, Standing::Running).as_deref(),
            Some("attempt 2")
        );
        assert_eq!(attempts(&activity, Standing::Done).as_deref(), Some("2 attempts"));
    }
}
