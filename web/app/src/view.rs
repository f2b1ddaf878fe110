//! The components of the page. They show what the store says and tell it what the owner does.

#![expect(
    unreachable_pub,
    reason = "the component macro makes the properties of a component as public as can be"
)]

mod chat;
mod citation;
mod commands;
mod composer;
mod deletion;
mod dialog;
mod empty;
mod follow;
mod frame;
mod icon;
mod later;
mod message;
mod question;
mod queued;
mod remembering;
mod settings;
mod sidebar;
mod signing;
mod spending;
mod tasks;
mod tool;
mod transcript;

use crate::platform::Platform;
use crate::store::{Access, Store};
use chat::Chat;
use deletion::DeletionQuestion;
use flarebot_protocol::address::Page;
use frame::{Announcer, ConnectionBar, Drawer};
use later::later;
use leptos::either::EitherOf5;
use leptos::ev;
use leptos::prelude::*;
use settings::Settings;
use sidebar::Sidebar;
use signing::{SignIn, SignedOut};
use std::rc::Rc;
use tasks::Tasks;

/// What fills the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Screen {
    Chat,
    Settings,
    Tasks,
    SignIn,
    SignedOut,
}

impl Screen {
    fn of(page: Page, access: Access) -> Self {
        match (page, access) {
            (Page::SignIn, _) => Self::SignIn,
            (_, Access::SignedOut) => Self::SignedOut,
            (Page::Home | Page::Conversation(_), _) => Self::Chat,
            (Page::Settings, _) => Self::Settings,
            (Page::Tasks, _) => Self::Tasks,
        }
    }

    fn has_sidebar(self) -> bool {
        match self {
            Self::Chat | Self::Settings | Self::Tasks => true,
            Self::SignIn | Self::SignedOut => false,
        }
    }
}

/// The whole page. What it first renders depends on the kind of `page` alone, so that the browser can take over what the
/// server rendered; everything else follows once the browser runs.
#[component]
pub fn App(
    /// The page that the address names.
    page: Page,
    /// What the page runs on.
    platform: Rc<dyn Platform>,
) -> impl IntoView {
    let store = Store::new(page, platform);
    let drawer = Drawer::new();
    let screen = Memo::new(move |_| Screen::of(store.page.get(), store.access.get()));
    let has_sidebar = Memo::new(move |_| screen.get().has_sidebar());
    Effect::new(move |_| untrack(|| store.start()));
    Effect::new(move |_| store.platform().set_title(&store.title()));
    Effect::new(move |_| listen_for_keys(store, drawer));
    watch_over_unsaved(store);
    view! {
        <a class="skip" href="#main">"Skip to content"</a>
        <ConnectionBar store />
        <div class="page" class:has-drawer=move || drawer.is_open()>
            {move || has_sidebar.get().then(|| view! { <Sidebar store drawer /> })}
            <main id="main" class="main" tabindex="-1" inert=move || drawer.is_open()>
                {move || match screen.get() {
                    Screen::Chat => EitherOf5::A(view! { <Chat store drawer /> }),
                    Screen::Settings => EitherOf5::B(view! { <Settings store drawer /> }),
                    Screen::Tasks => EitherOf5::C(view! { <Tasks store drawer /> }),
                    Screen::SignIn => EitherOf5::D(view! { <SignIn store /> }),
                    Screen::SignedOut => EitherOf5::E(later(|| view! { <SignedOut /> })),
                }}
            </main>
        </div>
        {later(move || view! { <DeletionQuestion store /> })}
        <Announcer store />
    }
}

/// Lets the browser ask before the page is closed or loaded anew, as long as something is not saved.
fn watch_over_unsaved(store: Store) {
    let has_unsaved = Memo::new(move |_| store.has_unsaved_settings());
    Effect::new(move |guard: Option<Option<WindowListenerHandle>>| {
        if let Some(Some(guard)) = guard {
            guard.remove();
        }
        has_unsaved
            .get()
            .then(|| window_event_listener(ev::beforeunload, |event| event.prevent_default()))
    });
}

/// Keys that work wherever the focus is.
fn listen_for_keys(store: Store, drawer: Drawer) {
    // The page lives as long as its window, so the listener is never taken away.
    let _ = window_event_listener(ev::keydown, move |event| {
        let is_command = event.ctrl_key() || event.meta_key();
        match event.key().as_str() {
            "Escape" if event.default_prevented() || event.is_composing() => {}
            "Escape" if untrack(|| drawer.is_open()) => drawer.close(),
            "Escape" if store.deletion.with_untracked(Option::is_none) => store.stop(),
            "O" | "o" if is_command && event.shift_key() => {
                event.prevent_default();
                store.navigate(Page::Home);
            }
            _ => {}
        }
    });
}
