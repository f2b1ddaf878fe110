//! The runtime is killed in the middle of an answer and its client comes back at once: how long until it reads something
//! new, how much of what it had read is gone, and whether the answer is ever completed.

use super::crash::{Aftermath, Crash};
use crate::bench::plan::Plan;
use crate::bench::report::{Line, Target, Values, of_peer};
use crate::bench::rounds::{Rounds, fresh};
use crate::bench::script::Script;
use crate::bench::statistics::{median, milliseconds};
use crate::bench::system::{Subject, System};
use crate::bench::trouble::{Result, Trouble};
use std::time::Duration;

const BYTES: usize = 20;
const GAP: u64 = 5;

/// Longer than any agent waits before it looks after its lost turns.
const PATIENCE: Duration = Duration::from_secs(45);

/// What one kill did.
enum Kill {
    WentOn { milliseconds: f64, lost_chunks: f64 },
    Lost(Trouble),
}

pub(super) fn measure(plan: &Plan) -> Vec<Line> {
    let script = Script {
        chunks: 400,
        bytes: BYTES,
        gap: GAP,
    };
    let kills = plan.rounds(plan.kills);
    let rounds = Rounds::of(
        "kill",
        plan,
        &Subject::AGENTS,
        kills,
        fresh(plan),
        |system, round| kill(system, round, script),
    );
    let of_survivors = |value: fn(&Kill) -> Option<f64>| -> Values {
        rounds.reduce(|kills| {
            let values: Vec<f64> = kills.iter().filter_map(value).collect();
            match (values.is_empty(), kills.first()) {
                (true, Some(Kill::Lost(reason))) => Err(reason.clone()),
                _ => Ok(median(&values)),
            }
        })
    };
    let lost = rounds.reduce(|kills| {
        let lost = kills.iter().filter(|kill| matches!(kill, Kill::Lost(_)));
        Ok(f64::from(u32::try_from(lost.count()).unwrap_or(u32::MAX)))
    });
    vec![
        Line::new(
            "kill -9, client back at once, from ready to new text",
            "ms",
            of_survivors(|kill| match kill {
                Kill::WentOn { milliseconds, .. } => Some(*milliseconds),
                Kill::Lost(_) => None,
            }),
            of_peer(1.0),
        ),
        Line::new(
            "kill -9, chunks that the client had read and that are asked for again",
            "chunks",
            of_survivors(|kill| match kill {
                Kill::WentOn { lost_chunks, .. } => Some(*lost_chunks),
                Kill::Lost(_) => None,
            }),
            Target::None,
        ),
        Line::new(
            format!("kill -9, turns lost for good of {kills}"),
            "turns",
            lost,
            Target::AtMost(0.0),
        ),
    ]
}

fn kill(system: &mut System, round: usize, script: Script) -> Result<Kill> {
    let crash = Crash::cause(system, &format!("kill-{round}"), script, script.chunks / 2)?;
    let new_text_at = match crash.follow(system, PATIENCE)? {
        Aftermath::WentOn { new_text_at } => new_text_at,
        Aftermath::Lost(reason) => {
            eprintln!("kill: a turn was lost: {reason}");
            return Ok(Kill::Lost(reason));
        }
    };
    crash.check_stored(system, script)?;
    let asked = system.provider.asked();
    let again = asked
        .get(1)
        .ok_or_else(|| Trouble::new("the provider was not asked again"))?;
    Ok(Kill::WentOn {
        milliseconds: milliseconds(new_text_at.saturating_sub(crash.ready_at)),
        lost_chunks: f64::from(crash.seen.saturating_sub(again.from)),
    })
}
