//! What a command has done, and taking that back.

use crate::store::Store;
use crate::store::settings::Work;
use flarebot_protocol::call::{AddMemory, CallFailure, DeleteMemory};
use flarebot_protocol::memory::Fact;
use leptos::prelude::*;

/// What was done, so that it can be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// What.
    pub deed: Deed,
    /// With which fact.
    pub fact: Fact,
    /// How taking it back goes.
    pub undoing: Work,
}

/// What was done with a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// It is remembered.
    Remembered,
    /// It is not any more.
    Forgotten,
}

impl Store {
    /// Takes back what a command has done.
    pub fn undo_command(self) {
        let Some(done) = self.commands.done.get_untracked() else {
            return;
        };
        if done.undoing == Work::Working {
            return;
        }
        self.step_undoing(&done.fact, Work::Working);
        let Fact {
            id, version, content, ..
        } = done.fact.clone();
        let fact = done.fact;
        match done.deed {
            Deed::Remembered => {
                self.call_agent(&DeleteMemory { id, version }, move |reply| {
                    self.finish_undoing(&fact, reply);
                });
            }
            Deed::Forgotten => {
                self.call_agent(&AddMemory { content }, move |reply| {
                    self.finish_undoing(&fact, reply.map(|_| ()));
                });
            }
        }
    }

    /// What was done needs no more mention.
    pub fn dismiss_done(self) {
        self.commands.done.set(None);
    }

    fn finish_undoing(self, fact: &Fact, reply: Result<(), CallFailure>) {
        match reply {
            Ok(()) => {
                let is_shown = |done: &Option<Done>| done.as_ref().is_some_and(|done| done.fact == *fact);
                if self.commands.done.with_untracked(is_shown) {
                    self.dismiss_done();
                    self.announcement.set("Undone");
                    // The button is gone; whoever pressed it goes on in the composer.
                    self.arrivals
                        .update(|arrivals| *arrivals = arrivals.wrapping_add(1));
                }
            }
            Err(failure) => self.step_undoing(
                fact,
                Work::Failed {
                    sentence: failure.message,
                },
            ),
        }
    }

    fn step_undoing(self, fact: &Fact, undoing: Work) {
        self.commands.done.update(|done| {
            if let Some(done) = done.as_mut().filter(|done| done.fact == *fact) {
                done.undoing = undoing;
            }
        });
    }
}
