//! Answers that wait for the owner: how they begin to, and how the owner's word reaches them.

use super::Chat;
use crate::clock::now;
use crate::fault::{Fault, log};
use crate::socket::Socket;
use flarebot_conversation::ledger::approval::{self, Verdict};
use flarebot_conversation::ledger::{self, Settlement};
use flarebot_conversation::turn::{Turn, TurnState};
use flarebot_protocol::call::{CallFailure, DecideApproval, FailureCode};
use flarebot_protocol::frame::{ClientKind, ErrorFrame, RpcReply, ServerFrame};
use flarebot_protocol::message::{Decision, Message, Outcome};
use flarebot_protocol::{MessageId, RequestId};
use std::rc::Rc;

impl Chat {
    /// From here on the turn is a row, and the ones behind it go on.
    pub(super) fn pause(&self, turn: &Turn, state: &TurnState, message: Message) -> Result<(), Fault> {
        // Before the sockets hear of it, so that one that connects now finds no running turn.
        let settlement = ledger::pause(&self.sql, turn.request_id(), state, &message, now())?;
        self.running.borrow_mut().take();
        match settlement {
            Settlement::Applied => self.announce_pause(turn, message),
            Settlement::Late => {
                self.announce_end(turn, Outcome::Aborted, None);
                Ok(())
            }
        }
    }

    /// A client of the SDK names the call alone, and gets an answer only if its word does not count.
    pub(super) fn hear_approval(
        self: &Rc<Self>,
        socket: &Socket,
        call_id: &str,
        decision: Decision,
    ) -> Result<(), Fault> {
        let refused = match approval::find_waiting(&self.sql, call_id)? {
            Ok(message_id) => self.decide(&message_id, call_id, decision)?,
            Err(refusal) => Some(refusal.sentence()),
        };
        self.begin_waiting_work()?;
        let Some(sentence) = refused else { return Ok(()) };
        let failure = CallFailure::new(FailureCode::NotFound, sentence);
        match socket.client() {
            ClientKind::Flarebot => socket.send(&ServerFrame::Error(ErrorFrame::from(failure))),
            ClientKind::Sdk => {
                socket.send(&ServerFrame::Rpc(RpcReply::failed(String::new(), failure)));
                // It shows its own word already.
                socket.send(&self.transcript_frame(None)?);
            }
        }
        Ok(())
    }

    /// Our page names the answer too, and gets a reply.
    pub(super) fn serve_decision(&self, call: &DecideApproval) -> Result<(), CallFailure> {
        match self.decide(&call.message_id, &call.tool_call_id, call.decision) {
            Ok(None) => Ok(()),
            Ok(Some(sentence)) => Err(CallFailure::new(FailureCode::NotFound, sentence)),
            Err(fault) => {
                log("a decision could not be stored", &fault);
                Err(CallFailure::new(
                    FailureCode::Internal,
                    "Your decision could not be stored. Nothing was changed: try again.",
                ))
            }
        }
    }

    /// Stores a decision and tells everybody. Gives a sentence for the owner if it does not count.
    fn decide(
        &self,
        message_id: &MessageId,
        call_id: &str,
        decision: Decision,
    ) -> Result<Option<&'static str>, Fault> {
        let (message, refused) = match approval::decide(&self.sql, message_id, call_id, decision, now())? {
            Verdict::Applied { message } => (message, None),
            Verdict::Expired { message } => (message, Some(approval::EXPIRED)),
            Verdict::Refused(refusal) => return Ok(Some(refusal.sentence())),
        };
        self.tell_changed_activities();
        // What is stored counts, whoever hears of it.
        if let Err(fault) = self.announce_message(message) {
            log("a decision could not be told", &fault);
        }
        Ok(refused)
    }

    /// Sees to it that somebody works, if there is something to do.
    pub(super) fn begin_waiting_work(self: &Rc<Self>) -> Result<(), Fault> {
        if ledger::has_work(&self.sql)? {
            self.begin_work();
        }
        Ok(())
    }

    /// Stops an answer that waits for the owner. Says whether there was one.
    pub(super) fn stop_paused(&self, id: &RequestId) -> Result<bool, Fault> {
        let Some(message) = ledger::stop_paused(&self.sql, id, now())? else {
            return Ok(false);
        };
        self.tell_changed_activities();
        self.announce_message(message)?;
        Ok(true)
    }
}
