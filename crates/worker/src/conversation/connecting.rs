//! What a client gets first, and how it joins an answer that is being made.

use super::Chat;
use crate::fault::Fault;
use crate::socket::Socket;
use flarebot_conversation::turn::Turn;
use flarebot_conversation::{ledger, stream_log, transcript};
use flarebot_link::{GRANT_HEADER, SocketGrant};
use flarebot_protocol::chunk::{self, Chunk};
use flarebot_protocol::frame::{
    AgentKind, ChatResponse, ClientKind, HistoryFrame, ResumeNoneReason, RunningTurn, ServerFrame,
};
use flarebot_protocol::message::Outcome;
use flarebot_protocol::{HISTORY_PAGE, MessageId, RequestId};
use worker::{Request, Response};

impl Chat {
    /// Accepts a socket and greets it.
    pub(super) fn open_socket(&self, request: &Request) -> Result<Response, Fault> {
        let header = request.headers().get(GRANT_HEADER)?;
        let client = SocketGrant::from_header(header.as_deref())
            .map_err(|error| Fault::internal(error.to_string()))?
            .client;
        let offered = match client {
            ClientKind::Sdk => self.running_request(),
            ClientKind::Flarebot => None,
        };
        let (socket, response) = self.sockets.accept(&self.state, request, offered.clone())?;
        match client {
            ClientKind::Flarebot => {
                socket.send(&self.identity());
                socket.send(&self.state_frame()?);
                socket.send(&ServerFrame::History(self.history()?));
            }
            ClientKind::Sdk => {
                // A client that is to join a running answer gets no transcript: it would show the answer twice.
                match offered {
                    Some(id) => socket.send(&ServerFrame::StreamResuming { id, probe_id: None }),
                    None => socket.send(&self.transcript_frame(Some(true))?),
                }
                socket.send(&self.identity());
                socket.send(&self.state_frame()?);
            }
        }
        Ok(response)
    }

    /// Answers whether there is something to join.
    pub(super) fn offer_stream(&self, socket: &mut Socket, probe_id: Option<String>) -> Result<(), Fault> {
        if let Some(id) = self.running_request() {
            self.sockets.offer(socket, Some(id.clone()))?;
            socket.send(&ServerFrame::StreamResuming { id, probe_id });
            return Ok(());
        }
        let frame = match ledger::next_waiting(&self.sql)? {
            Some(waiting) => ServerFrame::StreamPending {
                id: Some(waiting.request_id),
                probe_id,
            },
            None => ServerFrame::StreamResumeNone {
                reason: ResumeNoneReason::Idle,
                probe_id,
            },
        };
        socket.send(&frame);
        Ok(())
    }

    /// Tells the clients that know no single frames of ours, and were connected before the answer stood still, that it
    /// goes on under another request. The earlier one ends for them, unless it has.
    pub(super) fn offer_continuation(&self, earlier: Option<&RequestId>, turn: &Turn) -> Result<(), Fault> {
        for socket in self.sockets.all(&self.state).iter() {
            if socket.client() != ClientKind::Sdk {
                continue;
            }
            if let Some(earlier) = earlier {
                let message_ids = vec![turn.user_message_id().clone()];
                let ended = ChatResponse::ended(earlier.clone(), Outcome::Interrupted, message_ids);
                socket.send(&ServerFrame::ChatResponse(ended));
            }
            let id = turn.stream_id().clone();
            self.sockets.offer(&mut socket.clone(), Some(id.clone()))?;
            socket.send(&ServerFrame::StreamResuming { id, probe_id: None });
        }
        Ok(())
    }

    /// Replays the running answer to a socket, which then gets the rest of it live.
    pub(super) fn replay(&self, socket: &mut Socket, id: &RequestId) -> Result<(), Fault> {
        // A late answer to an earlier offer must not let live chunks of this one through before its replay.
        if socket.attachment.offered.as_ref() == Some(id) {
            self.sockets.offer(socket, None)?;
        }
        match self.running_turn()?.filter(|running| running.request_id == *id) {
            Some(running) => {
                replay_chunks(socket, id, running.chunks);
                socket.send(&ServerFrame::ChatResponse(ChatResponse::replay_completed(
                    id.clone(),
                )));
                Ok(())
            }
            None => match ledger::paused(&self.sql, id)? {
                Some(message_id) => self.replay_paused(socket, id, &message_id),
                None => self.replay_ended(socket, id),
            },
        }
    }

