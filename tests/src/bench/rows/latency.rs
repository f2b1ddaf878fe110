//! How much later a client has a chunk than the provider wrote it, at the pace of a fast model.

use crate::bench::plan::Plan;
use crate::bench::report::{Line, Target, of_bare};
use crate::bench::rounds::Rounds;
use crate::bench::script::Script;
use crate::bench::statistics::percentile;
use crate::bench::stream::play;
use crate::bench::system::{Subject, System};

const ROUNDS: usize = 3;
const CHUNKS: u32 = 2000;
const BYTES: usize = 20;
const GAP: u64 = 5;

/// The first chunks of an answer meet a turn that has just begun.
const SKIPPED: usize = 5;

pub(super) fn measure(plan: &Plan) -> Vec<Line> {
    let script = Script {
        chunks: plan.count(CHUNKS),
        bytes: BYTES,
        gap: GAP,
    };
    let warm_up = Script {
        chunks: plan.count(CHUNKS) / 10,
        ..script
    };
    let rounds = Rounds::of(
        "latency",
        plan,
        &Subject::ALL,
        plan.rounds(ROUNDS),
        |subject| {
            let system = System::start(subject, plan)?;
            play(&mut system.enter_new("warm-up")?, warm_up)?;
            Ok(system)
        },
        |system, round| {
            let mut chat = system.enter_new(&format!("latency-{round}"))?;
            let mut stream = play(&mut chat, script)?;
            Ok(stream.delays.split_off(SKIPPED))
        },
    );
    [(50, of_bare(1.3)), (95, of_bare(1.5)), (99, Target::None)]
        .map(|(percent, target)| {
            let values = rounds.median(|delays| percentile(delays, percent));
            Line::new(format!("latency per chunk, p{percent}"), "ms", values, target)
        })
        .into()
}
