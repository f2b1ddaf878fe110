//! Playing a passage as an event stream.

use super::passage::Passage;
use super::play::too_long;
use super::play::{Caller, add_usage};
use super::script::{Ending, LineEnd, Writes};
use super::{Clock, PROVIDER_SECRET};
use serde_json::{Value, json};
use std::io;
use std::time::Duration;

const FOREVER: Duration = Duration::from_secs(24 * 60 * 60);

/// In how many pieces the arguments of a call come.
const ARGUMENT_PIECES: usize = 3;

pub(super) fn play_events(passage: &Passage<'_>, caller: &Caller<'_>) -> io::Result<()> {
    caller.write(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\n\
          transfer-encoding: chunked\r\nconnection: close\r\n\r\n",
    )?;
    let stream = Events { passage, caller };
    stream.choice(&json!({ "role": "assistant", "content": "" }), None)?;
    caller.pause(Duration::from_millis(passage.script.first_text_after))?;
    stream.text()?;
    stream.calls()?;
    stream.end()
}

struct Events<'a> {
    passage: &'a Passage<'a>,
    caller: &'a Caller<'a>,
}

impl Events<'_> {
    fn text(&self) -> io::Result<()> {
        let script = self.passage.script;
        if let Some(reasoning) = &script.reasoning
            && self.passage.skipped == 0
        {
            self.choice(&json!({ "reasoning_content": reasoning }), None)?;
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
            self.choice(&json!({ "content": piece }), None)?;
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
    fn calls(&self) -> io::Result<()> {
        for place in 0..self.passage.calls.len() {
            let mut call = self.passage.call(place);
            let arguments = call["function"]["arguments"].take();
            let arguments: Vec<char> = arguments.as_str().unwrap_or_default().chars().collect();
            call["index"] = json!(place);
            call["function"]["arguments"] = json!("");
            self.choice(&json!({ "tool_calls": [call] }), None)?;
            for piece in arguments.chunks(arguments.len().div_ceil(ARGUMENT_PIECES).max(1)) {
                self.caller
                    .pause(Duration::from_millis(self.passage.script.gap))?;
                let more = json!({ "arguments": piece.iter().collect::<String>() });
                self.choice(
                    &json!({ "tool_calls": [{ "index": place, "function": more }] }),
                    None,
                )?;
            }
        }
        Ok(())
    }

    /// What a script does at a border between two pieces.
    fn before_piece(&self, index: u32) -> io::Result<()> {
        let script = self.passage.script;
        if script.malformed_after == Some(index) {
            self.event("{\"choices\":[{\"delta\":{\"content\":")?;
        }
        if script.gate_after == Some(index) {
            self.caller
                .wait(FOREVER, |book| book.released.contains(&script.label))?;
        }
        Ok(())
    }

    fn end(&self) -> io::Result<()> {
        let script = self.passage.script;
        match self.passage.ending {
            Ending::Done | Ending::NoDone => {
                self.choice(&json!({}), Some(self.passage.finish_reason()))?;
                if script.usage.is_some() {
                    let mut event =
                        json!({ "id": "scripted", "object": "chat.completion.chunk", "choices": [] });
                    add_usage(&mut event, script);
                    self.event(&event.to_string())?;
                }
                if self.passage.ending == Ending::Done {
                    self.event("[DONE]")?;
                }
                self.last_chunk()
            }
            Ending::NoFinish => self.last_chunk(),
            Ending::ErrorEvent => {
                self.event(&json!({ "error": { "message": PROVIDER_SECRET, "code": 503 } }).to_string())?;
                self.last_chunk()
            }
            Ending::TooLong => {
                self.event(&too_long().to_string())?;
                self.last_chunk()
            }
            // The connection closes after every answer; here the body has no end yet.
            Ending::Cut => Ok(()),
            Ending::Silence => self.caller.pause(FOREVER),
        }
    }

    fn choice(&self, delta: &Value, finish_reason: Option<&str>) -> io::Result<()> {
        let event = json!({
            "id": "scripted",
            "object": "chat.completion.chunk",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish_reason }],
        });
        self.event(&event.to_string())
    }

    fn event(&self, data: &str) -> io::Result<()> {
        let line_end = match self.passage.script.line_end {
            LineEnd::Lf => "\n",
            LineEnd::CrLf => "\r\n",
            LineEnd::Cr => "\r",
        };
        let event = format!("data: {data}{line_end}{line_end}");
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
