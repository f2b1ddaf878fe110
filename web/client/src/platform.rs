//! The browser as the app's platform.

use crate::network;
use crate::socket::BrowserSocket;
use crate::timer::BrowserTimer;
use flarebot_app::platform::{
    Address, BrowserEvent, Copying, Platform, Pointer, Request, Response, Socket, SocketEvent, Timer,
};
use std::rc::Rc;
use uuid::{Builder, Uuid};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Document, EventTarget, Location, Storage, Window};

/// The browser that shows this page.
#[derive(Clone)]
pub(crate) struct Browser {
    window: Window,
    document: Document,
    location: Location,
}

impl Browser {
    /// The browser, where there is one with a document: not in a worker.
    pub(crate) fn of_this_page() -> Option<Self> {
        let window = web_sys::window()?;
        let document = window.document()?;
        let location = window.location();
        Some(Self {
            window,
            document,
            location,
        })
    }

    fn storage(&self) -> Option<Storage> {
        self.window.local_storage().ok().flatten()
    }

    /// Changes the address by `change`; a browser refuses only what comes too often.
    fn change_address(&self, change: impl FnOnce(&web_sys::History) -> Result<(), JsValue>) {
        if let Ok(history) = self.window.history() {
            let _ = change(&history);
        }
    }
}

impl Platform for Browser {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "milliseconds since 1970 are far below 2^53"
    )]
    fn now(&self) -> i64 {
        js_sys::Date::now() as i64
    }

    fn uuid(&self) -> Uuid {
        let mut bytes = [0; 16];
        let is_filled = self
            .window
            .crypto()
            .and_then(|crypto| crypto.get_random_values_with_u8_array(&mut bytes))
            .is_ok();
        if !is_filled {
            // Every browser that runs this page has the better source; an id must be unlikely to repeat all the same.
            bytes.fill_with(|| (self.jitter() * 256.0) as u8);
        }
        Builder::from_random_bytes(bytes).into_uuid()
    }

    fn jitter(&self) -> f64 {
        js_sys::Math::random()
    }

    fn pointer(&self) -> Pointer {
        let query = self.window.match_media("(pointer: coarse)").ok().flatten();
        match query.is_some_and(|query| query.matches()) {
            true => Pointer::Coarse,
            false => Pointer::Fine,
        }
    }

    fn address(&self) -> Address {
        let fragment = self.location.hash().unwrap_or_default();
        Address {
            path: self.location.pathname().unwrap_or_default(),
            fragment: fragment.strip_prefix('#').unwrap_or_default().to_owned(),
        }
    }

    fn push_address(&self, path: &str) {
        self.change_address(|history| history.push_state_with_url(&JsValue::NULL, "", Some(path)));
    }

    fn replace_address(&self, path: &str) {
        self.change_address(|history| history.replace_state_with_url(&JsValue::NULL, "", Some(path)));
    }

    fn set_title(&self, title: &str) {
        self.document.set_title(title);
    }

    fn load(&self, key: &str) -> Option<String> {
        self.storage()?.get_item(key).ok().flatten()
    }

    fn save(&self, key: &str, value: Option<&str>) {
        if let Some(storage) = self.storage() {
            let _ = match value {
                Some(value) => storage.set_item(key, value),
                None => storage.remove_item(key),
            };
        }
    }

    fn forget(&self, prefix: &str) {
        let Some(storage) = self.storage() else { return };
        let count = storage.length().unwrap_or_default();
        let keys: Vec<String> = (0..count)
            .filter_map(|place| storage.key(place).ok().flatten())
            .collect();
        for key in keys.iter().filter(|key| key.starts_with(prefix)) {
            let _ = storage.remove_item(key);
        }
    }

    fn copy(&self, text: &str, done: Box<dyn FnOnce(Copying)>) {
        let copied = JsFuture::from(self.window.navigator().clipboard().write_text(text));
        spawn_local(async move {
            done(match copied.await {
                Ok(_) => Copying::Done,
                Err(_) => Copying::Refused,
            });
        });
    }

    fn request(&self, request: Request, done: Box<dyn FnOnce(Option<Response>)>) {
        let window = self.window.clone();
        spawn_local(async move { done(network::request(&window, request).await.ok()) });
    }

    fn open_socket(&self, path: &str, events: Rc<dyn Fn(SocketEvent)>) -> Box<dyn Socket> {
        let host = self.location.host().unwrap_or_default();
        let scheme = match self.location.protocol().as_deref() {
            Ok("http:") => "ws",
            _ => "wss",
        };
        Box::new(BrowserSocket::open(
            &self.window,
            &format!("{scheme}://{host}{path}"),
            events,
        ))
    }

    fn set_timer(&self, delay: i64, wake: Box<dyn FnOnce()>) -> Box<dyn Timer> {
        Box::new(BrowserTimer::start(&self.window, delay, wake))
    }

    fn listen(&self, events: Rc<dyn Fn(BrowserEvent)>) {
        let document = self.document.clone();
        listen(&self.window, "popstate", events.clone(), || {
            Some(BrowserEvent::AddressChanged)
        });
        listen(&self.window, "online", events.clone(), || {
            Some(BrowserEvent::Awake)
        });
        listen(&self.document, "visibilitychange", events, move || {
            (!document.hidden()).then_some(BrowserEvent::Awake)
        });
    }
}

/// Reports an event of the page for as long as the page lives.
fn listen(
    target: &EventTarget,
    name: &str,
    events: Rc<dyn Fn(BrowserEvent)>,
    meaning: impl Fn() -> Option<BrowserEvent> + 'static,
) {
    let listener = Closure::<dyn Fn()>::new(move || {
        if let Some(event) = meaning() {
            events(event);
        }
    });
    let _ = target.add_event_listener_with_callback(name, listener.as_ref().unchecked_ref());
    listener.forget();
}
