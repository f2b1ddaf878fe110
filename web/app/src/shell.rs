//! The document that the server sends: complete, without content, and without a single inline script or style, so that
//! the strictest policy holds.

use crate::App;
use crate::platform::Nowhere;
use crate::store::fixed_title;
use flarebot_protocol::address::Page;
use leptos::prelude::*;
use std::rc::Rc;

/// Where the page's files are, as absolute paths of this origin.
#[derive(Debug, Clone, Copy)]
pub struct ShellAssets<'a> {
    /// The module that loads the client.
    pub boot: &'a str,
    /// The style sheet.
    pub style: &'a str,
}

/// The complete document of a page. Its bytes depend on the kind of the page alone: a conversation's id is never in it.
#[must_use]
pub fn render(page: Page, assets: &ShellAssets<'_>) -> String {
    let owner = Owner::new_root(None);
    let body = owner.with(|| view! { <App page platform=Rc::new(Nowhere) /> }.to_html());
    owner.cleanup();
    let title = fixed_title(page);
    let ShellAssets { boot, style } = assets;
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1, viewport-fit=cover, \
         interactive-widget=resizes-content\">\
         <meta name=\"color-scheme\" content=\"light dark\">\
         <meta name=\"theme-color\" media=\"(prefers-color-scheme: light)\" content=\"#faf8f5\">\
         <meta name=\"theme-color\" media=\"(prefers-color-scheme: dark)\" content=\"#181614\">\
         <meta name=\"robots\" content=\"noindex\">\
         <title>{title}</title>\
         <link rel=\"icon\" type=\"image/svg+xml\" href=\"/assets/icon.svg\">\
         <link rel=\"stylesheet\" href=\"{style}\">\
         <script type=\"module\" src=\"{boot}\"></script>\
         </head><body>{body}</body></html>"
    )
}
