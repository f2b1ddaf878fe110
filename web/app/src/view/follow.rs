//! Where the reader is in a transcript: at its end, where new text is followed, or somewhere above, where nothing may move.

use leptos::html;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::HtmlElement;

/// How near the end counts as the end, in pixels.
const NEAR: i32 = 48;

/// How near the start fetches older messages, in pixels.
const START: i32 = 240;

/// The reader's place in a scrolling list.
#[derive(Clone, Copy)]
pub(super) struct Follow {
    scroller: NodeRef<html::Div>,
    list: NodeRef<html::Ol>,
    place: RwSignal<Place>,
    /// How far down the reader was when it was last looked at, in pixels.
    top: StoredValue<i32>,
    /// What was the list's first entry when the content last changed. What stands above it now came since.
    first: StoredValue<Option<HtmlElement>, LocalStorage>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    AtEnd,
    Above,
}

impl Follow {
    pub(super) fn new(scroller: NodeRef<html::Div>, list: NodeRef<html::Ol>) -> Self {
        Self {
            scroller,
            list,
            place: RwSignal::new(Place::AtEnd),
            top: StoredValue::new(0),
            first: StoredValue::new_local(None),
        }
    }

    pub(super) fn is_above(self) -> bool {
        self.place.get() == Place::Above
    }

    /// The element was scrolled, by whomever.
    pub(super) fn scrolled(self) {
        let Some(element) = self.scroller.get_untracked() else {
            return;
        };
        let distance = element.scroll_height() - element.scroll_top() - element.client_height();
        // New text below moves the end away without the reader's doing: only a movement upwards leaves it.
        if distance <= NEAR {
            self.put(Place::AtEnd);
        } else if element.scroll_top() < self.top.get_value() {
            self.put(Place::Above);
        }
        self.look();
    }

    /// Whether the reader is so near the start that older messages should come.
    pub(super) fn is_near_start(self) -> bool {
        let is_near = |element: &leptos::web_sys::HtmlDivElement| {
            element.scroll_top() < START && element.scroll_height() > element.client_height()
        };
        self.scroller
            .with_untracked(|element| element.as_ref().is_some_and(is_near))
    }

    /// The content changed: stays at the end, or lets what the reader sees stay in its place.
    pub(super) fn content_changed(self) {
        request_animation_frame(move || {
            let came_above = self.came_above();
            if self.place.try_get_untracked() == Some(Place::AtEnd) {
                self.go_to_end();
            } else if let Some(element) = self.scroller.try_get_untracked().flatten() {
                element.set_scroll_top(element.scroll_top() + came_above);
                self.look();
            }
        });
    }

    /// Goes to the end and follows it from now on.
    pub(super) fn go_to_end(self) {
        if let Some(element) = self.scroller.try_get_untracked().flatten() {
            element.set_scroll_top(element.scroll_height());
            self.put(Place::AtEnd);
            self.look();
        }
    }

    fn put(self, place: Place) {
        if self.place.get_untracked() != place {
            self.place.set(place);
        }
    }

    /// How much room was taken by what came in front of the first entry since this was last asked, in pixels.
    ///
    /// It is measured by where the entries stand, not by how the whole grew: between the growth and this moment the
    /// reader may have scrolled, and text may have come at the end.
    fn came_above(self) -> i32 {
        let first = self
            .list
            .try_get_untracked()
            .flatten()
            .and_then(|list| list.first_element_child()?.dyn_into::<HtmlElement>().ok());
        let before = self.first.try_get_value().flatten();
        self.first.try_set_value(first.clone());
        match (before, first) {
            (Some(before), Some(first)) if before.is_connected() => before.offset_top() - first.offset_top(),
            _ => 0,
        }
    }

    fn look(self) {
        if let Some(element) = self.scroller.try_get_untracked().flatten() {
            self.top.set_value(element.scroll_top());
        }
    }
}
