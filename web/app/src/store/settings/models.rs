//! Which model answers: the list, the choice, and the trial of one.

use super::Work;
use crate::store::Store;
use flarebot_protocol::call::{GetModelSettings, ListModels, TryModel, UpdateModelSettings};
use flarebot_protocol::settings::{
    Credential, ModelChoice, ModelList, ModelProvider, ModelSettings, ModelTrial,
};
use leptos::prelude::*;

/// What is shown of the models.
#[derive(Clone, Copy)]
pub struct Models {
    /// Those that may be chosen.
    pub list: RwSignal<Option<ModelList>>,
    /// The one that answers, and which keys there are, as far as the server has told.
    pub settings: RwSignal<Option<ModelSettings>>,
    /// The one that the owner has marked and not yet chosen.
    pub choice: RwSignal<Option<ModelChoice>>,
    /// How reading the list goes.
    pub listing: RwSignal<Work>,
    /// How reading the settings goes.
    pub loading: RwSignal<Work>,
    /// How choosing goes.
    pub choosing: RwSignal<Work>,
    /// The latest trial.
    pub trial: RwSignal<Option<Trial>>,
    /// How storing or removing a key goes. The key itself is nowhere here.
    pub key: RwSignal<Work>,
}

/// One short request to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// The model.
    pub choice: ModelChoice,
    /// What came of it, once it is known.
    pub outcome: Option<ModelTrial>,
}

impl Models {
    pub(super) fn new() -> Self {
        Self {
            list: RwSignal::new(None),
            settings: RwSignal::new(None),
            choice: RwSignal::new(None),
            listing: RwSignal::new(Work::Idle),
            loading: RwSignal::new(Work::Idle),
            choosing: RwSignal::new(Work::Idle),
            trial: RwSignal::new(None),
            key: RwSignal::new(Work::Idle),
        }
    }

    /// The one that is marked, which is the one that answers until the owner marks another.
    #[must_use]
    pub fn marked(self) -> Option<ModelChoice> {
        self.choice.get().or_else(|| self.configured())
    }

    /// The one that answers.
    #[must_use]
    pub fn configured(self) -> Option<ModelChoice> {
        self.settings
            .with(|settings| Some(settings.as_ref()?.configuration.clone()))
    }

    /// The name of a model for people; its own name if it is not in the list.
    #[must_use]
    pub fn title(self, choice: &ModelChoice) -> String {
        self.list
            .with(|list| {
                let mut models = list.iter().flat_map(|list| &list.models);
                let description = models.find(|description| description.choice == *choice)?;
                Some(description.title.clone())
            })
            .unwrap_or_else(|| choice.model.clone())
    }

    /// Whether a model cannot answer for want of a key.
    #[must_use]
    pub fn lacks_key(self, provider: ModelProvider) -> bool {
        self.settings.with(|settings| {
            let settings = settings.as_ref();
            settings.and_then(|settings| credential(settings, provider)) == Some(Credential::Missing)
        })
    }

    pub(super) fn forget(self) {
        self.list.set(None);
        self.settings.set(None);
        self.choice.set(None);
        self.listing.set(Work::Idle);
        self.loading.set(Work::Idle);
        self.choosing.set(Work::Idle);
        self.trial.set(None);
        self.key.set(Work::Idle);
    }
}

impl Store {
    /// Marks a model. It answers only once it is chosen.
    pub fn mark_model(self, choice: ModelChoice) {
        let models = self.settings.models;
        self.forget_trial();
        // While another one is being chosen, the model that answers is about to change.
        let is_chosen = models.choosing.get_untracked() != Work::Working && {
            models.choosing.set(Work::Idle);
            untrack(|| models.configured()).as_ref() == Some(&choice)
        };
        models.choice.set((!is_chosen).then_some(choice));
    }

