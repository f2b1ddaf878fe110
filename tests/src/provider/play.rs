//! Playing a script to a caller, as bytes of HTTP.

use super::events::play_events;
use super::passage::Passage;
use super::script::{Ending, Form};
use super::{Exchange, ExchangeEnd, State};
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

const JSON: &str = "content-type: application/json\r\n";

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
pub(super) fn reply(connection: &TcpStream, status: u16, body: &Value) -> io::Result<()> {
    reply_with(connection, status, JSON, &body.to_string())
}

/// Answers with these lines of head.
fn reply_with(mut connection: &TcpStream, status: u16, head: &str, body: &str) -> io::Result<()> {
    let length = body.len();
    write!(
        connection,
        "HTTP/1.1 {status} Scripted\r\n{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

/// Plays a passage of a script. An error means that the caller hung up.
pub(super) fn play(passage: &Passage<'_>, caller: &Caller<'_>) -> io::Result<()> {
    let script = passage.script;
    caller.pause(Duration::from_millis(script.headers_after))?;
    if script.status == 0 {
        return Ok(());
    }
    let complaint = &passage.asked.complaint;
    if script.form == Form::Page {
        let head = format!(
            "content-type: text/html; charset=utf-8; detail={complaint}\r\nx-detail: {complaint}\r\n"
        );
        let page = format!("<!doctype html><title>Error</title><p>{complaint}</p>");
        return reply_with(caller.connection, script.status, &head, &page);
    }
    if script.status != 200 {
        return play_error(passage, caller);
    }
    let protocol = passage.asked.protocol;
    if passage.ending == Ending::TooLong && passage.pieces.is_empty() {
        return reply_with(caller.connection, 400, JSON, &protocol.too_long(complaint));
    }
    match script.form {
        Form::Document => {
            let document = protocol.document(passage).to_string();
            reply_with(caller.connection, 200, JSON, &document)
        }
        Form::EventStream | Form::Page => play_events(passage, caller),
    }
}

/// An error tells its caller's secrets in its head as well.
fn play_error(passage: &Passage<'_>, caller: &Caller<'_>) -> io::Result<()> {
    let (status, complaint) = (passage.script.status, &passage.asked.complaint);
    let mut head = format!("{JSON}x-detail: {complaint}\r\nlocation: /elsewhere?detail={complaint}\r\n");
    let retry_after = passage.script.retry_after.as_ref().unwrap_or(complaint);
    head.push_str(&format!("retry-after: {retry_after}\r\n"));
    let body = passage.asked.protocol.refusal(status, complaint);
    reply_with(caller.connection, status, &head, &body)
}
