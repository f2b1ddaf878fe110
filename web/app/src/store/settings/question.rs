//! What is asked before something cannot be taken back.

use super::Work;
use crate::store::Store;
use flarebot_protocol::address::Page;
use flarebot_protocol::settings::ModelProvider;
use leptos::prelude::*;

/// A question that has to be answered first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What it is about.
    pub subject: Subject,
    /// How far it is: idle while the owner has not decided.
    pub step: Work,
}

/// What a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The owner's instructions will be replaced by the defaults.
    RestoringDefaults,
    /// A key will be removed.
    RemovingKey(ModelProvider),
    /// What is not saved will be lost.
    Leaving(Page),
}

impl Question {
    pub(super) fn set_step(question: RwSignal<Option<Self>>, step: Work) {
        question.update(|question| {
            if let Some(question) = question {
                question.step = step;
            }
        });
    }
}

impl Store {
    /// Asks before something cannot be taken back.
    pub fn ask(self, subject: Subject) {
        let step = Work::Idle;
        self.settings.question.set(Some(Question { subject, step }));
    }

    /// Closes the question; everything stays as it is.
    pub fn decline(self) {
        self.settings.question.set(None);
    }

    /// Does what the question is about.
    pub fn confirm(self) {
        let Some(Question { subject, step }) = self.settings.question.get_untracked() else {
            return;
        };
        if step == Work::Working {
            return;
        }
        match subject {
            Subject::RestoringDefaults => self.reset_instructions(),
            Subject::RemovingKey(provider) => self.remove_key(provider),
            Subject::Leaving(page) => {
                self.decline();
                self.discard_instructions();
                self.discard_memory();
                self.settings.models.choice.set(None);
                self.navigate(page);
            }
        }
    }
}
