//! Where the reader is in a transcript: at its end, where new text is followed, or somewhere above, where nothing may move.

use leptos::html;
use leptos::prelude::*;

/// How near the end counts as the end, in pixels.
const NEAR: i32 = 48;

/// How near the start fetches older messages, in pixels.
const START: i32 = 240;

/// The reader's place in a scrolling element.
#[derive(Clone, Copy)]
pub(super) struct Follow {
    scroller: NodeRef<html::Div>,
    place: RwSignal<Place>,
    seen: StoredValue<Seen>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    AtEnd,
    Above,
}

/// The geometry when it was last looked at, in pixels.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    top: i32,
    height: i32,
}

impl Follow {
    pub(super) fn new(scroller: NodeRef<html::Div>) -> Self {
        Self {
            scroller,
            place: RwSignal::new(Place::AtEnd),
            seen: StoredValue::new(Seen::default()),
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
        let before = self.seen.get_value();
        let distance = element.scroll_height() - element.scroll_top() - element.client_height();
        // New text below moves the end away without the reader's doing: only a movement upwards leaves it.
        if distance <= NEAR {
            self.put(Place::AtEnd);
        } else if element.scroll_top() < before.top {
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
    pub(super) fn content_changed(self, growth: Growth) {
        request_animation_frame(move || {
            if self.place.try_get_untracked() == Some(Place::AtEnd) {
                self.go_to_end();
            } else if let (Growth::Above, Some(element)) =
                (growth, self.scroller.try_get_untracked().flatten())
            {
                let grown = element.scroll_height() - self.seen.get_value().height;
                element.set_scroll_top(element.scroll_top() + grown);
                self.look();
            } else {
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

    fn look(self) {
        if let Some(element) = self.scroller.try_get_untracked().flatten() {
            self.seen.set_value(Seen {
                top: element.scroll_top(),
                height: element.scroll_height(),
            });
        }
    }
}

/// Where a transcript grew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Growth {
    /// Older messages came in front.
    Above,
    /// Anywhere else, or nowhere.
    Below,
}
