//! What can be done with a message that waits: change it, delete it, have it answered now.

use super::composer::wants_to_send;
use crate::store::{Shown, Store};
use flarebot_protocol::MessageId;
use leptos::either::Either;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Editing {
    No,
    Yes,
}

#[component]
pub(super) fn Queued(store: Store, id: MessageId, shown: ArcRwSignal<Shown>) -> impl IntoView {
    let editing = RwSignal::new(Editing::No);
    let id = StoredValue::new(id);
    let edit_button = NodeRef::<html::Button>::new();
    let finish = move || {
        editing.set(Editing::No);
        request_animation_frame(move || {
            if let Some(button) = edit_button.try_get_untracked().flatten() {
                let _ = button.focus();
            }
        });
    };
    // The message leaves, or moves; whoever writes goes on in the composer.
    let leave = move || {
        store
            .arrivals
            .update(|arrivals| *arrivals = arrivals.wrapping_add(1));
    };
    move || match editing.get() {
        Editing::Yes => {
            let text = shown.with_untracked(|shown| shown.message.text());
            Either::Left(view! { <Editor store id=id.get_value() text finish /> })
        }
        Editing::No => Either::Right(view! {
            <div class="queued">
                <button
                    type="button"
                    class="text-button"
                    node_ref=edit_button
                    on:click=move |_| editing.set(Editing::Yes)
                >
                    "Edit"
                </button>
                <button
                    type="button"
                    class="text-button"
                    on:click=move |_| {
                        store.delete_queued(&id.get_value());
                        leave();
                    }
                >
                    "Delete"
                </button>
                <button
                    type="button"
                    class="text-button"
                    title="Stops the running answer"
                    on:click=move |_| {
                        store.send_queued_now(&id.get_value());
                        leave();
                    }
                >
                    "Send now"
                </button>
            </div>
        }),
    }
}

/// The field in which a waiting message gets another text: Enter saves, Escape leaves it as it was.
#[component]
fn Editor(store: Store, id: MessageId, text: String, finish: impl Fn() + Copy + 'static) -> impl IntoView {
    let field = NodeRef::<html::Textarea>::new();
    let before = StoredValue::new(text.clone());
    let written = ArcRwSignal::new(text);
    let trouble = RwSignal::new(None::<String>);
    let conversation = store.open_id();
    on_cleanup({
        let (id, written) = (id.clone(), written.clone());
        move || store.rescue_edit(conversation, &id, &written.get_untracked())
    });
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            field.set_value(&before.get_value());
            let _ = field.focus();
        }
    });
    let is_blank = {
        let written = written.clone();
        move || written.with(|text| text.trim().is_empty())
    };
    let save = {
        let written = written.clone();
        move || {
            let text = written.get_untracked();
            if text == before.get_value() {
                finish();
            } else if !text.trim().is_empty() {
                store.edit_queued(&id, text, move |outcome| match outcome {
                    Ok(()) => finish(),
                    Err(sentence) => {
                        let _ = trouble.try_set(Some(sentence));
                    }
                });
            }
        }
    };
    let on_key = {
        let save = save.clone();
        move |event: KeyboardEvent| {
            if wants_to_send(&event, store.platform().pointer()) {
                event.prevent_default();
                save();
            } else if event.key() == "Escape" && !event.is_composing() {
                event.prevent_default();
                finish();
            }
        }
    };
    let draft = written.clone();
    view! {
        <div class="queued-editor">
            <div class="growing" data-draft=move || draft.get()>
                <textarea
                    rows="1"
                    aria-label="Change this message"
                    autocomplete="off"
                    node_ref=field
                    on:input=move |event| written.set(event_target_value(&event))
                    on:keydown=on_key
                    aria-invalid=move || trouble.with(Option::is_some).then_some("true")
                ></textarea>
            </div>
            <p class="trouble" role="alert">{move || trouble.get()}</p>
            <div class="queued">
                <button type="button" class="text-button" disabled=is_blank on:click=move |_| save()>
                    "Save"
                </button>
                <button type="button" class="text-button" on:click=move |_| finish()>
                    "Cancel"
                </button>
            </div>
        </div>
    }
}
