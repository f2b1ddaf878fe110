//! What no server renders: everything that the owner alone may see, and everything that appears while the page lives.
//!
//! The server's document is content-free, so that a view behind a message, a row or an open menu is never part of it.
//! Said here, neither the Worker carries the code that would write it, nor the browser the code that would take it over.

use leptos::prelude::*;
use leptos::tachys::html::attribute::Attribute;
use leptos::tachys::html::attribute::any_attribute::AnyAttribute;
use leptos::tachys::hydration::Cursor;
use leptos::tachys::view::{Mountable, Position, PositionState, Render};

/// A view that the browser alone makes, with `make`.
///
/// It is made anew, its elements too, whenever what surrounds it is rendered again: what decides whether it is there has
/// to be a memo, or it would lose the focus and what is written in it.
pub(super) const fn later<F>(make: F) -> Later<F> {
    Later { make }
}

/// See [`later`]. Attributes that are put on it from outside have no effect.
pub(super) struct Later<F> {
    make: F,
}

impl<F, V> Render for Later<F>
where
    F: FnOnce() -> V,
    V: Render,
{
    type State = V::State;

    fn build(self) -> Self::State {
        (self.make)().build()
    }

    fn rebuild(self, state: &mut Self::State) {
        let mut new = self.build();
        state.insert_before_this(&mut new);
        state.unmount();
        *state = new;
    }
}

impl<F, V> AddAnyAttr for Later<F>
where
    F: FnOnce() -> V + Send + 'static,
    V: Render,
{
    type Output<NewAttribute: Attribute> = Self;

    fn add_any_attr<NewAttribute: Attribute>(self, _attribute: NewAttribute) -> Self::Output<NewAttribute> {
        self
    }
}

impl<F, V> RenderHtml for Later<F>
where
    F: FnOnce() -> V + Send + 'static,
    V: Render,
{
    type AsyncOutput = Self;
    type Owned = Self;

    const MIN_LENGTH: usize = <() as RenderHtml>::MIN_LENGTH;

    fn dry_resolve(&mut self) {}

    async fn resolve(self) -> Self {
        self
    }

    fn to_html_with_buf(
        self,
        buffer: &mut String,
        position: &mut Position,
        escape: bool,
        mark_branches: bool,
        extra_attributes: Vec<AnyAttribute>,
    ) {
        ().to_html_with_buf(buffer, position, escape, mark_branches, extra_attributes);
    }

    fn hydrate<const FROM_SERVER: bool>(self, cursor: &Cursor, position: &PositionState) -> Self::State {
        let place = RenderHtml::hydrate::<FROM_SERVER>((), cursor, position);
        let mut state = self.build();
        place.insert_before_this(&mut state);
        state
    }

    fn into_owned(self) -> Self {
        self
    }
}
