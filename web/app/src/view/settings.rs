//! The owner's settings, section by section. A section is one line of [`SECTIONS`], a name, and a component.

mod fact;
mod forgotten;
mod general;
mod instructions;
mod key;
mod keyboard;
mod memory;
mod models;
mod question;
mod security;
mod work;

use super::frame::{Drawer, HeadingFocus, PageHeader, is_plain_click, nothing_has_focus};
use super::later::later;
use crate::store::{MEMORY, Store, section_path};
use general::General;
use keyboard::Keyboard;
use leptos::either::{Either, EitherOf5};
use leptos::html;
use leptos::prelude::*;
use memory::Memory;
use models::Models;
use question::SettingsQuestion;
use security::Security;

/// One section of the page.
struct Section {
    /// What the address calls it.
    address: &'static str,
    title: &'static str,
    name: Name,
}

/// Which section it is. The views of all of them are one type that is known when the page is compiled: to erase it would
/// double the page, since nothing of what an erased view can do is ever left out.
#[derive(Clone, Copy)]
enum Name {
    General,
    Models,
    Memory,
    Keyboard,
    Security,
}

impl Name {
    fn view(self, store: Store) -> impl IntoView {
        match self {
            Self::General => EitherOf5::A(view! { <General store /> }),
            Self::Models => EitherOf5::B(view! { <Models store /> }),
            Self::Memory => EitherOf5::C(view! { <Memory store /> }),
            Self::Keyboard => EitherOf5::D(view! { <Keyboard /> }),
            Self::Security => EitherOf5::E(view! { <Security store /> }),
        }
    }
}

/// All sections, in the order in which they stand.
#[rustfmt::skip]
static SECTIONS: [Section; 5] = [
    Section { address: "", title: "General", name: Name::General },
    Section { address: "models", title: "Models", name: Name::Models },
    Section { address: MEMORY, title: "Memory", name: Name::Memory },
    Section { address: "keyboard", title: "Keyboard", name: Name::Keyboard },
    Section { address: "security", title: "Security", name: Name::Security },
];

/// The section of an address; the first one stands for what is unknown.
fn section(address: &str) -> Option<&'static Section> {
    let named = SECTIONS.iter().find(|section| section.address == address);
    named.or(SECTIONS.first())
}

#[component]
pub(super) fn Settings(store: Store, drawer: Drawer) -> impl IntoView {
    let heading = NodeRef::<html::H2>::new();
    let shown = Memo::new(move |_| {
        let address = store.settings.section.get()?;
        section(&address).map(|section| section.address)
    });
    let focus_heading = move || {
        if let Some(heading) = heading.try_get_untracked().flatten() {
            let _ = heading.focus();
        }
    };
    Effect::new(move |before: Option<Option<&'static str>>| {
        let shown = shown.get();
        // Coming to the page puts the focus on its own heading.
        if let Some(Some(before)) = before
            && shown.is_some_and(|shown| shown != before)
        {
            request_animation_frame(focus_heading);
        }
        shown
    });
    Effect::new(move |was_asked: Option<bool>| {
        let is_asked = store.settings.question.with(Option::is_some);
        if was_asked == Some(true) && !is_asked {
            // The dialog gives the focus back to what asked. When that is gone, the section takes it.
            request_animation_frame(move || {
                if nothing_has_focus() {
                    focus_heading();
                }
            });
        }
        is_asked
    });
    view! {
        <div class="document settings">
            <PageHeader store drawer title="Settings".to_owned() focus=HeadingFocus::OnArrival aside=() />
            <nav class="sections column" aria-label="Sections">
                <ul>
                    {SECTIONS
                        .iter()
                        .map(|section| {
                            view! {
                                <li>
                                    <SectionLink store section shown />
                                </li>
                            }
                        })
                        .collect::<Vec<_>>()}
                </ul>
            </nav>
            <div class="document-body column">
                {move || match shown.get().and_then(section) {
                    None => Either::Left(view! { <p class="loading">"Loading…"</p> }),
                    Some(section) => {
                        Either::Right(
                            later(move || {
                                view! {
                                    <h2 class="section-title" tabindex="-1" node_ref=heading>
                                        {section.title}
                                    </h2>
                                    {section.name.view(store)}
                                }
                            }),
                        )
                    }
                }}
            </div>
        </div>
        {later(move || view! { <SettingsQuestion store /> })}
    }
}

#[component]
fn SectionLink(store: Store, section: &'static Section, shown: Memo<Option<&'static str>>) -> impl IntoView {
    let address = section.address;
    view! {
        <a
            href=section_path(address)
            class="section-link"
            aria-current=move || (shown.get() == Some(address)).then_some("page")
            on:click=move |event| {
                if is_plain_click(&event) {
                    event.prevent_default();
                    store.open_section(address);
                }
            }
        >
            {section.title}
        </a>
    }
}
