//! Reading one HTTP request from a connection.

use serde_json::Value;
use std::io::{self, Read};
use std::net::TcpStream;

/// One request to the provider.
pub(super) struct Request {
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Value,
}

impl Request {
    /// The value of a header.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers
            .find(|(candidate, _)| candidate == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Reads the head, then as many bytes of body as the head announces, or its chunks.
pub(super) fn read(mut connection: &TcpStream) -> io::Result<Request> {
    let mut bytes = Vec::new();
    let (path, headers, head) = loop {
        if let Some(parsed) = parse_head(&bytes)? {
            break parsed;
        }
        more(&mut connection, &mut bytes)?;
    };
    let mut rest = bytes.split_off(head);
    let header = |name: &str| {
        let found = headers
            .iter()
            .find(|(candidate, _): &&(String, String)| candidate == name);
        found.map(|(_, value)| value.as_str())
    };
    let body = if header("transfer-encoding").is_some() {
        loop {
            if let Some(body) = crate::client::http::decode_chunks(&rest) {
                break body;
            }
            more(&mut connection, &mut rest)?;
        }
    } else {
        let length = header("content-length")
            .and_then(|length| length.parse().ok())
            .unwrap_or(0);
        while rest.len() < length {
            more(&mut connection, &mut rest)?;
        }
        rest
    };
    Ok(Request {
        path,
        headers,
        body: serde_json::from_slice(&body).unwrap_or(Value::Null),
    })
}

type Head = (String, Vec<(String, String)>, usize);

fn parse_head(bytes: &[u8]) -> io::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(bytes).map_err(io::Error::other)? {
        httparse::Status::Partial => Ok(None),
        httparse::Status::Complete(head) => {
            let path = request.path.unwrap_or_default().to_owned();
            let headers = crate::client::http::owned_headers(request.headers);
            Ok(Some((path, headers, head)))
        }
    }
}

fn more(connection: &mut &TcpStream, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut buffer = [0; 16 * 1024];
    match connection.read(&mut buffer)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        read => {
            bytes.extend_from_slice(&buffer[..read]);
            Ok(())
        }
    }
}
