//! One message. Whatever anybody wrote is text here, never markup.

use super::citation::{Sources, cited, sources_of};
use super::icon::{Glyph, Icon};
use super::queued::Queued;
use super::spending::AnswerSpending;
use super::tool::ToolCard;
use crate::citation::Source;
use crate::platform::{Copying, Timer};
use crate::store::{Line, Shown, ShownState, Store, has_begun};
use flarebot_protocol::MessageId;
use flarebot_protocol::message::{Message, Outcome, Part, PartState, Role};
use leptos::either::EitherOf3;
use leptos::prelude::*;

/// How long the button says that it has copied, in milliseconds.
const COPIED_FOR: i64 = 2_000;

#[component]
pub(super) fn MessageView(store: Store, line: Line) -> impl IntoView {
    let shown = line.shown;
    let role = shown.with_untracked(|shown| shown.message.role);
    let (class, author) = match role {
        Role::User => ("message from-owner", "You"),
        Role::Assistant => ("message from-agent", "Flarebot"),
    };
    let state = Memo::new({
        let shown = shown.clone();
        move |_| shown.with(|shown| shown.state)
    });
    let notice = Memo::new({
        let shown = shown.clone();
        move |_| shown.with(|shown| Some((shown.notice.clone()?, notice_class(&shown.message))))
    });
    let queued_shown = shown.clone();
    // Before its first word, the transcript says it in the answer's place.
    let has_begun = Memo::new({
        let shown = shown.clone();
        move |_| shown.with(|shown| shown.state == ShownState::Running && has_begun(&shown.message))
    });
    let is_cut_off = Memo::new(move |_| has_begun.get() && store.is_reconnecting());
    let can_continue = Memo::new({
        let id = line.id.clone();
        move |_| {
            store
                .conversation
                .interrupted
                .with(|interrupted| interrupted.as_ref() == Some(&id))
        }
    });
    let can_copy = Memo::new({
        let shown = shown.clone();
        move |_| shown.with(|shown| shown.state != ShownState::Running && has_text(&shown.message))
    });
    view! {
        <li class=class aria-busy=move || (state.get() == ShownState::Running).then_some("true")>
            <h2 class="unseen">{author}</h2>
            <div class="content">
                <Blocks store id=line.id.clone() shown=shown.clone() />
            </div>
            {move || is_cut_off.get().then(|| view! { <Reconnecting /> })}
            {move || label(state.get()).map(|label| view! { <p class="state">{label}</p> })}
            {move || notice.get().map(|(notice, class)| view! { <p class=class role="note">{notice}</p> })}
            {move || {
                (state.get() == ShownState::Queued)
                    .then(|| view! { <Queued store id=line.id.clone() shown=queued_shown.clone() /> })
            }}
            {move || can_continue.get().then(|| view! { <ContinueButton store /> })}
            {move || {
                can_copy
                    .get()
                    .then(|| {
                        view! {
                            <div class="actions">
                                <CopyButton store shown=shown.clone() />
                                <AnswerSpending store shown=shown.clone() />
                            </div>
                        }
                    })
            }}
        </li>
    }
}

/// What is to be read of a message, block by block. A block that does not change is not shown anew.
#[component]
fn Blocks(store: Store, id: MessageId, shown: ArcRwSignal<Shown>) -> impl IntoView {
    let blocks = Memo::new({
        let shown = shown.clone();
        move |_| shown.with(|shown| blocks(&shown.message))
    });
    let sources = sources_of(shown.clone());
    view! {
        <For
            each=move || blocks.get()
            key=Block::clone
            children=move |block| match block {
                Block::Text(place) => EitherOf3::A(view! { <Words shown=shown.clone() place sources /> }),
                Block::Reasoning(place) => EitherOf3::B(view! { <Reasoning shown=shown.clone() place /> }),
                Block::Tool(_, call_id) => {
                    EitherOf3::C(view! { <ToolCard store message=id.clone() call_id shown=shown.clone() /> })
                }
            }
        />
        <Sources sources />
    }
}

/// A block of a message: what it is, and the place of its part.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Block {
    Text(usize),
    Reasoning(usize),
    /// With the call.
    Tool(usize, String),
}

