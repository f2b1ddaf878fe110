//! The rows that a turn writes, and those that its chunks add. Counted where both agents call the platform, statement by
//! statement, by what the cursor says; alarms are not rows here.

use crate::bench::plan::Plan;
use crate::bench::report::{Line, of_peer};
use crate::bench::rounds::Rounds;
use crate::bench::script::Script;
use crate::bench::stream::play;
use crate::bench::system::{Subject, System};
use std::thread::sleep;
use std::time::Duration;

const ROUNDS: usize = 3;
const CHUNKS: u32 = 1000;
const BYTES: usize = 20;
const GAP: u64 = 5;

/// What a turn writes after its end still belongs to it.
const AFTERMATH: Duration = Duration::from_secs(1);

pub(super) fn measure(plan: &Plan) -> Vec<Line> {
    let small = Script {
        chunks: 1,
        bytes: BYTES,
        gap: 0,
    };
    let long = Script {
        chunks: plan.count(CHUNKS),
        bytes: BYTES,
        gap: GAP,
    };
    let rounds = Rounds::of(
        "rows",
        plan,
        &Subject::AGENTS,
        plan.rounds(ROUNDS),
        |subject| System::start_counting(subject, plan),
        |system, round| {
            let mut chat = system.enter_new(&format!("rows-{round}"))?;
            let mut counts = Vec::new();
            // The first turn of a conversation may write what no later one does.
            for script in [small, small, long] {
                play(&mut chat, script)?;
                sleep(AFTERMATH);
                counts.push(system.rows_written(&mut chat)?);
            }
            let turn = counts[1] - counts[0];
            let chunks = counts[2] - counts[1] - turn;
            Ok((turn, chunks * 1000.0 / f64::from(long.chunks)))
        },
    );
    vec![
        Line::new(
            "rows written by 1,000 chunks at 5 ms gaps",
            "rows",
            rounds.median(|(_, chunks)| *chunks),
            of_peer(0.3),
        ),
        Line::new(
            "rows written by a turn of one chunk",
            "rows",
            rounds.median(|(turn, _)| *turn),
            of_peer(0.4),
        ),
    ]
}
