//! The smallest turn: how soon the provider is asked, and how much processor time the whole of it takes.

use crate::bench::plan::Plan;
use crate::bench::report::{Line, of_peer};
use crate::bench::rounds::{Rounds, fresh};
use crate::bench::script::Script;
use crate::bench::statistics::{median, milliseconds};
use crate::bench::system::{Subject, System};
use crate::bench::trouble::{Result, Trouble};
use crate::provider::Clock;
use std::thread::sleep;
use std::time::Duration;

const ROUNDS: usize = 3;
const TURNS: u32 = 40;
const WARM_UP: u32 = 5;

/// No owner answers at once; what the turn before leaves behind would be counted as this one's delay.
const PAUSE: Duration = Duration::from_millis(100);

pub(super) fn measure(plan: &Plan) -> Vec<Line> {
    let turns = plan.count(TURNS);
    let subjects = [Subject::BareObject, Subject::Ours, Subject::Peer];
    let rounds = Rounds::of(
        "turn",
        plan,
        &subjects,
        plan.rounds(ROUNDS),
        fresh(plan),
        |system, round| small_turns(system, round, turns),
    );
    vec![
        Line::new(
            "small turn, from the message to the provider's request",
            "ms",
            rounds.median(|(asked, _)| *asked),
            of_peer(0.5),
        ),
        Line::new(
            "small turn, processor a turn",
            "ms",
            rounds.median(|(_, processor)| *processor),
            of_peer(0.5),
        ),
    ]
}

fn small_turns(system: &System, round: usize, turns: u32) -> Result<(f64, f64)> {
    let script = Script {
        chunks: 1,
        bytes: 20,
        gap: 0,
    };
    let mut chat = system.enter_new(&format!("turn-{round}"))?;
    let mut turn = || {
        sleep(PAUSE);
        system.provider.forget();
        let said = Clock::micros();
        let id = chat.say(&script.to_string())?;
        chat.end_of(&id)?;
        let asked = system.provider.asked();
        let asked = asked
            .first()
            .ok_or_else(|| Trouble::new("the provider was not asked"))?;
        Ok(milliseconds(asked.at - said))
    };
    for _ in 0..WARM_UP {
        turn()?;
    }
    let process = system.process()?;
    let before = process.processor_time()?;
    let delays = (0..turns).map(|_| turn()).collect::<Result<Vec<_>>>()?;
    sleep(PAUSE);
    let processor = process.processor_time()? - before;
    Ok((median(&delays), processor / f64::from(turns)))
}
