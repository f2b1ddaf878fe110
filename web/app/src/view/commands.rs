//! What stands above the composer: what there is to choose from, and what a command has done.

use super::icon::{Glyph, Icon};
use super::later::later;
use crate::store::{Choices, Deed, Direction, Store, Work};
use leptos::either::Either;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

/// The id of the menu, for the field that it belongs to.
pub(super) const MENU: &str = "composer-menu";

/// The choices, for as long as there are any. The focus stays in the field, which names the marked one.
#[component]
pub(super) fn CommandMenu(store: Store) -> impl IntoView {
    let menu = store.commands.menu;
    let choices = Memo::new(move |_| menu.with(|menu| menu.as_ref().map(|menu| menu.choices.clone())));
    let marked = Memo::new(move |_| menu.with(|menu| menu.as_ref().map(|menu| menu.marked)));
    Effect::new(move |_| {
        if let Some(place) = marked.get() {
            request_animation_frame(move || {
                if let Some(choice) = document().get_element_by_id(&choice_id(place)) {
                    choice.scroll_into_view_with_bool(false);
                }
            });
        }
    });
    view! {
        <div class="menu-place">
            {move || {
                choices
                    .get()
                    .map(|choices| {
                        later(move || {
                            view! {
                                <ul id=MENU class="menu" role="listbox" aria-label=label(&choices)>
                                    {rows(&choices)
                                        .into_iter()
                                        .enumerate()
                                        .map(|(place, (name, about))| {
                                            view! { <Choice store marked place name about /> }
                                        })
                                        .collect::<Vec<_>>()}
                                </ul>
                            }
                        })
                    })
            }}
        </div>
        <p class="unseen" role="status">
            {move || choices.with(|choices| choices.as_ref().map(how_to_choose))}
        </p>
    }
}

#[component]
fn Choice(
    store: Store,
    marked: Memo<Option<usize>>,
    place: usize,
    name: String,
    about: String,
) -> impl IntoView {
    view! {
        <li
            id=choice_id(place)
            class="choice"
            role="option"
            aria-selected=move || if marked.get() == Some(place) { "true" } else { "false" }
            // Pressing must not take the focus out of the field.
            on:mousedown=move |event| event.prevent_default()
            on:click=move |_| store.choose(Some(place))
        >
            <span class="choice-name" dir="auto">
                {name}
            </span>
            " "
            <span class="choice-about">{about}</span>
        </li>
    }
}

/// What a command has done, with a way back.
#[component]
pub(super) fn CommandDone(store: Store) -> impl IntoView {
    let done = store.commands.done;
    let is_working = Memo::new(move |_| store.commands.work.get() == Work::Working);
    let undoing = Memo::new(move |_| done.with(|done| done.as_ref().map(|done| done.undoing.clone())));
    let what = Memo::new(move |_| {
        done.with(|done| {
            let done = done.as_ref()?;
            let deed = match done.deed {
                Deed::Remembered => "Remembered:",
                Deed::Forgotten => "Forgotten:",
            };
            Some((deed, done.fact.content.clone()))
        })
    });
    move || {
        if is_working.get() {
            return Some(Either::Left(later(
                || view! { <p class="command-done">"Working…"</p> },
            )));
        }
        let (deed, content) = what.get()?;
        Some(Either::Right(later(move || {
            view! {
                <div class="command-done">
                    <p class="command-fact">{deed} " " <q dir="auto">{content}</q></p>
                    <button
                        type="button"
                        class="text-button"
                        aria-disabled=move || (undoing.get() == Some(Work::Working)).then_some("true")
                        on:click=move |_| store.undo_command()
                    >
                        "Undo"
                    </button>
                    <button
                        type="button"
                        class="icon-button"
                        aria-label="Dismiss"
                        on:click=move |_| store.dismiss_done()
                    >
                        <Icon glyph=Glyph::Cross />
                    </button>
                    <p class="trouble" role="alert">
                        {move || match undoing.get() {
                            Some(Work::Failed { sentence }) => Some(sentence),
                            Some(Work::Idle | Work::Working | Work::Done) | None => None,
                        }}
                    </p>
                </div>
            }
        })))
    }
}

/// The choice that is marked, by its id.
pub(super) fn marked_choice(store: Store) -> Option<String> {
    store
        .commands
        .menu
        .with(|menu| menu.as_ref().map(|menu| choice_id(menu.marked)))
}

/// Lets a key do what it does in a menu, and says whether it did.
pub(super) fn choose_by_key(store: Store, event: &KeyboardEvent) -> bool {
    if store.commands.menu.with_untracked(Option::is_none)
        || event.ctrl_key()
        || event.meta_key()
        || event.alt_key()
    {
        return false;
    }
    match (event.key().as_str(), event.shift_key()) {
        ("ArrowDown", false) => store.mark_choice(Direction::Next),
        ("ArrowUp", false) => store.mark_choice(Direction::Previous),
        ("Enter" | "Tab", false) => store.choose(None),
        ("Escape", _) => store.dismiss_menu(),
        _ => return false,
    }
    event.prevent_default();
    true
}

fn choice_id(place: usize) -> String {
    format!("{MENU}-{place}")
}

const fn label(choices: &Choices) -> &'static str {
    match choices {
        Choices::Commands(_) => "Commands",
        Choices::Facts(_) => "Facts to forget",
    }
}

/// The name of each choice, and what is said about it.
fn rows(choices: &Choices) -> Vec<(String, String)> {
    match choices {
        Choices::Commands(commands) => commands
            .iter()
            .map(|command| {
                let name = format!("/{} {}", command.name, command.argument);
                (name, command.about.to_owned())
            })
            .collect(),
        Choices::Facts(facts) => facts
            .iter()
            .map(|fact| (fact.content.clone(), String::new()))
            .collect(),
    }
}

/// What a screen reader says when choices appear.
fn how_to_choose(choices: &Choices) -> String {
    let (count, one, many, takes) = match choices {
        Choices::Commands(commands) => (commands.len(), "command", "commands", "completes"),
        Choices::Facts(facts) => (facts.len(), "fact", "facts", "forgets"),
    };
    let noun = if count == 1 { one } else { many };
    format!("{count} {noun}. The arrow keys choose, Enter {takes}, Escape closes.")
}
