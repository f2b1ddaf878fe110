//! The owner's decisions on what tools are to do.

use super::Store;
use flarebot_protocol::MessageId;
use flarebot_protocol::call::DecideApproval;
use flarebot_protocol::message::{Approval, Decision};
use leptos::prelude::*;
use std::collections::BTreeMap;

/// How far a decision is that the server has not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deciding {
    /// It is on its way.
    UnderWay,
    /// It did not count, with a sentence for the owner.
    Refused(String),
}

impl Store {
    /// Decides on the call `tool_call_id` of the answer `message_id`, about which the owner was asked `approval`.
    pub fn decide(
        self,
        message_id: MessageId,
        tool_call_id: String,
        approval: &Approval,
        decision: Decision,
    ) {
        let question = approval.id.clone();
        let decisions = self.conversation.decisions;
        let is_under_way =
            |decisions: &BTreeMap<String, Deciding>| decisions.get(&question) == Some(&Deciding::UnderWay);
        let link = self.runtime().conversation.borrow().clone();
        let Some(link) = link.filter(|_| !decisions.with_untracked(is_under_way)) else {
            return;
        };
        decisions.update(|decisions| {
            decisions.insert(question.clone(), Deciding::UnderWay);
        });
        let call = DecideApproval {
            message_id,
            tool_call_id,
            decision,
        };
        link.call(&call, move |reply| match reply {
            Ok(()) => {
                decisions.update(|decisions| {
                    decisions.remove(&question);
                });
                // The buttons are gone; whoever pressed one goes on in the composer.
                self.arrivals
                    .update(|arrivals| *arrivals = arrivals.wrapping_add(1));
            }
            Err(failure) => decisions.update(|decisions| {
                decisions.insert(question, Deciding::Refused(failure.message));
            }),
        });
    }

    /// How far the owner's decision on a question is.
    #[must_use]
    pub fn deciding(self, approval: &Approval) -> Option<Deciding> {
        self.conversation
            .decisions
            .with(|decisions| decisions.get(&approval.id).cloned())
    }
}
