//! The owner's instructions: the text that the server has, and the draft that it does not have yet.
//!
//! The two are never mixed up. What the server says changes the saved text alone; what the owner writes changes the draft
//! alone. A draft remembers which text it was made from, so that a change from elsewhere is noticed whenever it comes.

use super::{Question, Work};
use crate::store::{Store, drafts};
use flarebot_protocol::call::{CallFailure, GetInstructionSettings, ResetInstructions, UpdateInstructions};
use flarebot_protocol::settings::{InstructionSettings, MAXIMUM_INSTRUCTIONS};
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

/// What is shown of the instructions.
#[derive(Clone, Copy)]
pub struct Instructions {
    /// What the server has, as far as is known.
    pub saved: RwSignal<Option<InstructionSettings>>,
    /// What the owner wrote and has not saved.
    pub draft: RwSignal<Option<Draft>>,
    /// How reading them goes.
    pub loading: RwSignal<Work>,
    /// How changing them goes.
    pub saving: RwSignal<Work>,
}

/// A text that is not saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// The text.
    pub text: String,
    /// The saved text that the owner had before them, or decided to replace.
    pub base: String,
}

impl Instructions {
    pub(super) fn new() -> Self {
        Self {
            saved: RwSignal::new(None),
            draft: RwSignal::new(None),
            loading: RwSignal::new(Work::Idle),
            saving: RwSignal::new(Work::Idle),
        }
    }

    /// What stands in the field.
    #[must_use]
    pub fn text(self) -> String {
        let draft = self
            .draft
            .with(|draft| draft.as_ref().map(|draft| draft.text.clone()));
        let saved = || {
            self.saved
                .with(|saved| saved.as_ref().map(|saved| saved.text.clone()))
        };
        draft.or_else(saved).unwrap_or_default()
    }

    /// How long the text is, in UTF-16 code units.
    #[must_use]
    pub fn units(self) -> usize {
        units(&self.text())
    }

    /// Why the draft cannot be saved, if it cannot.
    #[must_use]
    pub fn fault(self) -> Option<&'static str> {
        self.draft
            .with(|draft| draft.as_ref().and_then(|draft| fault(&draft.text)))
    }

    /// Whether the saved text was changed elsewhere since the draft was begun.
    #[must_use]
    pub fn is_overtaken(self) -> bool {
        self.saved.with(|saved| {
            self.draft.with(|draft| match (saved, draft) {
                (Some(saved), Some(draft)) => saved.text != draft.base,
                (None, _) | (_, None) => false,
            })
        })
    }

    /// Whether there is something to save, and nothing in the way of it.
    #[must_use]
    pub fn can_save(self) -> bool {
        self.saved.with(Option::is_some)
            && self.draft.with(Option::is_some)
            && self.saving.get() != Work::Working
            && !self.is_overtaken()
            && self.fault().is_none()
    }

    pub(super) fn forget(self) {
        self.saved.set(None);
        self.draft.set(None);
        self.loading.set(Work::Idle);
        self.saving.set(Work::Idle);
    }
}

impl Store {
    /// Takes over what the owner has written, and keeps it. What equals the saved text is no draft.
    pub fn write_instructions(self, text: String) {
        let instructions = self.settings.instructions;
        let Some(saved) = instructions.saved.get_untracked() else {
            return;
        };
        if instructions.saving.get_untracked() == Work::Done {
            instructions.saving.set(Work::Idle);
        }
        let before = instructions.draft.get_untracked();
        let base = before.map_or_else(|| saved.text.clone(), |draft| draft.base);
        let draft = (!is_same(&text, &saved.text)).then_some(Draft { text, base });
        self.keep_instructions(draft);
    }

    /// Saves the draft. Whatever comes of it, what is written meanwhile stays.
    pub fn save_instructions(self) {
        let instructions = self.settings.instructions;
        let Some(draft) = instructions.draft.get_untracked() else {
            return;
        };
        if !untrack(|| instructions.can_save()) {
            return;
        }
        let sent = draft.text.clone();
        instructions.saving.set(Work::Working);
        self.change_instructions();
        self.call_agent(&UpdateInstructions { text: draft.text }, move |reply| {
            self.finish_change(reply, &sent);
        });
    }

    /// Goes back to the defaults, once the owner has said so.
    pub(super) fn reset_instructions(self) {
        let instructions = self.settings.instructions;
        if instructions.saving.get_untracked() == Work::Working {
            return;
        }
        let given_up = untrack(|| instructions.text());
        instructions.saving.set(Work::Working);
        Question::set_step(self.settings.question, Work::Working);
        self.change_instructions();
        self.call_agent(&ResetInstructions {}, move |reply| {
            let failure = reply.as_ref().err().map(|failure| failure.message.clone());
            self.finish_change(reply, &given_up);
            match failure {
                None => {
                    self.settings.question.set(None);
                    instructions.saving.set(Work::Idle);
                    self.announcement.set("The defaults are back");
                }
                Some(sentence) => Question::set_step(self.settings.question, Work::Failed { sentence }),
            }
        });
    }

