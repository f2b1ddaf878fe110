//! Walks through the tags of a page with as much of a tree as its text needs: the elements that are open.

use super::blocks::{self, Role};
use super::excerpt::Excerpt;
use super::writer::Writer;
use html5gum::{HtmlString, StartTag, State, Token, Tokenizer};

/// How many elements may be open at once; those that are nested deeper change nothing.
const OPEN_ELEMENTS: usize = 128;

/// How much of a title is collected, in bytes.
const TITLE_BYTES: usize = 2_000;

/// Whether what is beside the text of a page is read as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    LeftOut,
    Read,
}

/// The title and the text of a page. Where all of it stands inside a form or the like, that is the text.
pub(super) fn read(html: &str) -> (Option<String>, Excerpt) {
    let walk = Walk::through(html, Beside::LeftOut);
    let content = walk.writer.finish();
    if content.is_empty() && walk.left_out {
        (walk.title, Walk::through(html, Beside::Read).writer.finish())
    } else {
        (walk.title, content)
    }
}

struct Walk {
    beside: Beside,
    /// Whether there was something beside the text.
    left_out: bool,
    writer: Writer,
    title: Option<String>,
    open: Vec<Element>,
    /// How many elements are open that are nested too deep to be known.
    beyond: usize,
    /// How many of the open elements hide what is in them.
    hiding: usize,
    drawings: usize,
    tables: usize,
    preformatted: usize,
}

struct Element {
    name: HtmlString,
    role: Role,
    hides: bool,
}

impl Walk {
    fn through(html: &str, beside: Beside) -> Self {
        let mut walk = Self {
            beside,
            left_out: false,
            writer: Writer::default(),
            title: None,
            open: Vec::new(),
            beyond: 0,
            hiding: 0,
            drawings: 0,
            tables: 0,
            preformatted: 0,
        };
        let mut tokens = Tokenizer::new(html);
        while let Some(Ok(token)) = tokens.next() {
            match token {
                Token::StartTag(tag) => {
                    if let Some(state) = walk.start(tag) {
                        tokens.set_state(state);
                    }
                }
                Token::EndTag(tag) => walk.end(&tag.name),
                Token::String(text) => walk.text(&String::from_utf8_lossy(&text)),
                Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
            }
            if walk.writer.is_full() {
                break;
            }
        }
        walk
    }

    /// An element begins. Some are followed by text in which tags are none.
    fn start(&mut self, tag: StartTag<()>) -> Option<State> {
        if blocks::ends_a_drawing(&tag.name) {
            self.leave_drawing();
        }
        let is_drawn = self.drawings > 0;
        while !is_drawn && let Some(elements) = self.ended_by(&tag.name) {
            self.close(elements);
        }
        let role = if is_drawn {
            Role::Inline
        } else {
            blocks::role(&tag.name)
        };
        let ends_at_once =
            blocks::is_void(&tag.name) || (tag.self_closing && (is_drawn || role == Role::Drawing));
        if self.hiding == 0 {
            self.begin(&tag.name, role);
        }
        if ends_at_once {
            return None;
        }
        let state = (!is_drawn).then(|| state_after(&tag.name)).flatten();
        if self.open.len() >= OPEN_ELEMENTS {
            self.beyond = self.beyond.saturating_add(1);
            return state;
        }
        let is_left_out = self.beside == Beside::LeftOut && (role == Role::Beside || leads_elsewhere(&tag));
        let hides = is_left_out || matches!(role, Role::Never | Role::Drawing) || is_hidden(&tag);
        self.left_out |= is_left_out;
        self.hiding += usize::from(hides);
        self.drawings += usize::from(role == Role::Drawing);
        self.tables += usize::from(role == Role::Table);
        self.preformatted += usize::from(role == Role::Preformatted);
        let name = tag.name;
        self.open.push(Element { name, role, hides });
        state
    }

    /// An element ends, and with it all that are still open inside it.
    fn end(&mut self, name: &[u8]) {
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        for (inside, element) in self.open.iter().rev().enumerate() {
            if *element.name == *name {
                self.close(inside + 1);
                return;
            }
            if self.tables > 0 && element.role == Role::Cell && !blocks::leaves_a_cell(name) {
                return;
            }
        }
    }

