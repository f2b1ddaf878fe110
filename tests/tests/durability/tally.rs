//! What a soak counts, and prints at its end.

use crate::conversation::{Conversation, Interruption, ReturnOfPages};
use flarebot_protocol::message::Message;
use flarebot_tests::Installation;
use std::fmt;
use std::time::Duration;

/// What may be lost of an answer that was being sent, in bytes, at any speed.
const LOSS_BYTES: usize = 1024;

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) kills: u32,
    pub(crate) turns: u32,
    pub(crate) interrupted: u32,
    /// Interrupted turns by what their recovery did first.
    continued: u32,
    retried: u32,
    settled: u32,
    pub(crate) calls: u32,
    pub(crate) unknown_calls: u32,
    longest_loss: Duration,
    largest_loss: usize,
    /// From the moment when the process is ready to new text of the model.
    with_pages: Vec<Duration>,
    without_pages: Vec<Duration>,
    pub(crate) broken: Vec<String>,
}

impl Tally {
    /// Counts one turn that has ended.
    pub(crate) fn count(
        &mut self,
        installation: &Installation,
        conversation: &Conversation,
        stored: &[Message],
        ready: u64,
        broken: Vec<String>,
    ) {
        self.turns += 1;
        self.broken.extend(broken);
        let turn = conversation.turn();
        let (Some(interruption), Some(answer)) = (&turn.interruption, stored.last()) else {
            return;
        };
        self.interrupted += 1;
        let exchanges = installation.provider.labelled(turn.plan.label());
        let later = exchanges
            .iter()
            .filter(|exchange| exchange.received_at > interruption.micros);
        let durable = match later.clone().next() {
            None => {
                self.settled += 1;
                answer.text().len()
            }
            Some(first) => {
                let standing = &first.standing;
                if standing.said.is_empty() && standing.step == 0 {
                    self.retried += 1;
                } else {
                    self.continued += 1;
                }
                standing.said.len()
            }
        };
        self.count_loss(turn.plan.label(), interruption, answer, durable);
        let spoke = later.filter_map(|exchange| exchange.first_piece_at);
        if let Some(first) = spoke.min() {
            let waited = Duration::from_micros(first.saturating_sub(ready));
            match turn.return_of_pages {
                ReturnOfPages::AtOnce => self.with_pages.push(waited),
                ReturnOfPages::Never => self.without_pages.push(waited),
                ReturnOfPages::After(_) => {}
            }
        }
    }

    /// Compares what pages had shown with what was still there after the kill.
    fn count_loss(&mut self, label: &str, interruption: &Interruption, answer: &Message, durable: usize) {
        let shown = interruption
            .arrivals
            .iter()
            .filter(|arrival| arrival.message == answer.id);
        let lost = shown.filter(|arrival| arrival.bytes > durable);
        let bytes = lost.clone().map(|arrival| arrival.bytes - durable).max();
        let first = lost.map(|arrival| arrival.at).min();
        let (Some(bytes), Some(first)) = (bytes, first) else {
            return;
        };
        let time = interruption.at.saturating_duration_since(first);
        // How old the words were is told and not judged: how late a timer rings is up to the machine.
        if bytes > LOSS_BYTES {
            self.broken
                .push(format!("{label}: {bytes} bytes of {time:?} were lost"));
        }
        self.largest_loss = self.largest_loss.max(bytes);
        self.longest_loss = self.longest_loss.max(time);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "kills of the process: {}", self.kills)?;
        writeln!(
            formatter,
            "turns: {}, of them interrupted {}",
            self.turns, self.interrupted
        )?;
        writeln!(
            formatter,
            "interrupted turns that went on: {} with what there was, {} from the beginning, {} had only to be ended",
            self.continued, self.retried, self.settled
        )?;
        writeln!(
            formatter,
            "tool calls: {}, of them with an unknown end {}",
            self.calls, self.unknown_calls
        )?;
        writeln!(
            formatter,
            "largest loss of an answer's tail: {} bytes, {:?}",
            self.largest_loss, self.longest_loss
        )?;
        writeln!(
            formatter,
            "median time from the restart to new text: {} with a page that waits, {} without",
            median(&self.with_pages),
            median(&self.without_pages)
        )?;
        write!(formatter, "broken promises: {}", self.broken.len())
    }
}

fn median(times: &[Duration]) -> String {
    let mut times = times.to_vec();
    times.sort_unstable();
    times
        .get(times.len() / 2)
        .map_or("unknown".to_owned(), |time| format!("{} ms", time.as_millis()))
}
