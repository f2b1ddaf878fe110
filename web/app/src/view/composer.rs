//! Where the owner writes: grows with the text, sends with Enter, and never in the middle of a composition.

use super::commands::{CommandDone, CommandMenu, MENU, choose_by_key, marked_choice};
use super::icon::{Glyph, Icon};
use super::later::later;
use crate::platform::Pointer;
use crate::store::{Phase, Progress, Store};
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

/// What browsers report as the key while an input method is at work.
const COMPOSING_KEY: u32 = 229;

#[component]
pub(super) fn Composer(store: Store) -> impl IntoView {
    let conversation = store.conversation;
    let field = NodeRef::<html::Textarea>::new();
    let is_blank = Memo::new(move |_| conversation.draft.with(|draft| draft.trim().is_empty()));
    let is_answering = Memo::new(move |_| conversation.progress.get() != Progress::Idle);
    // A message that is on its way can be taken back; an answer can only be stopped over a connection.
    let offers_stopping = Memo::new(move |_| match conversation.progress.get() {
        Progress::Idle => false,
        Progress::Sending => true,
        Progress::Awaited | Progress::Writing => !store.is_reconnecting(),
    });
    let offers_sending = Memo::new(move |_| !is_answering.get() || !is_blank.get());
    let is_starting = Memo::new(move |_| conversation.phase.get() == Phase::Starting);
    let focus = move || {
        if store.platform().pointer() == Pointer::Fine
            && let Some(field) = field.get_untracked()
        {
            let _ = field.focus();
        }
    };
    let stop = move || {
        store.stop();
        focus();
    };
    let send = move || {
        store.send();
        focus();
    };
    Effect::new(move |_| {
        store.arrivals.track();
        focus();
    });
    Effect::new(move |before: Option<()>| {
        let Some(field) = field.get() else { return };
        // What was typed before the page came to life is the draft, unless there is one already.
        if before.is_none()
            && !field.value().is_empty()
            && conversation.draft.with_untracked(String::is_empty)
        {
            store.write(field.value());
        }
        let draft = conversation.draft.get();
        if field.value() != draft {
            field.set_value(&draft);
        }
    });
    let has_menu = Memo::new(move |_| store.commands.menu.with(Option::is_some));
    let marked = Memo::new(move |_| marked_choice(store));
    let on_key = move |event: KeyboardEvent| {
        if is_composing(&event) || choose_by_key(store, &event) {
            return;
        }
        if wants_to_send(&event, store.platform().pointer()) {
            event.prevent_default();
            send();
        }
    };
    view! {
        <form
            class="composer"
            aria-label="Message"
            on:submit=move |event| {
                event.prevent_default();
                send();
            }
        >
            <p class="trouble" role="alert">{move || conversation.trouble.get()}</p>
            <CommandDone store />
            <CommandMenu store />
            <div class="field">
                <div class="growing" data-draft=move || conversation.draft.get()>
                    <textarea
                        id="message"
                        rows="1"
                        aria-label="Message"
                        placeholder="Message Flarebot"
                        autocomplete="off"
                        aria-describedby="composer-hint"
                        aria-autocomplete="list"
                        aria-haspopup="listbox"
                        aria-controls=move || has_menu.get().then_some(MENU)
                        aria-activedescendant=move || marked.get()
                        readonly=move || is_starting.get()
                        node_ref=field
                        on:input=move |event| store.write(event_target_value(&event))
                        on:keydown=on_key
                    ></textarea>
                </div>
                <div class="field-buttons">
                    {move || offers_stopping.get().then(|| later(move || view! { <StopButton stop /> }))}
                    {move || {
                        offers_sending
                            .get()
                            .then(|| {
                                view! {
                                    <button
                                        type="submit"
                                        class="round-button primary"
                                        aria-label="Send"
                                        title="Send"
                                        disabled=move || is_blank.get() || is_starting.get()
                                    >
                                        <Icon glyph=Glyph::Send />
                                    </button>
                                }
                            })
                    }}
                </div>
            </div>
            <p id="composer-hint" class="hint">
                {move || {
                    if is_answering.get() && !offers_stopping.get() {
                        "What you send now is kept until the connection is back."
                    } else if is_answering.get() {
                        "Esc stops the answer. What you send meanwhile is queued."
                    } else {
                        "Enter sends, Shift + Enter starts a new line, / shows the commands."
                    }
                }}
            </p>
        </form>
    }
}

#[component]
fn StopButton(stop: impl Fn() + 'static) -> impl IntoView {
    view! {
        <button type="button" class="round-button" aria-label="Stop" title="Stop (Esc)" on:click=move |_| stop()>
            <Icon glyph=Glyph::Stop />
        </button>
    }
}

/// Whether a key belongs to an input method that is at work.
fn is_composing(event: &KeyboardEvent) -> bool {
    event.is_composing() || event.key_code() == COMPOSING_KEY
}

/// Whether a key sends what is written: Enter does, except on a touch screen and in the middle of a composition.
pub(super) fn wants_to_send(event: &KeyboardEvent, pointer: Pointer) -> bool {
    if event.key() != "Enter" || is_composing(event) {
        return false;
    }
    let is_command = event.ctrl_key() || event.meta_key();
    is_command || (pointer == Pointer::Fine && !event.shift_key() && !event.alt_key())
}
