//! A page that watches an answer.

use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::frame::RunningTurn;
use flarebot_protocol::message::{Message, Part, Role};
use flarebot_protocol::{RequestId, reduce};

/// Somebody who watches the answer.
pub(crate) struct Reader {
    running: RunningTurn,
    settled: Option<Message>,
}

impl Reader {
    pub(crate) fn join(running: RunningTurn) -> Self {
        Self {
            running,
            settled: None,
        }
    }

    pub(crate) fn take(&mut self, stream: &RequestId, seq: u64, chunk: &Chunk) {
        if self.running.request_id == *stream && seq == self.running.next_seq {
            self.running.chunks.push(chunk.clone());
            self.running.next_seq += 1;
        }
    }

    /// The server says that this is the answer, and that nothing more comes of it for now.
    pub(crate) fn settle(&mut self, message: &Message) {
        self.settled = Some(message.clone());
    }

    /// What the chunks of an answer that pauses lead to.
    pub(crate) fn reduced(&self) -> Vec<Part> {
        reduce(self.empty(), &self.running.chunks).parts
    }

    fn empty(&self) -> Message {
        Message {
            id: self.running.message_id.clone(),
            role: Role::Assistant,
            parts: Vec::new(),
            metadata: None,
        }
    }

    /// What is shown: the chunks must lead to the very message that is stored.
    pub(crate) fn message(&self) -> Vec<Part> {
        let settled = self.settled.as_ref().expect("everybody hears of the end");
        let ended = self.running.chunks.last();
        match ended {
            Some(Chunk::Finish { .. } | Chunk::Error { .. } | Chunk::Abort) => self.reduced(),
            // Its end was only in the log when the process died.
            _ => settled.parts.clone(),
        }
    }
}
