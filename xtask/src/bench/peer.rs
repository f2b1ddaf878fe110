//! A peer to compare with: a folder with `app`, a Worker for wrangler that answers as the measurements expect, and `tool`,
//! which pins the wrangler that builds it.

use std::path::Path;

use super::with_node;
use crate::failure::{Failure, Result};
use crate::process;
use crate::progress;

/// As wrangler makes it without options, and minified: the sizes of both are told.
const BUILDS: [(&str, &[&str]); 2] = [("dist", &[]), ("dist-min", &["--minify"])];

/// Installs and builds what is not there yet.
pub(super) fn prepare(folder: &Path, node: &Path) -> Result<()> {
    let app = folder.join("app");
    if !app.join("package-lock.json").is_file() {
        return Err(Failure::new(
            format!("{} holds no peer", folder.display()),
            "name a folder with `app` and `tool`; docs/benchmarks.md says what is in them",
        ));
    }
    if BUILDS
        .iter()
        .all(|(name, _)| app.join(name).join("server.js").is_file())
    {
        return Ok(());
    }
    for part in ["tool", "app"] {
        let part = folder.join(part);
        if !part.join("node_modules").is_dir() {
            progress::step(&format!("installing {}", part.display()));
            let mut npm = with_node("npm", node);
            npm.current_dir(&part).args([
                "ci",
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
                "--loglevel=error",
            ]);
            process::run("npm", &mut npm)?;
        }
    }
    for (name, options) in BUILDS {
        progress::step(&format!("building the peer into {name}"));
        let mut wrangler = with_node(node, node);
        wrangler
            .current_dir(&app)
            .arg(folder.join("tool/node_modules/wrangler/bin/wrangler.js"))
            .args(["deploy", "--dry-run", "--outdir", name])
            .args(options)
            .env("WRANGLER_SEND_METRICS", "false")
            .env("WRANGLER_LOG_PATH", folder.join("log"))
            .env("CI", "1");
        process::run("wrangler", &mut wrangler)?;
    }
    Ok(())
}
