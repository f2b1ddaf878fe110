//! What answers have used: one line beside an answer, and the sum of a conversation in its header.

use super::later::later;
use crate::store::{Cost, ModelSpent, Older, Shown, Store, TotalCost, date, describe, grouped};
use flarebot_protocol::message::Usage;
use flarebot_protocol::settings::ModelList;
use leptos::prelude::*;

/// The model of an answer with its tokens and, where the prices are known, what they cost.
#[component]
pub(super) fn AnswerSpending(store: Store, shown: ArcRwSignal<Shown>) -> impl IntoView {
    let words = Memo::new(move |_| {
        let (model, usage) = shown.with(|shown| {
            let metadata = shown.message.metadata.as_ref()?;
            Some((metadata.model.clone(), metadata.usage))
        })?;
        let words = store.settings.models.list.with(|list| {
            let name = model.as_deref().map(|model| title(list.as_ref(), model));
            let tokens = usage.map(tokens);
            let cost = usage.and_then(|usage| Cost::of(list.as_ref(), model.as_deref(), usage));
            let cost = cost.map(|cost| cost.to_string());
            let words = [name, tokens, cost];
            words.into_iter().flatten().collect::<Vec<_>>()
        });
        (!words.is_empty()).then(|| words.join(" · "))
    });
    move || words.get().map(|words| view! { <p class="spent">{words}</p> })
}

/// The sum of the answers that are shown, folded.
#[component]
pub(super) fn ConversationSpending(store: Store) -> impl IntoView {
    let spent = store.conversation.spent;
    let list = store.settings.models.list;
    let has_any = Memo::new(move |_| spent.with(|spent| spent.total().answers > 0));
    let summary = Memo::new(move |_| {
        let total = spent.with(|spent| list.with(|list| spent.cost(list.as_ref())));
        match total {
            TotalCost::Known(cost) => cost.to_string(),
            TotalCost::AtLeast(_) | TotalCost::Unknown => {
                let usage = spent.with(|spent| spent.total().usage);
                let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
                format!("{} tokens", grouped(tokens))
            }
        }
    });
    move || {
        has_any.get().then(|| {
            later(move || {
                view! {
                    <details class="popover" name="conversation-header">
                        <summary title="What this conversation has used">
                            <span class="unseen">"Used so far: "</span>
                            {move || summary.get()}
                        </summary>
                        <div class="popover-body">
                            <h2>"Used in this conversation"</h2>
                            <dl>{move || rows(store)}</dl>
                            <p class="aside">{move || note(store)}</p>
                        </div>
                    </details>
                }
            })
        })
    }
}

/// One row for each model, and one for all if there are several.
fn rows(store: Store) -> Vec<impl IntoView + use<>> {
    let rows = store.conversation.spent.with(|spent| {
        store.settings.models.list.with(|list| {
            let list = list.as_ref();
            let models = spent.models.iter().map(|(model, spent)| {
                let name = model
                    .as_deref()
                    .map_or_else(|| "Unknown model".to_owned(), |model| title(list, model));
                let cost = Cost::of(list, model.as_deref(), spent.usage);
                (name, row_words(spent, cost.map(|cost| cost.to_string())))
            });
            let total = (spent.models.len() > 1).then(|| {
                let cost = match spent.cost(list) {
                    TotalCost::Unknown => None,
                    TotalCost::AtLeast(cost) => Some(format!("at least {cost}")),
                    TotalCost::Known(cost) => Some(cost.to_string()),
                };
                ("Together".to_owned(), row_words(&spent.total(), cost))
            });
            models.chain(total).collect::<Vec<_>>()
        })
    });
    rows.into_iter()
        .map(|(name, words)| {
            view! {
                <dt dir="auto">{name}</dt>
                <dd>{words}</dd>
            }
        })
        .collect()
}

fn row_words(spent: &ModelSpent, cost: Option<String>) -> String {
    let answers = match spent.answers {
        1 => "1 answer".to_owned(),
        answers => format!("{} answers", grouped(u64::from(answers))),
    };
    let words = [Some(answers), Some(tokens(spent.usage)), cost];
    words.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// What the numbers leave out.
fn note(store: Store) -> String {
    let older = match store.conversation.older.get() {
        Older::None => None,
        Older::Available | Older::Loading => {
            Some("Older messages are not loaded, so they are not counted.".to_owned())
        }
    };
    let list = store.settings.models.list;
    let costs = store
        .conversation
        .spent
        .with(|spent| list.with(|list| spent.cost(list.as_ref())));
    let day = list.with(|list| list.as_ref().and_then(|list| date(&list.prices_taken_on)));
    let prices = match (costs, day) {
        (TotalCost::Unknown, _) | (_, None) => None,
        (TotalCost::Known(_) | TotalCost::AtLeast(_), Some(day)) => Some(format!(
            "Costs are estimates from the prices of {day}; your provider’s bill is what counts."
        )),
    };
    older.into_iter().chain(prices).collect::<Vec<_>>().join(" ")
}

fn title(list: Option<&ModelList>, model: &str) -> String {
    let description = list.and_then(|list| describe(list, model));
    description.map_or_else(|| model.to_owned(), |description| description.title.clone())
}

fn tokens(usage: Usage) -> String {
    format!(
        "{} tokens in, {} out",
        grouped(usage.input_tokens),
        grouped(usage.output_tokens)
    )
}
