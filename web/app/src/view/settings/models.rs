//! Which model answers, and the keys that some of them need.
//!
//! Marking a model changes nothing yet: arrow keys go through the list mark by mark, and a model can be tried before it
//! answers.

use super::key::Key;
use super::work::{Awaited, Trouble, WorkState};
use crate::store::{Cost, Models as State, Store, Trial, Work, date, grouped, provider_title};
use flarebot_protocol::settings::{ModelDescription, ModelPrices, ModelProvider};
use leptos::either::{Either, EitherOf3};
use leptos::prelude::*;

#[component]
pub(super) fn Models(store: Store) -> impl IntoView {
    let models = store.settings.models;
    let is_here =
        Memo::new(move |_| models.list.with(Option::is_some) && models.settings.with(Option::is_some));
    let loading = Signal::derive(move || match models.listing.get() {
        failed @ Work::Failed { .. } => failed,
        Work::Idle | Work::Working | Work::Done => models.loading.get(),
    });
    let again = move || store.load_model_settings();
    move || {
        if is_here.get() {
            Either::Left(view! {
                <Choice store />
                <Key store provider=ModelProvider::Anthropic />
            })
        } else {
            Either::Right(view! { <Awaited work=loading again /> })
        }
    }
}

#[component]
fn Choice(store: Store) -> impl IntoView {
    let models = store.settings.models;
    let is_choosing = Memo::new(move |_| models.choosing.get() == Work::Working);
    let can_choose = Memo::new(move |_| models.choice.with(Option::is_some) && !is_choosing.get());
    let is_trying = Memo::new(move |_| {
        models
            .trial
            .with(|trial| trial.as_ref().is_some_and(|trial| trial.outcome.is_none()))
    });
    let lacks_key = Memo::new(move |_| {
        models
            .marked()
            .is_some_and(|choice| models.lacks_key(choice.provider))
    });
    view! {
        <section aria-labelledby="settings-model">
            <h3 id="settings-model">"The model that answers"</h3>
            <p>"It answers in every conversation, from the next message on."</p>
            {move || unlisted(models).map(|sentence| view! { <p class="notice grave">{sentence}</p> })}
            <div class="model-groups" role="radiogroup" aria-labelledby="settings-model">
                {move || groups(store)}
            </div>
            <p class="aside">{move || prices_note(models)}</p>
            {move || {
                lacks_key
                    .get()
                    .then(|| view! { <p class="aside">"The marked model needs your key: save it below first."</p> })
            }}
            <div class="form-buttons">
                <button
                    type="button"
                    class="button primary"
                    aria-disabled=move || (!can_choose.get()).then_some("true")
                    on:click=move |_| store.choose_model()
                >
                    "Use this model"
                </button>
                <button
                    type="button"
                    class="button"
                    aria-disabled=move || is_trying.get().then_some("true")
                    on:click=move |_| {
                        if let Some(choice) = untrack(|| models.marked()).filter(|_| !is_trying.get_untracked()) {
                            store.try_model(choice);
                        }
                    }
                >
                    "Try it"
                </button>
                <WorkState store work=models.choosing done="Saved." />
            </div>
            <Trouble work=models.choosing />
            <p class="trial" role="status" aria-label="Trial" aria-busy=move || is_trying.get().then_some("true")>
                {move || models.trial.get().map(|trial| trial_words(store, &trial))}
            </p>
        </section>
    }
}

/// The models, provider by provider, in the order of the list.
fn groups(store: Store) -> impl IntoView {
    let models = store.settings.models.list.with(|list| {
        let models = list.iter().flat_map(|list| &list.models);
        models.cloned().enumerate().collect::<Vec<_>>()
    });
    if models.is_empty() {
        return Either::Left(view! {
            <p>"There is no model to choose. The README says how to give the deployment one."</p>
        });
    }
    let groups = models.chunk_by(|(_, one), (_, other)| one.choice.provider == other.choice.provider);
    let groups = groups.filter_map(|group| {
        let (_, first) = group.first()?;
        let rows = group.iter().cloned();
        Some(view! {
            <fieldset class="models">
                <legend>{provider_title(first.choice.provider)}</legend>
                {rows.map(|(place, model)| view! { <ModelRow store place model /> }).collect::<Vec<_>>()}
            </fieldset>
        })
    });
    Either::Right(groups.collect::<Vec<_>>())
}

#[component]
fn ModelRow(
    store: Store,
    /// Its place in the list, for the ids within the page.
    place: usize,
    model: ModelDescription,
) -> impl IntoView {
    let models = store.settings.models;
    let title = format!("model-{place}-title");
    let facts = format!("model-{place}-facts");
    let choice = StoredValue::new(model.choice.clone());
    let provider = model.choice.provider;
    let is_marked = Memo::new(move |_| models.marked().is_some_and(|marked| marked == choice.get_value()));
    let is_in_use = Memo::new(move |_| {
        models
            .configured()
            .is_some_and(|configured| configured == choice.get_value())
    });
    let lacks_key = Memo::new(move |_| models.lacks_key(provider));
    view! {
        <label class="model">
            <input
                type="radio"
                name="model"
                aria-labelledby=title.clone()
                aria-describedby=facts.clone()
                prop:checked=move || is_marked.get()
                on:change=move |_| store.mark_model(choice.get_value())
            />
            <span class="model-title" id=title dir="auto">
                {model.title.clone()}
            </span>
            <span class="model-facts" id=facts>
                {move || is_in_use.get().then(|| view! { <strong class="badge">"In use"</strong> })}
                {move || lacks_key.get().then(|| view! { <strong class="badge">"Needs your key"</strong> })}
                {(model.title != model.choice.model).then(|| view! { <code>{model.choice.model.clone()}</code> })}
                {model.context_tokens.map(|tokens| view! { <span>{format!("{} tokens of context", grouped(tokens))}</span> })}
                {model.prices.map(|prices| view! { <span>{price_words(prices)}</span> })}
            </span>
        </label>
    }
}

fn price_words(prices: ModelPrices) -> String {
    let [input, output] = [prices.input, prices.output].map(Cost::of_thousandths);
    format!("{input} in, {output} out per million tokens")
}

fn prices_note(models: State) -> Option<String> {
    models.list.with(|list| {
        let list = list.as_ref()?;
        let has_prices = list.models.iter().any(|model| model.prices.is_some());
        let day = date(&list.prices_taken_on).filter(|_| has_prices)?;
        Some(format!(
            "Prices in US dollars, as the providers listed them on {day}. They change without notice."
        ))
    })
}

/// Says that the model in use is none of the list.
fn unlisted(models: State) -> Option<String> {
    let configured = models.configured()?;
    let is_listed = models.list.with(|list| {
        let mut models = list.iter().flat_map(|list| &list.models);
        models.any(|model| model.choice == configured)
    });
    (!is_listed).then(|| {
        format!(
            "The model in use, {}, is not offered any more. Choose another.",
            configured.model
        )
    })
}

/// What is said of a trial.
fn trial_words(store: Store, trial: &Trial) -> impl IntoView + use<> {
    let title = store.settings.models.title(&trial.choice);
    match &trial.outcome {
        None if store.is_agent_reconnecting() => EitherOf3::A("Waiting for the connection…"),
        None => EitherOf3::B(format!("Asking {title}…")),
        Some(outcome) => {
            let class = if outcome.answered {
                "answered"
            } else {
                "unanswered"
            };
            let sentence = outcome.sentence.clone();
            EitherOf3::C(view! {
                <span class=class>
                    <strong dir="auto">{title}</strong>
                    ": "
                    <span dir="auto">{sentence}</span>
                </span>
            })
        }
    }
}
