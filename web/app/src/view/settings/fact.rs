//! One fact: its text, what can be done with it, where it came from, and the field in which it is changed.

use super::super::frame::{PageLink, nothing_has_focus};
use super::memory::FactCount;
use super::work::sentence;
use crate::store::{Edit, Origin, Standing, Store, Work, fact_fault, fact_units, relative};
use flarebot_protocol::ConversationId;
use flarebot_protocol::address::Page;
use flarebot_protocol::memory::{Fact, FactOrigin};
use leptos::either::{Either, EitherOf4};
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use std::collections::BTreeMap;

#[component]
pub(super) fn FactRow(store: Store, id: String) -> impl IntoView {
    let memory = store.settings.memory;
    let id = StoredValue::new(id);
    let is_edited = Memo::new(move |_| id.with_value(|id| memory.edits.with(|edits| edits.contains_key(id))));
    let begin = NodeRef::<html::Button>::new();
    Effect::new(move |was_edited: Option<bool>| {
        let is_edited = is_edited.get();
        if was_edited == Some(true) && !is_edited {
            // The field that had the focus is gone.
            request_animation_frame(move || {
                if nothing_has_focus()
                    && let Some(begin) = begin.try_get_untracked().flatten()
                {
                    let _ = begin.focus();
                }
            });
        }
        is_edited
    });
    view! {
        <li class="fact">
            {move || {
                if is_edited.get() {
                    Either::Left(view! { <FactEditor store id /> })
                } else {
                    Either::Right(view! { <FactView store id begin /> })
                }
            }}
        </li>
    }
}

/// The fact as it is.
#[component]
fn FactView(
    store: Store,
    id: StoredValue<String>,
    /// The button that begins to change it.
    begin: NodeRef<html::Button>,
) -> impl IntoView {
    let memory = store.settings.memory;
    let fact = Memo::new(move |_| id.with_value(|id| memory.fact(id)));
    let forgetting = Memo::new(move |_| {
        let forgetting =
            |works: &BTreeMap<String, Work>| id.with_value(|id| works.get(id).cloned()).unwrap_or_default();
        memory.forgetting.with(forgetting)
    });
    let text_id = id.with_value(|id| format!("fact-{id}"));
    view! {
        <p id=text_id.clone() class="fact-text" dir="auto">
            {move || fact.with(|fact| fact.as_ref().map(|fact| fact.content.clone()))}
        </p>
        <p class="aside">{move || fact.with(|fact| fact.as_ref().map(|fact| times(store, fact)))}</p>
        <div class="form-buttons">
            <button
                type="button"
                class="button"
                aria-describedby=text_id.clone()
                node_ref=begin
                on:click=move |_| id.with_value(|id| store.edit_fact(id))
            >
                "Edit"
            </button>
            <button
                type="button"
                class="button"
                aria-describedby=text_id
                aria-disabled=move || (forgetting.get() == Work::Working).then_some("true")
                on:click=move |_| id.with_value(|id| store.forget_fact(id))
            >
                "Forget"
            </button>
        </div>
        <p class="trouble" role="alert">
            {move || sentence(&forgetting.get())}
        </p>
        <OriginFold store id />
    }
}

/// Where the fact came from, once somebody wants to know.
#[component]
fn OriginFold(store: Store, id: StoredValue<String>) -> impl IntoView {
    let origins = store.settings.memory.origins;
    let details = NodeRef::<html::Details>::new();
    let origin = Memo::new(move |_| origins.with(|origins| id.with_value(|id| origins.get(id).cloned())));
    view! {
        <details
            class="fold"
            node_ref=details
            on:toggle=move |_| {
                if details.get_untracked().is_some_and(|details| details.open()) {
                    id.with_value(|id| store.ask_for_origin(id));
                }
            }
        >
            <summary>"Where it came from"</summary>
            <p role="status">
                {move || match origin.get() {
                    None | Some(Origin::Asked) => EitherOf4::A("Loading…"),
                    Some(Origin::Failed(sentence)) => EitherOf4::B(sentence),
                    Some(Origin::Known(FactOrigin::Owner)) => EitherOf4::C("You wrote it."),
                    Some(Origin::Known(FactOrigin::Conversation { id, name })) => {
                        EitherOf4::D(view! { <OriginConversation store id name /> })
                    }
                }}
            </p>
        </details>
    }
}

/// The conversation in which the model remembered a fact.
#[component]
fn OriginConversation(
    store: Store,
    id: ConversationId,
    /// Nothing if it is gone.
    name: Option<String>,
) -> impl IntoView {
    match name {
        None => Either::Left("Flarebot remembered it in a conversation that is deleted by now."),
        Some(name) => Either::Right(view! {
            "Flarebot remembered it in the conversation "
            <PageLink store page=Page::Conversation(id) class="origin-link">
                {name}
            </PageLink>
            "."
        }),
    }
}

