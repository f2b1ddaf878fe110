//! A tool's call inside an answer: a card with one line that says what is done and how it goes, and opens to say with what.

mod entries;
mod standing;

use super::icon::{Glyph, Icon};
use super::question::Question;
use crate::store::{Shown, ShownState, Store};
use entries::entries;
use flarebot_protocol::MessageId;
use flarebot_protocol::message::{Part, ToolPart, ToolState};
use flarebot_protocol::tool_activity::{ActivityKind, ActivityProgress, ToolActivity};
use leptos::either::Either;
use leptos::html;
use leptos::prelude::*;
use standing::{Standing, attempts, elapsed};

/// The card of a call. It is folded, unless the owner has to read what it is about.
#[component]
pub(super) fn ToolCard(
    store: Store,
    /// The answer that the call is part of.
    message: MessageId,
    call_id: String,
    shown: ArcRwSignal<Shown>,
) -> impl IntoView {
    let card = Card {
        store,
        call: StoredValue::new((message, call_id)),
        shown: RwSignal::from(shown),
    };
    let details = NodeRef::<html::Details>::new();
    let standing = Memo::new(move |_| card.standing());
    let is_open = RwSignal::new(standing.get_untracked() == Standing::Waiting);
    let note = Memo::new(move |_| standing.get().note());
    Effect::new(move |before: Option<bool>| {
        let is_waiting = standing.get() == Standing::Waiting;
        if before.is_some_and(|before| before != is_waiting) {
            is_open.set(is_waiting);
        }
        is_waiting
    });
    Effect::new(move |_| card.want_activity());
    view! {
        <details
            class=move || standing.get().class()
            open=move || is_open.get()
            node_ref=details
            on:toggle=move |_| {
                if let Some(details) = details.get_untracked() {
                    is_open.set(details.open());
                }
            }
        >
            <summary>
                <CardTitle card />
                <span class="tool-state">{move || standing.get().word()}</span>
                " "
                <CardFacts card standing />
                {move || note.get().map(|note| view! { <span class="tool-note">{note}</span> })}
            </summary>
            {move || is_open.get().then(|| view! { <CardBody card standing /> })}
        </details>
    }
}

/// What the parts of a card share.
#[derive(Clone, Copy)]
struct Card {
    store: Store,
    call: StoredValue<(MessageId, String)>,
    shown: RwSignal<Shown>,
}

impl Card {
    /// Reads the call as far as the answer tells it.
    fn with_call<T>(self, read: impl FnOnce(&ToolPart, ShownState) -> T) -> Option<T> {
        self.shown.with(|shown| {
            self.call.with_value(|(_, id)| {
                let mut parts = shown.message.parts.iter();
                let call = parts.find_map(|part| match part {
                    Part::Tool(call) if call.tool_call_id == *id => Some(call),
                    Part::Tool(_) | Part::Text { .. } | Part::Reasoning { .. } | Part::StepStart => None,
                });
                call.map(|call| read(call, shown.state))
            })
        })
    }

    /// Reads what is known of the call beside the answer.
    fn with_activity<T>(self, read: impl FnOnce(Option<&ToolActivity>) -> T) -> T {
        self.call.with_value(|(message, call)| {
            let activities = self.store.conversation.activities;
            activities.with(|known| read(known.of(message, call)))
        })
    }

    fn standing(self) -> Standing {
        self.with_activity(|activity| {
            let standing = self.with_call(|call, state| Standing::of(call, activity, state));
            standing.unwrap_or(Standing::Stopped)
        })
    }

    fn name(self) -> String {
        let label = self.with_activity(|activity| activity.map(|activity| activity.label.clone()));
        let label = label.filter(|label| !label.trim().is_empty());
        let tool = || self.with_call(|call, _| readable(&call.tool_name));
        label.or_else(tool).unwrap_or_default()
    }

    fn want_activity(self) {
        let state = self.with_call(|_, state| state);
        let is_known = self.with_activity(|activity| activity.is_some());
        if let (Some(state), false) = (state, is_known) {
            self.call
                .with_value(|(message, call)| self.store.want_activity(message, call, state));
        }
    }
}

/// What is done, and what about.
#[component]
fn CardTitle(card: Card) -> impl IntoView {
    let kind = Memo::new(move |_| card.with_activity(|activity| activity.map(|activity| activity.kind)));
    let name = Memo::new(move |_| card.name());
    let summary = Memo::new(move |_| card.with_activity(|activity| activity?.summary.clone()));
    view! {
        {move || view! { <Icon glyph=glyph(kind.get()) /> }}
        <span class="tool-name" dir="auto">{move || name.get()}</span>
        " "
        {move || summary.get().map(|summary| view! { <span class="tool-about" dir="auto">{summary}" "</span> })}
    }
}

