//! wasm-bindgen's generator and worker-build, compiled once for each user, version and compiler: a clean checkout does not
//! pay for them again.

use std::fs;
use std::path::{Path, PathBuf};

use super::rust::Toolchain;
use crate::checkout;
use crate::digest::Inputs;
use crate::failure::{Failure, Result};
use crate::files;
use crate::process;
use crate::progress;

/// The compiled tools.
pub(crate) struct CargoTools {
    wasm_bindgen: PathBuf,
    worker_build: PathBuf,
    versions: String,
}

struct Tool {
    package: &'static str,
    /// The library in `Cargo.lock` whose version the tool must have.
    pinned_with: &'static str,
    origin: Origin,
}

#[derive(Clone, Copy)]
enum Origin {
    /// A crate of the workspace, in this folder.
    Workspace(&'static str),
    Registry,
}

const BINDGEN: Tool = Tool {
    package: "flarebot-bindgen",
    pinned_with: "wasm-bindgen",
    origin: Origin::Workspace("xtask/bindgen"),
};
const WORKER_BUILD: Tool = Tool {
    package: "worker-build",
    pinned_with: "worker",
    origin: Origin::Registry,
};

impl CargoTools {
    /// Compiles the tools that the cache does not hold.
    pub(crate) fn find(toolchain: &Toolchain) -> Result<Self> {
        let lock = files::read_text(&checkout::root().join("Cargo.lock"))?;
        let parts = checkout::cache()?
            .join("tools")
            .join(format!("parts.{}", std::process::id()));
        let (wasm_bindgen, bindgen_version) = BINDGEN.find(&lock, toolchain, &parts)?;
        let (worker_build, build_version) = WORKER_BUILD.find(&lock, toolchain, &parts)?;
        files::remove_folder(&parts)?;
        let versions = format!("wasm-bindgen {bindgen_version}, worker-build {build_version}");
        Ok(Self {
            wasm_bindgen,
            worker_build,
            versions,
        })
    }

    pub(crate) fn wasm_bindgen(&self) -> &Path {
        &self.wasm_bindgen
    }

    pub(crate) fn worker_build(&self) -> &Path {
        &self.worker_build
    }

    /// The tools' versions: part of every build's inputs.
    pub(crate) fn versions(&self) -> &str {
        &self.versions
    }
}

impl Tool {
    fn find(&self, lock: &str, toolchain: &Toolchain, parts: &Path) -> Result<(PathBuf, String)> {
        let version = locked_version(lock, self.pinned_with).ok_or_else(|| {
            Failure::new(
                format!("Cargo.lock has no `{}`", self.pinned_with),
                "restore Cargo.lock from version control, or run `cargo generate-lockfile`",
            )
        })?;
        let folder = checkout::cache()?.join("tools").join(format!(
            "{}-{version}{}-{}",
            self.package,
            self.source_key()?,
            compiler_key(toolchain.version())
        ));
        let binary = folder.join("bin").join(self.package);
        if !binary.is_file() {
            self.install(&version, &folder, toolchain, parts)?;
        }
        Ok((binary, version))
    }

    /// Tells apart what the version does not: the sources of a tool of the workspace.
    fn source_key(&self) -> Result<String> {
        let Origin::Workspace(folder) = self.origin else {
            return Ok(String::new());
        };
        let sources = Inputs::default().path(&checkout::root().join(folder))?;
        Ok(format!("-{:.8}", sources.digest()))
    }

    /// Builds beside the final folder and renames at the end, so that an interrupted build leaves nothing half done.
    fn install(&self, version: &str, folder: &Path, toolchain: &Toolchain, parts: &Path) -> Result<()> {
        progress::step(&format!(
            "compiling {} {version}, once for this compiler (some minutes)",
            self.package
        ));
        let staging = folder.with_extension(format!("{}.partial", std::process::id()));
        files::empty_folder(&staging)?;
        let outcome = match self.origin {
            Origin::Workspace(_) => self.build(&staging, toolchain, parts),
            Origin::Registry => self
                .fetch(version, &staging, toolchain, parts, &["--locked"])
                // A lock file may name a version that the registry no longer serves.
                .or_else(|_| self.fetch(version, &staging, toolchain, parts, &[])),
        };
        if let Err(failure) = outcome {
            files::remove_folder(&staging)?;
            files::remove_folder(parts)?;
            return Err(failure);
        }
        match fs::rename(&staging, folder) {
            Ok(()) => Ok(()),
            // Another checkout was faster; its tool is the same.
            Err(_) if folder.join("bin").join(self.package).is_file() => files::remove_folder(&staging),
            Err(error) => Err(Failure::at(folder, &error)),
        }
    }

    /// `parts` is where the compiled dependencies are while the tools are made.
    fn build(&self, staging: &Path, toolchain: &Toolchain, parts: &Path) -> Result<()> {
        let mut build = toolchain.cargo(["build", "--profile", "tool", "--package", self.package]);
        process::run("build", build.env("CARGO_TARGET_DIR", parts))?;
        let made = parts.join("tool").join(self.package);
        let binary = staging.join("bin").join(self.package);
        files::create_folder(&staging.join("bin"))?;
        fs::copy(&made, &binary).map_err(|error| Failure::at(&made, &error))?;
        Ok(())
    }

    /// A tool that runs for a second is not worth minutes of optimisation.
    fn fetch(
        &self,
        version: &str,
        staging: &Path,
        toolchain: &Toolchain,
        parts: &Path,
        options: &[&str],
    ) -> Result<()> {
        let mut install = toolchain.cargo(["install", "--no-track"]);
        install
            .args(options)
            .args(["--bin", self.package, "--root"])
            .arg(staging)
            .arg(format!("{}@{version}", self.package))
            .current_dir(staging)
            .env("CARGO_TARGET_DIR", parts)
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
            .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
        process::run("install", &mut install)
    }
}

/// The version of a package in `Cargo.lock`.
fn locked_version(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    lines.next()?;
    lines
        .next()?
        .strip_prefix("version = \"")?
        .strip_suffix('"')
        .map(str::to_owned)
}

/// The part of `rustc -vV` that decides whether a compiled tool fits: release and host.
fn compiler_key(version: &str) -> String {
    let field = |name: &str| {
        version
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap_or("unknown")
            .trim()
            .to_owned()
    };
    format!("rustc-{}-{}", field("release: "), field("host: "))
}

#[cfg(test)]
mod tests {
    use super::{compiler_key, locked_version};

    #[test]
    fn the_lock_file_gives_the_exact_package() {
        let lock = "[[package]]\nname = \"worker-sys\"\nversion = \"0.8.6\"\n\n[[package]]\nname = \"worker\"\n\
                    version = \"0.8.7\"\n";
        assert_eq!(locked_version(lock, "worker").as_deref(), Some("0.8.7"));
        assert_eq!(locked_version(lock, "wasm-bindgen"), None);
    }

    #[test]
    fn tools_are_kept_apart_by_compiler_and_host() {
        let version = "rustc 1.95.0 (x)\nbinary: rustc\nhost: aarch64-apple-darwin\nrelease: 1.95.0\n";
        assert_eq!(compiler_key(version), "rustc-1.95.0-aarch64-apple-darwin");
    }
}
