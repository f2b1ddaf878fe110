//! What the keys do.

use leptos::prelude::*;

/// What each key does.
const KEYS: [(&str, &str); 6] = [
    ("Enter", "Send the message"),
    ("Shift + Enter", "Start a new line"),
    (
        "Ctrl or ⌘ + Enter",
        "Send the message, on a touch screen’s keyboard too",
    ),
    ("/", "At the beginning of a message: show the commands"),
    ("Esc", "Stop the answer"),
    ("Ctrl or ⌘ + Shift + O", "New chat"),
];

#[component]
pub(super) fn Keyboard() -> impl IntoView {
    view! {
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
    }
}
