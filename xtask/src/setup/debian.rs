//! The Wasm toolchain from Debian's packages, for machines whose rustup may not download: `rustc-web` and its companions,
//! and a standard library for Wasm built once, offline, from `rust-web-src`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::rust::WASM;
use crate::digest;
use crate::failure::{Failure, Result};
use crate::files;
use crate::process;
use crate::progress;

/// The name under which rustup knows the packaged toolchain.
pub(crate) const LINK: &str = "debian-web";

const PACKAGES: [&str; 6] = [
    "rustc-web",
    "cargo-web",
    "rust-web-src",
    "rust-web-clippy",
    "rustfmt-web",
    "lld-22",
];
const RUSTC: &str = "/usr/bin/rustc";
const LINKER: &str = "/usr/bin/lld-22";

pub(crate) fn is_debian() -> bool {
    process::exists("apt-get") && process::exists("dpkg-query")
}

/// Installs the packages, builds the library and links the toolchain; each only if it is missing or outdated.
pub(crate) fn prepare() -> Result<()> {
    install(&PACKAGES)?;
    let sysroot = PathBuf::from(capture_line(Command::new(RUSTC).args(["--print", "sysroot"]))?);
    let version = process::capture(Command::new(RUSTC).arg("-vV"))?;
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap_or_default();
    let package = capture_line(Command::new("dpkg-query").args(["-W", "-f", "${Version}", "rust-web-src"]))?;

    let linker = sysroot.join("lib/rustlib").join(host).join("bin/rust-lld");
    if fs::canonicalize(&linker).ok() != fs::canonicalize(LINKER).ok() {
        as_root(&["mkdir", "-p", &text(linker.parent().unwrap_or(&linker))])?;
        as_root(&["ln", "-sfn", LINKER, &text(&linker)])?;
    }

    // A security upgrade of either package must rebuild the library: rustc refuses one of another build.
    let library = sysroot.join("lib/rustlib").join(WASM).join("lib");
    let short = digest::of(version.as_bytes())
        .chars()
        .take(16)
        .collect::<String>();
    let identity = format!("{short}-{package}");
    if fs::read_to_string(library.join(".built")).is_ok_and(|built| built.trim() == identity) {
        return link();
    }
    progress::step(&format!(
        "building the standard library for {WASM} from Debian's sources (about a minute)"
    ));
    let workspace = env::temp_dir().join(format!("flarebot-std-{}", std::process::id()));
    let outcome = build_library(&workspace, &sysroot, &library, &identity);
    files::remove_folder(&workspace)?;
    outcome?;
    link()
}

/// Installs Debian packages that are missing.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    let missing: Vec<&str> = packages
        .iter()
        .copied()
        .filter(|package| !is_installed(package))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    progress::step(&format!("installing Debian's packages {}", missing.join(" ")));
    let mut arguments = vec!["apt-get", "install", "-y", "-qq", "--no-install-recommends"];
    arguments.extend(&missing);
    let outcome = as_root(&["apt-get", "update", "-qq"]).and_then(|()| as_root(&arguments));
    outcome.map_err(|failure| {
        Failure::new(
            format!("Debian's packages cannot be installed: {failure}"),
            format!(
                "run `apt-get update && apt-get install {}` as root",
                missing.join(" ")
            ),
        )
    })
}

fn is_installed(package: &str) -> bool {
    process::capture(Command::new("dpkg-query").args(["-W", "-f", "${Status}", package]))
        .is_ok_and(|status| status == "install ok installed")
}

/// Builds std in a throw-away crate, offline, with the dependencies that the source package ships.
fn build_library(workspace: &Path, sysroot: &Path, library: &Path, identity: &str) -> Result<()> {
    let vendor = sysroot.join("lib/rustlib/src/rust/library/vendor");
    files::write(&workspace.join("src/lib.rs"), "")?;
    files::write(
        &workspace.join("Cargo.toml"),
        "[package]\nname = \"libraries\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n",
    )?;
    files::write(
        &workspace.join(".cargo/config.toml"),
        format!(
            "[source.crates-io]\nreplace-with = \"vendor\"\n[source.vendor]\ndirectory = \"{}\"\n",
            vendor.display()
        ),
    )?;
    let mut build = Command::new("/usr/bin/cargo");
    build
        .current_dir(workspace)
        .args(["build", "--quiet", "--release", "--target", WASM])
        .arg("-Zbuild-std=std,panic_abort,panic_unwind,proc_macro,test")
        .env("PATH", "/usr/bin:/bin")
        .env("CARGO_HOME", workspace.join("home"))
        .env("CARGO_TARGET_DIR", workspace.join("target"))
        .env("CARGO_NET_OFFLINE", "true")
        // The packaged compiler is a stable one; building std is the one unstable thing asked of it.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", "-Cembed-bitcode=yes");
    for name in [
        "CARGO",
        "RUSTUP_TOOLCHAIN",
        "RUSTC",
        "RUSTC_WRAPPER",
        "CARGO_ENCODED_RUSTFLAGS",
        "LD_LIBRARY_PATH",
    ] {
        build.env_remove(name);
    }
    process::run("std", &mut build)?;

    let built = workspace.join("target").join(WASM).join("release/deps");
    files::write(&built.join(".built"), identity)?;
    as_root(&["rm", "-rf", &text(library)])?;
    as_root(&["mkdir", "-p", &text(library)])?;
    let mut copy = vec!["cp".to_owned()];
    for file in files::below(&built)? {
        let name = file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let is_library = name.ends_with(".rlib") && !name.starts_with("liblibraries-");
        if is_library || name == ".built" {
            copy.push(text(&file));
        }
    }
    copy.push(text(library));
    let words: Vec<&str> = copy.iter().map(String::as_str).collect();
    as_root(&words)
}

fn link() -> Result<()> {
    if !process::exists("rustup") {
        return Ok(());
    }
    let known = process::capture(Command::new("rustup").args(["toolchain", "list"]))?;
    if known
        .lines()
        .any(|line| line.split_whitespace().next() == Some(LINK))
    {
        return Ok(());
    }
    process::run(
        "rustup",
        Command::new("rustup").args(["toolchain", "link", LINK, "/usr"]),
    )
}

/// Runs a program as root: directly, or through sudo where that asks for nothing.
fn as_root(words: &[&str]) -> Result<()> {
    let is_root = capture_line(Command::new("id").arg("-u"))? == "0";
    let sudo = ["sudo", "-n"];
    let line: Vec<&str> = if is_root {
        words.to_vec()
    } else {
        sudo.iter().chain(words).copied().collect()
    };
    let Some((program, arguments)) = line.split_first() else {
        return Ok(());
    };
    process::run(
        "root",
        Command::new(program)
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
}

fn capture_line(command: &mut Command) -> Result<String> {
    Ok(process::capture(command)?.trim().to_owned())
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
