//! The keys of providers. A key goes from its field to the server and is held by nothing in between: no signal, no
//! storage, no queue of calls that wait for a connection.

use super::{Question, Work};
use crate::store::{Connection, Store};
use flarebot_protocol::call::{CallFailure, SetProviderKey};
use flarebot_protocol::settings::{ModelProvider, ModelSettings, ProviderKey};
use leptos::prelude::*;

/// The shortest and the longest key, in characters.
const LENGTHS: std::ops::RangeInclusive<usize> = 20..=512;

/// What becomes of what was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypedKey {
    /// It was sent, so the field is to forget it.
    Sent,
    /// It was not, so the owner may correct it.
    Refused,
}

impl Store {
    /// Stores a key in place of the one before. White space around it is no part of it.
    pub fn save_key(self, provider: ModelProvider, typed: &str) -> TypedKey {
        let work = self.settings.models.key;
        if work.get_untracked() == Work::Working {
            return TypedKey::Refused;
        }
        let key = typed.trim();
        let is_connected = self.agent_connection.get_untracked() == Connection::Quiet;
        let trouble = fault(key)
            .or_else(|| (!is_connected).then_some("There is no connection. Save the key when it is back."));
        if let Some(sentence) = trouble {
            work.set(Work::Failed {
                sentence: sentence.to_owned(),
            });
            return TypedKey::Refused;
        }
        work.set(Work::Working);
        self.set_key(provider, Some(ProviderKey::new(key)), move |reply| match reply {
            Ok(()) => work.set(Work::Done),
            Err(failure) => work.set(Work::Failed {
                sentence: format!("{} The field has forgotten the key.", failure.message),
            }),
        });
        TypedKey::Sent
    }

    /// Forgets what was said about the key before.
    pub fn begin_key(self) {
        let work = self.settings.models.key;
        if work.get_untracked() != Work::Working {
            work.set(Work::Idle);
        }
    }

    /// Removes a key, once the owner has said so.
    pub(super) fn remove_key(self, provider: ModelProvider) {
        let question = self.settings.question;
        Question::set_step(question, Work::Working);
        self.set_key(provider, None, move |reply| match reply {
            Ok(()) => {
                question.set(None);
                self.settings.models.key.set(Work::Idle);
                self.announcement.set("The key is removed");
            }
            Err(failure) => Question::set_step(
                question,
                Work::Failed {
                    sentence: failure.message,
                },
            ),
        });
    }

    fn set_key(
        self,
        provider: ModelProvider,
        key: Option<ProviderKey>,
        done: impl FnOnce(Result<(), CallFailure>) + 'static,
    ) {
        let number = self.runtime().settings.borrow_mut().models.next();
        self.call_agent(
            &SetProviderKey { provider, key },
            move |reply: Result<ModelSettings, _>| {
                let outcome = reply.map(|settings| self.take_model_settings(number, settings));
                let is_uncertain = outcome.is_err();
                done(outcome);
                if is_uncertain {
                    self.load_model_settings();
                }
            },
        );
    }
}

/// Why this cannot be a key, if it cannot.
fn fault(key: &str) -> Option<&'static str> {
    if key.is_empty() {
        Some("Paste the key into the field.")
    } else if !key.chars().all(|character| character.is_ascii_graphic()) {
        Some("This is no key: a key has no spaces and only plain letters, digits and signs. Copy it again.")
    } else if !LENGTHS.contains(&key.len()) {
        Some("This is no key: a key has 20 to 512 characters. Copy all of it.")
    } else {
        None
    }
}