    /// Replays an answer that began to wait for the owner between the offer and the answer to it.
    fn replay_paused(&self, socket: &Socket, id: &RequestId, message_id: &MessageId) -> Result<(), Fault> {
        if let Some(message) = transcript::message(&self.sql, message_id)? {
            replay_chunks(socket, id, chunk::replay(&message));
        }
        socket.send(&self.transcript_frame(None)?);
        let paused = ChatResponse::paused(id.clone(), Vec::new());
        socket.send(&ServerFrame::ChatResponse(paused));
        Ok(())
    }

    /// Replays an answer that ended between the offer and the answer to it.
    fn replay_ended(&self, socket: &Socket, id: &RequestId) -> Result<(), Fault> {
        let ended = ledger::ended(&self.sql, id)?;
        let message = match &ended {
            Some(ended) => transcript::message(&self.sql, &ended.assistant_message_id)?,
            None => None,
        };
        let outcome = ended.map_or(Outcome::Interrupted, |ended| ended.outcome);
        if let Some(message) = message {
            replay_chunks(socket, id, chunk::replay(&message));
            let notice = message.metadata.and_then(|metadata| metadata.notice);
            if let Some(notice) = notice.filter(|_| outcome == Outcome::Error) {
                socket.send(&ServerFrame::ChatResponse(ChatResponse::failed(
                    id.clone(),
                    notice,
                )));
            }
        }
        socket.send(&self.transcript_frame(None)?);
        socket.send(&ServerFrame::ChatResponse(ChatResponse::ended(
            id.clone(),
            outcome,
            Vec::new(),
        )));
        Ok(())
    }

    /// The transcript for clients that know no pages: whole, unless it is very long.
    pub(super) fn transcript_frame(&self, connect: Option<bool>) -> Result<ServerFrame, Fault> {
        Ok(ServerFrame::ChatMessages {
            messages: transcript::newest(&self.sql)?,
            connect,
        })
    }

    fn identity(&self) -> ServerFrame {
        ServerFrame::Identity {
            name: self.id.get().map(|id| id.to_string()).unwrap_or_default(),
            agent: AgentKind::Conversation,
            state_follows: true,
        }
    }

    fn history(&self) -> Result<HistoryFrame, Fault> {
        let mut page = transcript::page(&self.sql, None, HISTORY_PAGE)?;
        let running = self.running_turn()?;
        if let Some(running) = &running {
            // An answer that has paused before is in the transcript as it was then.
            page.messages.retain(|message| message.id != running.message_id);
        }
        Ok(HistoryFrame {
            messages: page.messages,
            has_more: page.has_more,
            running,
            queued: ledger::queued(&self.sql)?,
        })
    }

    fn running_request(&self) -> Option<RequestId> {
        self.running
            .borrow()
            .as_ref()
            .map(|running| running.turn.borrow().stream_id().clone())
    }

    /// All that has been sent of the running answer.
    fn running_turn(&self) -> Result<Option<RunningTurn>, Fault> {
        let Some(turn) = self.running.borrow().as_ref().map(|running| running.turn.clone()) else {
            return Ok(None);
        };
        let turn = turn.borrow();
        Ok(Some(
            turn.running(stream_log::read(&self.sql, turn.request_id())?),
        ))
    }
}

fn replay_chunks(socket: &Socket, id: &RequestId, chunks: Vec<Chunk>) {
    for (number, chunk) in (0..).zip(&chunk::pieces(chunks)) {
        socket.send(&ServerFrame::ChatResponse(ChatResponse::replayed_chunk(
            id.clone(),
            number,
            chunk,
        )));
    }
}
