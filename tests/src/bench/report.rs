//! What was measured, beside what is to be reached.

use super::system::Subject;
use super::trouble::Result;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// A figure for each system, or why there is none.
#[derive(Debug, Clone)]
pub(super) struct Values(pub(super) BTreeMap<Subject, Result<f64>>);

impl Values {
    fn of(&self, subject: Subject) -> Option<f64> {
        self.0.get(&subject)?.as_ref().ok().copied()
    }
}

/// What is to be reached.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    /// Nothing: the figure is told because it explains others.
    None,
    /// At most so many times what another system needs.
    Ratio {
        to: Subject,
        at_most: f64,
        stretch: Option<f64>,
    },
    /// At most so much.
    AtMost(f64),
}

/// At most so many times what the bare object needs.
pub(super) const fn of_bare(at_most: f64) -> Target {
    Target::Ratio {
        to: Subject::BareObject,
        at_most,
        stretch: None,
    }
}

/// At most so many times what the peer needs.
pub(super) const fn of_peer(at_most: f64) -> Target {
    Target::Ratio {
        to: Subject::Peer,
        at_most,
        stretch: None,
    }
}

/// As [`of_peer`], with a better figure to stretch for.
pub(super) const fn of_peer_or(at_most: f64, stretch: f64) -> Target {
    Target::Ratio {
        to: Subject::Peer,
        at_most,
        stretch: Some(stretch),
    }
}

/// One line of the table.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) measure: String,
    pub(super) unit: &'static str,
    pub(super) values: Values,
    pub(super) target: Target,
}

impl Line {
    pub(super) fn new(
        measure: impl Into<String>,
        unit: &'static str,
        values: Values,
        target: Target,
    ) -> Self {
        Self {
            measure: measure.into(),
            unit,
            values,
            target,
        }
    }

    /// Ours to what it is compared with: what the target names, else the peer, else the bare object.
    fn ratio(&self) -> Option<(Subject, f64)> {
        let to = match self.target {
            Target::Ratio { to, .. } => to,
            Target::None | Target::AtMost(_) => [Subject::Peer, Subject::BareObject]
                .into_iter()
                .find(|subject| self.values.of(*subject).is_some())?,
        };
        let base = self.values.of(to).filter(|base| *base > 0.0)?;
        Some((to, self.values.of(Subject::Ours)? / base))
    }

    fn target_text(&self) -> String {
        match self.target {
            Target::None => String::new(),
            Target::AtMost(limit) => format!("≤ {}", figure(limit)),
            Target::Ratio { to, at_most, stretch } => {
                let stretch = stretch.map_or(String::new(), |stretch| format!(" ({stretch})"));
                format!("≤ {at_most} × {}{stretch}", to.name())
            }
        }
    }

    /// Whether the target is reached; `None` where nothing can be said.
    fn reached(&self) -> Option<bool> {
        match self.target {
            Target::None => None,
            Target::AtMost(limit) => match self.values.0.get(&Subject::Ours)? {
                Ok(ours) => Some(*ours <= limit),
                Err(_) => Some(false),
            },
            Target::Ratio { at_most, .. } => match self.values.0.get(&Subject::Ours)? {
                Ok(_) => self.ratio().map(|(_, ratio)| ratio <= at_most),
                Err(_) => Some(false),
            },
        }
    }

    fn verdict(&self) -> String {
        if let (Some(Err(trouble)), Some(false)) = (self.values.0.get(&Subject::Ours), self.reached()) {
            return format!("not reached: {trouble}");
        }
        let beyond = match self.target {
            Target::Ratio { stretch, .. } => stretch.zip(self.ratio()),
            Target::None | Target::AtMost(_) => None,
        };
        match self.reached() {
            Some(true) if beyond.is_some_and(|(stretch, (_, ratio))| ratio <= stretch) => {
                "yes, and stretch".to_owned()
            }
            Some(true) => "yes".to_owned(),
            Some(false) => "no".to_owned(),
            None => String::new(),
        }
    }

    fn cells(&self) -> [String; 8] {
        let value = |subject| match self.values.0.get(&subject) {
            None if subject == Subject::Peer => "not measured".to_owned(),
            None => "–".to_owned(),
            Some(Ok(value)) => figure(*value),
            Some(Err(_)) => "failed".to_owned(),
        };
        let ratio = self.ratio();
        let [worker, object, ours, peer] = Subject::ALL.map(value);
        [
            format!("{} ({})", self.measure, self.unit),
            worker,
            object,
            ours,
            peer,
            ratio.map_or("–".to_owned(), |(to, ratio)| {
                format!("{ratio:.2} × {}", to.name())
            }),
            self.target_text(),
            self.verdict(),
        ]
    }

