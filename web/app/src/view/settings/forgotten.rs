//! What was just forgotten, with a way back.

use super::super::frame::nothing_has_focus;
use super::memory::FACTS;
use super::work::sentence;
use crate::store::{Forgotten, Store, Work};
use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::HtmlElement;

#[component]
pub(super) fn ForgottenRows(store: Store) -> impl IntoView {
    let forgotten = store.settings.memory.forgotten;
    view! {
        <ul class="facts" aria-label="Just forgotten">
            <For
                each=move || forgotten.get()
                key=|forgotten: &Forgotten| forgotten.fact.id.clone()
                children=move |forgotten| view! { <ForgottenRow store forgotten /> }
            />
        </ul>
    }
}

#[component]
fn ForgottenRow(store: Store, forgotten: Forgotten) -> impl IntoView {
    let rows = store.settings.memory.forgotten;
    let id = StoredValue::new(forgotten.fact.id);
    let button = NodeRef::<html::Button>::new();
    // The row that had the focus is gone.
    Effect::new(move |_| {
        if let Some(button) = button.get() {
            let _ = button.focus();
        }
    });
    on_cleanup(|| {
        request_animation_frame(|| {
            if nothing_has_focus()
                && let Some(heading) = document().get_element_by_id(FACTS)
                && let Ok(heading) = heading.dyn_into::<HtmlElement>()
            {
                let _ = heading.focus();
            }
        });
    });
    let undoing = Memo::new(move |_| {
        let found = |rows: &Vec<Forgotten>| {
            let mut rows = rows.iter();
            let row = rows.find(|row| id.with_value(|id| row.fact.id == *id))?;
            Some(row.undoing.clone())
        };
        rows.with(found).unwrap_or_default()
    });
    view! {
        <li class="fact forgotten">
            <p>
                "Forgotten: "
                <q dir="auto">{forgotten.fact.content}</q>
            </p>
            <div class="form-buttons">
                <button
                    type="button"
                    class="button"
                    node_ref=button
                    aria-disabled=move || (undoing.get() == Work::Working).then_some("true")
                    on:click=move |_| id.with_value(|id| store.undo_forgetting(id))
                >
                    "Undo"
                </button>
            </div>
            <p class="trouble" role="alert">
                {move || sentence(&undoing.get())}
            </p>
        </li>
    }
}
