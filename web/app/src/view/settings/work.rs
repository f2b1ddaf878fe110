//! How something goes that the owner asked for, in words.

use crate::store::{Store, Work};
use leptos::either::Either;
use leptos::prelude::*;

/// Says that something is at work or done. It keeps its place, so that nothing moves. Why something failed is said by
/// [`Trouble`].
#[component]
pub(super) fn WorkState(
    store: Store,
    work: RwSignal<Work>,
    #[prop(optional)] done: Option<&'static str>,
) -> impl IntoView {
    let words = Memo::new(move |_| match work.get() {
        Work::Working if store.is_agent_reconnecting() => Some("Waiting for the connection…"),
        Work::Working => Some("Saving…"),
        Work::Done => done,
        Work::Idle | Work::Failed { .. } => None,
    });
    view! {
        <p class="work" role="status">
            {move || words.get()}
        </p>
    }
}

/// Says why something failed.
#[component]
pub(super) fn Trouble(work: RwSignal<Work>) -> impl IntoView {
    view! {
        <p class="trouble" role="alert">
            {move || sentence(&work.get())}
        </p>
    }
}

/// Stands for what has not come yet, or says why it did not and offers to ask again.
#[component]
pub(super) fn Awaited(
    #[prop(into)] work: Signal<Work>,
    again: impl Fn() + Copy + Send + Sync + 'static,
) -> impl IntoView {
    move || match sentence(&work.get()) {
        None => Either::Left(view! { <p class="loading">"Loading…"</p> }),
        Some(sentence) => Either::Right(view! {
            <p class="trouble" role="alert">{sentence}</p>
            <button type="button" class="button" on:click=move |_| again()>
                "Try again"
            </button>
        }),
    }
}

/// Why something failed, if it did.
pub(super) fn sentence(work: &Work) -> Option<String> {
    match work {
        Work::Failed { sentence } => Some(sentence.clone()),
        Work::Idle | Work::Working | Work::Done => None,
    }
}
