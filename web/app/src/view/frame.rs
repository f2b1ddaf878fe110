//! What surrounds every page: its header, links within the page, the drawer of a narrow screen, the connection's state and
//! the voice for screen readers.

use super::icon::{Glyph, Icon};
use super::later::later;
use crate::store::{Connection, Store};
use flarebot_protocol::address::Page;
use leptos::either::EitherOf4;
use leptos::ev::MouseEvent;
use leptos::html;
use leptos::prelude::*;

/// Whether the sidebar of a narrow screen is drawn out. A wide screen always shows it.
#[derive(Clone, Copy)]
pub(super) struct Drawer {
    state: RwSignal<DrawerState>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DrawerState {
    Closed,
    Open,
}

impl Drawer {
    pub(super) fn new() -> Self {
        Self {
            state: RwSignal::new(DrawerState::Closed),
        }
    }

    pub(super) fn is_open(self) -> bool {
        self.state.get() == DrawerState::Open
    }

    pub(super) fn open(self) {
        self.state.set(DrawerState::Open);
    }

    pub(super) fn close(self) {
        if self.state.get_untracked() == DrawerState::Open {
            self.state.set(DrawerState::Closed);
        }
    }
}

/// The header of a page, with its one main heading.
#[component]
pub(super) fn PageHeader<A: IntoView + 'static>(
    store: Store,
    drawer: Drawer,
    #[prop(into)] title: Signal<String>,
    /// Whether coming here puts the focus on the heading, so that a screen reader says where one is.
    focus: HeadingFocus,
    /// What stands beside the heading.
    aside: A,
) -> impl IntoView {
    let heading = NodeRef::<html::H1>::new();
    let button = NodeRef::<html::Button>::new();
    Effect::new(move |before: Option<u32>| {
        let arrivals = store.arrivals.get();
        if focus == HeadingFocus::OnArrival
            && before.is_none_or(|before| before != arrivals)
            && arrivals > 0
            && let Some(heading) = heading.get()
        {
            let _ = heading.focus();
        }
        arrivals
    });
    Effect::new(move |was_open: Option<bool>| {
        let is_open = drawer.is_open();
        if was_open == Some(true)
            && !is_open
            && let Some(button) = button.get_untracked()
        {
            let _ = button.focus();
        }
        is_open
    });
    view! {
        <header class="page-header">
            <button
                type="button"
                class="icon-button narrow-only"
                aria-label="Open the menu"
                aria-expanded=move || if drawer.is_open() { "true" } else { "false" }
                aria-controls="sidebar"
                node_ref=button
                on:click=move |_| drawer.open()
            >
                <Icon glyph=Glyph::Menu />
            </button>
            <h1 class="page-title" tabindex="-1" node_ref=heading>
                {title}
            </h1>
            {aside}
            <PageLink store page=Page::Home class="icon-button narrow-only" label="New chat">
                <Icon glyph=Glyph::Plus />
            </PageLink>
        </header>
    }
}

/// Whether coming to a page puts the focus on its heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadingFocus {
    OnArrival,
    Never,
}

/// A real link to a page of ours: a plain click stays in this page, every other one is the browser's.
#[component]
pub(super) fn PageLink<C: IntoView + 'static>(
    store: Store,
    page: Page,
    class: &'static str,
    /// A label for when the content alone does not say where the link leads.
    #[prop(optional)]
    label: Option<&'static str>,
    children: TypedChildren<C>,
) -> impl IntoView {
    view! {
        <a
            href=page.path()
            class=class
            aria-label=label
            aria-current=move || (store.page.get() == page).then_some("page")
            on:click=move |event| {
                if is_plain_click(&event) {
                    event.prevent_default();
                    store.navigate(page);
                }
            }
        >
            {children.into_inner()()}
        </a>
    }
}

/// Whether a click means this page; every other one is the browser's.
pub(super) fn is_plain_click(event: &MouseEvent) -> bool {
    let has_modifier = event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key();
    event.button() == 0 && !has_modifier
}

/// Whether the focus is nowhere, which browsers show as the body having it.
pub(super) fn nothing_has_focus() -> bool {
    document()
        .active_element()
        .is_none_or(|element| element.tag_name() == "BODY")
}

/// Says that the connection is lost, for as long as it is.
#[component]
pub(super) fn ConnectionBar(store: Store) -> impl IntoView {
    let connection = Memo::new(move |_| store.connection());
    view! {
        <div class="connection" role="status" aria-live="polite" aria-label="Connection">
            {move || match connection.get() {
                Connection::Quiet => EitherOf4::A(()),
                Connection::Reconnecting => EitherOf4::B(later(|| view! { <p class="bar late">"Reconnecting…"</p> })),
                Connection::Outdated => {
                    EitherOf4::C(
                        later(|| {
                            view! {
                                <p class="bar">
                                    "There is a newer version of this page. " <a href="">"Reload"</a>
                                </p>
                            }
                        }),
                    )
                }
                Connection::Refused => {
                    EitherOf4::D(
                        later(|| {
                            view! {
                                <p class="bar">
                                    "The server closed the connection. " <a href="">"Reload the page"</a>
                                </p>
                            }
                        }),
                    )
                }
            }}
        </div>
    }
}

/// Says the end of an answer to a screen reader.
#[component]
pub(super) fn Announcer(store: Store) -> impl IntoView {
    view! {
        <div class="unseen" role="status" aria-live="polite" data-testid="announcer">
            {move || store.announcement.get()}
        </div>
    }
}