    /// Chooses the marked model for every next answer.
    pub fn choose_model(self) {
        let models = self.settings.models;
        let Some(choice) = models.choice.get_untracked() else {
            return;
        };
        if models.choosing.get_untracked() == Work::Working {
            return;
        }
        let number = self.runtime().settings.borrow_mut().models.next();
        let call = UpdateModelSettings {
            choice: choice.clone(),
        };
        models.choosing.set(Work::Working);
        self.call_agent(&call, move |reply| match reply {
            Ok(settings) => {
                models.choosing.set(Work::Done);
                // A model that was marked meanwhile stays marked.
                if models.choice.get_untracked().as_ref() == Some(&choice) {
                    models.choice.set(None);
                }
                self.take_model_settings(number, settings);
            }
            Err(failure) => {
                models.choosing.set(Work::Failed {
                    sentence: failure.message,
                });
                self.load_model_settings();
            }
        });
    }

    /// Asks a model for one short answer. Nothing is stored or changed by it.
    pub fn try_model(self, choice: ModelChoice) {
        let trial = self.settings.models.trial;
        let number = self.runtime().settings.borrow_mut().trials.next();
        let call = TryModel {
            choice: choice.clone(),
        };
        trial.set(Some(Trial {
            choice,
            outcome: None,
        }));
        self.call_agent(&call, move |reply| {
            if !self.runtime().settings.borrow().trials.is_latest(number) {
                return;
            }
            let outcome = reply.unwrap_or_else(|failure| ModelTrial {
                answered: false,
                sentence: failure.message,
            });
            trial.update(|trial| {
                if let Some(trial) = trial {
                    trial.outcome = Some(outcome);
                }
            });
        });
    }

    /// Reads which model answers and which keys there are; the list too, if it has not come yet.
    pub fn load_model_settings(self) {
        let models = self.settings.models;
        if models.list.with_untracked(Option::is_none) {
            self.load_model_list();
        }
        let number = self.runtime().settings.borrow_mut().models.next();
        models.loading.set(Work::Working);
        self.call_agent(&GetModelSettings {}, move |reply| {
            if !self.runtime().settings.borrow().models.is_latest(number) {
                return;
            }
            match reply {
                Ok(settings) => self.take_model_settings(number, settings),
                Err(failure) => models.loading.set(Work::Failed {
                    sentence: failure.message,
                }),
            }
        });
    }

    /// Reads the models that may be chosen, whose names and prices the chat shows too.
    pub(super) fn load_model_list(self) {
        let models = self.settings.models;
        if models.listing.get_untracked() == Work::Working {
            return;
        }
        models.listing.set(Work::Working);
        self.call_agent(&ListModels {}, move |reply| match reply {
            Ok(list) => {
                models.listing.set(Work::Idle);
                // What has not changed is not shown anew, so that the focus stays where it is.
                if models
                    .list
                    .with_untracked(|before| before.as_ref() != Some(&list))
                {
                    models.list.set(Some(list));
                }
            }
            Err(failure) => models.listing.set(Work::Failed {
                sentence: failure.message,
            }),
        });
    }

    /// Takes over what a request was answered, unless a later one was made.
    pub(super) fn take_model_settings(self, number: u64, settings: ModelSettings) {
        let models = self.settings.models;
        if !self.runtime().settings.borrow().models.is_latest(number) {
            return;
        }
        models.loading.set(Work::Idle);
        let is_chosen = models
            .choice
            .with_untracked(|choice| choice.as_ref() == Some(&settings.configuration));
        if is_chosen {
            models.choice.set(None);
        }
        models.settings.set(Some(settings));
    }

    /// Whatever a trial says from here on is late.
    pub(super) fn forget_trial(self) {
        let _ = self.runtime().settings.borrow_mut().trials.next();
        self.settings.models.trial.set(None);
    }
}

/// Whether there is a key for a provider; `None` for one that takes none.
#[must_use]
pub fn credential(settings: &ModelSettings, provider: ModelProvider) -> Option<Credential> {
    match provider {
        ModelProvider::Anthropic => Some(settings.credentials.anthropic),
        ModelProvider::WorkersAi | ModelProvider::Compatible => None,
    }
}

/// The name of a provider for people.
#[must_use]
pub const fn provider_title(provider: ModelProvider) -> &'static str {
    match provider {
        ModelProvider::WorkersAi => "Cloudflare Workers AI",
        ModelProvider::Anthropic => "Anthropic",
        ModelProvider::Compatible => "The endpoint of this deployment",
    }
}
