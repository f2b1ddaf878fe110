//! Calls on their way: those that wait for a connection and those that wait for a reply.

use super::event::Settlement;
use crate::CallId;
use crate::call::{Call, CallFailure, FailureCode};
use crate::frame::{ClientFrame, RpcReply};
use serde_json::Value;
use std::collections::VecDeque;

/// How long a reply may take, in milliseconds.
const REPLY_TIMEOUT: i64 = 30_000;

/// The most calls that wait for a connection.
const MAXIMUM_WAITING: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Calls {
    waiting: VecDeque<Waiting>,
    sent: Vec<Sent>,
}

#[derive(Debug)]
struct Waiting {
    id: CallId,
    method: &'static str,
    text: String,
}

#[derive(Debug)]
struct Sent {
    id: CallId,
    method: &'static str,
    deadline: i64,
}

impl Calls {
    /// Takes a call to be sent later.
    ///
    /// # Errors
    /// A settlement when too many wait already.
    pub(super) fn add<C: Call>(&mut self, call: &C, id: CallId) -> Result<(), Settlement> {
        let method = C::METHOD;
        if self.waiting.len() >= MAXIMUM_WAITING {
            return Err(failed(
                id,
                method,
                "Too much is waiting for the connection. Try again when it is back.",
            ));
        }
        let frame = ClientFrame::Rpc {
            id: id.clone(),
            method: method.to_owned(),
            arguments: call.arguments(),
        };
        self.waiting.push_back(Waiting {
            id,
            method,
            text: frame.text(),
        });
        Ok(())
    }

    /// The next text to send, whose reply is awaited from `now` on.
    pub(super) fn send_next(&mut self, now: i64) -> Option<String> {
        let call = self.waiting.pop_front()?;
        self.sent.push(Sent {
            id: call.id,
            method: call.method,
            deadline: now.saturating_add(REPLY_TIMEOUT),
        });
        Some(call.text)
    }

    /// Matches a reply with its call. A reply to nothing, such as one that comes too late, is `None`.
    pub(super) fn settle(&mut self, reply: RpcReply) -> Option<Settlement> {
        let place = self.sent.iter().position(|call| call.id.as_str() == reply.id)?;
        let call = self.sent.remove(place);
        let result = if reply.success {
            Ok(reply.result.unwrap_or(Value::Null))
        } else {
            Err(CallFailure::new(
                reply.code.unwrap_or(FailureCode::Internal),
                reply
                    .error
                    .unwrap_or_else(|| "The call failed. Try again.".to_owned()),
            ))
        };
        Some(Settlement {
            id: call.id,
            method: call.method,
            result,
        })
    }

    /// Fails the calls whose reply is overdue.
    pub(super) fn expire(&mut self, now: i64) -> Vec<Settlement> {
        self.fail_sent(|call| call.deadline <= now, "No answer came in time. Try again.")
    }

    /// Fails the calls that were sent on a connection that is gone; whether they were served is unknown.
    pub(super) fn lose(&mut self) -> Vec<Settlement> {
        self.fail_sent(
            |_| true,
            "The connection was lost before the answer came. Check, then try again.",
        )
    }

    /// Fails every call: there will be no connection.
    pub(super) fn abandon(&mut self) -> Vec<Settlement> {
        let mut settlements = self.lose();
        settlements.extend(self.waiting.drain(..).map(|call| {
            failed(
                call.id,
                call.method,
                "There is no connection. Nothing was changed.",
            )
        }));
        settlements
    }

    /// When the next reply is overdue.
    pub(super) fn deadline(&self) -> Option<i64> {
        self.sent.iter().map(|call| call.deadline).min()
    }

    fn fail_sent(&mut self, concerns: impl Fn(&Sent) -> bool, sentence: &str) -> Vec<Settlement> {
        self.sent
            .extract_if(.., |call| concerns(call))
            .map(|call| failed(call.id, call.method, sentence))
            .collect()
    }
}

fn failed(id: CallId, method: &'static str, sentence: &str) -> Settlement {
    Settlement {
        id,
        method,
        result: Err(CallFailure::new(FailureCode::Disconnected, sentence)),
    }
}
