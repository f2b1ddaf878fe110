//! What is remembered: all of it in one list, to be searched, added to, changed and forgotten.

use super::fact::FactRow;
use super::forgotten::ForgottenRows;
use super::work::{Awaited, Trouble, WorkState, sentence};
use crate::store::{Store, Work, fact_fault, fact_units, grouped};
use flarebot_protocol::memory::{MAXIMUM_FACT_UNITS, MAXIMUM_FACTS};
use leptos::either::{Either, EitherOf3};
use leptos::html;
use leptos::prelude::*;

/// The id of the heading over the facts.
pub(super) const FACTS: &str = "settings-facts";

#[component]
pub(super) fn Memory(store: Store) -> impl IntoView {
    let memory = store.settings.memory;
    let is_here = Memo::new(move |_| memory.facts.with(Option::is_some));
    let again = move || store.load_memory();
    view! {
        <section aria-labelledby="settings-addition">
            <h3 id="settings-addition">"Add a fact"</h3>
            <p>
                "Memory holds short facts that Flarebot may use in every conversation: those that you write here, and those that it was asked to remember."
            </p>
            <Addition store />
        </section>
        <section aria-labelledby=FACTS>
            <h3 id=FACTS tabindex="-1">
                "What is remembered"
            </h3>
            {move || {
                if is_here.get() {
                    Either::Left(view! { <Facts store /> })
                } else {
                    Either::Right(view! { <Awaited work=memory.loading again /> })
                }
            }}
        </section>
    }
}

/// The field for a new fact.
#[component]
fn Addition(store: Store) -> impl IntoView {
    let memory = store.settings.memory;
    let field = NodeRef::<html::Textarea>::new();
    Effect::new(move |_| {
        let Some(field) = field.get() else { return };
        let text = memory.addition.get();
        if field.value() != text {
            field.set_value(&text);
        }
    });
    let fault = Memo::new(move |_| memory.addition.with(|text| fact_fault(text)));
    let is_full = Memo::new(move |_| memory.is_full());
    view! {
        <label class="label" for="addition">
            "New fact"
        </label>
        <textarea
            id="addition"
            class="input fact-field"
            rows="2"
            dir="auto"
            autocomplete="off"
            aria-describedby="addition-count addition-fault"
            aria-invalid=move || fault.get().is_some().then_some("true")
            node_ref=field
            on:input=move |event| store.write_fact(event_target_value(&event))
        ></textarea>
        <FactCount id="addition-count" units=Signal::derive(move || memory.addition.with(|text| fact_units(text))) />
        <p id="addition-fault" class="trouble" role="alert">
            {move || fault.get()}
        </p>
        {move || {
            is_full
                .get()
                .then(|| view! { <p class="notice grave">"Memory is full. Forget something before you add more."</p> })
        }}
        <div class="form-buttons">
            <button
                type="button"
                class="button primary"
                aria-disabled=move || (!memory.can_add()).then_some("true")
                on:click=move |_| store.add_fact()
            >
                "Remember"
            </button>
            <WorkState store work=memory.adding done="Remembered." />
        </div>
        <Trouble work=memory.adding />
    }
}

/// How long a fact is, and how long it may be.
#[component]
pub(super) fn FactCount(#[prop(into)] id: String, units: Signal<usize>) -> impl IntoView {
    let units = Memo::new(move |_| units.get());
    view! {
        <p id=id class="count" class:exceeded=move || { units.get() > MAXIMUM_FACT_UNITS }>
            {move || format!("{} of {} characters", count(units.get()), count(MAXIMUM_FACT_UNITS))}
        </p>
    }
}

/// The facts, with what was just forgotten and a search.
#[component]
fn Facts(store: Store) -> impl IntoView {
    let memory = store.settings.memory;
    let shown = Memo::new(move |_| memory.shown());
    let is_empty = Memo::new(move |_| memory.count() == 0);
    let is_searched = Memo::new(move |_| memory.query.with(|query| !query.trim().is_empty()));
    let has_failed = Memo::new(move |_| sentence(&memory.loading.get()).is_some());
    view! {
        <p class="count">{move || format!("{} of {} facts", memory.count(), MAXIMUM_FACTS)}</p>
        {move || {
            has_failed.get().then(|| view! { <Awaited work=memory.loading again=move || store.load_memory() /> })
        }}
        {move || (!is_empty.get() || is_searched.get()).then(|| view! { <Search store /> })}
        <ForgottenRows store />
        {move || {
            if !shown.with(Vec::is_empty) {
                EitherOf3::A(())
            } else if is_searched.get() && !is_empty.get() {
                EitherOf3::B(
                    view! {
                        <p class="aside">
                            {move || memory.found.with(Option::is_some).then(|| nothing_found(store))}
                        </p>
                    },
                )
            } else {
                EitherOf3::C(
                    view! {
                        <p class="aside">
                            "Nothing is remembered yet. Write a fact above, send /remember with one in a chat, or ask Flarebot to remember something."
                        </p>
                    },
                )
            }
        }}
        <ul class="facts">
            <For each=move || shown.get() key=String::clone children=move |id| view! { <FactRow store id /> } />
        </ul>
    }
}

#[component]
fn Search(store: Store) -> impl IntoView {
    let memory = store.settings.memory;
    let field = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        let Some(field) = field.get() else { return };
        let query = memory.query.get();
        if field.value() != query {
            field.set_value(&query);
        }
    });
    let words = Memo::new(move |_| match memory.searching.get() {
        Work::Working => Some("Searching…".to_owned()),
        Work::Failed { sentence } => Some(sentence),
        Work::Idle | Work::Done => memory.found.with(|found| {
            found.as_ref().map(|found| match found.len() {
                1 => "1 fact found".to_owned(),
                facts => format!("{facts} facts found"),
            })
        }),
    });
    view! {
        <label class="label" for="fact-search">
            "Search"
        </label>
        <input
            id="fact-search"
            class="input"
            type="search"
            dir="auto"
            autocomplete="off"
            node_ref=field
            on:input=move |event| store.look_for_facts(event_target_value(&event))
            on:keydown=move |event| {
                if event.key() == "Escape" && !event.is_composing() {
                    event.prevent_default();
                    store.look_for_facts(String::new());
                }
            }
        />
        <p class="work" role="status">
            {move || words.get()}
        </p>
    }
}

fn nothing_found(store: Store) -> String {
    let query = store.settings.memory.query.get();
    format!("Nothing remembered was found for “{}”.", query.trim())
}

fn count(length: usize) -> String {
    grouped(u64::try_from(length).unwrap_or(u64::MAX))
}
