//! Who may come in.

use crate::store::Store;
use leptos::prelude::*;

#[component]
pub(super) fn Security(store: Store) -> impl IntoView {
    view! {
        <section aria-labelledby="settings-access">
            <h3 id="settings-access">"Sign-in"</h3>
            <p>"This browser is signed in. Signing out ends it here and forgets the drafts kept here."</p>
            <p class="trouble" role="alert">{move || store.sign_out_trouble.get()}</p>
            <button type="button" class="button" on:click=move |_| store.sign_out()>
                "Sign out"
            </button>
        </section>
    }
}