    /// Takes over the text from elsewhere in place of the draft.
    pub fn load_other_instructions(self) {
        self.keep_instructions(None);
    }

    /// Keeps the draft: saving it will replace the text from elsewhere.
    pub fn keep_own_instructions(self) {
        let instructions = self.settings.instructions;
        let saved = instructions.saved.get_untracked();
        if let (Some(saved), Some(draft)) = (saved, instructions.draft.get_untracked()) {
            let base = saved.text;
            self.keep_instructions(Some(Draft { base, ..draft }));
        }
    }

    /// Reads what the server has.
    pub fn load_instructions(self) {
        let instructions = self.settings.instructions;
        let number = self.runtime().settings.borrow_mut().instructions.next();
        instructions.loading.set(Work::Working);
        self.call_agent(&GetInstructionSettings {}, move |reply| {
            if !self.runtime().settings.borrow().instructions.is_latest(number) {
                return;
            }
            instructions.loading.set(match reply {
                Ok(saved) => {
                    self.take_instructions(saved);
                    Work::Idle
                }
                Err(failure) => Work::Failed {
                    sentence: failure.message,
                },
            });
        });
    }

    /// The draft that an earlier visit left behind.
    pub(super) fn restore_instructions(self) {
        let draft = self.settings.instructions.draft;
        if draft.with_untracked(Option::is_none) {
            draft.set(drafts::instructions(self.platform().as_ref()));
        }
    }

    /// Gives the draft up.
    pub(super) fn discard_instructions(self) {
        self.keep_instructions(None);
    }

    /// The text was changed, here or elsewhere. While this page changes it, that is looked at afterwards.
    pub(super) fn hear_instructions_changed(self) {
        if self.settings.instructions.saving.get_untracked() == Work::Working {
            self.runtime().settings.borrow_mut().changed_meanwhile = true;
        } else {
            self.load_instructions();
        }
    }

    /// From here on, a text that was asked for earlier is late.
    fn change_instructions(self) {
        let _ = self.runtime().settings.borrow_mut().instructions.next();
        self.settings.instructions.loading.set(Work::Idle);
    }

    /// The end of a change: a draft that is still `done` is no draft any more, and a newer one goes on from what is saved.
    fn finish_change(self, reply: Result<InstructionSettings, CallFailure>, done: &str) {
        let instructions = self.settings.instructions;
        let changed_meanwhile = std::mem::take(&mut self.runtime().settings.borrow_mut().changed_meanwhile);
        // Whether a change that failed was made after all is not known.
        let is_uncertain = changed_meanwhile || reply.is_err();
        match reply {
            Ok(saved) => {
                let draft = instructions.draft.get_untracked();
                let newer = draft.filter(|draft| draft.text != done);
                let base = saved.text.clone();
                self.keep_instructions(newer.map(|draft| Draft { base, ..draft }));
                self.take_instructions(saved);
                instructions.saving.set(Work::Done);
            }
            Err(failure) => instructions.saving.set(Work::Failed {
                sentence: failure.message,
            }),
        }
        if is_uncertain {
            self.load_instructions();
        }
    }

    /// Takes over what the server has. A draft that says the same is saved already.
    fn take_instructions(self, saved: InstructionSettings) {
        let instructions = self.settings.instructions;
        let is_saved = instructions.draft.with_untracked(|draft| {
            draft
                .as_ref()
                .is_some_and(|draft| is_same(&draft.text, &saved.text))
        });
        if is_saved {
            self.keep_instructions(None);
            instructions.saving.update(|saving| {
                if let Work::Failed { .. } = saving {
                    *saving = Work::Done;
                }
            });
        }
        instructions.saved.set(Some(saved));
    }

    fn keep_instructions(self, draft: Option<Draft>) {
        drafts::keep_instructions(self.platform().as_ref(), draft.as_ref());
        self.settings.instructions.draft.set(draft);
    }
}

fn fault(text: &str) -> Option<&'static str> {
    if text.trim().is_empty() {
        Some("There is nothing to save. Write something, or restore the defaults.")
    } else if units(text) > MAXIMUM_INSTRUCTIONS {
        Some("This is too long to be saved. Shorten it.")
    } else {
        None
    }
}

/// Browsers know one end of a line only, so a text that went through a field says the same with it.
fn is_same(written: &str, saved: &str) -> bool {
    written == saved || (saved.contains('\r') && written == saved.replace("\r\n", "\n").replace('\r', "\n"))
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}
