//! The messages of the open conversation, or what is there instead of them.

use super::empty::EmptyState;
use super::follow::Follow;
use super::frame::PageLink;
use super::icon::{Glyph, Icon};
use super::later::later;
use super::message::{MessageView, Reconnecting};
use crate::store::{Line, Older, Phase, Progress, Store};
use flarebot_protocol::address::Page;
use leptos::either::{Either, EitherOf4};
use leptos::html;
use leptos::prelude::*;

#[component]
pub(super) fn Transcript(store: Store) -> impl IntoView {
    let conversation = store.conversation;
    let scroller = NodeRef::<html::Div>::new();
    let list = NodeRef::<html::Ol>::new();
    let follow = Follow::new(scroller, list);
    let phase = Memo::new(move |_| conversation.phase.get());
    let is_awaited =
        Memo::new(move |_| matches!(conversation.progress.get(), Progress::Sending | Progress::Awaited));
    let is_reconnecting = Memo::new(move |_| store.is_reconnecting());
    let is_above = Memo::new(move |_| follow.is_above());
    let load_older = move || {
        if follow.is_near_start() && conversation.older.get_untracked() == Older::Available {
            store.load_older();
        }
    };
    Effect::new(move |_| {
        conversation.changed.track();
        conversation.activities.track();
        follow.content_changed();
    });
    Effect::new(move |_| {
        store.page.track();
        conversation.sent.track();
        follow.go_to_end();
    });
    view! {
        <div
            class="transcript"
            role="region"
            aria-label="Transcript"
            tabindex="0"
            node_ref=scroller
            on:scroll=move |_| {
                follow.scrolled();
                load_older();
            }
        >
            <div class="column">
                <p class="older" role="status">
                    {move || (conversation.older.get() == Older::Loading).then_some("Loading older messages…")}
                </p>
                {move || match phase.get() {
                    Phase::New | Phase::Starting => EitherOf4::A(view! { <EmptyState store /> }),
                    Phase::Loading => EitherOf4::B(view! { <p class="loading">"Loading…"</p> }),
                    Phase::Open => EitherOf4::C(()),
                    Phase::Gone => EitherOf4::D(later(move || view! { <Gone store /> })),
                }}
                <ol class="messages" node_ref=list>
                    <For
                        each=move || conversation.lines.get()
                        key=|line: &Line| line.id.clone()
                        children=move |line| later(move || view! { <MessageView store line /> })
                    />
                </ol>
                {move || {
                    is_awaited
                        .get()
                        .then(|| {
                            let is_reconnecting = is_reconnecting.get();
                            later(move || {
                                if is_reconnecting {
                                    Either::Left(view! { <Reconnecting /> })
                                } else {
                                    Either::Right(
                                        view! {
                                            <p class="awaited">
                                                <span class="unseen">"Waiting for the answer"</span>
                                            </p>
                                        },
                                    )
                                }
                            })
                        })
                }}
            </div>
        </div>
        <div class="jump">
            {move || is_above.get().then(|| later(move || view! { <JumpButton follow /> }))}
        </div>
    }
}

#[component]
fn JumpButton(follow: Follow) -> impl IntoView {
    view! {
        <button
            type="button"
            class="icon-button raised"
            aria-label="Jump to the end"
            on:click=move |_| follow.go_to_end()
        >
            <Icon glyph=Glyph::Down />
        </button>
    }
}

#[component]
fn Gone(store: Store) -> impl IntoView {
    view! {
        <div class="notice-page">
            <h2>"This conversation does not exist"</h2>
            <p>"It was deleted, or the address is wrong."</p>
            <PageLink store page=Page::Home class="button primary">
                "Start a new chat"
            </PageLink>
        </div>
    }
}
