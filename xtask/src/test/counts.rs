//! Reads how many tests passed, failed and were skipped out of what each runner prints.

use std::fmt;

use serde_json::Value;

use crate::workspace::list;

/// The result of one suite, or of several.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) passed: u64,
    pub(super) failed: u64,
    /// Each skipped test, or suite, with its reason.
    pub(super) skipped: Vec<(String, String)>,
    /// Suites that failed without counting.
    pub(super) crashes: Vec<String>,
}

impl Counts {
    /// A suite that failed as a whole.
    pub(super) fn crashed(suite: &str, reason: &str) -> Self {
        Self {
            failed: 1,
            crashes: vec![format!("{suite}: {reason}")],
            ..Self::default()
        }
    }

    /// A suite that cannot run here.
    pub(super) fn skipped(name: &str, reason: &str) -> Self {
        Self {
            skipped: vec![(name.to_owned(), reason.to_owned())],
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped.extend(other.skipped);
        self.crashes.extend(other.crashes);
    }

    /// Whether nothing at all was counted.
    pub(super) fn is_empty(&self) -> bool {
        self.passed == 0 && self.failed == 0 && self.skipped.is_empty()
    }

    /// A runner that ends badly must not look like a success because its counts are missing.
    pub(super) fn checked(mut self, suite: &str, succeeded: bool) -> Self {
        if !succeeded && self.failed == 0 {
            self.add(Self::crashed(
                suite,
                "its runner ended with an error and counted no failure",
            ));
        }
        self
    }

    /// One line of cargo's test harness.
    pub(super) fn read_libtest(&mut self, line: &str) {
        if let Some(numbers) = line.strip_prefix("test result: ") {
            for part in numbers.split([';', '.']) {
                match part.trim().split_once(' ') {
                    Some((count, "passed")) => self.passed += count.parse::<u64>().unwrap_or(0),
                    Some((count, "failed")) => self.failed += count.parse::<u64>().unwrap_or(0),
                    _ => {}
                }
            }
        } else if let Some((name, reason)) = line
            .strip_prefix("test ")
            .and_then(|line| line.split_once(" ... ignored"))
        {
            let reason = reason.trim_start_matches(", ");
            let reason = if reason.is_empty() {
                "marked as ignored"
            } else {
                reason
            };
            self.skipped.push((name.to_owned(), reason.to_owned()));
        }
    }

    /// The TAP report of `node --test`: totals at the end, skipped tests where they are.
    pub(super) fn read_tap(report: &str) -> Self {
        let mut counts = Self::default();
        for line in report.lines() {
            let total = |name: &str| {
                line.strip_prefix(name)
                    .and_then(|count| count.trim().parse::<u64>().ok())
            };
            if let Some(passed) = total("# pass ") {
                counts.passed += passed;
            } else if let Some(failed) = total("# fail ").or_else(|| total("# cancelled ")) {
                counts.failed += failed;
            } else if let Some((test, reason)) = line.split_once(" # SKIP") {
                let name = test.split_once(" - ").map_or(test, |(_, name)| name);
                let reason = if reason.trim().is_empty() {
                    "marked as skipped"
                } else {
                    reason.trim()
                };
                counts.skipped.push((name.trim().to_owned(), reason.to_owned()));
            }
        }
        counts
    }

    /// Playwright's JSON report.
    pub(super) fn read_playwright(report: &Value) -> Self {
        let total = |name: &str| {
            report
                .get("stats")
                .and_then(|stats| stats.get(name))
                .and_then(Value::as_u64)
                .unwrap_or(0)
        };
        // An error outside every test, such as a server that did not start, is in no statistic.
        let stray = u64::try_from(list(report, "errors").len()).unwrap_or(1);
        let mut counts = Self {
            passed: total("expected") + total("flaky"),
            failed: total("unexpected").max(stray),
            ..Self::default()
        };
        for suite in list(report, "suites") {
            counts.read_playwright_suite(suite);
        }
        counts
    }

    fn read_playwright_suite(&mut self, suite: &Value) {
        let text = |value: &Value, name: &str| {
            value
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        for spec in list(suite, "specs") {
            for test in list(spec, "tests")
                .iter()
                .filter(|test| text(test, "status") == "skipped")
            {
                let notes = list(test, "annotations");
                let reason = notes
                    .iter()
                    .map(|note| text(note, "description"))
                    .find(|note| !note.is_empty());
                let reason = reason.unwrap_or_else(|| "marked as skipped".to_owned());
                self.skipped.push((text(spec, "title"), reason));
            }
        }
        for inner in list(suite, "suites") {
            self.read_playwright_suite(inner);
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} passed, {} failed", self.passed, self.failed)?;
        match self.skipped.len() {
            0 => Ok(()),
            skipped => write!(formatter, ", {skipped} skipped"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Counts;

    fn skipped(name: &str, reason: &str) -> (String, String) {
        (name.to_owned(), reason.to_owned())
    }

    #[test]
    fn cargos_lines_are_added_up() {
        let mut counts = Counts::default();
        for line in [
            "test sse::splits ... ok",
            "test slow ... ignored, needs an hour",
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.02s",
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.50s",
        ] {
            counts.read_libtest(line);
        }
        assert_eq!((counts.passed, counts.failed), (15, 2));
        assert_eq!(counts.skipped, [skipped("slow", "needs an hour")]);
        assert_eq!(counts.to_string(), "15 passed, 2 failed, 1 skipped");
    }

    #[test]
    fn nodes_report_counts_cancelled_tests_as_failed() {
        let counts = Counts::read_tap(
            "TAP version 13\n    ok 1 - calls # SKIP no peer\nok 1 - state\n1..1\n# tests 5\n# pass 2\n# fail 1\n\
             # cancelled 1\n# skipped 1\n",
        );
        assert_eq!((counts.passed, counts.failed), (2, 2));
        assert_eq!(counts.skipped, [skipped("calls", "no peer")]);
    }

    #[test]
    fn playwrights_report_counts_errors_outside_tests() {
        let report = json!({
            "stats": { "expected": 4, "unexpected": 0, "flaky": 1, "skipped": 1 },
            "errors": [{ "message": "no server" }],
            "suites": [{ "specs": [], "suites": [{ "specs": [
                { "title": "phone", "tests": [{ "status": "skipped", "annotations": [{ "description": "no touch" }] }] },
            ] }] }],
        });
        let counts = Counts::read_playwright(&report);
        assert_eq!((counts.passed, counts.failed), (5, 1));
        assert_eq!(counts.skipped, [skipped("phone", "no touch")]);
    }

    #[test]
    fn a_runner_that_ends_badly_is_a_failure_even_without_counts() {
        assert_eq!(Counts::default().checked("native", false).failed, 1);
        assert_eq!(Counts::default().checked("native", true).failed, 0);
        assert_eq!(
            Counts {
                failed: 2,
                ..Counts::default()
            }
            .checked("native", false)
            .failed,
            2
        );
    }
}
