//! Looking after conversations with accepted work: while there is some, a lease comes due again and again, so that
//! somebody notices if it is lost.

use super::Agent;
use super::alarm::{TURN, TURN_LEASE, conversation_lease};
use crate::clock::now;
use crate::fault::Fault;
use flarebot_agent::activity;
use flarebot_durable::lease;
use flarebot_protocol::ConversationId;

impl Agent {
    /// A turn begins in a conversation.
    pub(super) async fn turn_begins(&self, id: ConversationId, at: i64) -> Result<(), Fault> {
        if self.is_active(id)? {
            let due_at = now().saturating_add(TURN_LEASE);
            lease::put(&self.sql, &conversation_lease(id, TURN, due_at))?;
            let activity = activity::turn_started(&self.sql, id, at)?;
            self.rearm().await?;
            self.announce_activity(activity);
        }
        Ok(())
    }

    /// No accepted work is left in a conversation.
    pub(super) async fn turns_ended(&self, id: ConversationId, at: i64, seen: bool) -> Result<(), Fault> {
        lease::remove(&self.sql, &id.to_string(), TURN, "")?;
        let activity = activity::turn_ended(&self.sql, id, at, seen)?;
        self.rearm().await?;
        self.announce_activity(activity);
        Ok(())
    }
}
