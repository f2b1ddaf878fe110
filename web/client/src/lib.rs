//! The browser's half of the page: takes over the rendered shell and lends the app what only a browser has.

use wasm_bindgen::prelude::wasm_bindgen;

/// Takes over the page.
#[wasm_bindgen]
pub fn hydrate() {}
