//! What open sockets are told of an answer: its message, its end, and that it waits for the owner.

use super::Chat;
use crate::fault::Fault;
use crate::socket::Socket;
use flarebot_conversation::turn::Turn;
use flarebot_protocol::RequestId;
use flarebot_protocol::frame::{ChatResponse, ClientKind, ServerFrame};
use flarebot_protocol::message::{Message, Outcome};

impl Chat {
    /// Our own pages get the one message; other clients the transcript, as they expect.
    pub(super) fn announce_message(&self, message: Message) -> Result<(), Fault> {
        let transcripts =
            |socket: &Socket| socket.client() == ClientKind::Sdk && socket.attachment.offered.is_none();
        if self.sockets.all(&self.state).iter().any(transcripts) {
            self.sockets
                .send(&self.state, &self.transcript_frame(None)?, transcripts);
        }
        let empty =
            message.parts.is_empty() && message.metadata.as_ref().is_none_or(|data| data.notice.is_none());
        if !empty {
            self.sockets
                .send_to_pages(&self.state, &ServerFrame::Message { message });
        }
        Ok(())
    }

    pub(super) fn announce_end(&self, turn: &Turn, outcome: Outcome, notice: Option<&str>) {
        let failed = matches!(outcome, Outcome::Error | Outcome::Interrupted);
        let stream_id = turn.stream_id();
        let tell = |frame: ChatResponse| {
            self.sockets
                .send(&self.state, &ServerFrame::ChatResponse(frame), |socket| {
                    not_waiting_for(socket, stream_id)
                });
        };
        if let Some(notice) = notice.filter(|_| failed) {
            tell(ChatResponse::failed(stream_id.clone(), notice.to_owned()));
        }
        let message_ids = vec![turn.user_message_id().clone()];
        tell(ChatResponse::ended(
            stream_id.clone(),
            outcome,
            message_ids.clone(),
        ));
        if turn.request_id() != stream_id {
            // For whoever still waits under the request that was sent.
            tell(ChatResponse::ended(
                turn.request_id().clone(),
                outcome,
                message_ids,
            ));
        }
    }

    /// The stream is over, and the answer is not. A page takes the message for settled once the stream is, and clients of
    /// the SDK the stream for over once they have its message.
    pub(super) fn announce_pause(&self, turn: &Turn, message: Message) -> Result<(), Fault> {
        let stream_id = turn.stream_id();
        let mut streams = vec![stream_id];
        if turn.request_id() != stream_id {
            // For whoever still waits under the request that was sent.
            streams.push(turn.request_id());
        }
        let tell = |client: ClientKind| {
            for id in &streams {
                let paused = ChatResponse::paused((*id).clone(), vec![turn.user_message_id().clone()]);
                self.sockets
                    .send(&self.state, &ServerFrame::ChatResponse(paused), |socket| {
                        socket.client() == client && not_waiting_for(socket, stream_id)
                    });
            }
        };
        tell(ClientKind::Flarebot);
        self.announce_message(message)?;
        tell(ClientKind::Sdk);
        Ok(())
    }
}

pub(super) fn not_waiting_for(socket: &Socket, request_id: &RequestId) -> bool {
    socket.attachment.offered.as_ref() != Some(request_id)
}
