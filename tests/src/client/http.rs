//! One HTTP request at a time, written by hand so that a test can send exactly what a browser never would: two cookie
//! headers, a foreign origin, an odd path.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// A request to be sent.
#[derive(Debug, Clone)]
pub struct Request {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// A complete response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The headers in order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The decoded body.
    pub body: Vec<u8>,
}

impl Request {
    /// A request without headers of its own. `target` is sent as it is.
    #[must_use]
    pub fn new(method: &str, target: &str) -> Self {
        Self {
            method: method.to_owned(),
            target: target.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    /// Adds a header; the same name may be added twice.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a JSON body.
    #[must_use]
    pub fn json(mut self, body: &serde_json::Value) -> Self {
        self.body = body.to_string().into_bytes();
        self.header("content-type", "application/json")
    }

    /// Adds a body of any kind.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Sends the request to `authority` (`host:port`, also the `Host` header unless there is one) and reads the whole
    /// response.
    ///
    /// # Errors
    /// When the connection fails, or the answer takes longer than a minute.
    pub fn send(&self, authority: &str) -> io::Result<Response> {
        let mut connection = connect(authority)?;
        connection.set_read_timeout(Some(Duration::from_mins(1)))?;
        let mut head = format!(
            "{} {} HTTP/1.1\r\nconnection: close\r\n",
            self.method, self.target
        );
        if !self
            .headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("host"))
        {
            head.push_str(&format!("host: {authority}\r\n"));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if !self.body.is_empty() || self.method == "POST" {
            head.push_str(&format!("content-length: {}\r\n", self.body.len()));
        }
        head.push_str("\r\n");
        connection.write_all(head.as_bytes())?;
        connection.write_all(&self.body)?;
        let mut bytes = Vec::new();
        connection.read_to_end(&mut bytes)?;
        Response::parse(&bytes)
    }
}

/// Connects to `host:port`, where `localhost` means the loopback interface of IPv4.
pub(crate) fn connect(authority: &str) -> io::Result<TcpStream> {
    let connection = TcpStream::connect(authority.replace("localhost", "127.0.0.1"))?;
    connection.set_nodelay(true)?;
    Ok(connection)
}

impl Response {
    fn parse(bytes: &[u8]) -> io::Result<Self> {
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut response = httparse::Response::new(&mut headers);
        let httparse::Status::Complete(head) = response.parse(bytes).map_err(io::Error::other)? else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        let status = response.code.unwrap_or_default();
        let headers = owned_headers(response.headers);
        let rest = &bytes[head..];
        let chunked = headers.iter().any(|(name, _)| name == "transfer-encoding");
        let body = if chunked {
            decode_chunks(rest).ok_or(io::ErrorKind::UnexpectedEof)?
        } else {
            rest.to_vec()
        };
        Ok(Self {
            status,
            headers,
            body,
        })
    }

    /// The value of a header, the first if there are several.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(candidate, _)| candidate == name)
            .map(|(_, value)| value.as_str())
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// When it is not.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.text()))
    }
}

/// Header names in lower case with their values.
pub(crate) fn owned_headers(headers: &[httparse::Header<'_>]) -> Vec<(String, String)> {
    headers
        .iter()
        .map(|header| {
            (
                header.name.to_ascii_lowercase(),
                String::from_utf8_lossy(header.value).into_owned(),
            )
        })
        .collect()
}

/// Decodes a chunked body; `None` when its end has not arrived.
pub(crate) fn decode_chunks(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let httparse::Status::Complete((start, size)) = httparse::parse_chunk_size(bytes).ok()? else {
            return None;
        };
        let size = usize::try_from(size).ok()?;
        if size == 0 {
            return Some(body);
        }
        body.extend_from_slice(bytes.get(start..start + size)?);
        bytes = bytes.get(start + size + 2..)?;
    }
}
