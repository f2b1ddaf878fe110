//! Playing a script to a caller, as bytes of HTTP.

use super::events::play_events;
use super::passage::Passage;
use super::script::{Ending, Form, Script};
use super::{Exchange, ExchangeEnd, PROVIDER_SECRET, State};
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

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
    pub(super) fn pause(&self, duration: Duration) -> io::Result<()> {
        self.wait(duration, |_| false)
    }

    pub(super) fn wait(&self, duration: Duration, done: impl Fn(&super::Book) -> bool) -> io::Result<()> {
        let closed = self.state.wait(duration, |book| {
            let closed = book.stopped || book.exchanges[self.number].end.is_some();
            (closed || done(book)).then_some(closed)
        });
        if closed == Some(true) {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        Ok(())
    }

    /// Notes something about the exchange.
    pub(super) fn note(&self, note: impl FnOnce(&mut Exchange)) {
        self.state.change(|book| note(&mut book.exchanges[self.number]));
    }

    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut connection = self.connection;
        connection.write_all(bytes)
    }
}

/// Answers with an error that has nothing to do with a script.
pub(super) fn refuse(connection: &TcpStream, status: u16, message: &str) -> io::Result<()> {
    reply(connection, status, &json!({ "error": { "message": message } }))
}

/// Answers with a document that has nothing to do with a script.
pub(super) fn reply(mut connection: &TcpStream, status: u16, body: &Value) -> io::Result<()> {
    let body = body.to_string();
    let length = body.len();
    write!(
        connection,
        "HTTP/1.1 {status} Scripted\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n{body}"
    )
}

/// Plays a passage of a script. An error means that the caller hung up.
pub(super) fn play(passage: &Passage<'_>, caller: &Caller<'_>) -> io::Result<()> {
    let script = passage.script;
    caller.pause(Duration::from_millis(script.headers_after))?;
    if script.status != 200 {
        return play_error(script, caller);
    }
    if passage.ending == Ending::TooLong && passage.pieces.is_empty() {
        return reply(caller.connection, 400, &too_long());
    }
    match script.form {
        Form::Document => play_document(passage, caller),
        Form::EventStream => play_events(passage, caller),
    }
}

/// How the conversation is refused that does not fit the model.
pub(super) fn too_long() -> Value {
    let message = format!("This model's maximum context length is 8192 tokens. {PROVIDER_SECRET}");
    json!({ "error": { "message": message, "type": "invalid_request_error", "code": "context_length_exceeded" } })
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

fn play_document(passage: &Passage<'_>, caller: &Caller<'_>) -> io::Result<()> {
    let mut message = json!({ "role": "assistant", "content": passage.whole_text() });
    if !passage.calls.is_empty() {
        let calls = passage.calls.iter().enumerate();
        message["tool_calls"] = calls.map(|(place, _)| passage.call(place)).collect();
    }
    let mut body = json!({
        "id": "scripted",
        "object": "chat.completion",
        "choices": [{ "index": 0, "message": message, "finish_reason": passage.finish_reason() }],
    });
    add_usage(&mut body, passage.script);
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

pub(super) fn add_usage(body: &mut Value, script: &Script) {
    if let Some((prompt, completion)) = script.usage {
        body["usage"] = json!({
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        });
    }
}
