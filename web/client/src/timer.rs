//! A timer of the browser's.

use flarebot_app::platform::Timer;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::Window;

/// The longest delay that a browser takes, in milliseconds; a longer one would fire at once.
const MAXIMUM_DELAY: i64 = i32::MAX as i64;

/// A timer that has not fired.
pub(crate) struct BrowserTimer {
    window: Window,
    handle: Option<i32>,
    /// Held, because the browser calls it.
    _wake: Closure<dyn FnMut()>,
}

impl BrowserTimer {
    /// Calls `wake` after `delay` milliseconds.
    pub(crate) fn start(window: &Window, delay: i64, wake: Box<dyn FnOnce()>) -> Self {
        let wake = Closure::once(wake);
        let delay = i32::try_from(delay.clamp(0, MAXIMUM_DELAY)).unwrap_or(i32::MAX);
        let callback = wake.as_ref().unchecked_ref();
        let handle = window
            .set_timeout_with_callback_and_timeout_and_arguments_0(callback, delay)
            .ok();
        Self {
            window: window.clone(),
            handle,
            _wake: wake,
        }
    }
}

impl Timer for BrowserTimer {}

impl Drop for BrowserTimer {
    fn drop(&mut self) {
        if let Some(handle) = self.handle {
            self.window.clear_timeout_with_handle(handle);
        }
    }
}
