//! Sockets that a process took with it when it died. Nobody reports their end, so their leases would keep the alarm set until
//! their sessions end.

use super::{Agent, OWN_LEASES, alarm};
use crate::fault::{Fault, log};
use crate::object;
use flarebot_durable::lease;
use flarebot_link::ConversationRequest;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The leases that stood when this object came to life, before any socket of this life.
struct Before {
    own: Vec<String>,
    /// By conversation.
    conversations: Vec<(String, Vec<String>)>,
}

impl Agent {
    /// Looks, once for each life of this object, which sockets are there no more, and ends their leases.
    pub(super) fn forget_lost_sockets(self: &Rc<Self>) {
        let before = match self.leases_before() {
            Ok(before) => before,
            Err(fault) => return log("the leases of sockets could not be read", &fault),
        };
        let open: BTreeSet<String> = self
            .sockets
            .all(&self.state)
            .iter()
            .map(|socket| socket.attachment.grant.connection.to_string())
            .collect();
        // The sockets of a process end together: where some of the agent's are left, it was only asleep.
        let is_left = |connection: &String| open.contains(connection);
        if before.own.iter().any(is_left) || (before.own.is_empty() && before.conversations.is_empty()) {
            return;
        }
        let agent = Rc::clone(self);
        wasm_bindgen_futures::spawn_local(async move {
            if let Err(fault) = agent.forget(before, &open).await {
                log("the leases of lost sockets stay until their sessions end", &fault);
            }
        });
    }

    fn leases_before(&self) -> Result<Before, Fault> {
        let ids = |owner: &str| lease::ids(&self.sql, owner, alarm::SOCKET);
        let owners = lease::owners(&self.sql, alarm::SOCKET)?;
        let conversations = owners
            .into_iter()
            .filter(|owner| owner != OWN_LEASES)
            .map(|owner| Ok((owner.clone(), ids(&owner)?)))
            .collect::<Result<_, Fault>>()?;
        Ok(Before {
            own: ids(OWN_LEASES)?,
            conversations,
        })
    }

    async fn forget(&self, before: Before, open: &BTreeSet<String>) -> Result<(), Fault> {
        self.remove_unless(OWN_LEASES, before.own, |connection| open.contains(connection))?;
        for (owner, connections) in before.conversations {
            let Some(id) = self.active_conversation(&owner)? else {
                continue;
            };
            let asked = object::ask_conversation(&self.state, id, &ConversationRequest::ExpireSockets).await;
            let left = match asked {
                Ok(reply) => reply.connections,
                Err(fault) => {
                    log("a conversation could not tell its sockets", &fault);
                    continue;
                }
            };
            self.remove_unless(&owner, connections, |connection| {
                left.iter().any(|left| left.as_str() == connection)
            })?;
        }
        self.rearm().await
    }

    fn remove_unless(
        &self,
        owner: &str,
        connections: Vec<String>,
        is_open: impl Fn(&str) -> bool,
    ) -> Result<(), Fault> {
        for connection in connections {
            if !is_open(&connection) {
                lease::remove(&self.sql, owner, alarm::SOCKET, &connection)?;
            }
        }
        Ok(())
    }
}
