//! The rows, each a measurement that can be made alone.

mod bundle;
mod burst;
mod crash;
mod disk;
mod history;
mod kill;
mod latency;
mod memory;
mod orphan;
mod reload;
mod turn;
mod written;

use super::plan::Plan;
use super::report::{Line, Report};

type Row = (&'static str, fn(&Plan) -> Vec<Line>);

const ROWS: [Row; 11] = [
    ("latency", latency::measure),
    ("burst", burst::measure),
    ("rows", written::measure),
    ("disk", disk::measure),
    ("reload", reload::measure),
    ("kill", kill::measure),
    ("orphan", orphan::measure),
    ("history", history::measure),
    ("turn", turn::measure),
    ("memory", memory::measure),
    ("bundle", bundle::measure),
];

/// The names by which rows are chosen.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|(name, _)| *name)
}

/// Measures the rows for which `wanted` holds, and shows the report as it grows to `observer`.
pub fn run(plan: &Plan, wanted: impl Fn(&str) -> bool, mut observer: impl FnMut(&Report)) -> Report {
    let mut report = Report::default();
    for (name, measure) in ROWS {
        if wanted(name) {
            eprintln!("{name}: begins");
            report.add(measure(plan));
            observer(&report);
        }
    }
    report
}
