//! The tool calls of one step that are under way: since when, and for how much longer.

use flarebot_tool::ToolDescriptor;

/// How often the owner is told how far a call is, in milliseconds.
const PROGRESS_MILLISECONDS: i64 = 250;

/// The calls that have been begun and have not returned.
#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    calls: Vec<OpenCall>,
}

#[derive(Debug)]
struct OpenCall {
    id: String,
    deadline: i64,
    told_at: Option<i64>,
}

impl OpenCalls {
    /// A call begins.
    pub(super) fn open(&mut self, id: String, tool: &ToolDescriptor, now: i64) {
        self.calls.push(OpenCall {
            id,
            deadline: now.saturating_add(tool.deadline_milliseconds),
            told_at: None,
        });
    }

    /// A call returns; says whether it was under way.
    pub(super) fn close(&mut self, id: &str) -> bool {
        let before = self.calls.len();
        self.calls.retain(|call| call.id != id);
        self.calls.len() < before
    }

    /// Whether the owner is to be told now how far a call is.
    pub(super) fn tells(&mut self, id: &str, now: i64) -> bool {
        let Some(call) = self.calls.iter_mut().find(|call| call.id == id) else {
            return false;
        };
        let tells = call
            .told_at
            .is_none_or(|told_at| now.saturating_sub(told_at) >= PROGRESS_MILLISECONDS);
        if tells {
            call.told_at = Some(now);
        }
        tells
    }

    /// Takes out the calls that have run for too long.
    pub(super) fn expire(&mut self, now: i64) -> Vec<String> {
        let (expired, open) = self.calls.drain(..).partition(|call| call.deadline <= now);
        self.calls = open;
        ids(expired)
    }

    /// Takes out everything.
    pub(super) fn abandon(&mut self) -> Vec<String> {
        ids(std::mem::take(&mut self.calls))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// When the next call will have run for too long.
    pub(super) fn deadline(&self) -> Option<i64> {
        self.calls.iter().map(|call| call.deadline).min()
    }
}

fn ids(calls: Vec<OpenCall>) -> Vec<String> {
    calls.into_iter().map(|call| call.id).collect()
}
