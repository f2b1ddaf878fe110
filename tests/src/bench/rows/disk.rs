//! The bytes that chunks cause to be written to the disk, as the system counts them for the runtime's process.

use crate::bench::plan::Plan;
use crate::bench::report::{Line, of_peer_or};
use crate::bench::rounds::{Rounds, fresh};
use crate::bench::script::Script;
use crate::bench::stream::play;
use crate::bench::system::{Subject, System};
use crate::bench::trouble::{Result, Trouble};
use std::thread::sleep;
use std::time::Duration;

const ROUNDS: usize = 3;
const BYTES: usize = 20;

/// What a turn writes after its end still belongs to it.
const AFTERMATH: Duration = Duration::from_millis(500);

pub(super) fn measure(plan: &Plan) -> Vec<Line> {
    let burst = Script {
        chunks: plan.count(5000),
        bytes: BYTES,
        gap: 0,
    };
    let paced = Script {
        chunks: plan.count(1000),
        bytes: BYTES,
        gap: 5,
    };
    let rounds = Rounds::of(
        "disk",
        plan,
        &Subject::AGENTS,
        plan.rounds(ROUNDS),
        fresh(plan),
        |system, round| Ok((written(system, round, burst)?, written(system, round, paced)?)),
    );
    vec![
        Line::new(
            "written to disk per 1,000 chunks of 20 B without a gap",
            "kB",
            rounds.median(|(burst, _)| *burst),
            of_peer_or(0.1, 0.05),
        ),
        Line::new(
            "written to disk per 1,000 chunks of 20 B at 5 ms gaps",
            "kB",
            rounds.median(|(_, paced)| *paced),
            of_peer_or(0.1, 0.05),
        ),
    ]
}

/// Kilobytes per 1,000 chunks of one answer, the turn's own writes among them.
fn written(system: &System, round: usize, script: Script) -> Result<f64> {
    let mut chat = system.enter_new(&format!("disk-{}-{round}", script.gap))?;
    play(&mut chat, Script { chunks: 1, ..script })?;
    sleep(AFTERMATH);
    let process = system.process()?;
    let before = process.written()?;
    play(&mut chat, script)?;
    sleep(AFTERMATH);
    let bytes = process.written()? - before;
    if bytes == 0.0 {
        return Err(Trouble::new(
            "nothing reached a disk; set TMPDIR to a folder on one",
        ));
    }
    Ok(bytes / f64::from(script.chunks))
}
