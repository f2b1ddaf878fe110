//! The event stream format (`text/event-stream`), read from bytes as they arrive, wherever they are split.
//!
//! Follows the WHATWG rules: lines end with CR, LF or CRLF; a byte order mark at the start is dropped; an event ends
//! with an empty line and counts only if it has data; one that the stream's end cuts off is dropped. `id` and `retry`
//! serve reconnection, which no answer that is read here allows, so they are skipped like every unknown field.

/// The most bytes that one event may take. A larger one ends the stream.
pub const MAXIMUM_EVENT_BYTES: usize = 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its type; `message` unless the stream names another.
    pub name: String,
    /// Its data: the lines joined with LF. Bytes that are no UTF-8 are replaced.
    pub data: String,
}

/// An event larger than [`MAXIMUM_EVENT_BYTES`]. Nothing is read after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is larger than {MAXIMUM_EVENT_BYTES} bytes")]
pub struct EventTooLong;

/// Reads one stream. At its end nothing needs to be done: what is still held is an unfinished event.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The line that is being received, without its end.
    line: Vec<u8>,
    /// The event that is being received: its data, each line with a LF after it.
    data: String,
    name: String,
    at: Position,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Position {
    #[default]
    FirstLine,
    InLine,
    /// Right after a CR: a LF belongs to it, even when it comes with the next bytes.
    AfterReturn,
    Overflown,
}

impl Decoder {
    /// Takes the next bytes and returns the events that they complete, in order. An error is the last item ever.
    pub fn push(&mut self, mut bytes: &[u8]) -> Vec<Result<Event, EventTooLong>> {
        let mut events = Vec::new();
        while self.at != Position::Overflown && !bytes.is_empty() {
            if self.at == Position::AfterReturn {
                self.at = Position::InLine;
                bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            }
            let length = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let (piece, rest) = bytes.split_at(length.unwrap_or(bytes.len()));
            if self.data.len() + self.line.len() + piece.len() > MAXIMUM_EVENT_BYTES {
                *self = Self {
                    at: Position::Overflown,
                    ..Self::default()
                };
                events.push(Err(EventTooLong));
                break;
            }
            self.line.extend_from_slice(piece);
            bytes = rest;
            if let Some((&terminator, rest)) = rest.split_first() {
                bytes = rest;
                events.extend(self.end_line().map(Ok));
                self.at = match terminator {
                    b'\r' => Position::AfterReturn,
                    _ => Position::InLine,
                };
            }
        }
        events
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let line = match self.at {
            Position::FirstLine => line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&line),
            Position::InLine | Position::AfterReturn | Position::Overflown => &line,
        };
        if line.is_empty() {
            return self.end_event();
        }
        let line = String::from_utf8_lossy(line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                self.data.push_str(value);
                self.data.push('\n');
            }
            "event" => value.clone_into(&mut self.name),
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<Event> {
        let mut name = std::mem::take(&mut self.name);
        let mut data = std::mem::take(&mut self.data);
        // Every line of data left a LF, so an empty text means that there was no such line.
        data.pop()?;
        if name.is_empty() {
            name.push_str("message");
        }
        Some(Event { name, data })
    }
}
