//! Playing a script to a caller, as bytes of HTTP.

use super::script::{Ending, Form, LineEnd, Script, Writes};
use super::{Clock, ExchangeEnd, PROVIDER_SECRET, State};
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

const FOREVER: Duration = Duration::from_secs(24 * 60 * 60);

/// The caller of one exchange, watched for the moment when it hangs up.
pub(super) struct Caller<'a> {
    connection: &'a TcpStream,
    state: Arc<State>,
    number: usize,
}

impl<'a> Caller<'a> {
    /// Starts to watch. The caller sends nothing after its request, so whatever the watching thread reads is the end.
    pub(super) fn watch(connection: &'a TcpStream, state: Arc<State>, number: usize) -> io::Result<Self> {
        let mut watched = connection.try_clone()?;
        let watching = Arc::clone(&state);
        std::thread::spawn(move || {
            let mut buffer = [0; 1024];
            while matches!(watched.read(&mut buffer), Ok(1..)) {}
            watching.change(|book| {
                let end = &mut book.exchanges[number].end;
                *end = end.or(Some(ExchangeEnd::ClosedByCaller));
            });
        });
        Ok(Self {
            connection,
            state,
            number,
        })
    }

    /// Marks how the exchange ended, and closes the connection.
    pub(super) fn finish(self, played: &io::Result<()>) {
        let ended = match played {
            Ok(()) => ExchangeEnd::Played,
            Err(_) => ExchangeEnd::ClosedByCaller,
        };
        self.state.change(|book| {
            let end = &mut book.exchanges[self.number].end;
            *end = end.or(Some(ended));
        });
        // Wakes the watching thread, which holds a clone of the connection.
        drop(self.connection.shutdown(Shutdown::Both));
    }

    /// Waits, but not for a caller that hung up.
    fn pause(&self, duration: Duration) -> io::Result<()> {
        self.wait(duration, |_| false)
    }

    fn wait(&self, duration: Duration, done: impl Fn(&super::Book) -> bool) -> io::Result<()> {
        let closed = self.state.wait(duration, |book| {
            let closed = book.stopped || book.exchanges[self.number].end.is_some();
            (closed || done(book)).then_some(closed)
        });
        if closed == Some(true) {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        Ok(())
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut connection = self.connection;
        connection.write_all(bytes)
    }
}

/// Answers with an error that has nothing to do with a script.
pub(super) fn refuse(mut connection: &TcpStream, status: u16, message: &str) -> io::Result<()> {
    let body = json!({ "error": { "message": message } }).to_string();
    let length = body.len();
    write!(
        connection,
        "HTTP/1.1 {status} Refused\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n{body}"
    )
}

/// Plays the whole script. An error means that the caller hung up.
pub(super) fn play(script: &Script, caller: &Caller<'_>) -> io::Result<()> {
    caller.pause(Duration::from_millis(script.headers_after))?;
    if script.status != 200 {
        return play_error(script, caller);
    }
    match script.form {
        Form::Document => play_document(script, caller),
        Form::EventStream => play_events(script, caller),
    }
}

fn play_error(script: &Script, caller: &Caller<'_>) -> io::Result<()> {
    let body = json!({ "error": { "message": PROVIDER_SECRET, "type": "scripted" } }).to_string();
    let retry_after = script
        .retry_after
        .as_ref()
        .map_or(String::new(), |value| format!("retry-after: {value}\r\n"));
    caller.write(
        format!(
            "HTTP/1.1 {} Scripted\r\ncontent-type: application/json\r\n{retry_after}content-length: {}\r\n\
             connection: close\r\n\r\n{body}",
            script.status,
            body.len()
        )
        .as_bytes(),
    )
}

fn play_document(script: &Script, caller: &Caller<'_>) -> io::Result<()> {
    let mut body = json!({
        "id": "scripted",
        "object": "chat.completion",
        "choices": [{
            "index": 0,
            "message": { "role": "assistant", "content": script.whole_text() },
            "finish_reason": script.finish_reason,
        }],
    });
    add_usage(&mut body, script);
    let body = body.to_string();
    let length = body.len();
    caller.write(
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
             connection: close\r\n\r\n{body}"
        )
        .as_bytes(),
    )
}

fn play_events(script: &Script, caller: &Caller<'_>) -> io::Result<()> {
    caller.write(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\n\
          transfer-encoding: chunked\r\nconnection: close\r\n\r\n",
    )?;
    let stream = Events { script, caller };
    stream.choice(&json!({ "role": "assistant", "content": "" }), None)?;
    caller.pause(Duration::from_millis(script.first_text_after))?;
    if let Some(reasoning) = &script.reasoning {
        stream.choice(&json!({ "reasoning_content": reasoning }), None)?;
    }
    for index in 0..script.chunks {
        stream.before_piece(index)?;
        if index > 0 {
            caller.pause(Duration::from_millis(script.gap))?;
        }
        stream.choice(&json!({ "content": script.piece(index, Clock::micros()) }), None)?;
        caller
            .state
            .change(|book| book.exchanges[caller.number].pieces = index + 1);
    }
    stream.before_piece(script.chunks)?;
    stream.end()
}

struct Events<'a> {
    script: &'a Script,
    caller: &'a Caller<'a>,
}

impl Events<'_> {
    /// What a script does at a border between two pieces.
    fn before_piece(&self, index: u32) -> io::Result<()> {
        if self.script.malformed_after == Some(index) {
            self.event("{\"choices\":[{\"delta\":{\"content\":")?;
        }
        if self.script.gate_after == Some(index) {
            self.caller
                .wait(FOREVER, |book| book.released.contains(&self.script.label))?;
        }
        Ok(())
    }

    fn end(&self) -> io::Result<()> {
        match self.script.ending {
            Ending::Done | Ending::NoDone => {
                self.choice(&json!({}), Some(&self.script.finish_reason))?;
                if self.script.usage.is_some() {
                    let mut event =
                        json!({ "id": "scripted", "object": "chat.completion.chunk", "choices": [] });
                    add_usage(&mut event, self.script);
                    self.event(&event.to_string())?;
                }
                if self.script.ending == Ending::Done {
                    self.event("[DONE]")?;
                }
                self.last_chunk()
            }
            Ending::NoFinish => self.last_chunk(),
            Ending::ErrorEvent => {
                self.event(&json!({ "error": { "message": PROVIDER_SECRET, "code": 503 } }).to_string())?;
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
        let line_end = match self.script.line_end {
            LineEnd::Lf => "\n",
            LineEnd::CrLf => "\r\n",
            LineEnd::Cr => "\r",
        };
        let event = format!("data: {data}{line_end}{line_end}");
        match self.script.writes {
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

fn add_usage(body: &mut Value, script: &Script) {
    if let Some((prompt, completion)) = script.usage {
        body["usage"] = json!({
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        });
    }
}