/// The field in which the fact gets another text. Nothing of it is lost by an accident.
#[component]
fn FactEditor(store: Store, id: StoredValue<String>) -> impl IntoView {
    let memory = store.settings.memory;
    let field = NodeRef::<html::Textarea>::new();
    let edit = Memo::new(move |_| {
        memory
            .edits
            .with(|edits| id.with_value(|id| edits.get(id).cloned()))
    });
    let text =
        Memo::new(move |_| edit.with(|edit| edit.as_ref().map(|edit| edit.text.clone()).unwrap_or_default()));
    let fault = Memo::new(move |_| text.with(|text| fact_fault(text)));
    let saving = Memo::new(move |_| {
        edit.with(|edit| edit.as_ref().map(|edit| edit.saving.clone()).unwrap_or_default())
    });
    let can_save = Memo::new(move |_| id.with_value(|id| memory.can_save(id)));
    let standing = Memo::new(move |_| id.with_value(|id| memory.standing(id)));
    // A draft that an earlier visit left behind does not take the focus.
    let is_begun_now = edit.with_untracked(|edit| edit.as_ref().is_some_and(|edit| !edit.is_changed()));
    Effect::new(move |before: Option<()>| {
        let Some(field) = field.get() else { return };
        let text = text.get();
        if field.value() != text {
            field.set_value(&text);
        }
        if before.is_none() && is_begun_now {
            let _ = field.focus();
        }
    });
    let cancel = move || id.with_value(|id| store.cancel_edit(id));
    let on_key = move |event: KeyboardEvent| {
        let is_unchanged = edit.with_untracked(|edit| !edit.as_ref().is_some_and(Edit::is_changed));
        if event.key() == "Escape" && !event.is_composing() && is_unchanged {
            event.prevent_default();
            cancel();
        }
    };
    let (count_id, fault_id) = id.with_value(|id| (format!("count-{id}"), format!("fault-{id}")));
    view! {
        <textarea
            class="input fact-field"
            rows="3"
            dir="auto"
            autocomplete="off"
            aria-label="Change this fact"
            aria-describedby=format!("{count_id} {fault_id}")
            aria-invalid=move || fault.get().is_some().then_some("true")
            node_ref=field
            on:input=move |event| id.with_value(|id| store.write_edit(id, event_target_value(&event)))
            on:keydown=on_key
        ></textarea>
        <FactCount id=count_id units=Signal::derive(move || text.with(|text| fact_units(text))) />
        <p id=fault_id class="trouble" role="alert">
            {move || fault.get()}
        </p>
        {move || match standing.get() {
            Some(Standing::Overtaken(newer)) => Some(Either::Left(view! { <Overtaken store id newer /> })),
            Some(Standing::Gone) => Some(Either::Right(view! { <Gone store id /> })),
            Some(Standing::Current) | None => None,
        }}
        <div class="form-buttons">
            <button
                type="button"
                class="button primary"
                aria-disabled=move || (!can_save.get()).then_some("true")
                on:click=move |_| id.with_value(|id| store.save_edit(id))
            >
                "Save"
            </button>
            <button type="button" class="button" on:click=move |_| cancel()>
                "Cancel"
            </button>
            <p class="work" role="status">
                {move || match saving.get() {
                    Work::Working if store.is_agent_reconnecting() => Some("Waiting for the connection…"),
                    Work::Working => Some("Saving…"),
                    Work::Idle | Work::Done | Work::Failed { .. } => None,
                }}
            </p>
        </div>
        <p class="trouble" role="alert">
            {move || sentence(&saving.get())}
        </p>
    }
}

/// The fact has another text by now.
#[component]
fn Overtaken(store: Store, id: StoredValue<String>, newer: Fact) -> impl IntoView {
    view! {
        <div class="notice grave" role="alert">
            <p>
                <strong>"Changed elsewhere."</strong>
                " It now says:"
            </p>
            <p class="quoted" dir="auto">
                {newer.content}
            </p>
            <p>"Take that and lose what stands above, or keep yours: saving it then replaces the other."</p>
            <div class="form-buttons">
                <button type="button" class="button" on:click=move |_| id.with_value(|id| store.cancel_edit(id))>
                    "Take the other"
                </button>
                <button type="button" class="button" on:click=move |_| id.with_value(|id| store.keep_own_fact(id))>
                    "Keep mine"
                </button>
            </div>
        </div>
    }
}

/// The fact is remembered no more.
#[component]
fn Gone(store: Store, id: StoredValue<String>) -> impl IntoView {
    view! {
        <div class="notice grave" role="alert">
            <p>
                <strong>"Forgotten elsewhere."</strong>
                " Let it go, or have what stands above remembered as a new fact."
            </p>
            <div class="form-buttons">
                <button type="button" class="button" on:click=move |_| id.with_value(|id| store.cancel_edit(id))>
                    "Let it go"
                </button>
                <button type="button" class="button" on:click=move |_| id.with_value(|id| store.remember_edit(id))>
                    "Remember mine"
                </button>
            </div>
        </div>
    }
}

/// When it was remembered, and changed.
fn times(store: Store, fact: &Fact) -> Option<String> {
    let now = store.platform().now();
    let remembered = relative(&fact.created_at, now)?;
    match (fact.version, relative(&fact.updated_at, now)) {
        (2.., Some(changed)) => Some(format!("Remembered {remembered}, changed {changed}.")),
        _ => Some(format!("Remembered {remembered}.")),
    }
}
