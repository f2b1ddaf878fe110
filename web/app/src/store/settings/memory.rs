//! What is remembered: the facts that the server has, and what the owner looks for among them.
//!
//! What the server says changes the facts alone. What the owner writes is a draft of its own, in the file beside this one.

mod drafts;
mod forgetting;

pub(in crate::store) use drafts::Kept as KeptMemory;
pub use drafts::{Edit, Standing};
pub use forgetting::Forgotten;

use super::Work;
use crate::platform::Timer;
use crate::store::Store;
use flarebot_protocol::call::{GetMemoryOrigin, ListMemories, SearchMemories};
use flarebot_protocol::memory::{Fact, FactOrigin, MAXIMUM_FACT_UNITS, MAXIMUM_FACTS};
use leptos::prelude::*;
use std::collections::BTreeMap;

/// What the address calls the section of the memory.
pub const MEMORY: &str = "memory";

/// How long the owner pauses in writing before it is looked for, in milliseconds.
const PAUSE: i64 = 250;

/// What is shown of the memory.
#[derive(Clone, Copy)]
pub struct Memory {
    /// The facts, the one that changed last first, as far as the server has told.
    pub facts: RwSignal<Option<Vec<Fact>>>,
    /// How reading them goes.
    pub loading: RwSignal<Work>,
    /// What the owner looks for.
    pub query: RwSignal<String>,
    /// The facts that were found, the likeliest first, by their ids. `None` while nothing is looked for.
    pub found: RwSignal<Option<Vec<String>>>,
    /// How looking for it goes.
    pub searching: RwSignal<Work>,
    /// What the owner wrote to be remembered.
    pub addition: RwSignal<String>,
    /// How adding it goes.
    pub adding: RwSignal<Work>,
    /// The facts that the owner is changing, by their ids.
    pub edits: RwSignal<BTreeMap<String, Edit>>,
    /// How forgetting goes, by the ids of the facts.
    pub forgetting: RwSignal<BTreeMap<String, Work>>,
    /// What was forgotten last, so that it can be taken back.
    pub forgotten: RwSignal<Vec<Forgotten>>,
    /// Where facts came from, as far as the owner has asked.
    pub origins: RwSignal<BTreeMap<String, Origin>>,
}

/// Where a fact came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The server was asked.
    Asked,
    /// It said so.
    Known(FactOrigin),
    /// It did not, and why.
    Failed(String),
}

/// What is known of looking for facts and is not a signal.
#[derive(Default)]
pub(in crate::store) struct Search {
    numbers: super::Numbers,
    pause: Option<Box<dyn Timer>>,
}

impl Memory {
    pub(super) fn new() -> Self {
        Self {
            facts: RwSignal::new(None),
            loading: RwSignal::new(Work::Idle),
            query: RwSignal::new(String::new()),
            found: RwSignal::new(None),
            searching: RwSignal::new(Work::Idle),
            addition: RwSignal::new(String::new()),
            adding: RwSignal::new(Work::Idle),
            edits: RwSignal::new(BTreeMap::new()),
            forgetting: RwSignal::new(BTreeMap::new()),
            forgotten: RwSignal::new(Vec::new()),
            origins: RwSignal::new(BTreeMap::new()),
        }
    }

    /// How many facts there are.
    #[must_use]
    pub fn count(self) -> usize {
        self.facts.with(|facts| facts.as_ref().map_or(0, Vec::len))
    }

    /// Whether there is no room for another fact.
    #[must_use]
    pub fn is_full(self) -> bool {
        self.count() >= MAXIMUM_FACTS
    }

    /// A fact as the server has it.
    #[must_use]
    pub fn fact(self, id: &str) -> Option<Fact> {
        self.facts
            .with(|facts| facts.iter().flatten().find(|fact| fact.id == id).cloned())
    }

    /// The facts to show, by their ids: those that were found, or all; and every one that the owner is changing.
    #[must_use]
    pub fn shown(self) -> Vec<String> {
        let all: Vec<String> = self.facts.with(|facts| {
            let facts = facts.iter().flatten();
            facts.map(|fact| fact.id.clone()).collect()
        });
        let listed = match self.found.get() {
            Some(found) => found.into_iter().filter(|id| all.contains(id)).collect(),
            None => all,
        };
        let mut shown = self.edits.with(|edits| {
            let edited = edits.keys().filter(|id| !listed.contains(id));
            edited.cloned().collect::<Vec<_>>()
        });
        shown.extend(listed);
        shown
    }

    /// Takes over one fact that the server has just told.
    fn put(self, fact: Fact) {
        self.facts.update(|facts| {
            let facts = facts.get_or_insert_default();
            facts.retain(|known| known.id != fact.id);
            facts.insert(0, fact);
        });
    }

    pub(super) fn forget(self) {
        self.facts.set(None);
        self.loading.set(Work::Idle);
        self.addition.set(String::new());
        self.edits.set(BTreeMap::new());
        self.adding.set(Work::Idle);
        self.leave();
    }

