//! What the page needs from a browser, as a trait: the one door through which clock, randomness, storage, network and
//! address bar come in. The browser's own implementation is in the client crate; tests bring a scripted one.

use std::rc::Rc;
use uuid::Uuid;

/// A browser, as far as the page needs one.
pub trait Platform {
    /// The time, in milliseconds since 1970.
    fn now(&self) -> i64;
    /// A random UUID.
    fn uuid(&self) -> Uuid;
    /// A random number of at least 0 and less than 1.
    fn jitter(&self) -> f64;
    /// What the owner points with.
    fn pointer(&self) -> Pointer;

    /// The address of the page.
    fn address(&self) -> Address;
    /// Goes to another path of this origin, as a step in the history.
    fn push_address(&self, path: &str);
    /// Changes the path in place, dropping query and fragment.
    fn replace_address(&self, path: &str);
    /// Names the page in the tab and the history.
    fn set_title(&self, title: &str);

    /// Reads what was saved under a key.
    fn load(&self, key: &str) -> Option<String>;
    /// Saves a value, or removes it. A full or forbidden storage is no error: what is saved is a convenience.
    fn save(&self, key: &str, value: Option<&str>);
    /// Removes everything whose key begins with `prefix`.
    fn forget(&self, prefix: &str);

    /// Copies text to the clipboard.
    fn copy(&self, text: &str, done: Box<dyn FnOnce(Copying)>);
    /// Makes one request to this origin. `None` means that no answer came.
    fn request(&self, request: Request, done: Box<dyn FnOnce(Option<Response>)>);
    /// Opens a socket to a path of this origin. Every failure is reported as a close, and never before this returns.
    fn open_socket(&self, path: &str, events: Rc<dyn Fn(SocketEvent)>) -> Box<dyn Socket>;
    /// Calls `wake` once after a delay in milliseconds, unless the timer is dropped before.
    fn set_timer(&self, delay: i64, wake: Box<dyn FnOnce()>) -> Box<dyn Timer>;
    /// Reports what happens to the browser, for as long as the page lives.
    fn listen(&self, events: Rc<dyn Fn(BrowserEvent)>);
}

/// An open socket. Dropping it closes it, and nothing more is reported of it.
pub trait Socket {
    /// Sends a text frame.
    fn send(&self, text: &str);
}

/// A timer that has not fired. Dropping it stops it.
pub trait Timer {}

/// What happened to a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SocketEvent {
    /// It is open.
    Opened,
    /// A text frame arrived.
    Text(String),
    /// It is closed, with this code.
    Closed(u16),
}

/// What happened to the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrowserEvent {
    /// The owner went back or forward.
    AddressChanged,
    /// The network is back, or the page is visible again.
    Awake,
}

/// A path with the fragment behind it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Address {
    /// The path, without the query.
    pub path: String,
    /// The fragment, without its `#`.
    pub fragment: String,
}

/// What the owner points with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pointer {
    /// A mouse, or the like: there is a keyboard with an Enter key for sending.
    Fine,
    /// A finger: Enter on the screen's keyboard breaks the line.
    Coarse,
}

/// How copying went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copying {
    /// The clipboard has it.
    Done,
    /// The browser refused.
    Refused,
}

/// One request to this origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Read a path.
    Get(&'static str),
    /// Post JSON, or nothing, to a path.
    Post(&'static str, Option<String>),
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The body as text.
    pub body: String,
}

/// A platform on which nothing ever happens: what the server renders with.
#[derive(Debug, Clone, Copy)]
pub struct Nowhere;

impl Platform for Nowhere {
    fn now(&self) -> i64 {
        0
    }

    fn uuid(&self) -> Uuid {
        Uuid::nil()
    }

    fn jitter(&self) -> f64 {
        0.0
    }

    fn pointer(&self) -> Pointer {
        Pointer::Fine
    }

    fn address(&self) -> Address {
        Address::default()
    }

    fn push_address(&self, _path: &str) {}

    fn replace_address(&self, _path: &str) {}

    fn set_title(&self, _title: &str) {}

    fn load(&self, _key: &str) -> Option<String> {
        None
    }

    fn save(&self, _key: &str, _value: Option<&str>) {}

    fn forget(&self, _prefix: &str) {}

    fn copy(&self, _text: &str, _done: Box<dyn FnOnce(Copying)>) {}

    fn request(&self, _request: Request, _done: Box<dyn FnOnce(Option<Response>)>) {}

    fn open_socket(&self, _path: &str, _events: Rc<dyn Fn(SocketEvent)>) -> Box<dyn Socket> {
        Box::new(Self)
    }

    fn set_timer(&self, _delay: i64, _wake: Box<dyn FnOnce()>) -> Box<dyn Timer> {
        Box::new(Self)
    }

    fn listen(&self, _events: Rc<dyn Fn(BrowserEvent)>) {}
}

impl Socket for Nowhere {
    fn send(&self, _text: &str) {}
}

impl Timer for Nowhere {}
