//! One call's record, and the one place where it changes.

use super::news::News;
use flarebot_protocol::MessageId;
use flarebot_protocol::tool_activity::{
    ActivityFailure, ActivityKind, ActivityProgress, ActivityStatus, ToolActivity,
};
use flarebot_tool::{CallOutcome, ToolDescriptor};

/// What is shown of a call whose tool nobody knows: its name is the model's.
const UNKNOWN_TOOL: &str = "Use a tool";

/// What is recorded of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    pub(super) activity: ToolActivity,
    /// Its tool, if there was one of that name.
    pub(super) tool: Option<String>,
    /// Whether it waits for something that outlives an instance: the owner, or what goes on without the call.
    pub(super) waits: bool,
}

/// What happens to a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// The model has written it to its end.
    Written {
        /// What it is about, in words that may be shown.
        summary: Option<String>,
    },
    /// The owner is asked whether it may run.
    Asked,
    /// It begins to run.
    Started,
    /// It tells how far it is.
    Reported(ActivityProgress),
    /// Its result is there, now or from an earlier run.
    Returned(CallOutcome),
    /// It failed, without a result.
    Failed(ActivityFailure),
    /// Nobody waits for it any more.
    Abandoned,
    /// The instance in which it was open is gone.
    Interrupted,
}

impl Record {
    /// A call that the model begins to write.
    pub(super) fn new(
        message_id: &MessageId,
        call_id: &str,
        tool: Option<&ToolDescriptor>,
        now: i64,
    ) -> Self {
        let activity = ToolActivity {
            message_id: message_id.clone(),
            tool_call_id: call_id.to_owned(),
            sequence: 0,
            kind: tool.map_or(ActivityKind::Other, |tool| tool.activity.kind),
            label: tool.map_or(UNKNOWN_TOOL, |tool| tool.activity.label).to_owned(),
            summary: None,
            status: ActivityStatus::Pending,
            failure: None,
            progress: None,
            attempts: 0,
            created_at: now,
            started_at: None,
            ended_at: None,
            interrupted_at: None,
        };
        Self {
            activity,
            tool: tool.map(|tool| tool.name.to_owned()),
            waits: false,
        }
    }

    /// Takes what happens to the call. What does not fit changes nothing: an end is final, unless it only says that nothing
    /// is known.
    pub(super) fn take(&mut self, step: Step, now: i64) -> News {
        let is_open = self.is_open();
        let may_go_on = is_open || self.is_unknown();
        match step {
            Step::Written { summary }
                if may_go_on && self.activity.summary.is_none() && summary.is_some() =>
            {
                self.activity.summary = summary;
            }
            Step::Asked if may_go_on && self.activity.status != ActivityStatus::Running => self.wait(),
            Step::Started if may_go_on => self.start(now),
            Step::Reported(progress) if self.activity.status == ActivityStatus::Running => {
                return self.report(progress);
            }
            Step::Returned(outcome) if may_go_on => match outcome {
                CallOutcome::Succeeded => self.end(ActivityStatus::Succeeded, None, now),
                CallOutcome::Failed => self.fail(ActivityFailure::Tool, now),
                CallOutcome::Pending => self.wait(),
            },
            // That the owner declined it is known, whatever else is not. An error says nothing of an earlier run.
            Step::Failed(failure) if is_open || (may_go_on && failure == ActivityFailure::Declined) => {
                self.fail(failure, now);
            }
            Step::Abandoned if is_open => self.end(ActivityStatus::Cancelled, None, now),
            Step::Interrupted if is_open && !self.waits => {
                self.fail(ActivityFailure::Interrupted, now);
                self.activity.interrupted_at = self.activity.ended_at;
            }
            Step::Written { .. }
            | Step::Asked
            | Step::Started
            | Step::Reported(_)
            | Step::Returned(_)
            | Step::Failed(_)
            | Step::Abandoned
            | Step::Interrupted => return News::Nothing,
        }
        News::Calls
    }

    fn is_open(&self) -> bool {
        match self.activity.status {
            ActivityStatus::Pending | ActivityStatus::Running => true,
            ActivityStatus::Succeeded | ActivityStatus::Failed | ActivityStatus::Cancelled => false,
        }
    }

    /// Whether it has ended only in that nothing is known of its end.
    fn is_unknown(&self) -> bool {
        self.activity.failure == Some(ActivityFailure::Interrupted)
    }

    fn start(&mut self, now: i64) {
        let now = self.no_earlier(now);
        self.reopen(ActivityStatus::Running);
        self.waits = false;
        self.activity.progress = None;
        self.activity.attempts = self.activity.attempts.saturating_add(1);
        self.activity.started_at.get_or_insert(now);
    }

    fn wait(&mut self) {
        self.reopen(ActivityStatus::Pending);
        self.waits = true;
    }

    fn report(&mut self, progress: ActivityProgress) -> News {
        let reported = Some(progress);
        if self.activity.progress == reported {
            return News::Nothing;
        }
        self.activity.progress = reported;
        News::Progress
    }

    fn fail(&mut self, failure: ActivityFailure, now: i64) {
        self.end(ActivityStatus::Failed, Some(failure), now);
    }

    fn end(&mut self, status: ActivityStatus, failure: Option<ActivityFailure>, now: i64) {
        self.activity.ended_at = Some(self.no_earlier(now));
        self.activity.status = status;
        self.activity.failure = failure;
        self.waits = false;
    }

    fn reopen(&mut self, status: ActivityStatus) {
        self.activity.status = status;
        self.activity.failure = None;
        self.activity.ended_at = None;
    }

    /// Should the clock be set back meanwhile, nothing ends before it began.
    fn no_earlier(&self, now: i64) -> i64 {
        let known = [self.activity.started_at, self.activity.interrupted_at];
        known
            .into_iter()
            .flatten()
            .fold(now.max(self.activity.created_at), i64::max)
    }
}
