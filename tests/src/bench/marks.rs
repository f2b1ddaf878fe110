//! A chunk's text is a mark: its number and the moment when the provider wrote it. A mark needs no escaping in JSON, so it
//! is found in whatever frame carries it, however deep.

/// One chunk as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) number: u32,
    /// In microseconds of the provider's clock.
    pub(super) written_at: u64,
}

/// The text of a chunk: `#000012@3456789….;`, of `bytes` bytes or a few more.
pub(super) fn write(mark: Mark, bytes: usize) -> String {
    let text = format!("#{:06}@{}", mark.number, mark.written_at);
    let dots = bytes.saturating_sub(text.len() + 1);
    format!("{text}{};", ".".repeat(dots))
}

/// The marks in a text, in order.
pub(super) fn read(text: &str) -> Vec<Mark> {
    text.split('#').skip(1).filter_map(read_one).collect()
}

fn read_one(text: &str) -> Option<Mark> {
    let (mark, _) = text.split_once(';')?;
    let (number, written_at) = mark.split_once('@')?;
    Some(Mark {
        number: number.parse().ok()?,
        written_at: written_at.trim_end_matches('.').parse().ok()?,
    })
}

/// Finds marks in a stream of pieces that may be cut inside a mark.
#[derive(Debug, Default)]
pub(super) struct MarkReader {
    rest: String,
}

impl MarkReader {
    pub(super) fn read(&mut self, piece: &str) -> Vec<Mark> {
        self.rest.push_str(piece);
        let found = read(&self.rest);
        let unfinished = self
            .rest
            .rfind('#')
            .filter(|start| !self.rest[*start..].contains(';'));
        self.rest.drain(..unfinished.unwrap_or(self.rest.len()));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{Mark, MarkReader, read, write};

    #[test]
    fn marks_are_found_in_json_and_across_cuts() {
        let marks = [0, 1, 2].map(|number| Mark {
            number,
            written_at: 1000 + u64::from(number),
        });
        let text: String = marks.iter().map(|mark| write(*mark, 20)).collect();
        assert_eq!(text.len(), 60);
        assert_eq!(
            read(&format!("{{\"body\":\"{{\\\"delta\\\":\\\"{text}\\\"}}\"}}")),
            marks
        );
        for cut in 0..text.len() {
            let mut reader = MarkReader::default();
            let mut found = reader.read(&text[..cut]);
            found.extend(reader.read(&text[cut..]));
            assert_eq!(found, marks);
        }
    }
}
