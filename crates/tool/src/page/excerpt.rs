//! A text within the bounds of a tool's output, and whether it is the whole one.

use crate::output::{escaped_length, within};

/// The most of a page's text, in UTF-16 units, its mark of a cut among them.
pub const CONTENT_UNITS: usize = 16_000;

/// What stands at the end of a text that was cut.
const CUT: &str = "\n[Cut here: the page goes on.]";

/// The beginning of a text, or all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// At most [`CONTENT_UNITS`].
    text: String,
    goes_on: bool,
}

impl Excerpt {
    /// As much of a text as is kept.
    pub(super) fn beginning_of(text: &str) -> Self {
        let kept = within(text, CONTENT_UNITS, char::len_utf16);
        Self {
            text: kept.to_owned(),
            goes_on: kept.len() < text.len(),
        }
    }

    /// The same text, of which more is known to follow.
    pub(super) fn going_on(self) -> Self {
        Self {
            goes_on: true,
            ..self
        }
    }

    /// Whether there is nothing to read.
    pub(super) fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The text and whether it was cut, in at most [`CONTENT_UNITS`], and in at most so many characters of a JSON
    /// string. A text that was cut ends in a mark that says so.
    #[must_use]
    pub fn fit(&self, json_characters: usize) -> (String, bool) {
        let whole: usize = self.text.chars().map(escaped_length).sum();
        if !self.goes_on && whole <= json_characters {
            return (self.text.clone(), false);
        }
        let mark_characters: usize = CUT.chars().map(escaped_length).sum();
        let room = json_characters.saturating_sub(mark_characters);
        let units = CONTENT_UNITS.saturating_sub(CUT.encode_utf16().count());
        let text = within(&self.text, units, char::len_utf16);
        let text = within(text, room, escaped_length).trim_end();
        (format!("{text}{CUT}"), true)
    }
}
