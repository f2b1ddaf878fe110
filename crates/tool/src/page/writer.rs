//! Writes a page's text: white space collapses, blocks stand apart, and there is an end to it.

use super::excerpt::{CONTENT_UNITS, Excerpt};

/// The deepest indentation of a list.
const INDENTED_LISTS: usize = 6;

/// What separates the cells of a row.
const CELL: &str = " | ";

/// How many cells without words are kept track of in a row.
const EMPTY_CELLS: usize = 64;

/// What stands between what was written and what comes next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    Nothing,
    Space,
    Line,
    Paragraph,
}

/// A text that grows.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    units: usize,
    gap: Gap,
    /// What stands before the next words: the mark of an item or a heading, or separators of cells. Without words it is
    /// never written.
    mark: String,
    /// The lists that are open: the number of the last item in those that count.
    lists: Vec<Option<u32>>,
    /// Whether the next cell is the first of its row.
    row_begins: bool,
}

impl Writer {
    pub(super) fn is_full(&self) -> bool {
        self.units > CONTENT_UNITS
    }

    /// The text so far, or as much of it as is kept.
    pub(super) fn finish(self) -> Excerpt {
        Excerpt::beginning_of(&self.text)
    }

    /// What comes next begins a line.
    pub(super) fn line(&mut self) {
        self.part(Gap::Line);
    }

    /// What comes next stands apart.
    pub(super) fn paragraph(&mut self) {
        self.part(Gap::Paragraph);
    }

    pub(super) fn heading(&mut self, level: u8) {
        self.paragraph();
        self.mark = format!("{} ", "#".repeat(level.into()));
    }

    pub(super) fn end_heading(&mut self) {
        self.mark.clear();
        self.paragraph();
    }

    pub(super) fn begin_list(&mut self, numbered: bool) {
        match self.lists.is_empty() {
            true => self.paragraph(),
            false => self.line(),
        }
        self.lists.push(numbered.then_some(0));
    }

    pub(super) fn end_list(&mut self) {
        self.lists.pop();
        match self.lists.is_empty() {
            true => self.paragraph(),
            false => self.line(),
        }
    }

    pub(super) fn item(&mut self) {
        self.line();
        let depth = self.lists.len().saturating_sub(1).min(INDENTED_LISTS);
        self.mark = "  ".repeat(depth);
        match self.lists.last_mut() {
            Some(Some(number)) => {
                *number = number.saturating_add(1);
                self.mark.push_str(&format!("{number}. "));
            }
            Some(None) | None => self.mark.push_str("- "),
        }
    }

    pub(super) fn end_item(&mut self) {
        self.mark.clear();
        self.line();
    }

    pub(super) fn begin_row(&mut self) {
        self.end_row();
        self.row_begins = true;
    }

    pub(super) fn end_row(&mut self) {
        self.mark.clear();
        self.line();
    }

    pub(super) fn cell(&mut self) {
        if !self.row_begins {
            // What stood apart inside the cell before does not tear its row.
            self.gap = Gap::Nothing;
            if !self.mark.ends_with(CELL) {
                self.mark.clear();
            }
            if self.mark.len() < CELL.len() * EMPTY_CELLS {
                self.mark.push_str(CELL);
            }
        }
        self.row_begins = false;
    }

    /// Writes words. All white space is one space, and what cannot be seen is left out.
    pub(super) fn words(&mut self, text: &str) {
        for character in text.chars() {
            if self.is_full() {
                return;
            }
            if character.is_whitespace() {
                self.part(Gap::Space);
            } else if !is_invisible(character) {
                self.begin();
                self.push(character);
            }
        }
    }

    /// Writes text whose white space counts.
    pub(super) fn exact(&mut self, text: &str) {
        // The line end behind the element's own tag belongs to the tag.
        let text = match self.gap {
            Gap::Paragraph => text.strip_prefix('\n').unwrap_or(text),
            Gap::Nothing | Gap::Space | Gap::Line => text,
        };
        for character in text.chars() {
            if self.is_full() {
                return;
            }
            if matches!(character, '\n' | '\t') || !is_invisible(character) {
                self.begin();
                self.push(character);
            }
        }
    }

    fn part(&mut self, gap: Gap) {
        // A block that begins right behind a mark does not tear it from its words.
        if self.mark.is_empty() {
            self.gap = self.gap.max(gap);
        }
    }

    /// Writes what stands before the next character.
    fn begin(&mut self) {
        let gap = std::mem::take(&mut self.gap);
        if !self.text.is_empty() {
            let before = match gap {
                Gap::Nothing => "",
                Gap::Space if self.text.ends_with([' ', '\n']) => "",
                Gap::Space => " ",
                Gap::Line if self.text.ends_with('\n') => "",
                Gap::Line => "\n",
                Gap::Paragraph if self.text.ends_with("\n\n") => "",
                Gap::Paragraph if self.text.ends_with('\n') => "\n",
                Gap::Paragraph => "\n\n",
            };
            before.chars().for_each(|character| self.push(character));
        }
        let mark = std::mem::take(&mut self.mark);
        mark.chars().for_each(|character| self.push(character));
    }

    fn push(&mut self, character: char) {
        self.units = self.units.saturating_add(character.len_utf16());
        self.text.push(character);
    }
}

/// Characters that nobody sees, and in which a page could hide what only a model reads. Those that join letters and the
/// parts of pictograms are needed to write.
pub(super) fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
                | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e01ef}'
        )
}
