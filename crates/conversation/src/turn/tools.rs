//! The tool calls of one step that are under way: since when, for how much longer, and what the owner is yet to be told of
//! them.

use flarebot_tool::{ToolDescriptor, bounded};
use serde_json::Value;

/// How often the owner is told how far a call is, in milliseconds.
const PROGRESS_MILLISECONDS: i64 = 250;

/// The calls that have been begun and have not returned.
#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    calls: Vec<OpenCall>,
}

/// A call that is under way.
#[derive(Debug)]
pub(super) struct OpenCall {
    pub(super) id: String,
    deadline: i64,
    told_at: Option<i64>,
    /// What was reported last, if the owner was not told of it.
    withheld: Option<Value>,
}

impl OpenCall {
    /// Takes out what the owner was not told of.
    pub(super) fn take_withheld(&mut self) -> Option<Report> {
        let call_id = self.id.clone();
        let report = self.withheld.take()?;
        Some(Report { call_id, report })
    }

    /// When the owner may be told of what is withheld.
    fn due_at(&self) -> Option<i64> {
        let told_at = self.told_at.filter(|_| self.withheld.is_some())?;
        Some(told_at.saturating_add(PROGRESS_MILLISECONDS))
    }
}

/// How far a call is.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) call_id: String,
    pub(super) report: Value,
}

impl OpenCalls {
    /// A call begins.
    pub(super) fn open(&mut self, id: String, tool: &ToolDescriptor, now: i64) {
        self.calls.push(OpenCall {
            id,
            deadline: now.saturating_add(tool.deadline_milliseconds),
            told_at: None,
            withheld: None,
        });
    }

    /// A call returns. Gives it back if it was under way.
    pub(super) fn close(&mut self, id: &str) -> Option<OpenCall> {
        let place = self.calls.iter().position(|call| call.id == id)?;
        Some(self.calls.remove(place))
    }

    /// Takes what a call reports of itself, as much as is kept of it, until [`Self::due`] gives it.
    pub(super) fn hear(&mut self, id: &str, report: Value) {
        if let Some(call) = self.calls.iter_mut().find(|call| call.id == id) {
            call.withheld = Some(bounded(report));
        }
    }

    /// Takes out what the owner is to be told now: the first report of a call at once, and then the latest one four times a
    /// second.
    pub(super) fn due(&mut self, now: i64) -> Vec<Report> {
        let mut due = Vec::new();
        for call in &mut self.calls {
            if call.due_at().is_none_or(|due_at| due_at <= now)
                && let Some(report) = call.take_withheld()
            {
                call.told_at = Some(now);
                due.push(report);
            }
        }
        due
    }

    /// Takes out the calls that have run for too long.
    pub(super) fn expire(&mut self, now: i64) -> Vec<OpenCall> {
        let (expired, open) = self.calls.drain(..).partition(|call| call.deadline <= now);
        self.calls = open;
        expired
    }

    /// Takes out everything.
    pub(super) fn abandon(&mut self) -> Vec<OpenCall> {
        std::mem::take(&mut self.calls)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// When the next call will have run for too long, or the owner may be told of one.
    pub(super) fn deadline(&self) -> Option<i64> {
        let calls = self.calls.iter();
        let deadlines = calls.flat_map(|call| [Some(call.deadline), call.due_at()]);
        deadlines.flatten().min()
    }
}
