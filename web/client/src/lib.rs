//! The browser's half of the page: takes over the rendered shell and lends the app what only a browser has.

mod network;
mod platform;
mod socket;
mod timer;

use flarebot_app::App;
use flarebot_app::platform::Platform;
use flarebot_protocol::address::Page;
use leptos::prelude::*;
use platform::Browser;
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;

/// Takes over the page that the server rendered. Called once, by the boot module.
#[wasm_bindgen]
pub fn hydrate() {
    let Some(browser) = Browser::of_this_page() else {
        return;
    };
    let page = Page::parse(&browser.address().path).unwrap_or(Page::Home);
    leptos::mount::hydrate_body(move || view! { <App page platform=Rc::new(browser) /> });
}
