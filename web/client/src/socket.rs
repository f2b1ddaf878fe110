//! A socket of the browser's.

use crate::timer::BrowserTimer;
use flarebot_app::platform::{Socket, SocketEvent};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{CloseEvent, MessageEvent, WebSocket, Window};

/// What a browser reports when it knows no code.
const ABNORMAL_CLOSURE: u16 = 1006;

/// A socket, open or on its way. Dropping it closes it and forgets its listeners.
pub(crate) enum BrowserSocket {
    /// The browser took the address.
    Opened {
        /// The socket itself.
        socket: WebSocket,
        /// Held, because the browser calls them.
        _listeners: Listeners,
    },
    /// The browser did not; the timer reports it.
    Failed {
        /// Held, because dropping it would stop it.
        _report: BrowserTimer,
    },
}

pub(crate) struct Listeners {
    _opened: Closure<dyn FnMut()>,
    _arrived: Closure<dyn FnMut(MessageEvent)>,
    _closed: Closure<dyn FnMut(CloseEvent)>,
}

impl BrowserSocket {
    /// Opens a socket and reports what happens to it.
    pub(crate) fn open(window: &Window, url: &str, events: Rc<dyn Fn(SocketEvent)>) -> Self {
        let Ok(socket) = WebSocket::new(url) else {
            let report = Box::new(move || events(SocketEvent::Closed(ABNORMAL_CLOSURE)));
            return Self::Failed {
                _report: BrowserTimer::start(window, 0, report),
            };
        };
        let opened = Closure::new({
            let events = Rc::clone(&events);
            move || events(SocketEvent::Opened)
        });
        let arrived = Closure::new({
            let events = Rc::clone(&events);
            move |event: MessageEvent| {
                if let Some(text) = event.data().as_string() {
                    events(SocketEvent::Text(text));
                }
            }
        });
        let closed = Closure::new(move |event: CloseEvent| events(SocketEvent::Closed(event.code())));
        socket.set_onopen(Some(opened.as_ref().unchecked_ref()));
        socket.set_onmessage(Some(arrived.as_ref().unchecked_ref()));
        socket.set_onclose(Some(closed.as_ref().unchecked_ref()));
        Self::Opened {
            socket,
            _listeners: Listeners {
                _opened: opened,
                _arrived: arrived,
                _closed: closed,
            },
        }
    }
}

impl Socket for BrowserSocket {
    fn send(&self, text: &str) {
        match self {
            // A socket that cannot send reports its close by itself.
            Self::Opened { socket, .. } => {
                let _ = socket.send_with_str(text);
            }
            Self::Failed { .. } => {}
        }
    }
}

impl Drop for BrowserSocket {
    fn drop(&mut self) {
        match self {
            Self::Opened { socket, .. } => {
                socket.set_onmessage(None);
                socket.set_onclose(None);
                if socket.ready_state() == WebSocket::CONNECTING {
                    close_when_opened(socket);
                } else {
                    socket.set_onopen(None);
                    let _ = socket.close();
                }
            }
            Self::Failed { .. } => {}
        }
    }
}

/// Closes a socket that is still on its way once it has arrived: a browser reports one closed before that as failed, and
/// the owner's console would tell of a failure that is none.
fn close_when_opened(socket: &WebSocket) {
    let arriving = socket.clone();
    let opened = Closure::once_into_js(move || {
        let _ = arriving.close();
    });
    socket.set_onopen(Some(opened.unchecked_ref()));
}