/// How long it takes and how far it is. Only what has changed is written anew, and the time only while it goes on.
#[component]
fn CardFacts(card: Card, standing: Memo<Standing>) -> impl IntoView {
    let clock = card.store.conversation.clock;
    let words = Memo::new(move |_| {
        let standing = standing.get();
        let now = if standing == Standing::Running {
            clock.get()
        } else {
            0
        };
        card.with_activity(|activity| {
            let activity = activity?;
            let progress = activity
                .progress
                .as_ref()
                .filter(|_| standing == Standing::Running);
            let words = [
                elapsed(activity, standing, now),
                progress.and_then(progress_words),
                attempts(activity, standing),
            ];
            let words: Vec<_> = words.into_iter().flatten().collect();
            (!words.is_empty()).then(|| words.join(" · "))
        })
    });
    let part = Memo::new(move |_| {
        let is_running = standing.get() == Standing::Running;
        card.with_activity(|activity| part_done(activity?.progress.as_ref()?))
            .filter(|_| is_running)
    });
    let name = Memo::new(move |_| card.name());
    view! {
        {move || words.get().map(|words| view! { <span class="tool-facts" dir="auto">{format!("· {words}")}</span> })}
        {move || {
            part.get()
                .map(|(done, total)| {
                    view! {
                        <progress
                            class="tool-progress"
                            value=done.to_string()
                            max=total.to_string()
                            aria-label=format!("Progress: {}", name.get())
                        ></progress>
                    }
                })
        }}
    }
}

/// With what, and what came of it.
#[component]
fn CardBody(card: Card, standing: Memo<Standing>) -> impl IntoView {
    let entries = Memo::new(move |_| card.with_call(|call, _| entries(&call.state)).unwrap_or_default());
    let is_waiting = Memo::new(move |_| standing.get() == Standing::Waiting);
    view! {
        <dl>
            {move || {
                entries
                    .get()
                    .into_iter()
                    .map(|(heading, text)| {
                        view! {
                            <dt>{heading}</dt>
                            <dd>
                                <pre dir="auto" role="group" tabindex="0" aria-label=heading>
                                    {text}
                                </pre>
                            </dd>
                        }
                    })
                    .collect::<Vec<_>>()
            }}
        </dl>
        {move || is_waiting.get().then(|| view! { <CardQuestion card /> })}
    }
}

/// What the owner is asked about a call that waits.
#[component]
fn CardQuestion(card: Card) -> impl IntoView {
    let is_running = Memo::new(move |_| card.with_call(|_, state| state) == Some(ShownState::Running));
    let approval = Memo::new(move |_| {
        let approval = card.with_call(|call, _| match &call.state {
            ToolState::ApprovalRequested { approval, .. } => Some(approval.clone()),
            ToolState::InputStreaming
            | ToolState::InputAvailable { .. }
            | ToolState::ApprovalResponded { .. }
            | ToolState::OutputAvailable { .. }
            | ToolState::OutputError { .. }
            | ToolState::OutputDenied { .. } => None,
        });
        approval.flatten()
    });
    move || {
        let approval = approval.get()?;
        // As long as the rest of its step runs, nothing can be decided.
        Some(if is_running.get() {
            Either::Left(
                view! { <p class="question">"You can decide when the rest of this step is done."</p> },
            )
        } else {
            let (message, call_id) = card.call.get_value();
            let tool = untrack(|| card.name());
            Either::Right(view! { <Question store=card.store tool message call_id approval /> })
        })
    }
}

/// The symbol of what a tool does.
const fn glyph(kind: Option<ActivityKind>) -> Glyph {
    match kind {
        Some(ActivityKind::Time) => Glyph::Clock,
        Some(ActivityKind::Conversation) => Glyph::Pen,
        Some(ActivityKind::Memory) => Glyph::Bookmark,
        Some(ActivityKind::Web) => Glyph::Globe,
        Some(ActivityKind::Other) | None => Glyph::Spanner,
    }
}

fn progress_words(progress: &ActivityProgress) -> Option<String> {
    let count = match (progress.done, progress.total) {
        (Some(done), Some(total)) => Some(format!("{done} of {total}")),
        (Some(done), None) => Some(done.to_string()),
        (None, _) => None,
    };
    let words: Vec<_> = progress.text.clone().into_iter().chain(count).collect();
    (!words.is_empty()).then(|| words.join(" · "))
}

/// How much is done of how much, where both are known.
fn part_done(progress: &ActivityProgress) -> Option<(u64, u64)> {
    let total = progress.total.filter(|total| *total > 0)?;
    Some((progress.done?.min(total), total))
}

/// A tool's name as words: `current_time` is "Current time".
fn readable(name: &str) -> String {
    let words = name.replace(['_', '-'], " ");
    let mut characters = words.trim().chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => "Tool".to_owned(),
    }
}

#[cfg(all(test, feature = "ssr"))]
mod tests;
