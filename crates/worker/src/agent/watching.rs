//! Looking after conversations with accepted work: while there is some, a lease comes due again and again, so that
//! somebody notices if it is lost.

use super::Agent;
use super::alarm::{TURN, TURN_LEASE, conversation_lease};
use crate::clock::now;
use crate::fault::{Fault, log};
use crate::timer::Timer;
use flarebot_agent::activity;
use flarebot_durable::lease;
use flarebot_link::TurnBeginning;
use flarebot_protocol::ConversationId;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// When turns began that are known and not yet written down.
pub(super) type Beginnings = RefCell<BTreeMap<ConversationId, i64>>;

impl Agent {
    /// A turn begins in a conversation. It is written down once this request is answered: a reply waits until what was
    /// written before it is on the disk, and the owner would wait with it.
    pub(super) fn watch_soon(self: &Rc<Self>, turn: &TurnBeginning) {
        let id = turn.conversation;
        self.beginnings.borrow_mut().insert(id, turn.at);
        let agent = Rc::clone(self);
        wasm_bindgen_futures::spawn_local(async move {
            let mut timer = Timer::default();
            timer.arm(Some(now()));
            timer.ring().await;
            if let Err(fault) = agent.watch(id).await {
                log("a turn could not be put under watch", &fault);
            }
        });
    }

    async fn watch(&self, id: ConversationId) -> Result<(), Fault> {
        // It may have ended in this very moment.
        let Some(at) = self.beginnings.borrow_mut().remove(&id) else {
            return Ok(());
        };
        if !self.is_active(id)? {
            return Ok(());
        }
        let due_at = now().saturating_add(TURN_LEASE);
        lease::put(&self.sql, &conversation_lease(id, TURN, due_at))?;
        let activity = activity::turn_started(&self.sql, id, at)?;
        self.rearm().await?;
        self.announce_activity(activity);
        Ok(())
    }

    /// No accepted work is left in a conversation.
    pub(super) async fn turns_ended(&self, id: ConversationId, at: i64, seen: bool) -> Result<(), Fault> {
        let unwritten = self.beginnings.borrow_mut().remove(&id);
        if let Some(began_at) = unwritten {
            activity::turn_started(&self.sql, id, began_at)?;
        }
        lease::remove(&self.sql, &id.to_string(), TURN, "")?;
        let activity = activity::turn_ended(&self.sql, id, at, seen)?;
        self.rearm().await?;
        self.announce_activity(activity);
        Ok(())
    }
}
