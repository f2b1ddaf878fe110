//! Numbers chunks and decides when they become durable: within [`FLUSH_MILLISECONDS`] of being sent, and never with
//! [`FLUSH_BYTES`] of text or more sent but not durable.

use super::Effect;
use flarebot_protocol::chunk::Chunk;

/// How long a sent chunk may stay out of the stream log.
pub(super) const FLUSH_MILLISECONDS: i64 = 250;

/// How much text may be sent and not yet be in the stream log, in bytes.
pub(super) const FLUSH_BYTES: usize = 1024;

/// The chunks of one turn on their way to the log and to the sockets.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    next_seq: u64,
    waiting: Vec<Chunk>,
    waiting_bytes: usize,
    waiting_since: Option<i64>,
}

impl Outbox {
    /// Sends one chunk. If its text would exceed the limit, it is logged first.
    pub(super) fn send(&mut self, chunk: Chunk, now: i64, effects: &mut Vec<Effect>) {
        let seq = self.next_seq;
        self.next_seq = seq.saturating_add(1);
        self.waiting_bytes = self.waiting_bytes.saturating_add(chunk.payload_bytes());
        self.waiting.push(chunk.clone());
        // The earlier of both, should the clock have been set back meanwhile.
        self.waiting_since = Some(self.waiting_since.map_or(now, |since| since.min(now)));
        if self.waiting_bytes >= FLUSH_BYTES {
            self.flush(effects);
        }
        effects.push(Effect::Send { seq, chunk });
    }

    /// The chunks of a continued turn, numbered from `next_seq` on.
    pub(super) fn from(next_seq: u64) -> Self {
        Self {
            next_seq,
            ..Self::default()
        }
    }

    /// Sends chunks that only mean something together: they become durable in one step, and before they are seen.
    pub(super) fn send_together(&mut self, chunks: Vec<Chunk>, effects: &mut Vec<Effect>) {
        self.flush(effects);
        let first_seq = self.next_seq;
        if chunks.is_empty() {
            return;
        }
        self.next_seq = first_seq.saturating_add(chunks.len() as u64);
        effects.push(Effect::Append {
            first_seq,
            chunks: chunks.clone(),
        });
        effects.extend(
            (first_seq..)
                .zip(chunks)
                .map(|(seq, chunk)| Effect::Send { seq, chunk }),
        );
    }

    /// Logs everything that was sent and is not logged.
    pub(super) fn flush(&mut self, effects: &mut Vec<Effect>) {
        if self.waiting.is_empty() {
            return;
        }
        let chunks = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        self.waiting_since = None;
        let first_seq = self.next_seq.saturating_sub(chunks.len() as u64);
        effects.push(Effect::Append { first_seq, chunks });
    }

    /// When the waiting chunks have to be logged.
    pub(super) fn due_at(&self) -> Option<i64> {
        self.waiting_since
            .map(|since| since.saturating_add(FLUSH_MILLISECONDS))
    }

    /// What was sent and is not logged.
    pub(super) fn waiting(&self) -> &[Chunk] {
        &self.waiting
    }

    /// The number of the next chunk.
    pub(super) fn next_seq(&self) -> u64 {
        self.next_seq
    }
}
