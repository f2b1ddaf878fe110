//! What the owner writes to be remembered, and the changes to facts that are not saved. Both outlive the page.

use super::{Memory, fact_fault};
use crate::store::settings::Work;
use crate::store::{Store, drafts};
use flarebot_protocol::call::{AddMemory, CallFailure, UpdateMemory};
use flarebot_protocol::memory::Fact;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A fact that the owner is changing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The new text.
    pub text: String,
    /// The fact that the owner had before them, or decided to replace.
    pub base: Fact,
    /// How saving goes.
    #[serde(skip)]
    pub saving: Work,
}

/// How a change stands towards what the server has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is based on it.
    Current,
    /// The fact was changed elsewhere, to this.
    Overtaken(Fact),
    /// The fact was forgotten elsewhere.
    Gone,
}

/// What is kept in the browser.
#[derive(Default, Serialize, Deserialize)]
pub(in crate::store) struct Kept {
    addition: String,
    edits: BTreeMap<String, Edit>,
}

impl Edit {
    /// Whether the text is another one.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.text.trim() != self.base.content
    }
}

impl Memory {
    /// How the change of a fact stands.
    #[must_use]
    pub fn standing(self, id: &str) -> Option<Standing> {
        let version = self
            .edits
            .with(|edits| edits.get(id).map(|edit| edit.base.version))?;
        if self.facts.with(Option::is_none) {
            return Some(Standing::Current);
        }
        Some(match self.fact(id) {
            Some(fact) if fact.version == version => Standing::Current,
            Some(fact) => Standing::Overtaken(fact),
            None => Standing::Gone,
        })
    }

    /// Whether the change of a fact can be saved.
    #[must_use]
    pub fn can_save(self, id: &str) -> bool {
        let is_ready = self.edits.with(|edits| {
            edits.get(id).is_some_and(|edit| {
                edit.is_changed()
                    && !edit.text.trim().is_empty()
                    && fact_fault(&edit.text).is_none()
                    && edit.saving != Work::Working
            })
        });
        is_ready && self.standing(id) == Some(Standing::Current)
    }

    /// Whether what the owner wrote can be added.
    #[must_use]
    pub fn can_add(self) -> bool {
        let is_fine = self
            .addition
            .with(|text| !text.trim().is_empty() && fact_fault(text).is_none());
        is_fine && !self.is_full() && self.facts.with(Option::is_some) && self.adding.get() != Work::Working
    }

    /// Whether anything was written and not saved.
    #[must_use]
    pub fn has_unsaved(self) -> bool {
        self.addition.with(|text| !text.trim().is_empty())
            || self.edits.with(|edits| edits.values().any(Edit::is_changed))
    }

    fn set_saving(self, id: &str, saving: Work) {
        self.edits.update(|edits| {
            if let Some(edit) = edits.get_mut(id) {
                edit.saving = saving;
            }
        });
    }
}

impl Store {
    /// Takes over what the owner has written to be remembered, and keeps it.
    pub fn write_fact(self, text: String) {
        let memory = self.settings.memory;
        if memory.adding.get_untracked() != Work::Working {
            memory.adding.set(Work::Idle);
        }
        memory.addition.set(text);
        self.keep_memory();
    }

    /// Has it remembered. Whatever comes of it, what is written meanwhile stays.
    pub fn add_fact(self) {
        let memory = self.settings.memory;
        if !untrack(|| memory.can_add()) {
            return;
        }
        let written = memory.addition.get_untracked();
        let content = written.trim().to_owned();
        memory.adding.set(Work::Working);
        self.call_agent(&AddMemory { content }, move |reply| match reply {
            Ok(fact) => {
                self.outdate_memory();
                memory.put(fact);
                memory.adding.set(Work::Done);
                if memory.addition.with_untracked(|text| *text == written) {
                    memory.addition.set(String::new());
                    self.keep_memory();
                }
            }
            Err(failure) => {
                memory.adding.set(failed(failure));
                self.load_memory();
            }
        });
    }

    /// Begins to change a fact.
    pub fn edit_fact(self, id: &str) {
        let memory = self.settings.memory;
        if let Some(base) = untrack(|| memory.fact(id)) {
            memory.edits.update(|edits| {
                edits.entry(id.to_owned()).or_insert_with(|| Edit {
                    text: base.content.clone(),
                    base,
                    saving: Work::Idle,
                });
            });
        }
    }

    /// Takes over what the owner has written in place of a fact, and keeps it.
    pub fn write_edit(self, id: &str, text: String) {
        self.settings.memory.edits.update(|edits| {
            if let Some(edit) = edits.get_mut(id) {
                edit.text = text;
                if edit.saving != Work::Working {
                    edit.saving = Work::Idle;
                }
            }
        });
        self.keep_memory();
    }

    /// Leaves a fact as it is, as the server has it.
    pub fn cancel_edit(self, id: &str) {
        self.settings.memory.edits.update(|edits| {
            edits.remove(id);
        });
        self.keep_memory();
    }

