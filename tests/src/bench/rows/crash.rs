//! A kill in the middle of an answer, as both rows about recovery begin.

use crate::bench::chat::{Chat, PATIENCE, completed};
use crate::bench::frame::Frame;
use crate::bench::script::Script;
use crate::bench::system::{Room, System};
use crate::bench::trouble::{Result, Trouble};
use crate::provider::Clock;
use std::collections::BTreeSet;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What connecting leaves behind is over after this.
const SETTLING: Duration = Duration::from_millis(700);
const DOWN: Duration = Duration::from_millis(100);

/// How much longer a client listens to an answer that was said to have ended otherwise.
const SECOND_THOUGHTS: Duration = Duration::from_secs(10);

/// What stood when the runtime was ready again.
pub(super) struct Crash {
    pub(super) room: Room,
    /// How many chunks the client had seen.
    pub(super) seen: u32,
    /// In microseconds of the provider's clock.
    pub(super) killed_at: u64,
    pub(super) ready_at: u64,
}

/// What a client that came back saw.
#[derive(Debug, Clone)]
pub(super) enum Aftermath {
    /// The answer was completed; its first new text came at this time of the provider's clock.
    WentOn { new_text_at: u64 },
    /// It never was, for this reason.
    Lost(Trouble),
}

impl Crash {
    /// Kills the runtime when the client has seen `seen` chunks, and starts it again.
    pub(super) fn cause(system: &mut System, name: &str, script: Script, seen: u32) -> Result<Self> {
        let room = system.room(name)?;
        let mut chat = system.enter(&room)?;
        sleep(SETTLING);
        system.provider.forget();
        chat.say(&script.to_string())?;
        let seen = chat.until("part of the answer", PATIENCE, |arrived| {
            let last = arrived.frame.marks().last()?;
            (last.number + 1 >= seen).then_some(last.number + 1)
        })?;
        system.kill();
        let killed_at = Clock::micros();
        drop(chat);
        sleep(DOWN);
        system.start_again()?;
        Ok(Self {
            room,
            seen,
            killed_at,
            ready_at: Clock::micros(),
        })
    }

    /// Connects and follows the answer to its end.
    pub(super) fn follow(&self, system: &System, patience: Duration) -> Result<Aftermath> {
        let mut chat = system.connect(&self.room)?;
        let mut deadline = Instant::now() + patience;
        let mut new_text_at = None;
        let mut ended = None;
        while let Some(arrived) = chat.next(deadline)? {
            if let Frame::Offer { id } = &arrived.frame {
                chat.acknowledge(id)?;
            }
            if arrived
                .frame
                .marks()
                .iter()
                .any(|mark| mark.written_at > self.killed_at)
            {
                new_text_at = new_text_at.or(Some(arrived.at));
            }
            match (outcome(&arrived.frame), new_text_at) {
                (Some("completed"), Some(new_text_at)) => return Ok(Aftermath::WentOn { new_text_at }),
                (Some(outcome), _) => {
                    ended = ended.or_else(|| completed(outcome).err());
                    deadline = deadline.min(Instant::now() + SECOND_THOUGHTS);
                }
                (None, _) => {}
            }
        }
        let reason = ended.unwrap_or_else(|| Trouble::new("the turn never ended"));
        Ok(Aftermath::Lost(reason))
    }

    /// What is stored must be the whole answer, each chunk once.
    pub(super) fn check_stored(&self, system: &System, script: Script) -> Result<()> {
        let mut chat: Chat = system.connect(&self.room)?;
        let numbers: Vec<u32> = chat.until("transcript", PATIENCE, |arrived| match &arrived.frame {
            Frame::Picture(picture) => Some(picture.marks.iter().map(|mark| mark.number).collect()),
            _ => None,
        })?;
        if numbers.iter().copied().eq(0..script.chunks) {
            return Ok(());
        }
        let different: BTreeSet<_> = numbers.iter().collect();
        let (all, stored, different) = (script.chunks, numbers.len(), different.len());
        Err(Trouble::new(format!(
            "of {all} chunks {different} are stored, {} of them again",
            stored - different
        )))
    }
}

/// How a frame says that the answer ended.
fn outcome(frame: &Frame) -> Option<&str> {
    match frame {
        Frame::Ended { outcome, .. } => Some(outcome),
        Frame::Picture(picture) => picture.outcome.as_deref().filter(|_| !picture.running),
        _ => None,
    }
}
