//! The frames that a conversation's socket brings.

use super::Chat;
use super::calls::Service;
use crate::clock::{now, random_uuid};
use crate::fault::{Fault, log};
use crate::socket::Socket;
use flarebot_conversation::ledger::{self, Acceptance, Settlement, TurnStatus};
use flarebot_conversation::transcript;
use flarebot_protocol::call::{ConversationCall, ConversationService as _};
use flarebot_protocol::frame::{
    ChatRequest, ChatResponse, ClientFrame, ClientKind, FrameFault, QueueFrame, QueuedTurn, RpcReply,
    ServerFrame,
};
use flarebot_protocol::message::Outcome;
use flarebot_protocol::{MessageId, RequestId};
use std::rc::Rc;
use worker::WebSocketIncomingMessage;

impl Chat {
    /// Serves one frame. Whatever is wrong with it, the socket gets an answer and lives on.
    pub(super) fn hear(self: &Rc<Self>, mut socket: Socket, message: WebSocketIncomingMessage) {
        let frame = match message {
            WebSocketIncomingMessage::String(text) => ClientFrame::parse(&text),
            WebSocketIncomingMessage::Binary(_) => Err(FrameFault::binary()),
        };
        let frame = match frame {
            Ok(frame) => frame,
            Err(fault) => return socket.send(&fault.answer(socket.client())),
        };
        if let Err(fault) = self.serve_frame(&mut socket, frame) {
            log("a frame could not be served", &fault);
            let failure = fault.for_client();
            socket.send(&ServerFrame::Rpc(RpcReply::failed(String::new(), failure)));
        }
    }

    fn serve_frame(self: &Rc<Self>, socket: &mut Socket, frame: ClientFrame) -> Result<(), Fault> {
        match frame {
            ClientFrame::Chat(request) => self.accept(socket, &request),
            ClientFrame::Cancel { id } => self.cancel(&id),
            ClientFrame::ToolApproval {
                tool_call_id,
                decision,
            } => self.hear_approval(socket, &tool_call_id, decision),
            ClientFrame::Clear => self.clear(socket),
            ClientFrame::PushedTranscript => {
                socket.send(&self.transcript_frame(None)?);
                Ok(())
            }
            ClientFrame::ResumeRequest { probe_id } => self.offer_stream(socket, probe_id),
            ClientFrame::ResumeAcknowledge { id } => self.replay(socket, &id),
            ClientFrame::State => {
                socket.send(&ServerFrame::StateError {
                    error: "State update rejected".to_owned(),
                });
                Ok(())
            }
            ClientFrame::Rpc {
                id,
                method,
                arguments,
            } => {
                let chat = Rc::clone(self);
                let socket = socket.clone();
                wasm_bindgen_futures::spawn_local(async move {
                    let result = match ConversationCall::parse(&method, arguments) {
                        Ok(call) => Service(Rc::clone(&chat)).serve(call).await,
                        Err(failure) => Err(failure),
                    };
                    let reply = match result {
                        Ok(result) => RpcReply::succeeded(id.to_string(), result),
                        Err(failure) => RpcReply::failed(id.to_string(), failure),
                    };
                    socket.send(&ServerFrame::Rpc(reply));
                    // A decision leaves work behind, which goes on when its call is over.
                    if let Err(fault) = chat.begin_waiting_work() {
                        log("work that waits could not be begun", &fault);
                    }
                });
                Ok(())
            }
        }
    }

    /// Stores the owner's message with a waiting turn, tells every page, and sees that somebody works.
    fn accept(self: &Rc<Self>, socket: &Socket, request: &ChatRequest) -> Result<(), Fault> {
        let answer = MessageId::from_uuid(random_uuid()?);
        self.foresee(&request.message);
        let accepted = match ledger::accept(&self.sql, request, &answer, now()) {
            Ok(accepted) => accepted,
            Err(error) => {
                log("a message could not be stored", &error.into());
                self.foresaw_nothing();
                let sentence = "The message could not be stored. Nothing was lost: send it again.";
                socket.send(&FrameFault::chat(&request.id, sentence).answer(socket.client()));
                return Ok(());
            }
        };
        if !matches!(accepted, Acceptance::New { .. }) {
            self.foresaw_nothing();
        }
        match accepted {
            Acceptance::New { message } => {
                self.announce_accepted(request.id.clone(), message, Some(socket))?;
                self.begin_work();
            }
            Acceptance::Duplicate {
                status: TurnStatus::Ended(outcome),
                ..
            } => {
                let ended =
                    ChatResponse::ended(request.id.clone(), outcome, vec![request.message.id.clone()]);
                socket.send(&ServerFrame::ChatResponse(ended));
            }
            Acceptance::Duplicate {
                status: TurnStatus::Paused,
                ..
            } => {
                let paused = ChatResponse::paused(request.id.clone(), vec![request.message.id.clone()]);
                socket.send(&ServerFrame::ChatResponse(paused));
            }
            // Its chunks come to every socket anyway.
            Acceptance::Duplicate {
                status: TurnStatus::Queued | TurnStatus::Running | TurnStatus::Decided,
                ..
            } => {}
            Acceptance::Refused(refusal) => {
                socket.send(&FrameFault::chat(&request.id, refusal.sentence()).answer(socket.client()));
            }
        }
        Ok(())
    }

    /// Tells every client of the queue as it is now. What is told is stored, so a client that is not told finds it with its
    /// next connection.
    pub(super) fn tell_queue(&self, deleted: Vec<QueuedTurn>) {
        match ledger::queued(&self.sql) {
            Ok(queued) => {
                let frame = ServerFrame::Queue(QueueFrame { queued, deleted });
                self.sockets.send_to_pages(&self.state, &frame);
            }
            Err(error) => log("the queue could not be told", &error.into()),
        }
        self.tell_transcripts();
    }

    /// Clients that know no single messages get the transcript.
    pub(super) fn tell_transcripts(&self) {
        let wanted =
            |socket: &Socket| socket.client() == ClientKind::Sdk && socket.attachment.offered.is_none();
        if !self.sockets.all(&self.state).iter().any(wanted) {
            return;
        }
        match self.transcript_frame(None) {
            Ok(frame) => self.sockets.send(&self.state, &frame, wanted),
            Err(fault) => log("a transcript could not be told", &fault),
        }
    }

    /// Stops an answer: the running one, or one that waits, be it for the owner or for those before it.
    pub(super) fn cancel(&self, id: &RequestId) -> Result<(), Fault> {
        if self.stop_running_request(id) {
            return Ok(());
        }
        if self.stop_paused(id)? || ledger::cancel_queued(&self.sql, id, now())? == Settlement::Applied {
            let ended = ChatResponse::ended(id.clone(), Outcome::Aborted, Vec::new());
            self.sockets
                .send(&self.state, &ServerFrame::ChatResponse(ended), |_| true);
        }
        Ok(())
    }

    /// Erases the transcript and stops all work on it.
    fn clear(&self, socket: &Socket) -> Result<(), Fault> {
        let waiting = ledger::queued(&self.sql)?;
        transcript::clear(&self.sql)?;
        self.stop_running();
        self.tell_changed_activities();
        for turn in waiting {
            let ended = ChatResponse::ended(turn.request_id, Outcome::Aborted, Vec::new());
            self.sockets
                .send(&self.state, &ServerFrame::ChatResponse(ended), |_| true);
        }
        let sender = &socket.attachment.grant.connection;
        self.sockets.send(&self.state, &ServerFrame::ChatClear, |other| {
            other.client() == ClientKind::Flarebot || other.attachment.grant.connection != *sender
        });
        Ok(())
    }
}
