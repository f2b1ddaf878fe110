//! The workspace as cargo sees it: its crates, their folders and what they depend on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::checkout;
use crate::digest::Inputs;
use crate::failure::{Failure, Result};
use crate::files;
use crate::process;
use crate::setup::Toolchain;

/// Folders of a crate that no build of it reads.
const NOT_BUILT: [&str; 3] = ["tests", "benches", "snapshots"];

/// The crates of the workspace.
pub(crate) struct Workspace {
    pub(crate) crates: Vec<Crate>,
}

/// One crate's manifest.
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) features: Vec<String>,
    pub(crate) dependencies: Vec<Dependency>,
}

/// One line of a crate's dependency tables.
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: DependencyKind,
}

/// The table that a dependency stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DependencyKind {
    Normal,
    Build,
    Development,
}

impl Workspace {
    pub(crate) fn read(toolchain: &Toolchain) -> Result<Self> {
        let text =
            process::capture(&mut toolchain.cargo(["metadata", "--no-deps", "--format-version", "1"]))?;
        let metadata: Value = serde_json::from_str(&text).map_err(|error| {
            Failure::new(
                format!("cargo metadata is not readable: {error}"),
                "run `cargo metadata` by hand",
            )
        })?;
        let crates = list(&metadata, "packages")
            .iter()
            .filter_map(read_crate)
            .collect();
        Ok(Self { crates })
    }

    /// A crate of the workspace by its name.
    pub(crate) fn find(&self, name: &str) -> Option<&Crate> {
        self.crates.iter().find(|member| member.name == name)
    }

    /// Adds everything that a build of `name` reads: its own files, those of the workspace crates that it uses, the
    /// manifests and the lock file.
    pub(crate) fn sources(&self, name: &str, mut inputs: Inputs) -> Result<Inputs> {
        let root = checkout::root();
        for file in ["Cargo.toml", "Cargo.lock", ".cargo/config.toml"] {
            inputs = inputs.path(&root.join(file))?;
        }
        for member in self.closure(name) {
            inputs = inputs.fact("crate", &member.name);
            for file in files::below(&member.folder)? {
                if is_built(&member.folder, &file) {
                    let shown = file
                        .strip_prefix(&member.folder)
                        .unwrap_or(&file)
                        .to_string_lossy()
                        .into_owned();
                    inputs = inputs.fact("file", &shown).path(&file)?;
                }
            }
        }
        Ok(inputs)
    }

    /// A crate and the workspace crates below it, sorted by name.
    fn closure(&self, name: &str) -> Vec<&Crate> {
        let mut names = BTreeSet::new();
        let mut open = vec![name.to_owned()];
        while let Some(next) = open.pop() {
            let Some(member) = self.find(&next) else { continue };
            if names.insert(next) {
                let used = member
                    .dependencies
                    .iter()
                    .filter(|one| one.kind != DependencyKind::Development);
                open.extend(used.map(|one| one.name.clone()));
            }
        }
        names.iter().filter_map(|name| self.find(name)).collect()
    }
}

fn is_built(folder: &Path, file: &Path) -> bool {
    let within = file.strip_prefix(folder).unwrap_or(file);
    !within
        .iter()
        .any(|part| NOT_BUILT.iter().any(|name| part == *name))
}

fn read_crate(package: &Value) -> Option<Crate> {
    let manifest = Path::new(package.get("manifest_path")?.as_str()?);
    Some(Crate {
        name: package.get("name")?.as_str()?.to_owned(),
        folder: manifest.parent()?.to_path_buf(),
        features: package.get("features")?.as_object()?.keys().cloned().collect(),
        dependencies: list(package, "dependencies")
            .iter()
            .filter_map(read_dependency)
            .collect(),
    })
}

fn read_dependency(dependency: &Value) -> Option<Dependency> {
    let kind = match dependency.get("kind").and_then(Value::as_str) {
        Some("dev") => DependencyKind::Development,
        Some("build") => DependencyKind::Build,
        _ => DependencyKind::Normal,
    };
    Some(Dependency {
        name: dependency.get("name")?.as_str()?.to_owned(),
        kind,
    })
}

/// An array inside a JSON object, or nothing.
pub(crate) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value
        .get(name)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}
