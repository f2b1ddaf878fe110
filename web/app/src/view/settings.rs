//! The owner's settings, section by section.

use super::frame::{Drawer, HeadingFocus, PageHeader};
use crate::store::Store;
use leptos::either::EitherOf3;
use leptos::prelude::*;

/// What each key does.
const KEYS: [(&str, &str); 5] = [
    ("Enter", "Send the message"),
    ("Shift + Enter", "Start a new line"),
    (
        "Ctrl or ⌘ + Enter",
        "Send the message, on a touch screen’s keyboard too",
    ),
    ("Esc", "Stop the answer"),
    ("Ctrl or ⌘ + Shift + O", "New chat"),
];

#[component]
pub(super) fn Settings(store: Store, drawer: Drawer) -> impl IntoView {
    view! {
        <div class="document">
            <PageHeader store drawer title="Settings".to_owned() focus=HeadingFocus::OnArrival />
            <div class="document-body column">
                <section aria-labelledby="settings-model">
                    <h2 id="settings-model">"Model"</h2>
                    <ModelInUse store />
                </section>
                <section aria-labelledby="settings-appearance">
                    <h2 id="settings-appearance">"Appearance"</h2>
                    <p>"Light or dark, as your system is set."</p>
                </section>
                <section aria-labelledby="settings-keyboard">
                    <h2 id="settings-keyboard">"Keyboard"</h2>
                    <dl class="keys">
                        {KEYS
                            .map(|(key, meaning)| {
                                view! {
                                    <div>
                                        <dt>
                                            <kbd>{key}</kbd>
                                        </dt>
                                        <dd>{meaning}</dd>
                                    </div>
                                }
                            })}
                    </dl>
                </section>
                <section aria-labelledby="settings-access">
                    <h2 id="settings-access">"Sign-in"</h2>
                    <p>"This browser is signed in. Signing out ends it here and forgets the drafts kept here."</p>
                    <p class="trouble" role="alert">{move || store.sign_out_trouble.get()}</p>
                    <button type="button" class="button" on:click=move |_| store.sign_out()>
                        "Sign out"
                    </button>
                </section>
            </div>
        </div>
    }
}

#[component]
fn ModelInUse(store: Store) -> impl IntoView {
    move || match store.status.get() {
        None => EitherOf3::A(view! { <p class="loading">"Loading…"</p> }),
        Some(status) => match status.model {
            None => EitherOf3::B(view! {
                <p>
                    "No model answers yet. The README says how to name one with "
                    <code>"FLAREBOT_COMPATIBLE_BASE_URL"</code> "."
                </p>
            }),
            Some(model) => EitherOf3::C(view! {
                <p>
                    <strong>{model.model}</strong>
                    ", " {model.provider}
                </p>
            }),
        },
    }
}
