//! How fast chunks pass that come without a pause, and how much processor time each of them takes.

use crate::bench::plan::Plan;
use crate::bench::report::{Line, of_bare};
use crate::bench::rounds::Rounds;
use crate::bench::script::Script;
use crate::bench::stream::play;
use crate::bench::system::{Subject, System};
use std::thread::sleep;
use std::time::Duration;

const ROUNDS: usize = 5;
const CHUNKS: u32 = 5000;
const BYTES: usize = 20;

/// What connecting leaves behind is over after this.
const SETTLING: Duration = Duration::from_millis(700);
/// What the answer leaves behind still belongs to it.
const AFTERMATH: Duration = Duration::from_millis(50);

pub(super) fn measure(plan: &Plan) -> Vec<Line> {
    let script = Script {
        chunks: plan.count(CHUNKS),
        bytes: BYTES,
        gap: 0,
    };
    let rounds = Rounds::of(
        "burst",
        plan,
        &Subject::ALL,
        plan.rounds(ROUNDS),
        |subject| {
            let system = System::start(subject, plan)?;
            play(&mut system.enter_new("warm-up")?, script)?;
            Ok(system)
        },
        |system, round| {
            let mut chat = system.enter_new(&format!("burst-{round}"))?;
            sleep(SETTLING);
            let process = system.process()?;
            let before = process.processor_time()?;
            let wall = play(&mut chat, script)?.wall;
            sleep(AFTERMATH);
            let processor = process.processor_time()? - before;
            Ok((wall, processor / f64::from(script.chunks)))
        },
    );
    vec![
        Line::new(
            format!("{} chunks without a gap, wall", script.chunks),
            "ms",
            rounds.median(|(wall, _)| *wall),
            of_bare(3.0),
        ),
        Line::new(
            format!("{} chunks without a gap, processor a chunk", script.chunks),
            "ms",
            rounds.median(|(_, processor)| *processor),
            of_bare(3.0),
        ),
    ]
}
