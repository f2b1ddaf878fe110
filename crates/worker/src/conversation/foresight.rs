//! The request that a turn begins with, sent before its message is written.
//!
//! A request to another object waits until what was written before it is on the disk. Sent first, it lets the agent write that
//! it watches the turn while the conversation writes the message: the owner waits for one disk instead of two.

use super::{Chat, Work};
use crate::clock::now;
use crate::fault::Fault;
use crate::object;
use flarebot_link::{AgentReply, AgentRequest, TurnBeginning};
use flarebot_protocol::memory::MAXIMUM_QUERY_CHARACTERS;
use flarebot_protocol::message::Message;
use flarebot_protocol::{ConversationId, MessageId};
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use std::rc::Rc;

/// A request that was sent for a message that may be accepted.
pub(super) struct Foreseen {
    user_message_id: MessageId,
    reply: LocalBoxFuture<'static, Result<AgentReply, Fault>>,
}

impl Chat {
    /// A message came that is answered at once if it is accepted.
    pub(super) fn foresee(&self, message: &Message) {
        let (Work::AtRest, Some(conversation)) = (self.work.get(), self.id.get()) else {
            return;
        };
        let beginning = beginning(conversation, query(message));
        let environment = self.environment.clone();
        let mut reply = async move { object::ask_agent(&environment, &beginning).await }.boxed_local();
        // A future does nothing until it is asked.
        if let Some(early) = (&mut reply).now_or_never() {
            reply = std::future::ready(early).boxed_local();
        }
        *self.foreseen.borrow_mut() = Some(Foreseen {
            user_message_id: message.id.clone(),
            reply,
        });
    }

    /// The message was not accepted, or was answered before. The agent need not watch for it.
    pub(super) fn foresaw_nothing(self: &Rc<Self>) {
        let Some(foreseen) = self.foreseen.borrow_mut().take() else {
            return;
        };
        let chat = Rc::clone(self);
        wasm_bindgen_futures::spawn_local(async move {
            // Whatever it says: what counts is that it comes before the next request.
            let _ = foreseen.reply.await;
            if chat.work.get() == Work::AtRest {
                // There is nothing to see.
                chat.report_end(true).await;
            }
        });
    }

    /// The reply to the request that was sent for this message, if one was.
    pub(super) async fn foreseen_reply(&self, id: &MessageId) -> Option<Result<AgentReply, Fault>> {
        let foreseen = self
            .foreseen
            .borrow_mut()
            .take_if(|foreseen| foreseen.user_message_id == *id);
        Some(foreseen?.reply.await)
    }
}

/// The request with which a turn begins.
pub(super) fn beginning(conversation: ConversationId, query: String) -> AgentRequest {
    AgentRequest::BeginTurn(TurnBeginning {
        conversation,
        at: now(),
        query,
    })
}

/// The beginning of the message that is answered, by which facts are found.
pub(super) fn query(message: &Message) -> String {
    message.text().chars().take(MAXIMUM_QUERY_CHARACTERS).collect()
}
