//! The switch that keeps memory out of a conversation, folded into its header.

use super::icon::{Glyph, Icon};
use super::later::later;
use crate::store::{Store, Work};
use leptos::prelude::*;

#[component]
pub(super) fn MemorySwitch(store: Store) -> impl IntoView {
    let remembering = store.conversation.remembering;
    let memory = Memo::new(move |_| remembering.with(|remembering| remembering.memory));
    let is_known = Memo::new(move |_| memory.get().is_some());
    move || is_known.get().then(|| later(move || view! { <Switch store /> }))
}

#[component]
fn Switch(store: Store) -> impl IntoView {
    let remembering = store.conversation.remembering;
    let is_on = Memo::new(move |_| {
        remembering.with(|remembering| remembering.memory.is_some_and(|memory| memory.enabled))
    });
    let changing = Memo::new(move |_| remembering.with(|remembering| remembering.changing.clone()));
    let is_working = Memo::new(move |_| changing.get() == Work::Working);
    view! {
        <details class="popover" name="conversation-header">
            <summary title="Memory in this conversation">
                <Icon glyph=Glyph::Bookmark />
                <span class="unseen">"Memory in this conversation: "</span>
                <span class:unseen=move || is_on.get()>{move || if is_on.get() { "on" } else { "off" }}</span>
            </summary>
            <div class="popover-body">
                <button
                    type="button"
                    class="switch"
                    role="switch"
                    aria-checked=move || if is_on.get() { "true" } else { "false" }
                    aria-describedby="memory-switch-about"
                    aria-disabled=move || is_working.get().then_some("true")
                    on:click=move |_| store.switch_memory(!is_on.get_untracked())
                >
                    <span class="switch-track" aria-hidden="true"></span>
                    "Use memory in this conversation"
                </button>
                <p id="memory-switch-about" class="aside">
                    "When this is off, answers here are given nothing that is remembered, and remember nothing. It counts from the next answer on."
                </p>
                <p class="trouble" role="alert">
                    {move || match changing.get() {
                        Work::Failed { sentence } => Some(sentence),
                        Work::Idle | Work::Working | Work::Done => None,
                    }}
                </p>
            </div>
        </details>
    }
}
