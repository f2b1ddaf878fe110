//! A long conversation is opened: how long until it shows something, and what every tab is sent after one more turn.

use crate::bench::chat::{Chat, PATIENCE};
use crate::bench::frame::Frame;
use crate::bench::plan::Plan;
use crate::bench::report::{Line, Target, of_peer};
use crate::bench::rounds::Rounds;
use crate::bench::script::Script;
use crate::bench::statistics::milliseconds;
use crate::bench::system::{Room, Subject, System};
use crate::bench::trouble::Result;
use crate::provider::Clock;
use std::time::Duration;

const ROUNDS: usize = 5;
const MESSAGES: u32 = 2000;
const BYTES: u16 = 2000;

/// After this nothing more comes of a turn.
const QUIET: Duration = Duration::from_millis(700);

/// A system with a long conversation and a short one.
struct Filled {
    system: System,
    long: Room,
    short: Room,
}

struct Opening {
    fresh: f64,
    cold: f64,
    kilobytes: f64,
    tab_kilobytes: f64,
}

pub(super) fn measure(plan: &Plan) -> Vec<Line> {
    let messages = plan.count(MESSAGES);
    let rounds = Rounds::of(
        "history",
        plan,
        &Subject::AGENTS,
        plan.rounds(ROUNDS),
        |subject| fill(subject, plan, messages),
        |filled, _| open(filled),
    );
    let measure = |what: &str| format!("{messages} messages of 2 kB, {what}");
    vec![
        Line::new(
            measure("connect to a cold object"),
            "ms",
            rounds.median(|opening| opening.cold),
            of_peer(0.25),
        ),
        Line::new(
            measure("connect to a fresh process"),
            "ms",
            rounds.median(|opening| opening.fresh),
            Target::None,
        ),
        Line::new(
            measure("sent at connect"),
            "kB",
            rounds.median(|opening| opening.kilobytes),
            Target::None,
        ),
        Line::new(
            measure("sent to another tab for a small turn"),
            "kB",
            rounds.median(|opening| opening.tab_kilobytes),
            Target::None,
        ),
    ]
}

/// The peer can be filled by a call; the product is told everything, as its owner would.
fn fill(subject: Subject, plan: &Plan, messages: u32) -> Result<Filled> {
    eprintln!("history: filling {} with {messages} messages", subject.name());
    let system = System::start(subject, plan)?;
    let (long, short) = (system.room("long")?, system.room("short")?);
    let mut chat = system.enter(&long)?;
    if subject == Subject::Peer {
        chat.call("seed", &[messages.into(), BYTES.into()])?;
    } else {
        let script = Script {
            chunks: 1,
            bytes: BYTES.into(),
            gap: 0,
        };
        for _ in 0..messages / 2 {
            let id = chat.say(&script.padded(BYTES.into()))?;
            chat.end_of(&id)?;
        }
    }
    drop(chat);
    drop(system.enter(&short)?);
    Ok(Filled { system, long, short })
}

fn open(filled: &mut Filled) -> Result<Opening> {
    let Filled { system, long, short } = filled;
    system.start_again()?;
    let (chat, fresh, _) = connect(system, long)?;
    drop(chat);

    system.start_again()?;
    // The code is in memory and its agent awake; the long conversation is not.
    let awake = system.enter(short)?;
    let (mut chat, cold, bytes) = connect(system, long)?;
    let mut other = system.enter(long)?;
    chat.drain(QUIET)?;
    other.drain(QUIET)?;
    let small = Script {
        chunks: 1,
        bytes: 20,
        gap: 0,
    };
    let id = chat.say(&small.to_string())?;
    chat.end_of(&id)?;
    let tab = other.drain(QUIET)?;
    drop(awake);
    Ok(Opening {
        fresh,
        cold,
        kilobytes: kilobytes(bytes),
        tab_kilobytes: kilobytes(tab),
    })
}

/// Connects and waits for the messages: the socket, the milliseconds and the bytes.
fn connect(system: &System, room: &Room) -> Result<(Chat, f64, usize)> {
    let started = Clock::micros();
    let mut chat = system.connect(room)?;
    let mut bytes = 0;
    let shown = chat.until("transcript", PATIENCE, |seen| {
        bytes += seen.bytes;
        matches!(seen.frame, Frame::Picture(_)).then_some(seen.at)
    })?;
    Ok((chat, milliseconds(shown - started), bytes))
}

fn kilobytes(bytes: usize) -> f64 {
    f64::from(u32::try_from(bytes).unwrap_or(u32::MAX)) / 1000.0
}
