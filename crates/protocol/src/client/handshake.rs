//! What a new connection still owes before it is ready.

use crate::frame::{AgentKind, ServerFrame};

/// The frames that are awaited, none of them optional.
#[derive(Debug)]
pub(super) struct Handshake {
    awaited: Vec<&'static str>,
}

const IDENTITY: &str = "cf_agent_identity";
const STATE: &str = "cf_agent_state";
const HISTORY: &str = "flarebot_history";

impl Handshake {
    pub(super) fn new() -> Self {
        Self {
            awaited: vec![IDENTITY],
        }
    }

    /// Takes note of a frame. What follows an identity depends on whose it is.
    pub(super) fn observe(&mut self, frame: &ServerFrame) {
        if let ServerFrame::Identity {
            agent, state_follows, ..
        } = frame
        {
            self.arrived(IDENTITY);
            if *state_follows {
                self.awaited.push(STATE);
            }
            if *agent == AgentKind::Conversation {
                self.awaited.push(HISTORY);
            }
        } else if let ServerFrame::State { .. } = frame {
            self.arrived(STATE);
        } else if let ServerFrame::History(_) = frame {
            self.arrived(HISTORY);
        }
    }

    /// Takes note of a frame of this type, even if it could not be read: no better one will come.
    pub(super) fn arrived(&mut self, kind: &str) {
        self.awaited.retain(|awaited| *awaited != kind);
    }

    pub(super) fn is_complete(&self) -> bool {
        self.awaited.is_empty()
    }
}
