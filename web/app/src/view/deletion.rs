//! The question before a conversation is deleted.

use super::dialog::Dialog;
use crate::store::{Deletion, DeletionStep, Store};
use leptos::prelude::*;

#[component]
pub(super) fn DeletionQuestion(store: Store) -> impl IntoView {
    let deletion = store.deletion;
    let is_open = Signal::derive(move || deletion.with(Option::is_some));
    let name = move || deletion.with(|deletion| deletion.as_ref().map(|deletion| deletion.name.clone()));
    let is_working =
        move || deletion.with(|deletion| step(deletion.as_ref()) == Some(&DeletionStep::Working));
    let trouble = move || {
        deletion.with(|deletion| match step(deletion.as_ref()) {
            Some(DeletionStep::Failed { sentence }) => Some(sentence.clone()),
            Some(DeletionStep::Asked | DeletionStep::Working) | None => None,
        })
    };
    view! {
        <Dialog id="deletion" is_open dismiss=move || store.keep()>
            <h2 id="deletion-title">"Delete this conversation?"</h2>
            <p id="deletion-text">
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
        </Dialog>
    }
}

fn step(deletion: Option<&Deletion>) -> Option<&DeletionStep> {
    deletion.map(|deletion| &deletion.step)
}
