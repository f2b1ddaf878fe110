//! The dependency policy of `deny.toml`: licences, bans and sources, read by ourselves in the file format of cargo-deny,
//! which takes minutes to compile. Advisories need a database that is not always to be had: where cargo-deny is
//! installed it checks them, otherwise they are reported as not checked.

use std::process::Command;

use serde_json::Value;
use toml::Table;

use super::licence;
use crate::checkout;
use crate::failure::{Failure, Result};
use crate::files;
use crate::process;
use crate::progress;
use crate::setup::Toolchain;
use crate::workspace::list;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(super) fn check(toolchain: &Toolchain) -> Result<()> {
    let policy = Policy::read()?;
    let metadata = locked_metadata(toolchain)?;
    let packages = list(&metadata, "packages");
    let found: Vec<String> = packages
        .iter()
        .flat_map(|package| policy.complaints(package))
        .collect();
    advisories();
    super::complaints(Ok(found))
}

struct Policy {
    licences: Vec<String>,
    /// Banned crates with the reason.
    banned: Vec<(String, String)>,
    registries: Vec<String>,
}

impl Policy {
    fn read() -> Result<Self> {
        let text = files::read_text(&checkout::root().join("deny.toml"))?;
        let table: Table = text.parse().map_err(|error| {
            Failure::new(
                format!("deny.toml cannot be read: {error}"),
                "mend the line that it names",
            )
        })?;
        let mut registries = vec![CRATES_IO.to_owned()];
        registries.extend(texts(&table, "sources", "allow-registry").map(|url| format!("registry+{url}")));
        Ok(Self {
            licences: texts(&table, "licenses", "allow").collect(),
            banned: entries(&table, "bans", "deny").filter_map(read_ban).collect(),
            registries,
        })
    }

    /// What is wrong with one package of the dependency graph.
    fn complaints(&self, package: &Value) -> Vec<String> {
        let text = |name: &str| package.get(name).and_then(Value::as_str);
        let name = text("name").unwrap_or_default();
        let shown = format!("{name} {}", text("version").unwrap_or_default());
        let mut found = Vec::new();
        match text("license") {
            Some(expression) if licence::is_allowed(expression, &self.licences) => {}
            Some(expression) => found.push(format!("{shown}: the licence `{expression}` is not allowed")),
            None => found.push(format!("{shown}: states no licence")),
        }
        if let Some((_, reason)) = self.banned.iter().find(|(banned, _)| banned == name) {
            found.push(format!("{shown}: is banned: {reason}"));
        }
        match text("source") {
            Some(source) if !self.registries.iter().any(|known| known == source) => {
                found.push(format!("{shown}: comes from {source}"));
            }
            Some(_) => {}
            // A crate of the workspace: what it asks for must be a version.
            None => found.extend(list(package, "dependencies").iter().filter_map(|dependency| {
                let is_wildcard = dependency.get("req").and_then(Value::as_str) == Some("*")
                    && dependency.get("path").is_none();
                let wanted = dependency.get("name").and_then(Value::as_str).unwrap_or_default();
                is_wildcard.then(|| format!("{shown}: asks for any version of {wanted}"))
            })),
        }
        found
    }
}

/// The whole graph for this machine and for Wasm, as the lock file has it.
fn locked_metadata(toolchain: &Toolchain) -> Result<Value> {
    let host = toolchain.host().to_owned();
    let mut cargo = toolchain.cargo(["metadata", "--format-version", "1", "--locked"]);
    cargo.args([
        "--filter-platform",
        &host,
        "--filter-platform",
        "wasm32-unknown-unknown",
    ]);
    let text = process::capture(&mut cargo)?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::new(
            format!("cargo metadata is not readable: {error}"),
            "run `cargo metadata` by hand",
        )
    })
}

fn advisories() {
    if !process::exists("cargo-deny") {
        progress::step("advisories: not checked (install cargo-deny to have them checked here)");
        return;
    }
    let mut deny = Command::new("cargo-deny");
    deny.current_dir(checkout::root()).args(["check", "advisories"]);
    if process::run("advisories", &mut deny).is_err() {
        progress::step("advisories: cargo-deny complains above, or could not get its database");
    }
}

fn entries<'a>(table: &'a Table, section: &str, name: &str) -> impl Iterator<Item = &'a toml::Value> {
    let array = table
        .get(section)
        .and_then(|section| section.get(name))
        .and_then(toml::Value::as_array);
    array.into_iter().flatten()
}

fn texts(table: &Table, section: &str, name: &str) -> impl Iterator<Item = String> {
    entries(table, section, name).filter_map(|value| value.as_str().map(str::to_owned))
}

/// A ban is a name, or a table with `crate` and `reason`.
fn read_ban(value: &toml::Value) -> Option<(String, String)> {
    let field = |name: &str| value.get(name).and_then(toml::Value::as_str).map(str::to_owned);
    let name = value.as_str().map(str::to_owned).or_else(|| field("crate"))?;
    Some((
        name,
        field("reason").unwrap_or_else(|| "see deny.toml".to_owned()),
    ))
}