fn blocks(message: &Message) -> Vec<Block> {
    let parts = message.parts.iter().enumerate();
    let blocks = parts.filter_map(|(place, part)| match part {
        Part::Text { text, .. } => (!text.is_empty()).then_some(Block::Text(place)),
        Part::Reasoning { .. } => Some(Block::Reasoning(place)),
        Part::Tool(call) => Some(Block::Tool(place, call.tool_call_id.clone())),
        Part::StepStart => None,
    });
    blocks.collect()
}

#[component]
fn Words(shown: ArcRwSignal<Shown>, place: usize, sources: Memo<Vec<Source>>) -> impl IntoView {
    let text = Memo::new(move |_| shown.with(|shown| text_at(shown, place)));
    view! {
        <div class="text" dir="auto">
            {move || sources.with(|sources| cited(text.get(), sources))}
        </div>
    }
}

#[component]
fn Reasoning(shown: ArcRwSignal<Shown>, place: usize) -> impl IntoView {
    let summary = Memo::new({
        let shown = shown.clone();
        move |_| {
            shown.with(|shown| match shown.message.parts.get(place) {
                Some(Part::Reasoning {
                    state: Some(PartState::Streaming),
                    ..
                }) => "Thinking…",
                Some(Part::Reasoning { .. } | Part::Text { .. } | Part::Tool(_) | Part::StepStart) | None => {
                    "Reasoning"
                }
            })
        }
    });
    let text = Memo::new(move |_| shown.with(|shown| text_at(shown, place)));
    view! {
        <details class="reasoning">
            <summary>{move || summary.get()}</summary>
            <div class="text" dir="auto">
                {move || text.get()}
            </div>
        </details>
    }
}

/// The words of a part.
fn text_at(shown: &Shown, place: usize) -> String {
    match shown.message.parts.get(place) {
        Some(Part::Text { text, .. } | Part::Reasoning { text, .. }) => text.clone(),
        Some(Part::Tool(_) | Part::StepStart) | None => String::new(),
    }
}

/// What the owner did is no cause for alarm; what went wrong is to be noticed.
fn notice_class(message: &Message) -> &'static str {
    match message.metadata.as_ref().and_then(|metadata| metadata.outcome) {
        Some(Outcome::Aborted | Outcome::Completed) => "notice",
        Some(Outcome::Error | Outcome::Interrupted) | None => "notice grave",
    }
}

fn has_text(message: &Message) -> bool {
    let is_text = |part: &Part| matches!(part, Part::Text { text, .. } if !text.is_empty());
    message.parts.iter().any(is_text)
}

fn label(state: ShownState) -> Option<&'static str> {
    match state {
        ShownState::Settled | ShownState::Running => None,
        ShownState::Queued => Some("Queued"),
        ShownState::Sending => Some("Sending…"),
        ShownState::Waiting => Some("Waiting for the connection"),
    }
}

/// Stands where the next words of an answer would, for as long as the connection is lost.
#[component]
pub(super) fn Reconnecting() -> impl IntoView {
    view! { <p class="state late">"Reconnecting…"</p> }
}

#[component]
fn ContinueButton(store: Store) -> impl IntoView {
    view! {
        <button type="button" class="button continue" on:click=move |_| store.ask_to_continue()>
            "Continue"
        </button>
    }
}

#[component]
fn CopyButton(store: Store, shown: ArcRwSignal<Shown>) -> impl IntoView {
    let result = RwSignal::new(None::<Copying>);
    let timer = StoredValue::new_local(None::<Box<dyn Timer>>);
    let copied = move |copying| {
        let _ = result.try_set(Some(copying));
        let reset = Box::new(move || {
            let _ = result.try_set(None);
        });
        let running = store.platform().set_timer(COPIED_FOR, reset);
        let _ = timer.try_set_value(Some(running));
        store.announcement.set(match copying {
            Copying::Done => "Copied",
            Copying::Refused => "The browser did not allow copying",
        });
    };
    view! {
        <button
            type="button"
            class="icon-button quiet"
            aria-label="Copy this message"
            title="Copy"
            on:click=move |_| {
                let text = shown.with_untracked(|shown| shown.message.text());
                store.platform().copy(&text, Box::new(copied));
            }
        >
            {move || match result.get() {
                None => view! { <Icon glyph=Glyph::Copy /> },
                Some(Copying::Done) => view! { <Icon glyph=Glyph::Tick /> },
                Some(Copying::Refused) => view! { <Icon glyph=Glyph::Cross /> },
            }}
        </button>
    }
}
