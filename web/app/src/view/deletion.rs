//! The question before a conversation is deleted.

use crate::store::{Deletion, DeletionStep, Store};
use leptos::html;
use leptos::prelude::*;
use leptos::web_sys::Event;

#[component]
pub(super) fn DeletionQuestion(store: Store) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    let deletion = store.deletion;
    let name = move || deletion.with(|deletion| deletion.as_ref().map(|deletion| deletion.name.clone()));
    let is_working =
        move || deletion.with(|deletion| step(deletion.as_ref()) == Some(&DeletionStep::Working));
    let trouble = move || {
        deletion.with(|deletion| match step(deletion.as_ref()) {
            Some(DeletionStep::Failed { sentence }) => Some(sentence.clone()),
            Some(DeletionStep::Asked | DeletionStep::Working) | None => None,
        })
    };
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        match (deletion.with(Option::is_some), dialog.open()) {
            (true, false) => {
                let _ = dialog.show_modal();
            }
            (false, true) => dialog.close(),
            (true, true) | (false, false) => {}
        }
    });
    view! {
        <dialog
            class="question"
            aria-labelledby="question-title"
            aria-describedby="question-text"
            node_ref=dialog
            on:cancel=move |_: Event| store.keep()
            on:close=move |_| {
                // Browsers report this late: the question may be open again.
                if !dialog.get_untracked().is_some_and(|dialog| dialog.open()) {
                    store.keep();
                }
            }
        >
            <h2 id="question-title">"Delete this conversation?"</h2>
            <p id="question-text">
                <q dir="auto">{name}</q>
                " and everything in it will be gone for good."
            </p>
            <p class="trouble" role="alert">{trouble}</p>
            <div class="choices">
                <button type="button" class="button" autofocus on:click=move |_| store.keep()>
                    "Cancel"
                </button>
                <button type="button" class="button danger" disabled=is_working on:click=move |_| store.delete()>
                    {move || if is_working() { "Deleting…" } else { "Delete" }}
                </button>
            </div>
        </dialog>
    }
}

fn step(deletion: Option<&Deletion>) -> Option<&DeletionStep> {
    deletion.map(|deletion| &deletion.step)
}
