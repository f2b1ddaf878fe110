//! What is true of everything: the instructions, and how the page looks.

use super::instructions::Instructions;
use crate::store::Store;
use leptos::prelude::*;

#[component]
pub(super) fn General(store: Store) -> impl IntoView {
    view! {
        <Instructions store />
        <section aria-labelledby="settings-appearance">
            <h3 id="settings-appearance">"Appearance"</h3>
            <p>"Light or dark, as your system is set."</p>
        </section>
    }
}
