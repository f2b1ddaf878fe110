//! What clients of one installation received, kept so that a test can search it for what must not be there.

use std::sync::{Arc, Mutex, MutexGuard};

/// A record. Clones write into the same one.
#[derive(Debug, Clone, Default)]
pub struct Record(Arc<Mutex<Received>>);

/// What was received so far, in the order of its arrival.
#[derive(Debug, Clone, Default)]
pub struct Received {
    /// The frames of all sockets.
    pub frames: Vec<String>,
    /// The responses, heads and bodies.
    pub responses: Vec<Vec<u8>>,
}

impl Record {
    /// Everything so far.
    #[must_use]
    pub fn received(&self) -> Received {
        self.lock().clone()
    }

    pub(crate) fn frame(&self, text: &str) {
        self.lock().frames.push(text.to_owned());
    }

    pub(crate) fn response(&self, response: &super::http::Response) {
        let head: String = response
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        self.lock()
            .responses
            .push([head.as_bytes(), &response.body].concat());
    }

    fn lock(&self) -> MutexGuard<'_, Received> {
        self.0.lock().unwrap()
    }
}
