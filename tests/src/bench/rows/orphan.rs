//! The runtime is killed in the middle of an answer and nobody comes back: how long until the provider is asked again.

use super::crash::{Aftermath, Crash};
use crate::bench::plan::Plan;
use crate::bench::report::{Line, of_peer};
use crate::bench::rounds::{Rounds, fresh};
use crate::bench::script::Script;
use crate::bench::statistics::milliseconds;
use crate::bench::system::{Subject, System};
use crate::bench::trouble::{Result, Trouble};
use std::time::Duration;

const ROUNDS: usize = 3;
const BYTES: usize = 20;
const GAP: u64 = 5;

/// Longer than any agent waits before it looks after its lost turns.
const PATIENCE: Duration = Duration::from_secs(45);

pub(super) fn measure(plan: &Plan) -> Vec<Line> {
    let script = Script {
        chunks: 400,
        bytes: BYTES,
        gap: GAP,
    };
    let rounds = Rounds::of(
        "orphan",
        plan,
        &Subject::AGENTS,
        plan.rounds(ROUNDS),
        fresh(plan),
        |system, round| orphan(system, round, script),
    );
    vec![Line::new(
        "kill -9, nobody connects, from ready to the provider's request",
        "ms",
        rounds.median(|milliseconds| *milliseconds),
        of_peer(0.3),
    )]
}

fn orphan(system: &mut System, round: usize, script: Script) -> Result<f64> {
    let crash = Crash::cause(system, &format!("orphan-{round}"), script, script.chunks / 2)?;
    let again = system.provider.wait_for(2, PATIENCE);
    let aftermath = crash.follow(system, PATIENCE)?;
    match (again, aftermath) {
        (Some(again), Aftermath::WentOn { .. }) => {
            crash.check_stored(system, script)?;
            Ok(milliseconds(again.at.saturating_sub(crash.ready_at)))
        }
        (_, Aftermath::Lost(reason)) => Err(reason),
        (None, Aftermath::WentOn { .. }) => Err(Trouble::new("it went on only when a client came")),
    }
}
