//! The content-free shells: the same bytes for every visitor, rendered from the very components that hydrate them.

use crate::fault::Fault;
use flarebot_app::shell::{ShellAssets, render};
use flarebot_protocol::address::Page;
use flarebot_session::headers::page_headers;
use worker::{Response, ResponseBuilder};

/// The static files that belong to this build, named by their content. The build sets both; a build without them
/// (a check of types, for instance) names files that do not exist.
const ASSETS: ShellAssets = ShellAssets {
    boot: match option_env!("FLAREBOT_ASSET_BOOT") {
        Some(path) => path,
        None => "/assets/boot.js",
    },
    style: match option_env!("FLAREBOT_ASSET_STYLE") {
        Some(path) => path,
        None => "/assets/style.css",
    },
};

/// The shell of a page.
pub(crate) fn shell(page: Page) -> Result<Response, Fault> {
    let mut builder = ResponseBuilder::new().with_header("cache-control", "no-cache")?;
    for (name, value) in page_headers() {
        builder = builder.with_header(name, value)?;
    }
    Ok(builder.from_html(render(page, &ASSETS))?)
}
