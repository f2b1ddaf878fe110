//! What is uploaded as the Worker, as it travels: without assets, compressed as hard as gzip can.

use crate::bench::plan::Plan;
use crate::bench::report::{Line, Target, Values, of_peer_or};
use crate::bench::system::Subject;
use crate::bench::trouble::{Result, Trouble};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) fn measure(plan: &Plan) -> Vec<Line> {
    let line = |what: &str, folder: &str, target| {
        let mut values = Values([(Subject::Ours, ours())].into());
        if let Some(peer) = &plan.peer {
            let file = peer.join("app").join(folder).join("server.js");
            values.0.insert(Subject::Peer, gzip(&file));
        }
        Line::new(what, "KiB", values, target)
    };
    vec![
        line(
            "bundle, gzip, as its build makes it",
            "dist",
            of_peer_or(1.0, 0.75),
        ),
        line("bundle, gzip, the peer's minified", "dist-min", Target::None),
    ]
}

fn ours() -> Result<f64> {
    let folder = std::env::var_os("FLAREBOT_BUNDLE").map(PathBuf::from);
    let folder = folder.ok_or_else(|| Trouble::new("FLAREBOT_BUNDLE is not set"))?;
    let files = fs::read_dir(folder)?.flatten();
    files.map(|file| gzip(&file.path())).sum()
}

/// The size of one file in KiB.
fn gzip(file: &Path) -> Result<f64> {
    let output = Command::new("gzip").arg("-9c").arg(file).output()?;
    if !output.status.success() {
        return Err(Trouble::new(format!("gzip cannot read {}", file.display())));
    }
    let bytes = u32::try_from(output.stdout.len()).unwrap_or(u32::MAX);
    Ok(f64::from(bytes) / 1024.0)
}
