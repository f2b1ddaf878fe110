//! Forgetting facts, and taking that back.

use crate::store::Store;
use crate::store::settings::Work;
use flarebot_protocol::call::{AddMemory, DeleteMemory};
use flarebot_protocol::memory::Fact;
use leptos::prelude::*;

/// How many of the facts that were forgotten last can be taken back.
const KEPT: usize = 5;

/// A fact that was forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgotten {
    /// The fact as it was.
    pub fact: Fact,
    /// How taking it back goes.
    pub undoing: Work,
}

impl Store {
    /// Forgets a fact, unless it changed meanwhile.
    pub fn forget_fact(self, id: &str) {
        let memory = self.settings.memory;
        let is_working = memory
            .forgetting
            .with_untracked(|forgetting| forgetting.get(id) == Some(&Work::Working));
        let Some(fact) = untrack(|| memory.fact(id)).filter(|_| !is_working) else {
            return;
        };
        let set = move |id: &str, work: Work| {
            memory.forgetting.update(|forgetting| {
                forgetting.insert(id.to_owned(), work);
            });
        };
        set(id, Work::Working);
        let call = DeleteMemory {
            id: fact.id.clone(),
            version: fact.version,
        };
        self.call_agent(&call, move |reply| match reply {
            Ok(()) => {
                self.outdate_memory();
                memory.facts.update(|facts| {
                    if let Some(facts) = facts {
                        facts.retain(|known| known.id != fact.id);
                    }
                });
                memory.forgetting.update(|forgetting| {
                    forgetting.remove(&fact.id);
                });
                memory.forgotten.update(|forgotten| {
                    let undoing = Work::Idle;
                    forgotten.insert(0, Forgotten { fact, undoing });
                    forgotten.truncate(KEPT);
                });
            }
            Err(failure) => {
                set(
                    &fact.id,
                    Work::Failed {
                        sentence: failure.message,
                    },
                );
                self.load_memory();
            }
        });
    }

    /// Remembers the text of a forgotten fact again, as a new fact.
    pub fn undo_forgetting(self, id: &str) {
        let memory = self.settings.memory;
        let found = memory.forgotten.with_untracked(|forgotten| {
            let mut forgotten = forgotten.iter();
            forgotten.find(|forgotten| forgotten.fact.id == id).cloned()
        });
        let Some(found) = found.filter(|found| found.undoing != Work::Working) else {
            return;
        };
        let set = move |id: &str, work: Work| {
            memory.forgotten.update(|forgotten| {
                if let Some(found) = forgotten.iter_mut().find(|found| found.fact.id == id) {
                    found.undoing = work;
                }
            });
        };
        set(id, Work::Working);
        let id = id.to_owned();
        let content = found.fact.content;
        self.call_agent(&AddMemory { content }, move |reply| match reply {
            Ok(fact) => {
                self.outdate_memory();
                memory.put(fact);
                memory
                    .forgotten
                    .update(|forgotten| forgotten.retain(|found| found.fact.id != id));
                self.announcement.set("Remembered again");
            }
            Err(failure) => set(
                &id,
                Work::Failed {
                    sentence: failure.message,
                },
            ),
        });
    }
}
