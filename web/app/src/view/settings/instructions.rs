//! The editor of the instructions.

use super::work::{Awaited, Trouble, WorkState, sentence};
use crate::store::{Store, Subject, Work, grouped, relative};
use flarebot_protocol::settings::MAXIMUM_INSTRUCTIONS;
use leptos::either::Either;
use leptos::html;
use leptos::prelude::*;

#[component]
pub(super) fn Instructions(store: Store) -> impl IntoView {
    let instructions = store.settings.instructions;
    let is_here = Memo::new(move |_| instructions.saved.with(Option::is_some));
    let again = move || store.load_instructions();
    view! {
        <section aria-labelledby="settings-instructions">
            <h3 id="settings-instructions">"Instructions"</h3>
            <p>"What Flarebot is told before every conversation. A change counts from the next message on."</p>
            {move || {
                if is_here.get() {
                    Either::Left(view! { <Editor store /> })
                } else {
                    Either::Right(view! { <Awaited work=instructions.loading again /> })
                }
            }}
        </section>
    }
}

#[component]
fn Editor(store: Store) -> impl IntoView {
    let instructions = store.settings.instructions;
    let field = NodeRef::<html::Textarea>::new();
    let count = Memo::new(move |_| instructions.units());
    let is_exceeded = Memo::new(move |_| count.get() > MAXIMUM_INSTRUCTIONS);
    let can_restore = Memo::new(move |_| {
        let is_customized = instructions
            .saved
            .with(|saved| saved.as_ref().is_some_and(|saved| saved.customized));
        is_customized && instructions.saving.get() != Work::Working
    });
    let is_overtaken = Memo::new(move |_| instructions.is_overtaken());
    let has_loading_failed = Memo::new(move |_| sentence(&instructions.loading.get()).is_some());
    Effect::new(move |_| {
        let Some(field) = field.get() else { return };
        let text = instructions.text();
        if field.value() != text {
            field.set_value(&text);
        }
    });
    view! {
        <p class="aside">{move || origin(store)}</p>
        <label class="label" for="instructions">
            "Your instructions"
        </label>
        <textarea
            id="instructions"
            class="input instructions"
            rows="12"
            dir="auto"
            autocomplete="off"
            aria-describedby="instructions-count instructions-fault"
            aria-invalid=move || instructions.fault().is_some().then_some("true")
            node_ref=field
            on:input=move |event| store.write_instructions(event_target_value(&event))
        ></textarea>
        <p id="instructions-count" class="count" class:exceeded=is_exceeded>
            {move || format!("{} of {} characters", grouped_length(count.get()), grouped_length(MAXIMUM_INSTRUCTIONS))}
        </p>
        <p id="instructions-fault" class="trouble" role="alert">
            {move || instructions.fault()}
        </p>
        {move || is_overtaken.get().then(|| view! { <ChangedElsewhere store /> })}
        <div class="form-buttons">
            <button
                type="button"
                class="button primary"
                aria-disabled=move || (!instructions.can_save()).then_some("true")
                on:click=move |_| store.save_instructions()
            >
                "Save"
            </button>
            <button
                type="button"
                class="button"
                aria-disabled=move || (!can_restore.get()).then_some("true")
                on:click=move |_| {
                    if can_restore.get_untracked() {
                        store.ask(Subject::RestoringDefaults);
                    }
                }
            >
                "Restore the defaults"
            </button>
            <WorkState store work=instructions.saving done="Saved." />
        </div>
        <Trouble work=instructions.saving />
        {move || {
            has_loading_failed
                .get()
                .then(|| view! { <Awaited work=instructions.loading again=move || store.load_instructions() /> })
        }}
        <details class="fold">
            <summary>"Show the defaults"</summary>
            <pre class="quoted" dir="auto" role="group" tabindex="0" aria-label="Defaults">
                {move || instructions.saved.with(|saved| saved.as_ref().map(|saved| saved.defaults.clone()))}
            </pre>
        </details>
    }
}

/// Whose text is in force, since when, and whether there is a newer one in the field.
fn origin(store: Store) -> String {
    let instructions = store.settings.instructions;
    let in_force = instructions.saved.with(|saved| match saved {
        Some(saved) if saved.customized => {
            let modified_at = saved.modified_at.as_deref();
            match modified_at.and_then(|time| relative(time, store.platform().now())) {
                Some(time) => format!("Your own text is in force, changed {time}."),
                None => "Your own text is in force.".to_owned(),
            }
        }
        Some(_) | None => "The defaults are in force.".to_owned(),
    });
    if instructions.draft.with(Option::is_some) {
        format!("{in_force} What stands below is not saved.")
    } else {
        in_force
    }
}

/// The saved text is another than the one that the draft was made from.
#[component]
fn ChangedElsewhere(store: Store) -> impl IntoView {
    view! {
        <div class="notice grave" role="alert">
            <p>
                <strong>"Changed in another tab."</strong>
                " Load that text and lose what stands above, or keep yours: saving it then replaces the other."
            </p>
            <div class="form-buttons">
                <button type="button" class="button" on:click=move |_| store.load_other_instructions()>
                    "Load the other"
                </button>
                <button type="button" class="button" on:click=move |_| store.keep_own_instructions()>
                    "Keep mine"
                </button>
            </div>
        </div>
    }
}

fn grouped_length(length: usize) -> String {
    grouped(u64::try_from(length).unwrap_or(u64::MAX))
}
