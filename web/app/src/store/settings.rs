//! The Settings page: which section of it is shown, what each section knows, and what must not be lost by leaving it.

mod instructions;
mod key;
mod memory;
mod models;
mod moment;
mod question;

pub use instructions::{Draft, Instructions};
pub use key::TypedKey;
pub(super) use memory::KeptMemory;
pub use memory::{Edit, Forgotten, MEMORY, Memory, Origin, Standing, fact_fault, fact_units};
pub use models::{Models, Trial, credential, provider_title};
pub use moment::{date, relative};
pub use question::{Question, Subject};

use super::{Access, Store};
use flarebot_protocol::address::Page;
use flarebot_protocol::settings::SettingsSection;
use leptos::prelude::*;

/// What is shown of the settings.
#[derive(Clone, Copy)]
pub struct Settings {
    /// The section that the address names, as it stands there; the first one has no name. `None` until the page runs.
    pub section: RwSignal<Option<String>>,
    /// What the agent is told before every conversation.
    pub instructions: Instructions,
    /// Which model answers, and the keys of providers.
    pub models: Models,
    /// What is remembered.
    pub memory: Memory,
    /// The question that has to be answered first.
    pub question: RwSignal<Option<Question>>,
}

/// How something goes that the owner asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Work {
    /// Nothing was asked for.
    #[default]
    Idle,
    /// The server is at it, or the connection is awaited.
    Working,
    /// It is done.
    Done,
    /// It failed.
    Failed {
        /// Why, for the owner.
        sentence: String,
    },
}

/// What is known of the calls of the settings and is not a signal.
#[derive(Default)]
pub(super) struct Calls {
    instructions: Numbers,
    models: Numbers,
    trials: Numbers,
    memory: Numbers,
    search: memory::Search,
    pub(super) conversation_memory: Numbers,
    /// Whether the instructions changed while the page was changing them itself.
    changed_meanwhile: bool,
}

/// Numbers for requests of one kind, so that the answer to an earlier one is known to be late.
#[derive(Default)]
pub(super) struct Numbers {
    latest: u64,
}

impl Numbers {
    pub(super) fn next(&mut self) -> u64 {
        self.latest = self.latest.wrapping_add(1);
        self.latest
    }

    pub(super) fn is_latest(&self, number: u64) -> bool {
        self.latest == number
    }
}

impl Settings {
    pub(super) fn new() -> Self {
        Self {
            section: RwSignal::new(None),
            instructions: Instructions::new(),
            models: Models::new(),
            memory: Memory::new(),
            question: RwSignal::new(None),
        }
    }
}

impl Store {
    /// Shows a section, as a step in the history.
    pub fn open_section(self, section: &str) {
        let is_shown = self
            .settings
            .section
            .with_untracked(|shown| shown.as_deref() == Some(section));
        if !is_shown {
            self.platform().push_address(&section_path(section));
            self.show_section();
        }
    }

    /// Whether anything in the settings was changed and not saved.
    #[must_use]
    pub fn has_unsaved_settings(self) -> bool {
        self.settings.instructions.draft.with(Option::is_some)
            || self.settings.models.choice.with(Option::is_some)
            || self.settings.memory.has_unsaved()
    }

    /// Comes to the page, or finds it still open once the owner is signed in.
    pub(super) fn enter_settings(self) {
        self.show_section();
        self.restore_instructions();
        self.restore_memory();
        if self.access.get_untracked() != Access::Granted {
            return;
        }
        if self.settings.instructions.loading.get_untracked() != Work::Working {
            self.load_instructions();
        }
        if self.settings.models.loading.get_untracked() != Work::Working {
            self.load_model_settings();
        }
        self.enter_section();
    }

    /// Reads what only one section shows.
    fn enter_section(self) {
        let is_memory = self
            .settings
            .section
            .with_untracked(|section| section.as_deref() == Some(MEMORY));
        let is_loading = self.settings.memory.loading.get_untracked() == Work::Working;
        if is_memory && !is_loading && self.access.get_untracked() == Access::Granted {
            self.load_memory();
        }
    }

    /// Follows the address to another section.
    pub(super) fn show_section(self) {
        let section = section_of(&self.platform().address().path);
        if self.settings.section.with_untracked(|shown| *shown != section) {
            self.forget_trial();
            self.settings.section.set(section);
            self.enter_section();
        }
    }

    /// Whether the page may be left. If something on it is not saved, the owner is asked first.
    pub(super) fn may_leave_settings(self, to: Page) -> bool {
        let is_leaving = self.page.get_untracked() == Page::Settings && to != Page::Settings;
        if !is_leaving || !untrack(|| self.has_unsaved_settings()) {
            return true;
        }
        self.ask(Subject::Leaving(to));
        false
    }

    /// The page is left: what is not kept is forgotten.
    pub(super) fn leave_settings(self) {
        self.forget_trial();
        self.stop_searching();
        let Settings {
            section,
            instructions,
            models,
            memory,
            question,
        } = self.settings;
        memory.leave();
        section.set(None);
        question.set(None);
        models.choice.set(None);
        for work in [instructions.saving, models.choosing, models.key] {
            if work.get_untracked() != Work::Working {
                work.set(Work::Idle);
            }
        }
    }

    /// Puts the address of the section back that the owner was about to leave.
    pub(super) fn stay_in_settings(self) {
        let section = self.settings.section.get_untracked().unwrap_or_default();
        self.platform().push_address(&section_path(&section));
    }

    /// There is a connection, perhaps after a time without one, in which anything may have changed.
    pub(super) fn refresh_settings(self) {
        self.load_model_list();
        if self.page.get_untracked() == Page::Settings {
            self.enter_settings();
        }
    }

    /// Something was changed, here or in another tab.
    pub(super) fn hear_settings_changed(self, section: SettingsSection) {
        if section == SettingsSection::Memory {
            self.load_conversation_memory();
        }
        if self.page.get_untracked() != Page::Settings {
            return;
        }
        match section {
            SettingsSection::Instructions => self.hear_instructions_changed(),
            SettingsSection::Models => self.load_model_settings(),
            SettingsSection::Memory => self.hear_memory_changed(),
        }
    }

    /// Forgets everything private. A draft stays kept in the browser.
    pub(super) fn forget_settings(self) {
        self.leave_settings();
        self.settings.instructions.forget();
        self.settings.models.forget();
        self.settings.memory.forget();
        self.runtime().settings.replace(Calls::default());
    }
}

/// The address of a section.
#[must_use]
pub fn section_path(section: &str) -> String {
    let page = Page::Settings.path();
    if section.is_empty() {
        page
    } else {
        format!("{page}/{section}")
    }
}

/// The section that an address names.
fn section_of(path: &str) -> Option<String> {
    let rest = path.strip_prefix(&Page::Settings.path())?;
    Some(rest.strip_prefix('/').unwrap_or(rest).to_owned())
}
