//! Playing a passage as an event stream.

use super::Clock;
use super::passage::Passage;
use super::play::Caller;
use super::protocol::{Event, Speech};
use super::script::{Ending, LineEnd, Writes};
use std::io;
use std::time::Duration;

const FOREVER: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) fn play_events(passage: &Passage<'_>, caller: &Caller<'_>) -> io::Result<()> {
    caller.write(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\n\
          transfer-encoding: chunked\r\nconnection: close\r\n\r\n",
    )?;
    let speech = passage.asked.protocol.speech(&passage.asked.model);
    let mut stream = Events {
        passage,
        caller,
        speech,
    };
    let begun = stream.speech.begin();
    stream.events(&begun)?;
    caller.pause(Duration::from_millis(passage.script.first_text_after))?;
    stream.text()?;
    stream.calls()?;
    stream.end()
}

struct Events<'a> {
    passage: &'a Passage<'a>,
    caller: &'a Caller<'a>,
    speech: Box<dyn Speech>,
}

impl Events<'_> {
    fn text(&mut self) -> io::Result<()> {
        let script = self.passage.script;
        if let Some(reasoning) = &script.reasoning
            && self.passage.skipped == 0
        {
            let thought = self.speech.think(reasoning, &self.passage.proof());
            self.events(&thought)?;
        }
        let mut skipped = self.passage.skipped;
        let mut is_first = true;
        for index in self.passage.pieces.clone() {
            let now = Clock::micros();
            let piece = self.passage.piece(index, now, &mut skipped);
            if piece.is_empty() && self.passage.skipped > 0 {
                continue;
            }
            self.before_piece(index)?;
            if !is_first {
                self.caller.pause(Duration::from_millis(script.gap))?;
            }
            is_first = false;
            let said = self.speech.say(&piece);
            self.events(&said)?;
            self.caller.note(|exchange| {
                exchange.pieces = index + 1;
                exchange.first_piece_at.get_or_insert(now);
            });
        }
        if self.passage.calls.is_empty() {
            self.before_piece(self.passage.pieces.end)?;
        }
        Ok(())
    }

    /// The calls, one after the other, the arguments of each in pieces.
    fn calls(&mut self) -> io::Result<()> {
        for place in 0..self.passage.calls.len() {
            for event in self.speech.call(self.passage, place) {
                self.caller
                    .pause(Duration::from_millis(self.passage.script.gap))?;
                self.event(&event)?;
            }
        }
        Ok(())
    }

    /// What a script does at a border between two pieces.
    fn before_piece(&self, index: u32) -> io::Result<()> {
        let script = self.passage.script;
        if script.malformed_after == Some(index) {
            let asked = &self.passage.asked;
            self.event(&asked.protocol.malformed_event(&asked.complaint))?;
        }
        if script.gate_after == Some(index) {
            self.caller
                .wait(FOREVER, |book| book.released.contains(&script.label))?;
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        let asked = &self.passage.asked;
        match self.passage.ending {
            Ending::Done | Ending::NoDone => {
                let finished = self.speech.finish(self.passage);
                self.events(&finished)?;
                if self.passage.ending == Ending::Done {
                    let done = self.speech.done();
                    self.events(&done)?;
                }
                self.last_chunk()
            }
            Ending::NoFinish => self.last_chunk(),
            Ending::ErrorEvent => {
                self.event(&asked.protocol.error_event(&asked.complaint))?;
                self.last_chunk()
            }
            Ending::TooLong => {
                self.event(&asked.protocol.too_long_event(&asked.complaint))?;
                self.last_chunk()
            }
            // The connection closes after every answer; here the body has no end yet.
            Ending::Cut => Ok(()),
            Ending::Silence => self.caller.pause(FOREVER),
        }
    }

    fn events(&self, events: &[Event]) -> io::Result<()> {
        events.iter().try_for_each(|event| self.event(event))
    }

    fn event(&self, Event { name, data }: &Event) -> io::Result<()> {
        let line_end = match self.passage.script.line_end {
            LineEnd::Lf => "\n",
            LineEnd::CrLf => "\r\n",
            LineEnd::Cr => "\r",
        };
        let name = name.map_or(String::new(), |name| format!("event: {name}{line_end}"));
        let event = format!("{name}data: {data}{line_end}{line_end}");
        match self.passage.script.writes {
            Writes::Events => self.chunk(event.as_bytes()),
            Writes::Bytes => event.as_bytes().chunks(1).try_for_each(|byte| {
                self.chunk(byte)?;
                // Long enough that neither end of the network joins it to the next one.
                std::thread::sleep(Duration::from_micros(300));
                Ok(())
            }),
        }
    }

    fn chunk(&self, bytes: &[u8]) -> io::Result<()> {
        let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
        framed.extend_from_slice(bytes);
        framed.extend_from_slice(b"\r\n");
        self.caller.write(&framed)
    }

    fn last_chunk(&self) -> io::Result<()> {
        self.caller.write(b"0\r\n\r\n")
    }
}