    fn json(&self) -> Value {
        let values: serde_json::Map<_, _> = (self.values.0.iter())
            .map(|(subject, value)| {
                let value = match value {
                    Ok(value) => json!(value),
                    Err(trouble) => json!({ "trouble": trouble.to_string() }),
                };
                (subject.name().to_owned(), value)
            })
            .collect();
        json!({
            "measure": self.measure,
            "unit": self.unit,
            "values": values,
            "ratio": self.ratio().map(|(to, ratio)| json!({ "to": to.name(), "is": ratio })),
            "target": self.target_text(),
            "reached": self.reached(),
        })
    }
}

/// Everything that one run measured.
#[derive(Debug, Clone, Default)]
pub struct Report {
    lines: Vec<Line>,
}

impl Report {
    pub(super) fn add(&mut self, lines: Vec<Line>) {
        self.lines.extend(lines);
    }

    /// The same for programs.
    #[must_use]
    pub fn json(&self) -> Value {
        json!(self.lines.iter().map(Line::json).collect::<Vec<_>>())
    }

    /// Why figures are missing, each reason with what it concerns.
    fn troubles(&self) -> impl Iterator<Item = String> {
        self.lines.iter().flat_map(|line| {
            let values = line.values.0.iter();
            values.filter_map(|(subject, value)| {
                let trouble = value.as_ref().err()?;
                Some(format!("{}: {}: {trouble}", line.measure, subject.name()))
            })
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const HEAD: [&str; 8] = [
            "measure",
            "bare Worker",
            "bare object",
            "ours",
            "peer",
            "ratio",
            "target (stretch)",
            "reached",
        ];
        let head = HEAD.map(str::to_owned);
        let lines: Vec<_> = std::iter::once(head)
            .chain(self.lines.iter().map(Line::cells))
            .collect();
        let widths: [usize; 8] = std::array::from_fn(|column| {
            let cells = lines.iter().map(|cells| cells[column].chars().count());
            cells.max().unwrap_or(0)
        });
        for (number, cells) in lines.iter().enumerate() {
            write_row(formatter, cells, widths)?;
            if number == 0 {
                let rule = widths.map(|width| "-".repeat(width));
                write_row(formatter, &rule, widths)?;
            }
        }
        self.troubles()
            .try_for_each(|trouble| writeln!(formatter, "{trouble}"))
    }
}

/// As Markdown has it.
fn write_row(formatter: &mut fmt::Formatter<'_>, cells: &[String; 8], widths: [usize; 8]) -> fmt::Result {
    for (cell, width) in cells.iter().zip(widths) {
        write!(formatter, "| {cell:<width$} ")?;
    }
    writeln!(formatter, "|")
}

/// A figure with three digits that mean something.
fn figure(value: f64) -> String {
    let decimals = match value.abs() {
        0.0 => 0,
        1000.0.. => 0,
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::{Line, Report, Target, Values, of_bare, of_peer, of_peer_or};
    use crate::bench::system::Subject;
    use crate::bench::trouble::Trouble;

    fn line(ours: Result<f64, Trouble>, peer: Option<f64>, target: Target) -> Line {
        let mut values = Values([(Subject::BareObject, Ok(2.0)), (Subject::Ours, ours)].into());
        if let Some(peer) = peer {
            values.0.insert(Subject::Peer, Ok(peer));
        }
        Line::new("wall", "ms", values, target)
    }

    #[test]
    fn a_target_is_reached_missed_or_unknown() {
        assert_eq!(line(Ok(2.5), None, of_bare(1.3)).verdict(), "yes");
        assert_eq!(line(Ok(2.7), None, of_bare(1.3)).verdict(), "no");
        assert_eq!(line(Ok(2.0), None, of_peer(0.5)).reached(), None);
        assert_eq!(
            line(Ok(2.0), Some(40.0), of_peer_or(0.1, 0.05)).verdict(),
            "yes, and stretch"
        );
        assert_eq!(line(Ok(21.0), None, Target::AtMost(20.0)).verdict(), "no");
        let lost = Err(Trouble::new("the turn ended as interrupted"));
        let lost = line(lost, Some(1.0), of_peer(1.0));
        assert_eq!(lost.verdict(), "not reached: the turn ended as interrupted");
        assert_eq!(lost.reached(), Some(false));
    }

    #[test]
    fn a_table_says_what_was_not_measured() {
        let mut report = Report::default();
        report.add(vec![line(Ok(2.5), None, of_peer(0.5))]);
        let table = report.to_string();
        assert!(table.contains("| not measured |"), "{table}");
        assert_eq!(report.json()[0]["values"]["ours"], 2.5);
    }
}
