//! The memory of the runtime's process: just started, and after long answers.

use crate::bench::plan::Plan;
use crate::bench::report::{Line, of_peer};
use crate::bench::rounds::{Rounds, fresh};
use crate::bench::script::Script;
use crate::bench::stream::play;
use crate::bench::system::Subject;
use std::thread::sleep;
use std::time::Duration;

const ROUNDS: usize = 2;
const STREAMS: u32 = 3;
const CHUNKS: u32 = 20_000;
const BYTES: usize = 20;

const SETTLING: Duration = Duration::from_secs(1);

pub(super) fn measure(plan: &Plan) -> Vec<Line> {
    let script = Script {
        chunks: plan.count(CHUNKS),
        bytes: BYTES,
        gap: 0,
    };
    let subjects = [Subject::BareObject, Subject::Ours, Subject::Peer];
    let rounds = Rounds::of(
        "memory",
        plan,
        &subjects,
        plan.rounds(ROUNDS),
        fresh(plan),
        |system, round| {
            if round > 0 {
                system.start_again()?;
            }
            system.touch()?;
            sleep(SETTLING);
            let start = system.process()?.memory()?;
            for stream in 0..STREAMS {
                play(
                    &mut system.enter_new(&format!("memory-{round}-{stream}"))?,
                    script,
                )?;
            }
            sleep(SETTLING);
            let end = system.process()?.memory()?;
            Ok((start, end))
        },
    );
    const MEGABYTE: f64 = 1_000_000.0;
    vec![
        Line::new(
            "memory of the runtime at its start",
            "MB",
            rounds.median(|(start, _)| start / MEGABYTE),
            of_peer(1.0),
        ),
        Line::new(
            format!(
                "memory of the runtime after {STREAMS} answers of {} chunks",
                script.chunks
            ),
            "MB",
            rounds.median(|(_, end)| end / MEGABYTE),
            of_peer(1.0),
        ),
    ]
}
