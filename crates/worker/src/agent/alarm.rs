//! The one alarm. Everything that must happen later is a lease; the alarm rings at the earliest of them.
//!
//! The handler is short on purpose: it reads what is due, sees to it that the same rows come up again should the work
//! be lost, re-arms, leaves the work behind and returns. A handler that hung would block every later alarm.

use super::{Agent, OWN_LEASES};
use crate::clock::now;
use crate::fault::{Fault, log};
use crate::object;
use flarebot_durable::alarm;
use flarebot_durable::lease::{self, Lease};
use flarebot_link::ConversationRequest;
use flarebot_protocol::{CloseCode, ConversationId};
use futures_util::future::join_all;
use std::cell::Cell;
use std::rc::Rc;
use worker::ScheduledTime;

/// A lease on the end of a socket's session.
pub(super) const SOCKET: &str = "socket";
/// A lease on a conversation's accepted work.
pub(super) const TURN: &str = "turn";
/// A lease on the end of a conversation.
pub(super) const TEARDOWN: &str = "teardown";

/// How long a conversation with accepted work goes unwatched, in milliseconds. After this time a lost answer is
/// noticed even if nobody looks.
pub(super) const TURN_LEASE: i64 = 8_000;
/// How long a conversation may take to be created before it is given up, in milliseconds.
pub(super) const CREATION_LEASE: i64 = 60_000;
/// How soon a teardown that was begun is tried again unless it has ended, in milliseconds.
pub(super) const TEARDOWN_LEASE: i64 = 8_000;
/// When work that came due is tried again unless it settles, in milliseconds.
const RETRY: i64 = 10_000;
/// How many leases one ring takes up.
const DUE_AT_ONCE: u32 = 64;

/// What the platform's alarm was last set to, so that it is not set again to the same instant.
#[derive(Default)]
pub(super) struct AlarmClock {
    armed: Cell<Option<Armed>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Armed {
    Nothing,
    At(i64),
}

/// The lease of a socket.
pub(super) fn socket_lease(owner: &str, connection: &str, expires_at: i64) -> Lease {
    Lease {
        owner: owner.to_owned(),
        kind: SOCKET.to_owned(),
        id: connection.to_owned(),
        due_at: expires_at,
    }
}

/// The lease of a conversation's work of one kind; there is one of each kind.
pub(super) fn conversation_lease(id: ConversationId, kind: &str, due_at: i64) -> Lease {
    Lease {
        owner: id.to_string(),
        kind: kind.to_owned(),
        id: String::new(),
        due_at,
    }
}

impl Agent {
    /// Sets the alarm to what is owed next, or takes it away. Every path that changes a lease ends here.
    pub(super) async fn rearm(&self) -> Result<(), Fault> {
        let next = alarm::next([lease::next_due(&self.sql)?], now());
        let wanted = next.map_or(Armed::Nothing, Armed::At);
        if self.alarm_clock.armed.get() == Some(wanted) {
            return Ok(());
        }
        self.alarm_clock.armed.set(Some(wanted));
        let storage = self.state.storage();
        match wanted {
            Armed::Nothing => storage.delete_alarm().await?,
            #[expect(
                clippy::cast_precision_loss,
                reason = "milliseconds since 1970 are exact in a double"
            )]
            Armed::At(instant) => {
                let date = js_sys::Date::new(&wasm_bindgen::JsValue::from_f64(instant as f64));
                storage.set_alarm(ScheduledTime::new(date)).await?;
            }
        }
        Ok(())
    }

    /// The alarm rang.
    pub(super) async fn ring(self: &Rc<Self>) -> Result<(), Fault> {
        self.alarm_clock.armed.set(None);
        let now = now();
        let due = lease::due(&self.sql, now, DUE_AT_ONCE)?;
        for lease in &due {
            let again = if lease.kind == TURN { TURN_LEASE } else { RETRY };
            lease::put(
                &self.sql,
                &Lease {
                    due_at: now.saturating_add(again),
                    ..lease.clone()
                },
            )?;
        }
        self.rearm().await?;
        if !due.is_empty() {
            let agent = Rc::clone(self);
            wasm_bindgen_futures::spawn_local(async move { agent.settle(due).await });
        }
        Ok(())
    }

    async fn settle(self: Rc<Self>, due: Vec<Lease>) {
        // Side by side, so that no conversation waits for a slow one.
        join_all(due.iter().map(async |lease| {
            if let Err(fault) = self.settle_one(lease).await {
                log(
                    &format!("a due {} could not be settled and is tried again", lease.kind),
                    &fault,
                );
            }
        }))
        .await;
        if let Err(fault) = self.rearm().await {
            log("the alarm could not be set", &fault);
        }
    }

    async fn settle_one(self: &Rc<Self>, lease: &Lease) -> Result<(), Fault> {
        if lease.owner == OWN_LEASES {
            let now = now();
            self.sockets
                .close(&self.state, CloseCode::SessionEnded, |socket| socket.expired(now));
            return Ok(lease::remove(&self.sql, &lease.owner, &lease.kind, &lease.id)?);
        }
        match (self.active_conversation(&lease.owner)?, lease.kind.as_str()) {
            (Some(id), SOCKET) => {
                object::ask_conversation(&self.state, id, &ConversationRequest::ExpireSockets).await?;
                lease::remove(&self.sql, &lease.owner, SOCKET, &lease.id)?;
            }
            (Some(id), TURN) => {
                let reply = object::ask_conversation(&self.state, id, &ConversationRequest::Wake).await?;
                // A busy one is looked at again, unless it comes to rest and reports that before.
                if !reply.busy && self.is_active(id)? {
                    self.turns_ended(id, now(), false).await?;
                }
            }
            (None, TEARDOWN) => {
                if let Ok(id) = lease.owner.parse() {
                    self.delete(id).await?;
                    lease::remove(&self.sql, &lease.owner, TEARDOWN, &lease.id)?;
                }
            }
            (Some(_), _) | (None, _) => lease::remove(&self.sql, &lease.owner, &lease.kind, &lease.id)?,
        }
        Ok(())
    }
}
