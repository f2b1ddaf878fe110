//! Which crate may depend on which. The table is the architecture's: an arrow may only point to a crate that is listed
//! for it.

use crate::failure::Result;
use crate::workspace::{Dependency, DependencyKind, Workspace};

/// What a crate may use from the workspace.
enum May {
    Use(&'static [&'static str]),
    /// The shells at the very top.
    UseEverything,
}

const TABLE: [(&str, May); 17] = [
    ("flarebot-sql", May::Use(&[])),
    ("flarebot-protocol", May::Use(&[])),
    ("flarebot-session", May::Use(&["flarebot-protocol"])),
    ("flarebot-model", May::Use(&["flarebot-protocol"])),
    ("flarebot-tool", May::Use(&["flarebot-protocol"])),
    ("flarebot-durable", May::Use(&["flarebot-sql"])),
    (
        "flarebot-conversation",
        May::Use(&[
            "flarebot-sql",
            "flarebot-durable",
            "flarebot-protocol",
            "flarebot-model",
            "flarebot-tool",
        ]),
    ),
    (
        "flarebot-agent",
        May::Use(&[
            "flarebot-sql",
            "flarebot-durable",
            "flarebot-protocol",
            "flarebot-model",
        ]),
    ),
    (
        "flarebot-memory",
        May::Use(&[
            "flarebot-sql",
            "flarebot-durable",
            "flarebot-protocol",
            "flarebot-tool",
        ]),
    ),
    (
        "flarebot-link",
        May::Use(&[
            "flarebot-sql",
            "flarebot-protocol",
            "flarebot-session",
            "flarebot-model",
            "flarebot-tool",
            "flarebot-durable",
            "flarebot-conversation",
            "flarebot-agent",
            "flarebot-memory",
        ]),
    ),
    ("flarebot-worker", May::UseEverything),
    ("flarebot-fixture", May::UseEverything),
    ("flarebot-app", May::Use(&["flarebot-protocol"])),
    (
        "flarebot-client",
        May::Use(&["flarebot-app", "flarebot-protocol"]),
    ),
    (
        "flarebot-tests",
        May::Use(&["flarebot-protocol", "flarebot-session"]),
    ),
    ("xtask", May::Use(&["flarebot-protocol", "flarebot-session"])),
    ("flarebot-bindgen", May::Use(&[])),
];

/// Crates that only mean something inside a Worker or a browser.
const PLATFORM: [&str; 6] = [
    "worker",
    "worker-sys",
    "wasm-bindgen",
    "wasm-bindgen-futures",
    "js-sys",
    "web-sys",
];

/// The crates that may name the platform.
const SHELLS: [&str; 3] = ["flarebot-worker", "flarebot-client", "flarebot-fixture"];

/// One complaint for each dependency that crosses a border.
pub(super) fn check(workspace: &Workspace) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for member in &workspace.crates {
        // Tests may reach for what they need to prove.
        let used = member
            .dependencies
            .iter()
            .filter(|one| one.kind != DependencyKind::Development);
        found.extend(used.filter_map(|dependency| complaint(&member.name, dependency, workspace)));
        if !TABLE.iter().any(|(name, _)| *name == member.name) {
            found.push(format!(
                "{} is not in the table of borders (xtask/src/check/borders.rs)",
                member.name
            ));
        }
    }
    Ok(found)
}

fn complaint(name: &str, dependency: &Dependency, workspace: &Workspace) -> Option<String> {
    let target = dependency.name.as_str();
    if PLATFORM.contains(&target) && !SHELLS.contains(&name) {
        return Some(format!(
            "{name} may not depend on {target}: only the Worker and the page's client touch it"
        ));
    }
    // What is not of the workspace is the dependency policy's matter.
    workspace.find(target)?;
    let allowed = TABLE.iter().any(|(member, may)| {
        *member == name
            && match may {
                May::Use(list) => list.contains(&target),
                May::UseEverything => true,
            }
    });
    (!allowed).then(|| format!("{name} may not depend on {target}"))
}
