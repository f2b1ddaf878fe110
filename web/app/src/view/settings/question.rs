//! The question before something in the settings cannot be taken back.

use super::super::dialog::Dialog;
use super::work::sentence;
use crate::store::{Store, Subject, Work, provider_title};
use leptos::prelude::*;

/// What a question says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Words {
    title: String,
    text: &'static str,
    confirm: &'static str,
    confirming: &'static str,
    decline: &'static str,
}

impl Words {
    fn of(subject: Subject) -> Self {
        match subject {
            Subject::RestoringDefaults => Self {
                title: "Restore the defaults?".to_owned(),
                text: "Your own instructions, saved or not, will be gone for good.",
                confirm: "Restore",
                confirming: "Restoring…",
                decline: "Cancel",
            },
            Subject::RemovingKey(provider) => Self {
                title: format!("Remove the key for {}?", provider_title(provider)),
                text: "Its models cannot answer without one. Revoke the key at the provider too if others may know it.",
                confirm: "Remove",
                confirming: "Removing…",
                decline: "Cancel",
            },
            Subject::Leaving(_) => Self {
                title: "Leave without saving?".to_owned(),
                text: "What you changed here and did not save will be lost.",
                confirm: "Leave",
                confirming: "Leave",
                decline: "Stay",
            },
        }
    }
}

#[component]
pub(super) fn SettingsQuestion(store: Store) -> impl IntoView {
    let question = store.settings.question;
    let is_open = Signal::derive(move || question.with(Option::is_some));
    let words = Memo::new(move |_| {
        let subject = question.with(|question| question.as_ref().map(|question| question.subject));
        subject.map(Words::of).unwrap_or_default()
    });
    let step = Memo::new(move |_| {
        let step = question.with(|question| question.as_ref().map(|question| question.step.clone()));
        step.unwrap_or_default()
    });
    let is_working = move || step.get() == Work::Working;
    view! {
        <Dialog id="settings-question" is_open dismiss=move || store.decline()>
            <h2 id="settings-question-title">{move || words.get().title}</h2>
            <p id="settings-question-text">{move || words.get().text}</p>
            <p class="trouble" role="alert">{move || sentence(&step.get())}</p>
            <div class="choices">
                <button type="button" class="button" autofocus on:click=move |_| store.decline()>
                    {move || words.get().decline}
                </button>
                <button type="button" class="button danger" disabled=is_working on:click=move |_| store.confirm()>
                    {move || if is_working() { words.get().confirming } else { words.get().confirm }}
                </button>
            </div>
        </Dialog>
    }
}