    /// How many open elements end where one of this name begins, if any do: one whose end nobody writes, and what is open
    /// inside its lines.
    fn ended_by(&self, next: &[u8]) -> Option<usize> {
        if !blocks::ends_others(next) {
            return None;
        }
        for (inside, element) in self.open.iter().rev().enumerate() {
            if blocks::ends_before(&element.name, next) {
                return Some(inside + 1);
            }
            if element.role != Role::Inline {
                return None;
            }
        }
        None
    }

    /// Ends the drawing that is open, unless text may stand where it is.
    fn leave_drawing(&mut self) {
        let Some(first) = self.open.iter().position(|element| element.role == Role::Drawing) else {
            return;
        };
        let mut inside = self.open.iter().skip(first);
        if !inside.any(|element| blocks::holds_text_in_a_drawing(&element.name)) {
            self.beyond = 0;
            self.close(self.open.len().saturating_sub(first));
        }
    }

    fn close(&mut self, elements: usize) {
        for _ in 0..elements {
            self.close_last();
        }
    }

    fn text(&mut self, text: &str) {
        match self.open.last().map(|last| last.role) {
            Some(Role::Title) => {
                let title = self.title.get_or_insert_default();
                if title.len() < TITLE_BYTES {
                    title.push_str(text);
                }
            }
            _ if self.hiding > 0 => {}
            _ if self.preformatted > 0 => self.writer.exact(text),
            _ => self.writer.words(text),
        }
    }

    fn begin(&mut self, name: &[u8], role: Role) {
        let writer = &mut self.writer;
        match role {
            Role::Inline if name == b"br" => writer.line(),
            Role::Inline | Role::Title | Role::Drawing => {}
            Role::Line | Role::Never | Role::Beside => writer.line(),
            Role::Paragraph | Role::Table | Role::Preformatted => writer.paragraph(),
            Role::Heading(level) => writer.heading(level),
            Role::List { numbered } => writer.begin_list(numbered),
            Role::Item => writer.item(),
            Role::Row => writer.begin_row(),
            Role::Cell => writer.cell(),
        }
    }

    fn close_last(&mut self) {
        let Some(Element { role, hides, .. }) = self.open.pop() else {
            return;
        };
        let one_less = |count: usize, is_one: bool| count.saturating_sub(is_one.into());
        self.hiding = one_less(self.hiding, hides);
        self.drawings = one_less(self.drawings, role == Role::Drawing);
        self.tables = one_less(self.tables, role == Role::Table);
        self.preformatted = one_less(self.preformatted, role == Role::Preformatted);
        if self.hiding > 0 {
            return;
        }
        let writer = &mut self.writer;
        match role {
            Role::Inline | Role::Title | Role::Drawing | Role::Cell => {}
            Role::Line | Role::Never | Role::Beside => writer.line(),
            Role::Paragraph | Role::Table | Role::Preformatted => writer.paragraph(),
            Role::Heading(_) => writer.end_heading(),
            Role::Item => writer.end_item(),
            Role::List { .. } => writer.end_list(),
            Role::Row => writer.end_row(),
        }
    }
}

/// How what follows a tag is read.
fn state_after(name: &[u8]) -> Option<State> {
    match name {
        // The library knows it under another name.
        b"noframes" => Some(State::RawText),
        _ => html5gum::naive_next_state(name),
    }
}

/// Whether nobody sees an element. (Not all ways to hide something are known without its styles.)
fn is_hidden(tag: &StartTag<()>) -> bool {
    let attribute = |name: &[u8]| tag.attributes.get(name).map(|value| value.to_ascii_lowercase());
    let style = attribute(b"style").unwrap_or_default();
    let style: Vec<u8> = style
        .into_iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let style = String::from_utf8_lossy(&style);
    attribute(b"hidden").is_some()
        || attribute(b"aria-hidden").is_some_and(|value| value == b"true")
        || style.contains("display:none")
        || style.contains("visibility:hidden")
}

/// Whether an element says that it is for finding something else.
fn leads_elsewhere(tag: &StartTag<()>) -> bool {
    let role = tag.attributes.get(b"role".as_slice());
    role.is_some_and(|role| matches!(role.as_slice(), b"navigation" | b"search" | b"complementary"))
}
