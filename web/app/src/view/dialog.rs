//! A question that covers the page until it is answered.

use leptos::html;
use leptos::prelude::*;
use leptos::web_sys::Event;

/// The dialog, with its heading, text and buttons in `children`. Their ids are `<id>-title` and `<id>-text`.
#[component]
pub(super) fn Dialog<C: IntoView + 'static>(
    id: &'static str,
    #[prop(into)] is_open: Signal<bool>,
    /// Closes it without doing anything.
    dismiss: impl Fn() + Copy + 'static,
    children: TypedChildren<C>,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        match (is_open.get(), dialog.open()) {
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
            aria-labelledby=format!("{id}-title")
            aria-describedby=format!("{id}-text")
            node_ref=dialog
            on:cancel=move |_: Event| dismiss()
            on:close=move |_| {
                // Browsers report this late: the question may be open again.
                if !dialog.get_untracked().is_some_and(|dialog| dialog.open()) {
                    dismiss();
                }
            }
        >
            {children.into_inner()()}
        </dialog>
    }
}
