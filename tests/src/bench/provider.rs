//! The provider of the measurements: it does one thing, as fast as it can, and on time.
//!
//! Asked to go on with an answer, it goes on behind the last mark of the text that it is shown, as an ideal model would.

use super::marks::{self, Mark};
use super::script::Script;
use crate::client::http::owned_headers;
use crate::provider::Clock;
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// One request that it was sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    /// When it was complete, in microseconds of [`Clock`].
    pub(super) at: u64,
    /// The number of the first chunk of its answer.
    pub(super) from: u32,
}

/// A provider that listens until it is dropped.
#[derive(Debug)]
pub(super) struct Provider {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    stopped: Arc<AtomicBool>,
}

impl Provider {
    pub(super) fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let provider = Self {
            address: listener.local_addr()?,
            asked: Arc::default(),
            stopped: Arc::default(),
        };
        let (asked, stopped) = (Arc::clone(&provider.asked), Arc::clone(&provider.stopped));
        thread::spawn(move || {
            for connection in listener.incoming().map_while(io::Result::ok) {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let asked = Arc::clone(&asked);
                // A caller that hangs up is one that was killed.
                thread::spawn(move || drop(serve(&connection, &asked)));
            }
        });
        Ok(provider)
    }

    pub(super) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The requests since the last [`Provider::forget`], oldest first.
    pub(super) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(super) fn forget(&self) {
        self.asked.lock().unwrap().clear();
    }

    /// Waits until it was asked `count` times, and gives the last of them.
    pub(super) fn wait_for(&self, count: usize, patience: Duration) -> Option<Asked> {
        let deadline = Instant::now() + patience;
        loop {
            if let Some(asked) = self.asked().get(count - 1) {
                return Some(*asked);
            }
            if Instant::now() > deadline {
                return None;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // The listening thread learns of it with its next connection.
        drop(TcpStream::connect(self.address));
    }
}

fn serve(connection: &TcpStream, asked: &Mutex<Vec<Asked>>) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let body = read_body(connection)?;
    let at = Clock::micros();
    let Some((script, from)) = course(&body) else {
        return refuse(connection);
    };
    asked.lock().unwrap().push(Asked { at, from });
    play(connection, script, from)
}

/// What to play, from the last script among the messages, and where to begin, from the marks behind it.
fn course(body: &Value) -> Option<(Script, u32)> {
    let mut messages = body["messages"].as_array()?.iter().rev();
    let mut last_mark = None;
    let script = messages.find_map(|message| {
        let text = text_of(&message["content"]);
        if message["role"] == "assistant" && last_mark.is_none() {
            last_mark = marks::read(&text).last().copied();
        }
        Script::read(&text).filter(|_| message["role"] == "user")
    });
    Some((script?, last_mark.map_or(0, |mark| mark.number + 1)))
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

fn play(connection: &TcpStream, script: Script, from: u32) -> io::Result<()> {
    let mut writer = connection;
    writer.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n\
          transfer-encoding: chunked\r\nconnection: close\r\n\r\n",
    )?;
    event(
        writer,
        &choice(&json!({ "role": "assistant", "content": "" }), None),
    )?;
    let start = Instant::now();
    for number in from..script.chunks {
        // On a schedule, so that a late chunk does not make all later ones late.
        let due = start + Duration::from_millis(script.gap) * (number - from);
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let mark = Mark {
            number,
            written_at: Clock::micros(),
        };
        event(
            writer,
            &choice(&json!({ "content": marks::write(mark, script.bytes) }), None),
        )?;
    }
    event(writer, &choice(&json!({}), Some("stop")))?;
    let total = script.chunks;
    let usage = json!({ "prompt_tokens": 1, "completion_tokens": total, "total_tokens": total + 1 });
    event(
        writer,
        &json!({ "id": "bench", "object": "chat.completion.chunk", "choices": [], "usage": usage }),
    )?;
    write_chunk(writer, "data: [DONE]\n\n")?;
    writer.write_all(b"0\r\n\r\n")
}

fn choice(delta: &Value, finish_reason: Option<&str>) -> Value {
    json!({
        "id": "bench",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "scripted",
        "choices": [{ "index": 0, "delta": delta, "finish_reason": finish_reason }],
    })
}

fn event(writer: &TcpStream, data: &Value) -> io::Result<()> {
    write_chunk(writer, &format!("data: {data}\n\n"))
}

fn write_chunk(mut writer: &TcpStream, text: &str) -> io::Result<()> {
    writer.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())
}

fn refuse(mut writer: &TcpStream) -> io::Result<()> {
    writer.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}

/// Reads a request with a length, as every caller here sends it.
fn read_body(mut connection: &TcpStream) -> io::Result<Value> {
    let mut bytes = Vec::new();
    loop {
        if let Some((head, length)) = read_head(&bytes)?
            && bytes.len() >= head + length
        {
            return Ok(serde_json::from_slice(&bytes[head..]).unwrap_or(Value::Null));
        }
        let mut buffer = [0; 64 * 1024];
        match connection.read(&mut buffer)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => bytes.extend_from_slice(&buffer[..read]),
        }
    }
}

/// The lengths of the head and of the body that it announces.
fn read_head(bytes: &[u8]) -> io::Result<Option<(usize, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(head) = request.parse(bytes).map_err(io::Error::other)? else {
        return Ok(None);
    };
    let headers = owned_headers(request.headers);
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse().ok());
    let length = length.ok_or_else(|| io::Error::other("a request without a length"))?;
    Ok(Some((head, length)))
}

#[cfg(test)]
mod tests {
    use super::course;
    use crate::bench::script::Script;
    use serde_json::json;

    #[test]
    fn an_answer_goes_on_behind_the_text_that_the_model_is_shown() {
        let script = Script {
            chunks: 9,
            bytes: 20,
            gap: 0,
        };
        let earlier = json!([
            { "role": "user", "content": "bench 3 20 0" },
            { "role": "assistant", "content": "#000000@1;#000001@2;#000002@3;" },
            { "role": "user", "content": [{ "type": "text", "text": script.to_string() }] },
        ]);
        assert_eq!(course(&json!({ "messages": earlier })), Some((script, 0)));
        let mut later = earlier;
        let partial = json!({ "role": "assistant", "content": "#000000@4;#000001@5;" });
        later.as_array_mut().unwrap().push(partial);
        assert_eq!(course(&json!({ "messages": later })), Some((script, 2)));
        let ask = json!({ "role": "user", "content": "Go on where you stopped." });
        later.as_array_mut().unwrap().push(ask);
        assert_eq!(course(&json!({ "messages": later })), Some((script, 2)));
    }
}
