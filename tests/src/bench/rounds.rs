//! Several rounds of one measurement, with the systems in turn: a busy moment of the machine falls on all of them.

use super::plan::Plan;
use super::report::Values;
use super::statistics;
use super::system::{Subject, System};
use super::trouble::Result;
use std::collections::BTreeMap;

/// What each system gave in each round, or why it gave nothing.
pub(super) struct Rounds<T>(BTreeMap<Subject, Result<Vec<T>>>);

impl<T> Rounds<T> {
    /// Starts the systems with `start` and has each of them measured once a round. The order changes from round to round.
    /// A system that fails is left out of the later rounds.
    pub(super) fn of<S>(
        name: &str,
        plan: &Plan,
        subjects: &[Subject],
        rounds: usize,
        start: impl Fn(Subject) -> Result<S>,
        mut measure: impl FnMut(&mut S, usize) -> Result<T>,
    ) -> Self {
        let mut results = BTreeMap::new();
        let mut systems = Vec::new();
        for subject in plan.present(subjects) {
            match start(subject) {
                Ok(system) => {
                    systems.push((subject, system));
                    results.insert(subject, Ok(Vec::new()));
                }
                Err(trouble) => drop(results.insert(subject, Err(trouble))),
            }
        }
        for round in 0..rounds {
            let count = systems.len();
            for place in 0..count {
                let (subject, system) = &mut systems[(place + round) % count];
                let Some(Ok(values)) = results.get_mut(subject) else {
                    continue;
                };
                eprintln!("{name}: round {} of {rounds}, {}", round + 1, subject.name());
                match measure(system, round) {
                    Ok(value) => values.push(value),
                    Err(trouble) => {
                        eprintln!("{name}: {}: {trouble}", subject.name());
                        results.insert(*subject, Err(trouble));
                    }
                }
            }
        }
        Self(results)
    }

    /// The median over the rounds.
    pub(super) fn median(&self, value: impl Fn(&T) -> f64) -> Values {
        self.reduce(|rounds| Ok(statistics::median(&rounds.iter().map(&value).collect::<Vec<_>>())))
    }

    /// Reduces each system's rounds to one figure.
    pub(super) fn reduce(&self, value: impl Fn(&[T]) -> Result<f64>) -> Values {
        let reduced = self.0.iter().map(|(subject, rounds)| {
            let figure = rounds.as_ref().map_err(Clone::clone);
            (*subject, figure.and_then(|rounds| value(rounds)))
        });
        Values(reduced.collect())
    }
}

/// The usual start: a system on empty storage.
pub(super) fn fresh(plan: &Plan) -> impl Fn(Subject) -> Result<System> {
    |subject| System::start(subject, plan)
}
