//! The field for a provider's key. It is read when it is sent and never before, and emptied in the same moment.

use super::work::{Trouble, WorkState, sentence};
use crate::store::{Store, Subject, TypedKey, Work, credential, provider_title};
use flarebot_protocol::settings::{Credential, ModelProvider};
use leptos::either::{Either, EitherOf3};
use leptos::html;
use leptos::prelude::*;

/// Whether a key that is stored is being replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Replacing {
    No,
    Yes,
}

#[component]
pub(super) fn Key(store: Store, provider: ModelProvider) -> impl IntoView {
    let models = store.settings.models;
    let replacing = RwSignal::new(Replacing::No);
    let state = Memo::new(move |_| {
        models
            .settings
            .with(|settings| credential(settings.as_ref()?, provider))
    });
    Effect::new(move |_| {
        if models.key.get() == Work::Done {
            replacing.set(Replacing::No);
        }
    });
    let title = format!("Your {} key", provider_title(provider));
    view! {
        <section aria-labelledby="settings-key">
            <h3 id="settings-key">{title}</h3>
            <p>
                <strong>
                    {move || match state.get() {
                        Some(Credential::Configured) => "Configured",
                        Some(Credential::Missing) | None => "No key",
                    }}
                </strong> ". A key is kept encrypted and never shown again, here or anywhere."
            </p>
            {move || match (state.get(), replacing.get()) {
                (Some(Credential::Configured), Replacing::No) => {
                    EitherOf3::A(view! { <StoredKey store provider replacing /> })
                }
                (Some(Credential::Configured), Replacing::Yes) => {
                    EitherOf3::B(view! { <KeyField store provider replacing=Some(replacing) /> })
                }
                (Some(Credential::Missing) | None, _) => {
                    EitherOf3::C(view! { <KeyField store provider replacing=None /> })
                }
            }}
            <WorkState store work=models.key done="The key is saved." />
            <Trouble work=models.key />
        </section>
    }
}

#[component]
fn StoredKey(store: Store, provider: ModelProvider, replacing: RwSignal<Replacing>) -> impl IntoView {
    view! {
        <div class="form-buttons">
            <button
                type="button"
                class="button"
                on:click=move |_| {
                    store.begin_key();
                    replacing.set(Replacing::Yes);
                }
            >
                "Replace"
            </button>
            <button
                type="button"
                class="button"
                on:click=move |_| {
                    store.begin_key();
                    store.ask(Subject::RemovingKey(provider));
                }
            >
                "Remove"
            </button>
        </div>
    }
}

#[component]
fn KeyField(store: Store, provider: ModelProvider, replacing: Option<RwSignal<Replacing>>) -> impl IntoView {
    let work = store.settings.models.key;
    let field = NodeRef::<html::Input>::new();
    let is_working = Memo::new(move |_| work.get() == Work::Working);
    if replacing.is_some() {
        Effect::new(move |_| {
            if let Some(field) = field.get() {
                let _ = field.focus();
            }
        });
    }
    let save = move || {
        let Some(field) = field.get_untracked() else {
            return;
        };
        match store.save_key(provider, &field.value()) {
            TypedKey::Sent => field.set_value(""),
            TypedKey::Refused => {}
        }
    };
    let cancel = replacing.map(|replacing| {
        view! {
            <button
                type="button"
                class="button"
                on:click=move |_| {
                    store.begin_key();
                    replacing.set(Replacing::No);
                }
            >
                "Cancel"
            </button>
        }
    });
    // The field has no name, so that no browser can send it anywhere by itself.
    view! {
        <form
            class="key"
            autocomplete="off"
            on:submit=move |event| {
                event.prevent_default();
                save();
            }
        >
            <label class="label" for="key">
                {match replacing {
                    Some(_) => Either::Left("New key"),
                    None => Either::Right("Key"),
                }}
            </label>
            <input
                id="key"
                class="input"
                type="password"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                aria-invalid=move || sentence(&work.get()).is_some().then_some("true")
                node_ref=field
                on:input=move |_| store.begin_key()
            />
            <div class="form-buttons">
                <button
                    type="submit"
                    class="button primary"
                    aria-disabled=move || is_working.get().then_some("true")
                >
                    "Save key"
                </button>
                {cancel}
            </div>
        </form>
    }
}
