//! A chat before its first message.

use crate::store::Store;
use leptos::prelude::*;

/// A suggestion: its heading, and the message that it puts into the composer.
const STARTERS: [(&str, &str); 3] = [
    (
        "Plan my week",
        "Help me plan my week. First ask me what is already fixed.",
    ),
    (
        "Explain something",
        "Explain how tides work: first in two sentences, then in detail.",
    ),
    (
        "Draft a message",
        "Draft a friendly message that moves tomorrow’s meeting to next week.",
    ),
];

#[component]
pub(super) fn EmptyState(store: Store) -> impl IntoView {
    view! {
        <div class="empty">
            <h2 class="greeting">"What is on your mind?"</h2>
            <ul class="starters" aria-label="Suggestions">
                {STARTERS
                    .map(|(heading, message)| {
                        view! {
                            <li>
                                <button
                                    type="button"
                                    class="starter"
                                    on:click=move |_| {
                                        store.write(message.to_owned());
                                        store.arrivals.update(|arrivals| *arrivals = arrivals.wrapping_add(1));
                                    }
                                >
                                    <span class="starter-heading">{heading}</span>
                                    <span class="starter-text">{message}</span>
                                </button>
                            </li>
                        }
                    })}
            </ul>
        </div>
    }
}
