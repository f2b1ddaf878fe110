//! What the owner is asked before a tool does something: what it is, and two buttons.

use crate::store::{Deciding, Store};
use flarebot_protocol::MessageId;
use flarebot_protocol::message::{Approval, Decision};
use leptos::prelude::*;

#[component]
pub(super) fn Question(
    store: Store,
    /// The tool's name as words.
    tool: String,
    message: MessageId,
    call_id: String,
    approval: Approval,
) -> impl IntoView {
    let (names_allow, names_decline) = (format!("Allow: {tool}"), format!("Decline: {tool}"));
    let asked = StoredValue::new((message, call_id, approval));
    let deciding = Memo::new(move |_| asked.with_value(|(_, _, approval)| store.deciding(approval)));
    let is_under_way = move || deciding.get() == Some(Deciding::UnderWay);
    let trouble = move || match deciding.get() {
        Some(Deciding::Refused(sentence)) => Some(sentence),
        Some(Deciding::UnderWay) | None => None,
    };
    let decide = move |decision| {
        asked.with_value(|(message, call_id, approval)| {
            store.decide(message.clone(), call_id.clone(), approval, decision);
        });
    };
    view! {
        <div class="question">
            <p>
                "Flarebot wants to use the tool "<q dir="auto">{tool}</q>
                " as written above. Nothing has happened yet."
            </p>
            <div class="decision">
                <button
                    type="button"
                    class="button primary"
                    aria-label=names_allow
                    disabled=is_under_way
                    on:click=move |_| decide(Decision::Approved)
                >
                    "Allow"
                </button>
                <button
                    type="button"
                    class="button"
                    aria-label=names_decline
                    disabled=is_under_way
                    on:click=move |_| decide(Decision::Declined)
                >
                    "Decline"
                </button>
            </div>
            <p class="trouble" role="alert">{trouble}</p>
        </div>
    }
}
