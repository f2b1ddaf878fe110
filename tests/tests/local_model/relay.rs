//! A relay in front of the model's server: it passes every byte on as it comes, and keeps what was asked.

use serde_json::Value;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A running relay. It ends with the process.
pub(crate) struct Relay {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Relay {
    /// Starts a relay to `server`, which is `host:port`.
    pub(crate) fn start(server: String) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        thread::spawn(move || {
            for caller in listener.incoming().map_while(Result::ok) {
                // A server that is gone is a closed connection for the caller too.
                let _ = relay(caller, &server, &kept);
            }
        });
        Self { address, asked }
    }

    /// `host:port`.
    pub(crate) fn authority(&self) -> String {
        self.address.to_string()
    }

    /// The bodies of the requests so far, oldest first.
    pub(crate) fn asked(&self) -> Vec<Value> {
        let asked = self.asked.lock().unwrap();
        asked.iter().map(|request| body(request)).collect()
    }
}

/// Each connection carries one request: the host that calls opens a new one every time.
fn relay(caller: TcpStream, server: &str, kept: &Arc<Mutex<Vec<Vec<u8>>>>) -> io::Result<()> {
    let server = TcpStream::connect(server)?;
    caller.set_nodelay(true)?;
    let (from_caller, to_server) = (caller.try_clone()?, server.try_clone()?);
    let kept = Arc::clone(kept);
    let number = {
        let mut kept = kept.lock().unwrap();
        kept.push(Vec::new());
        kept.len() - 1
    };
    thread::spawn(move || {
        pass_on(from_caller, to_server, |bytes| {
            kept.lock().unwrap()[number].extend_from_slice(bytes);
        });
    });
    thread::spawn(move || pass_on(server, caller, |_| {}));
    Ok(())
}

/// Whoever hangs up, hangs up for both.
fn pass_on(mut from: TcpStream, mut to: TcpStream, mut see: impl FnMut(&[u8])) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        see(&buffer[..count]);
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}

/// The JSON of a request: whatever frames it, it is what stands between the outermost braces.
fn body(request: &[u8]) -> Value {
    let text = String::from_utf8_lossy(request);
    let json = text.find('{').zip(text.rfind('}'));
    json.and_then(|(first, last)| serde_json::from_str(&text[first..=last]).ok())
        .unwrap_or_else(|| panic!("no request with a JSON body: {text}"))
}
