//! What the bundles weigh: as they are, and as the two encodings that travel.

use std::fmt;
use std::path::Path;

use super::Bundle;
use crate::failure::{Failure, Result};
use crate::files;
use crate::process;
use crate::setup::Node;

/// Node has both encoders; prints `raw gzip brotli` for each file.
const MEASURE: &str = "\
const { readFileSync } = require('node:fs');
const { gzipSync, brotliCompressSync } = require('node:zlib');
for (const path of process.argv.slice(1)) {
  const bytes = readFileSync(path);
  console.log(bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length);
}";

/// Bytes of one file or of several together.
#[derive(Clone, Copy, Default)]
pub(crate) struct Weight {
    pub(crate) raw: u64,
    pub(crate) gzip: u64,
    pub(crate) brotli: u64,
}

/// The files of both sides.
pub(crate) struct Sizes {
    worker: Vec<(String, Weight)>,
    browser: Vec<(String, Weight)>,
}

impl Sizes {
    /// All that is uploaded as the Worker.
    pub(crate) fn worker(&self) -> Weight {
        total(&self.worker)
    }

    /// All that a browser loads beside the shell.
    pub(crate) fn browser(&self) -> Weight {
        total(&self.browser)
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "{:<34}{:>12}{:>12}{:>12}",
            "kB", "raw", "gzip", "brotli"
        )?;
        for (side, files) in [("worker", &self.worker), ("browser", &self.browser)] {
            for (name, weight) in files {
                writeln!(formatter, "  {name:<32}{weight}")?;
            }
            writeln!(formatter, "{side:<34}{}", total(files))?;
        }
        Ok(())
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kilobytes = |bytes: u64| format!("{}.{}", bytes / 1000, bytes % 1000 / 100);
        let columns = [self.raw, self.gzip, self.brotli].map(kilobytes);
        columns
            .iter()
            .try_for_each(|column| write!(formatter, "{column:>12}"))
    }
}

/// Weighs a finished bundle.
pub(crate) fn measure(node: &Node, bundle: &Bundle) -> Result<Sizes> {
    Ok(Sizes {
        worker: weigh(node, &bundle.worker)?,
        browser: weigh(node, &bundle.assets.join("assets"))?,
    })
}

fn weigh(node: &Node, folder: &Path) -> Result<Vec<(String, Weight)>> {
    let paths = files::below(folder)?;
    let output = process::capture(node.command().args(["-e", MEASURE, "--"]).args(&paths))?;
    let weights = output
        .lines()
        .map(read_line)
        .collect::<Option<Vec<_>>>()
        .unwrap_or_default();
    if weights.len() != paths.len() {
        return Err(Failure::new(
            "the bundle's files could not be weighed",
            "build again",
        ));
    }
    let names = paths.iter().map(|path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    });
    Ok(names.zip(weights).collect())
}

fn read_line(line: &str) -> Option<Weight> {
    let mut numbers = line.split(' ').map(str::parse);
    let weight = Weight {
        raw: numbers.next()?.ok()?,
        gzip: numbers.next()?.ok()?,
        brotli: numbers.next()?.ok()?,
    };
    Some(weight)
}

fn total(files: &[(String, Weight)]) -> Weight {
    files.iter().fold(Weight::default(), |sum, (_, weight)| Weight {
        raw: sum.raw + weight.raw,
        gzip: sum.gzip + weight.gzip,
        brotli: sum.brotli + weight.brotli,
    })
}
