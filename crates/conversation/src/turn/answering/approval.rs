//! Calls that wait for the owner: which they are, and how the turn pauses for them.

use super::Answering;
use crate::turn::Effect;
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::message::{Metadata, ToolPart, ToolState};
use flarebot_tool::{Approval, ToolDescriptor};

/// What is to be done with a call that has no result.
pub(super) enum Course<'a> {
    /// It runs.
    Runs(&'a ToolDescriptor),
    /// The owner is asked first.
    Asks,
    /// The owner was asked.
    Waits,
    /// The owner has declined it.
    Declined,
    /// There is no such tool, or none any more.
    Unknown,
}

impl Answering {
    /// What is to be done with a call that has no result.
    pub(super) fn course(&self, call: &ToolPart) -> Course<'_> {
        if call.state.is_declined() {
            return Course::Declined;
        }
        let Some(tool) = self.tool(&call.tool_name) else {
            return Course::Unknown;
        };
        match (&call.state, tool.approval) {
            (ToolState::ApprovalRequested { .. }, _) => Course::Waits,
            (ToolState::InputAvailable { .. }, Approval::Needed) => Course::Asks,
            (_, _) => Course::Runs(tool),
        }
    }

    /// The question whether a call may run. Its id holds the answer's, so no other question has it.
    pub(super) fn question(&self, call: &ToolPart) -> Chunk {
        Chunk::ToolApprovalRequest {
            approval_id: format!("{}/{}", self.state.message_id, call.tool_call_id),
            tool_call_id: call.tool_call_id.clone(),
        }
    }

    /// Whether a call of the last step waits for the owner.
    pub(super) fn waits_for_the_owner(&self) -> bool {
        self.answer.calls().any(|call| call.state.waits_for_approval())
    }

    /// Hands the turn over to its row, for as long as the owner takes.
    pub(in crate::turn) fn pause(mut self, effects: &mut Vec<Effect>) {
        self.outbox.flush(effects);
        self.state.pauses = self.state.pauses.saturating_add(1);
        let mut message = self.answer.into_message();
        message.metadata = Some(Metadata {
            usage: self.state.usage,
            ..self.state.metadata()
        });
        effects.push(Effect::Pause {
            state: self.state,
            message,
        });
    }
}