    /// Keeps the owner's text: saving it will replace the one from elsewhere.
    pub fn keep_own_fact(self, id: &str) {
        let memory = self.settings.memory;
        if let Some(Standing::Overtaken(newer)) = untrack(|| memory.standing(id)) {
            memory.edits.update(|edits| {
                if let Some(edit) = edits.get_mut(id) {
                    edit.base = newer;
                    edit.saving = Work::Idle;
                }
            });
            self.keep_memory();
        }
    }

    /// Saves a change, unless the fact changed meanwhile. What is written while that goes on stays.
    pub fn save_edit(self, id: &str) {
        let memory = self.settings.memory;
        let edit = memory.edits.with_untracked(|edits| edits.get(id).cloned());
        let Some(edit) = edit.filter(|_| untrack(|| memory.can_save(id))) else {
            return;
        };
        let call = UpdateMemory {
            id: id.to_owned(),
            content: edit.text.trim().to_owned(),
            version: edit.base.version,
        };
        memory.set_saving(id, Work::Working);
        let id = id.to_owned();
        self.call_agent(&call, move |reply| match reply {
            Ok(fact) => self.finish_edit(fact, &edit.text),
            Err(failure) => {
                memory.set_saving(&id, failed(failure));
                // Whoever changed it, and whether this was done after all, is seen in what there is now.
                self.load_memory();
            }
        });
    }

    /// Has the owner's text remembered as a new fact in place of one that is gone.
    pub fn remember_edit(self, id: &str) {
        let memory = self.settings.memory;
        let edit = memory.edits.with_untracked(|edits| edits.get(id).cloned());
        let Some(edit) = edit.filter(|edit| edit.saving != Work::Working) else {
            return;
        };
        memory.set_saving(id, Work::Working);
        let id = id.to_owned();
        let content = edit.text.trim().to_owned();
        self.call_agent(&AddMemory { content }, move |reply| match reply {
            Ok(fact) => {
                self.outdate_memory();
                memory.put(fact);
                self.cancel_edit(&id);
                self.announcement.set("Remembered");
            }
            Err(failure) => memory.set_saving(&id, failed(failure)),
        });
    }

    /// A draft that is saved as `done` is none any more, and a newer one goes on from what is saved.
    fn finish_edit(self, fact: Fact, done: &str) {
        let memory = self.settings.memory;
        self.outdate_memory();
        memory.edits.update(|edits| {
            if edits.get(&fact.id).is_some_and(|edit| edit.text == done) {
                edits.remove(&fact.id);
            } else if let Some(edit) = edits.get_mut(&fact.id) {
                edit.base = fact.clone();
                edit.saving = Work::Idle;
            }
        });
        memory.put(fact);
        self.keep_memory();
        self.announcement.set("Saved");
    }

    /// Takes over what the server has. A draft that says the same is saved already.
    pub(super) fn take_facts(self, facts: Vec<Fact>) {
        let memory = self.settings.memory;
        let added = memory.addition.get_untracked();
        let was_added_after_all = matches!(memory.adding.get_untracked(), Work::Failed { .. })
            && facts
                .iter()
                .any(|fact| fact.content == added.trim() && untrack(|| memory.fact(&fact.id)).is_none());
        memory.edits.update(|edits| {
            for fact in &facts {
                if let Some(edit) = edits.get_mut(&fact.id)
                    && edit.base != *fact
                {
                    if !edit.is_changed() {
                        edit.text.clone_from(&fact.content);
                        edit.base = fact.clone();
                    } else if edit.text.trim() == fact.content {
                        edits.remove(&fact.id);
                    }
                }
            }
            edits.retain(|id, edit| edit.is_changed() || facts.iter().any(|fact| fact.id == *id));
        });
        if was_added_after_all {
            memory.adding.set(Work::Done);
            memory.addition.set(String::new());
        }
        memory.facts.set(Some(facts));
        self.keep_memory();
    }

    /// The drafts that an earlier visit left behind.
    pub(in crate::store) fn restore_memory(self) {
        let memory = self.settings.memory;
        let has_none = memory.addition.with_untracked(String::is_empty)
            && memory.edits.with_untracked(BTreeMap::is_empty);
        if has_none && let Some(kept) = drafts::memory(self.platform().as_ref()) {
            memory.addition.set(kept.addition);
            memory.edits.set(kept.edits);
        }
    }

    /// Gives the drafts up.
    pub(in crate::store) fn discard_memory(self) {
        let memory = self.settings.memory;
        memory.addition.set(String::new());
        memory.edits.set(BTreeMap::new());
        self.keep_memory();
    }

    fn keep_memory(self) {
        let memory = self.settings.memory;
        let edits = memory.edits.with_untracked(|edits| {
            let changed = edits.iter().filter(|(_, edit)| edit.is_changed());
            changed
                .map(|(id, edit)| (id.clone(), edit.clone()))
                .collect::<BTreeMap<_, _>>()
        });
        let addition = memory.addition.get_untracked();
        let kept = (!addition.is_empty() || !edits.is_empty()).then_some(Kept { addition, edits });
        drafts::keep_memory(self.platform().as_ref(), kept.as_ref());
    }
}

fn failed(failure: CallFailure) -> Work {
    Work::Failed {
        sentence: failure.message,
    }
}
