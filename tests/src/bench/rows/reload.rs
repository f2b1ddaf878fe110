//! A page that is opened while a long answer runs: how long until it shows all that was said so far, and what that takes.

use crate::bench::chat::PATIENCE;
use crate::bench::frame::Frame;
use crate::bench::plan::Plan;
use crate::bench::report::{Line, Target, of_peer};
use crate::bench::rounds::{Rounds, fresh};
use crate::bench::script::Script;
use crate::bench::statistics::milliseconds;
use crate::bench::system::{Subject, System};
use crate::bench::trouble::{Result, Trouble};
use crate::provider::Clock;
use std::collections::BTreeSet;
use std::time::Instant;

const ROUNDS: usize = 5;
const SEEN: u32 = 2500;
const REST: u32 = 500;
const BYTES: usize = 20;
const GAP: u64 = 3;

struct Reload {
    milliseconds: f64,
    /// Bytes on the wire for each byte of text.
    bytes: f64,
    frames: f64,
}

pub(super) fn measure(plan: &Plan) -> Vec<Line> {
    let seen = plan.count(SEEN);
    let script = Script {
        chunks: seen + REST,
        bytes: BYTES,
        gap: GAP,
    };
    let rounds = Rounds::of(
        "reload",
        plan,
        &Subject::AGENTS,
        plan.rounds(ROUNDS),
        fresh(plan),
        |system, round| reload(system, round, script, seen),
    );
    let measure = |what: &str| format!("reload after {seen} chunks, {what}");
    vec![
        Line::new(
            measure("full text"),
            "ms",
            rounds.median(|reload| reload.milliseconds),
            of_peer(0.4),
        ),
        Line::new(
            measure("sent for a byte of text"),
            "B",
            rounds.median(|reload| reload.bytes),
            Target::AtMost(2.0),
        ),
        Line::new(
            measure("frames until the full text"),
            "frames",
            rounds.median(|reload| reload.frames),
            Target::AtMost(20.0),
        ),
    ]
}

fn reload(system: &System, round: usize, script: Script, seen: u32) -> Result<Reload> {
    let room = system.room(&format!("reload-{round}"))?;
    let mut first = system.enter(&room)?;
    first.say(&script.to_string())?;
    first.until("half of the answer", PATIENCE, |arrived| {
        let last = arrived.frame.marks().last();
        last.is_some_and(|mark| mark.number + 1 >= seen).then_some(())
    })?;

    let started = Clock::micros();
    let mut second = system.connect(&room)?;
    let (mut bytes, mut frames) = (0, 0_u32);
    let mut numbers = BTreeSet::new();
    let mut reload = None;
    let deadline = Instant::now() + PATIENCE;
    while let Some(arrived) = second.next(deadline)? {
        numbers.extend(arrived.frame.marks().iter().map(|mark| mark.number));
        bytes += arrived.bytes;
        frames += 1;
        let complete = match &arrived.frame {
            Frame::Picture(picture) => picture.running,
            Frame::RepeatedAll { .. } => true,
            Frame::Offer { id } => {
                second.acknowledge(id)?;
                false
            }
            Frame::Ended { .. } => break,
            _ => false,
        };
        if complete && reload.is_none() {
            let text = numbers.len() * script.bytes;
            reload = Some(Reload {
                milliseconds: milliseconds(arrived.at - started),
                bytes: ratio(bytes, text),
                frames: f64::from(frames),
            });
        }
    }
    if !numbers.iter().copied().eq(0..script.chunks) {
        let (count, all) = (numbers.len(), script.chunks);
        return Err(Trouble::new(format!(
            "the second client has {count} of {all} chunks"
        )));
    }
    reload.ok_or_else(|| Trouble::new("the text so far was never sent"))
}

fn ratio(bytes: usize, text: usize) -> f64 {
    let exact = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    exact(bytes) / exact(text)
}
