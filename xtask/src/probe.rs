//! Whether something answers on a local port.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::{Failure, Result};

/// A runtime that was just stopped may hold its port for a moment.
const PORT_PATIENCE: Duration = Duration::from_secs(3);

/// A free port of the loopback interface.
pub(crate) fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    listener
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|error| {
            Failure::new(
                format!("no local port is free: {error}"),
                "close something and start again",
            )
        })
}

/// Waits until a port can be taken.
pub(crate) fn require_port(port: u16) -> Result<()> {
    let deadline = Instant::now() + PORT_PATIENCE;
    while TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_err() {
        if Instant::now() > deadline {
            return Err(Failure::new(
                format!("port {port} is in use"),
                "stop what uses it (another `cargo xtask dev`?) or choose another one with `--port`",
            ));
        }
        thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

/// The status of `GET path`, or nothing if nobody answers properly.
pub(crate) fn status(port: u16, path: &str) -> Option<u16> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut head = [0; 12];
    stream.read_exact(&mut head).ok()?;
    std::str::from_utf8(&head)
        .ok()?
        .strip_prefix("HTTP/1.1 ")?
        .parse()
        .ok()
}