    /// What is not kept when the page is left.
    pub(super) fn leave(self) {
        self.query.set(String::new());
        self.found.set(None);
        self.searching.set(Work::Idle);
        self.forgotten.set(Vec::new());
        self.forgetting.set(BTreeMap::new());
        self.origins.set(BTreeMap::new());
        if self.adding.get_untracked() != Work::Working {
            self.adding.set(Work::Idle);
        }
        self.edits
            .update(|edits| edits.retain(|_, edit| edit.is_changed()));
    }
}

impl Store {
    /// Reads what is remembered.
    pub fn load_memory(self) {
        let memory = self.settings.memory;
        let number = self.runtime().settings.borrow_mut().memory.next();
        memory.loading.set(Work::Working);
        self.call_agent(&ListMemories {}, move |reply| {
            if !self.runtime().settings.borrow().memory.is_latest(number) {
                return;
            }
            match reply {
                Ok(facts) => {
                    memory.loading.set(Work::Idle);
                    self.take_facts(facts);
                    self.search_again();
                }
                Err(failure) => memory.loading.set(Work::Failed {
                    sentence: failure.message,
                }),
            }
        });
    }

    /// Something was remembered, changed or forgotten, here or elsewhere.
    pub(super) fn hear_memory_changed(self) {
        if self.settings.memory.facts.with_untracked(Option::is_some) {
            self.load_memory();
        }
    }

    /// From here on, facts that were asked for earlier are late; whoever waits for them gets newer ones.
    fn outdate_memory(self) {
        let is_loading = self.settings.memory.loading.get_untracked() == Work::Working;
        let _ = self.runtime().settings.borrow_mut().memory.next();
        if is_loading {
            self.load_memory();
        }
    }

    /// Looks for something among the facts, once the owner pauses in writing.
    pub fn look_for_facts(self, query: String) {
        let memory = self.settings.memory;
        let runtime = self.runtime();
        let is_blank = query.trim().is_empty();
        memory.query.set(query);
        {
            let search = &mut runtime.settings.borrow_mut().search;
            // Whatever was found for an earlier text is late.
            let _ = search.numbers.next();
            search.pause = None;
        }
        if is_blank {
            memory.found.set(None);
            memory.searching.set(Work::Idle);
            return;
        }
        memory.searching.set(Work::Working);
        let search = Box::new(move || self.search());
        let pause = self.platform().set_timer(PAUSE, search);
        runtime.settings.borrow_mut().search.pause = Some(pause);
    }

    /// Tries again what was looked for.
    pub fn search_again(self) {
        let query = self.settings.memory.query.get_untracked();
        if !query.trim().is_empty() {
            self.search();
        }
    }

    fn search(self) {
        let memory = self.settings.memory;
        let query = memory.query.get_untracked().trim().to_owned();
        let runtime = self.runtime();
        let number = {
            let search = &mut runtime.settings.borrow_mut().search;
            search.pause = None;
            search.numbers.next()
        };
        memory.searching.set(Work::Working);
        self.call_agent(&SearchMemories { query }, move |reply| {
            if !self.runtime().settings.borrow().search.numbers.is_latest(number) {
                return;
            }
            memory.searching.set(match reply {
                Ok(found) => {
                    memory
                        .found
                        .set(Some(found.into_iter().map(|fact| fact.id).collect()));
                    Work::Idle
                }
                Err(failure) => Work::Failed {
                    sentence: failure.message,
                },
            });
        });
    }

    /// Asks where a fact came from, once.
    pub fn ask_for_origin(self, id: &str) {
        let origins = self.settings.memory.origins;
        let is_asked = origins
            .with_untracked(|origins| matches!(origins.get(id), Some(Origin::Asked | Origin::Known(_))));
        if is_asked {
            return;
        }
        let id = id.to_owned();
        origins.update(|origins| {
            origins.insert(id.clone(), Origin::Asked);
        });
        self.call_agent(&GetMemoryOrigin { id: id.clone() }, move |reply| {
            let origin = reply.map_or_else(|failure| Origin::Failed(failure.message), Origin::Known);
            origins.update(|origins| {
                origins.insert(id, origin);
            });
        });
    }

    /// Nothing is looked for any more.
    pub(super) fn stop_searching(self) {
        let runtime = self.runtime();
        let search = &mut runtime.settings.borrow_mut().search;
        let _ = search.numbers.next();
        search.pause = None;
    }
}

/// How long a fact is, in UTF-16 code units.
#[must_use]
pub fn fact_units(text: &str) -> usize {
    text.trim().encode_utf16().count()
}

/// Why a text cannot be remembered, if it is too long for that.
#[must_use]
pub fn fact_fault(text: &str) -> Option<&'static str> {
    (fact_units(text) > MAXIMUM_FACT_UNITS).then_some("This is too long to be remembered. Shorten it.")
}
