//! What someone sees who is not signed in: how to get in, and nothing else.

use super::icon::{Glyph, Icon};
use super::later::later;
use crate::store::{SignIn as State, Store};
use leptos::either::EitherOf3;
use leptos::prelude::*;

/// The page that a sign-in link leads to.
#[component]
pub(super) fn SignIn(store: Store) -> impl IntoView {
    view! {
        <Card>
            <h1>"Sign in"</h1>
            {move || match store.sign_in.get() {
                State::Checking => EitherOf3::A(view! { <p role="status">"Checking the link…"</p> }),
                State::NoLink => EitherOf3::B(later(|| view! { <HowToSignIn /> })),
                State::Failed { sentence } => {
                    EitherOf3::C(
                        later(|| {
                            view! {
                                <p class="trouble" role="alert">{sentence}</p>
                                <HowToSignIn />
                            }
                        }),
                    )
                }
            }}
        </Card>
    }
}

/// Any page without a session.
#[component]
pub(super) fn SignedOut() -> impl IntoView {
    view! {
        <Card>
            <h1>"You are signed out"</h1>
            <HowToSignIn />
        </Card>
    }
}

#[component]
fn Card<C: IntoView + 'static>(children: TypedChildren<C>) -> impl IntoView {
    view! {
        <div class="card">
            <span class="brand">
                <Icon glyph=Glyph::Flame />
                "Flarebot"
            </span>
            {children.into_inner()()}
        </div>
    }
}

#[component]
fn HowToSignIn() -> impl IntoView {
    view! {
        <p>"Run this where Flarebot is installed, and open the link that it prints:"</p>
        <pre class="command"><code>"cargo xtask sign-in"</code></pre>
        <p class="aside">"A link works once, for five minutes."</p>
    }
}
