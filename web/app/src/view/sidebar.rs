//! The sidebar: a new chat, the conversations, and the way to the other pages.

use super::frame::{Drawer, PageLink, nothing_has_focus};
use super::icon::{Glyph, Icon};
use super::later::later;
use crate::store::{Row, RowMark, Store};
use flarebot_protocol::ConversationId;
use flarebot_protocol::address::Page;
use leptos::either::{Either, EitherOf3};
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

#[component]
pub(super) fn Sidebar(store: Store, drawer: Drawer) -> impl IntoView {
    let close = NodeRef::<html::Button>::new();
    let list = NodeRef::<html::Nav>::new();
    let order = Memo::new(move |_| store.sidebar.with(crate::store::Sidebar::order));
    Effect::new(move |_| {
        store.arrivals.track();
        drawer.close();
    });
    Effect::new(move |_| {
        if drawer.is_open() {
            // The drawer can take the focus only once it is visible, which it is in the next frame.
            request_animation_frame(move || {
                if let Some(close) = close.get_untracked() {
                    let _ = close.focus();
                }
            });
        }
    });
    Effect::new(move |was_asked: Option<bool>| {
        let is_asked = store.deletion.with(Option::is_some);
        if was_asked == Some(true) && !is_asked {
            // The dialog gives the focus back to the row that asked. When that is gone, the list itself takes it.
            request_animation_frame(move || {
                if nothing_has_focus()
                    && let Some(list) = list.get_untracked()
                {
                    let _ = list.focus();
                }
            });
        }
        is_asked
    });
    view! {
        <div class="scrim" aria-hidden="true" on:click=move |_| drawer.close()></div>
        <aside id="sidebar" class="sidebar" class:is-open=move || drawer.is_open() aria-label="Conversations and pages">
            <div class="sidebar-head">
                <span class="brand">
                    <Icon glyph=Glyph::Flame />
                    "Flarebot"
                </span>
                <button
                    type="button"
                    class="icon-button narrow-only"
                    aria-label="Close the menu"
                    node_ref=close
                    on:click=move |_| drawer.close()
                >
                    <Icon glyph=Glyph::Cross />
                </button>
            </div>
            <PageLink store page=Page::Home class="new-chat">
                <Icon glyph=Glyph::Plus />
                "New chat"
            </PageLink>
            <nav class="conversations" aria-label="Conversations" tabindex="-1" node_ref=list>
                <h2 class="unseen">"Conversations"</h2>
                <ul>
                    <For
                        each=move || order.get()
                        key=|id| *id
                        children=move |id| later(move || view! { <SidebarRow store id /> })
                    />
                </ul>
            </nav>
            <nav class="pages" aria-label="Pages">
                <PageLink store page=Page::Tasks class="page-link">
                    <Icon glyph=Glyph::Clock />
                    "Tasks"
                </PageLink>
                <PageLink store page=Page::Settings class="page-link">
                    <Icon glyph=Glyph::Sliders />
                    "Settings"
                </PageLink>
            </nav>
        </aside>
    }
}

/// Whether a row's name is being changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Renaming {
    No,
    Yes,
}

#[component]
fn SidebarRow(store: Store, id: ConversationId) -> impl IntoView {
    let row = Memo::new(move |_| store.sidebar.with(|sidebar| sidebar.row(id).cloned()));
    let name =
        Signal::derive(move || row.with(|row| row.as_ref().map(|row| row.name.clone()).unwrap_or_default()));
    let renaming = RwSignal::new(Renaming::No);
    let rename_button = NodeRef::<html::Button>::new();
    let finish = move || {
        renaming.set(Renaming::No);
        request_animation_frame(move || {
            if let Some(button) = rename_button.get_untracked() {
                let _ = button.focus();
            }
        });
    };
    view! {
        <li class="row" class:is-current=move || store.page.get() == Page::Conversation(id)>
            {move || match renaming.get() {
                Renaming::Yes => Either::Left(view! { <RenameField store id name=name.get_untracked() finish /> }),
                Renaming::No => {
                    Either::Right(
                        view! {
                            <PageLink store page=Page::Conversation(id) class="row-link">
                                <span class="row-name" dir="auto">{name}</span>
                                <Mark store id row />
                            </PageLink>
                            <button
                                type="button"
                                class="icon-button quiet"
                                aria-label=move || format!("Rename {}", name.get())
                                title="Rename"
                                node_ref=rename_button
                                on:click=move |_| renaming.set(Renaming::Yes)
                            >
                                <Icon glyph=Glyph::Pen />
                            </button>
                            <button
                                type="button"
                                class="icon-button quiet"
                                aria-label=move || format!("Delete {}", name.get())
                                title="Delete"
                                on:click=move |_| store.ask_to_delete(id)
                            >
                                <Icon glyph=Glyph::Bin />
                            </button>
                        },
                    )
                }
            }}
        </li>
    }
}

/// What is to be noticed about a conversation. What is open is not unread.
#[component]
fn Mark(store: Store, id: ConversationId, row: Memo<Option<Row>>) -> impl IntoView {
    let mark = Memo::new(move |_| {
        let mark = row.with(|row| row.as_ref().map_or(RowMark::Quiet, |row| row.mark));
        match mark {
            RowMark::Unread if store.page.get() == Page::Conversation(id) => RowMark::Quiet,
            mark @ (RowMark::Quiet | RowMark::Running | RowMark::Unread) => mark,
        }
    });
    move || match mark.get() {
        RowMark::Quiet => EitherOf3::A(()),
        RowMark::Running => EitherOf3::B(view! {
            <span class="mark running"><span class="unseen">" – answering"</span></span>
        }),
        RowMark::Unread => EitherOf3::C(view! {
            <span class="mark unread"><span class="unseen">" – new answer"</span></span>
        }),
    }
}

/// The field in which a conversation gets another name: Enter saves, Escape leaves it as it was.
#[component]
fn RenameField(
    store: Store,
    id: ConversationId,
    name: String,
    finish: impl Fn() + Copy + 'static,
) -> impl IntoView {
    let field = NodeRef::<html::Input>::new();
    let trouble = RwSignal::new(None::<String>);
    let before = StoredValue::new(name.clone());
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            let _ = field.focus();
            field.select();
        }
    });
    let save = move || {
        let Some(text) = field.get_untracked().map(|field| field.value()) else {
            return;
        };
        if text.trim() == before.get_value() {
            finish();
            return;
        }
        store.rename(id, &text, move |outcome| match outcome {
            Ok(()) => finish(),
            Err(sentence) => {
                let _ = trouble.try_set(Some(sentence));
            }
        });
    };
    let on_key = move |event: KeyboardEvent| {
        if event.is_composing() || event.key_code() == 229 {
            return;
        }
        match event.key().as_str() {
            "Enter" => {
                event.prevent_default();
                save();
            }
            "Escape" => {
                event.prevent_default();
                finish();
            }
            _ => {}
        }
    };
    view! {
        <div class="rename">
            <input
                type="text"
                class="rename-field"
                aria-label="New name"
                maxlength="120"
                autocomplete="off"
                value=name
                node_ref=field
                on:keydown=on_key
                aria-invalid=move || trouble.with(Option::is_some).then_some("true")
            />
            <button type="button" class="icon-button" aria-label="Save the name" on:click=move |_| save()>
                <Icon glyph=Glyph::Tick />
            </button>
            <button type="button" class="icon-button" aria-label="Keep the old name" on:click=move |_| finish()>
                <Icon glyph=Glyph::Cross />
            </button>
            <p class="trouble" role="alert">{move || trouble.get()}</p>
        </div>
    }
}
