//! What the provider is told to send, written as the message that an owner sends: `bench <chunks> <bytes> <gap in
//! milliseconds>`, and whatever follows is padding.

use std::fmt;

const PREFIX: &str = "bench";

/// The course of one answer: so many chunks of text of one size, one every so often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Script {
    pub(super) chunks: u32,
    /// The size of a chunk's text.
    pub(super) bytes: usize,
    /// The time from one chunk to the next in milliseconds; 0 means as fast as they are taken.
    pub(super) gap: u64,
}

impl Script {
    pub(super) fn read(message: &str) -> Option<Self> {
        let mut words = message.split_ascii_whitespace();
        if words.next()? != PREFIX {
            return None;
        }
        Some(Self {
            chunks: words.next()?.parse().ok()?,
            bytes: words.next()?.parse().ok()?,
            gap: words.next()?.parse().ok()?,
        })
    }

    /// The message as text of exactly `bytes` bytes, or of its own length if that is more.
    pub(super) fn padded(self, bytes: usize) -> String {
        const FILLING: &str = " and so on";
        let mut message = self.to_string();
        while message.len() < bytes {
            let left = bytes - message.len();
            message.push_str(&FILLING[..left.min(FILLING.len())]);
        }
        message
    }
}

impl fmt::Display for Script {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { chunks, bytes, gap } = self;
        write!(formatter, "{PREFIX} {chunks} {bytes} {gap}")
    }
}

#[cfg(test)]
mod tests {
    use super::Script;

    #[test]
    fn a_padded_message_is_read_back() {
        let script = Script {
            chunks: 3,
            bytes: 20,
            gap: 5,
        };
        let message = script.padded(2000);
        assert_eq!(message.len(), 2000);
        assert_eq!(Script::read(&message), Some(script));
        assert_eq!(Script::read("go on, please"), None);
    }
}
