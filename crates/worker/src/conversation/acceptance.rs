//! Telling clients that a message was accepted: only once the agent watches, so that what a client knows to be accepted is
//! answered even if this process dies in the next moment and nobody comes back.

use super::Chat;
use crate::fault::{Fault, log};
use crate::socket::Socket;
use flarebot_conversation::transcript;
use flarebot_protocol::frame::{ClientKind, QueuedTurn, ServerFrame};
use flarebot_protocol::message::Message;
use flarebot_protocol::{ConnectionId, MessageId, RequestId};
use futures_channel::oneshot;
use std::cell::{Cell, RefCell};

/// Whether the agent watches, and who is to be told once it does.
#[derive(Default)]
pub(super) struct Acknowledgements {
    agent_watches: Cell<bool>,
    accepted: RefCell<Vec<Accepted>>,
    callers: RefCell<Vec<oneshot::Sender<()>>>,
}

/// A message that was accepted and of which nobody has been told.
struct Accepted {
    request_id: RequestId,
    message_id: MessageId,
    sender: Option<ConnectionId>,
}

impl Chat {
    /// A message was accepted; `sender` is the socket that brought it.
    pub(super) fn announce_accepted(
        &self,
        request_id: RequestId,
        message: Message,
        sender: Option<&Socket>,
    ) -> Result<(), Fault> {
        let accepted = Accepted {
            request_id,
            message_id: message.id.clone(),
            sender: sender.map(|sender| sender.attachment.grant.connection.clone()),
        };
        if self.acknowledgements.agent_watches.get() {
            return self.tell_accepted(accepted, message);
        }
        self.acknowledgements.accepted.borrow_mut().push(accepted);
        Ok(())
    }

    /// The agent watches from now on until it is told that no work is left; or it could not be asked, or the turn was stopped
    /// before it answered, and then the turn ends at once.
    pub(super) fn watch_begins(&self) {
        self.acknowledgements.agent_watches.set(true);
        for accepted in self.acknowledgements.accepted.take() {
            // It may have been changed or erased meanwhile.
            let told = match transcript::message(&self.sql, &accepted.message_id) {
                Ok(Some(message)) => self.tell_accepted(accepted, message),
                Ok(None) => Ok(()),
                Err(error) => Err(error.into()),
            };
            if let Err(fault) = told {
                log("clients could not be told of a message", &fault);
            }
        }
        for caller in self.acknowledgements.callers.take() {
            // A caller that went away is told nothing.
            let _ = caller.send(());
        }
    }

    /// The agent is about to be told that no work is left.
    pub(super) fn watch_ends(&self) {
        self.acknowledgements.agent_watches.set(false);
    }

    /// Waits until the agent watches.
    pub(super) async fn watched(&self) {
        if self.acknowledgements.agent_watches.get() {
            return;
        }
        let (caller, told) = oneshot::channel();
        self.acknowledgements.callers.borrow_mut().push(caller);
        // It is told or dropped; there is no third.
        let _ = told.await;
    }

    /// Tells every client of the message, and that it waits if it does. The socket that brought it knows the message already.
    fn tell_accepted(&self, accepted: Accepted, message: Message) -> Result<(), Fault> {
        let Accepted {
            request_id,
            message_id,
            sender,
        } = accepted;
        let tell_pages = |frame: ServerFrame| self.sockets.send_to_pages(&self.state, &frame);
        tell_pages(ServerFrame::Message { message });
        self.tell_other_transcripts(sender.as_ref())?;
        let running = self.running.borrow();
        if running
            .as_ref()
            .is_some_and(|running| !running.turn.borrow().answers(&request_id))
        {
            tell_pages(ServerFrame::Queued(QueuedTurn {
                request_id,
                user_message_id: message_id,
            }));
        }
        Ok(())
    }

    /// Clients that know no single messages get the transcript, except the one that brought the news.
    fn tell_other_transcripts(&self, sender: Option<&ConnectionId>) -> Result<(), Fault> {
        let wanted = |other: &Socket| {
            other.client() == ClientKind::Sdk
                && other.attachment.offered.is_none()
                && sender != Some(&other.attachment.grant.connection)
        };
        if self.sockets.all(&self.state).iter().any(wanted) {
            self.sockets
                .send(&self.state, &self.transcript_frame(None)?, wanted);
        }
        Ok(())
    }
}
