//! Where things are: the checkout, cargo's target folder, and the user's cache, which outlives any checkout.

use std::env;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};

/// The folder of the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    // Cargo says at run time where this crate is; the constant is for a binary that was started by hand.
    let crate_folder = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    crate_folder
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or(crate_folder)
}

/// Cargo's target folder: the user's choice, or `target` in the checkout.
pub(crate) fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR").filter(|value| !value.is_empty()) {
        Some(chosen) => env::current_dir().unwrap_or_else(|_| root()).join(chosen),
        None => root().join("target"),
    }
}

/// The bundles of one profile: `worker`, `assets` and, for the tests, `fixture`.
pub(crate) fn build() -> PathBuf {
    root().join("build")
}

/// The per-user folder for compiled tools and models: `$FLAREBOT_CACHE`, or `flarebot` in the platform's cache folder.
pub(crate) fn cache() -> Result<PathBuf> {
    let set = |name: &str| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    if let Some(chosen) = set("FLAREBOT_CACHE") {
        return Ok(env::current_dir().unwrap_or_else(|_| root()).join(chosen));
    }
    if let Some(base) = set("XDG_CACHE_HOME") {
        return Ok(base.join("flarebot"));
    }
    let Some(home) = set("HOME") else {
        return Err(Failure::new(
            "neither HOME nor FLAREBOT_CACHE is set",
            "set FLAREBOT_CACHE to a folder for the tools",
        ));
    };
    let base = if cfg!(target_os = "macos") {
        "Library/Caches"
    } else {
        ".cache"
    };
    Ok(home.join(base).join("flarebot"))
}
