//! The page's assets: the Wasm module and its glue, the boot script and the style sheet under names that contain their
//! hash, and the header file that lets browsers keep them for ever.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Profile, common_inputs, optimise, wasm_command};
use crate::checkout;
use crate::digest;
use crate::failure::{Failure, Result};
use crate::files;
use crate::process;
use crate::progress;
use crate::setup::Setup;
use crate::workspace::Workspace;

const PACKAGE: &str = "flarebot-client";

/// What the Worker has compiled for speed, since every chunk of an answer passes through it. A page has one answer to show, and
/// has to be downloaded.
const SMALL_IN_THE_PAGE: [&str; 2] = ["flarebot-protocol", "serde_json"];

/// Served by the asset server, not by the Worker: its names change with its content.
const HEADERS: &str = "\
/*
  X-Content-Type-Options: nosniff

/assets/*
  Cache-Control: public, max-age=31536000, immutable
  Cross-Origin-Resource-Policy: same-origin
";

/// The paths that the shell refers to, such as `/assets/boot-0123456789.js`.
pub(super) struct Assets {
    pub(super) boot: String,
    pub(super) style: String,
    pub(super) module: String,
}

impl Assets {
    /// The variables by which the Worker crate learns the paths at compile time.
    pub(super) fn variables(&self) -> [(&'static str, &str); 3] {
        [
            ("FLAREBOT_ASSET_BOOT", &self.boot),
            ("FLAREBOT_ASSET_STYLE", &self.style),
            ("FLAREBOT_ASSET_MODULE", &self.module),
        ]
    }
}

/// Builds the assets, or answers with those of the last build if nothing changed.
pub(super) fn build(setup: &Setup, workspace: &Workspace, profile: Profile) -> Result<Assets> {
    let digest = digest(setup, workspace, profile)?;
    if let Some(assets) = recorded(profile, &digest) {
        return Ok(assets);
    }
    progress::step("building the page");
    let mut cargo = wasm_command(&setup.toolchain, "cargo");
    cargo.args([
        "build",
        "--package",
        PACKAGE,
        "--lib",
        "--target",
        "wasm32-unknown-unknown",
    ]);
    if profile == Profile::Release {
        cargo.arg("--release");
        for package in SMALL_IN_THE_PAGE {
            cargo.args([
                "--config",
                &format!("profile.release.package.{package}.opt-level = \"z\""),
            ]);
        }
    }
    process::run("client", &mut cargo)?;

    let staging = staging(profile);
    files::empty_folder(&staging)?;
    let glue = staging.join("glue");
    let mut bindgen = setup.toolchain.command(setup.tools.wasm_bindgen());
    bindgen.args([
        "--target",
        "web",
        "--no-typescript",
        "--out-name",
        "app",
        "--out-dir",
    ]);
    bindgen.arg(&glue).arg(profile.module(PACKAGE));
    process::run("wasm-bindgen", &mut bindgen)?;
    let module = glue.join("app_bg.wasm");
    if profile == Profile::Release {
        optimise(setup, &module)?;
    }

    let site = staging.join("site");
    let assets = assemble(setup, &glue, &site)?;
    files::write(&site.join("_headers"), HEADERS)?;
    files::copy_folder(&checkout::root().join("web/public"), &site)?;
    files::mirror(&site, &profile.folder().join("assets"))?;
    files::remove_folder(&staging)?;
    record(profile, &digest, &assets)?;
    Ok(assets)
}

/// Names each file by its content; the boot script comes last, because it contains the module's name.
fn assemble(setup: &Setup, glue: &Path, site: &Path) -> Result<Assets> {
    let web = checkout::root().join("web");
    let module = publish(site, "app_bg", "wasm", &files::read(&glue.join("app_bg.wasm"))?)?;

    let style_source = web.join("style.css");
    let style = bundle(setup, &style_source, &glue.join("style.css"), &[])?;
    let style = publish(site, "style", "css", &style)?;

    // The glue becomes a part of the boot script: one request less before the page answers.
    let boot_source = glue.join("boot.js");
    let boot = files::read_text(&web.join("boot.js"))?;
    files::write(
        &boot_source,
        boot.replace("__APP_MODULE__", "./app.js")
            .replace("__APP_WASM__", &module),
    )?;
    let boot = bundle(setup, &boot_source, &glue.join("boot.min.js"), &["--format=esm"])?;
    let boot = publish(site, "boot", "js", &boot)?;
    Ok(Assets { boot, style, module })
}

/// Runs esbuild on one file and answers with the result.
fn bundle(setup: &Setup, source: &Path, output: &Path, options: &[&str]) -> Result<Vec<u8>> {
    let mut esbuild = setup.toolchain.command(setup.node.esbuild()?);
    esbuild
        .arg(source)
        .args(["--bundle", "--minify", "--log-level=warning", "--target=es2022"])
        .args(options);
    esbuild.arg(format!("--outfile={}", output.display()));
    process::run("esbuild", &mut esbuild)?;
    files::read(output)
}

fn publish(site: &Path, stem: &str, extension: &str, content: &[u8]) -> Result<String> {
    let hash: String = digest::of(content).chars().take(10).collect();
    let path = format!("/assets/{stem}-{hash}.{extension}");
    files::write(&site.join(path.trim_start_matches('/')), content)?;
    Ok(path)
}

fn digest(setup: &Setup, workspace: &Workspace, profile: Profile) -> Result<String> {
    if workspace.find(PACKAGE).is_none() {
        return Err(Failure::new(
            format!("the workspace has no `{PACKAGE}`"),
            "restore web/client",
        ));
    }
    let web = checkout::root().join("web");
    let inputs = workspace.sources(PACKAGE, common_inputs(setup, profile))?;
    let inputs = inputs
        .path(&web.join("style.css"))?
        .path(&web.join("style"))?
        .path(&web.join("boot.js"))?
        .path(&web.join("public"))?;
    Ok(inputs.fact("headers", HEADERS).digest())
}

fn staging(profile: Profile) -> PathBuf {
    profile.folder().join(".client")
}

fn record_file(profile: Profile) -> PathBuf {
    profile.folder().join("assets.json")
}

fn record(profile: Profile, digest: &str, assets: &Assets) -> Result<()> {
    let record = json!({
        "inputs": digest,
        "boot": assets.boot,
        "style": assets.style,
        "module": assets.module,
    });
    files::write(&record_file(profile), format!("{record:#}\n"))
}

fn recorded(profile: Profile, digest: &str) -> Option<Assets> {
    let record: Value = serde_json::from_slice(&std::fs::read(record_file(profile)).ok()?).ok()?;
    let text = |name: &str| record.get(name).and_then(Value::as_str).map(str::to_owned);
    if text("inputs")? != digest {
        return None;
    }
    let assets = Assets {
        boot: text("boot")?,
        style: text("style")?,
        module: text("module")?,
    };
    let site = profile.folder().join("assets");
    let complete = assets
        .variables()
        .iter()
        .all(|(_, path)| site.join(path.trim_start_matches('/')).is_file());
    complete.then_some(assets)
}
