//! Which links in an answer lead to pages that were really read for it. Every other link stays the text that it is.

use flarebot_protocol::message::{Message, Part, Role, ToolState};
use serde_json::Value;
use std::collections::BTreeMap;

/// The tool that reads pages.
const READER: &str = "read_url";

/// A page that was read for an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// Counts from 1 in the order of reading.
    pub(crate) number: usize,
    /// Where the page was in the end, by `http` or `https`.
    pub(crate) url: String,
    /// What the page calls itself, or its address.
    pub(crate) title: String,
}

/// A piece of an answer's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Words.
    Text(&'a str),
    /// A link to a page that was read.
    Citation {
        /// The words of the link.
        label: &'a str,
        /// The page.
        source: &'a Source,
        /// The link as it was written.
        written: &'a str,
    },
}

/// The pages that were read for an answer, each once.
pub(crate) fn sources(message: &Message) -> Vec<Source> {
    if message.role != Role::Assistant {
        return Vec::new();
    }
    let mut sources: Vec<Source> = Vec::new();
    for part in &message.parts {
        let Part::Tool(call) = part else { continue };
        let ToolState::OutputAvailable { output, .. } = &call.state else {
            continue;
        };
        if call.tool_name != READER || !call.state.is_settled() {
            continue;
        }
        let Some(url) = text(output, "finalUrl").filter(|url| is_web(url)) else {
            continue;
        };
        if sources.iter().all(|source| source.url != url) {
            sources.push(Source {
                number: sources.len().saturating_add(1),
                url: url.to_owned(),
                title: text(output, "title").unwrap_or(url).to_owned(),
            });
        }
    }
    sources
}

/// Cuts a text at its links to these pages. The pieces, as they were written, are the text.
pub(crate) fn pieces<'a>(text: &'a str, sources: &'a [Source]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let mut begun = 0;
    // Where labels may begin: the brackets that are open.
    let mut open: Vec<usize> = Vec::new();
    let pages = Pages::of(sources);
    let mut last = '\n';
    let mut place = 0;
    while let Some((character, rest)) = split(text, place) {
        let end = place.saturating_add(character.len_utf8());
        match character {
            // A picture is no citation.
            '[' if last == '!' => open.clear(),
            '[' => open.push(place),
            '\n' if last == '\n' => open.clear(),
            ']' => {
                if let Some(start) = open.pop()
                    && let Some((source, length)) = pages.target(rest)
                    && let Some(written) = text.get(start..end.saturating_add(length))
                    && let Some(label) = text.get(start.saturating_add(1)..place)
                {
                    pieces.extend(
                        text.get(begun..start)
                            .filter(|text| !text.is_empty())
                            .map(Piece::Text),
                    );
                    pieces.push(Piece::Citation {
                        label,
                        source,
                        written,
                    });
                    open.clear();
                    begun = end.saturating_add(length);
                    place = begun;
                    last = ')';
                    continue;
                }
            }
            _ => {}
        }
        last = character;
        place = end;
    }
    pieces.extend(text.get(begun..).filter(|text| !text.is_empty()).map(Piece::Text));
    pieces
}

/// The character at a place, and what follows it.
fn split(text: &str, place: usize) -> Option<(char, &str)> {
    let mut characters = text.get(place..)?.chars();
    Some((characters.next()?, characters.as_str()))
}

/// The pages by their addresses.
struct Pages<'a> {
    by_address: BTreeMap<&'a str, &'a Source>,
    /// The length of the longest address, in bytes: what is longer is not looked through.
    longest: usize,
}

impl<'a> Pages<'a> {
    fn of(sources: &'a [Source]) -> Self {
        let addresses = sources.iter().map(|source| (source.url.as_str(), source));
        Self {
            by_address: addresses.collect(),
            longest: sources.iter().map(|source| source.url.len()).max().unwrap_or(0),
        }
    }

    /// The target of a link behind its label: the page that it names, and its length as it was written.
    fn target(&self, rest: &str) -> Option<(&'a Source, usize)> {
        let inner = rest.strip_prefix('(')?;
        let (address, after) = match inner.strip_prefix('<') {
            Some(bracketed) => {
                let place = bracketed
                    .bytes()
                    .take(self.longest + 1)
                    .position(|byte| byte == b'>')?;
                (bracketed.get(..place)?, bracketed.get(place + 1..)?)
            }
            None => address(inner, self.longest)?,
        };
        let source = self.page(address)?;
        let after = without_title(after)?.strip_prefix(')')?;
        Some((source, rest.len().saturating_sub(after.len())))
    }

    /// The page at an address. One without a path names the same page as one whose path is a slash.
    fn page(&self, address: &str) -> Option<&'a Source> {
        let with_slash = || {
            let has_path = address.splitn(4, '/').count() > 3;
            let address = (!has_path).then(|| format!("{address}/"))?;
            self.by_address.get(address.as_str())
        };
        self.by_address.get(address).or_else(with_slash).copied()
    }
}

/// An address up to white space, or to the bracket that closes the link; it may hold brackets in pairs.
fn address(text: &str, longest: usize) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (place, character) in text.char_indices() {
        match character {
            _ if place > longest => return None,
            ')' if depth == 0 => return text.split_at_checked(place),
            ')' => depth = depth.saturating_sub(1),
            '(' => depth = depth.saturating_add(1),
            _ if character.is_whitespace() => return text.split_at_checked(place),
            _ => {}
        }
    }
    None
}

/// What follows the title of a link, if there is one.
fn without_title(text: &str) -> Option<&str> {
    let text = text.trim_start_matches([' ', '\t']);
    match text.strip_prefix('"') {
        Some(title) => Some(title.split_once('"')?.1),
        None => Some(text),
    }
}

/// A field of a tool's output that says something.
fn text<'a>(output: &'a Value, field: &str) -> Option<&'a str> {
    let text = output.get(field)?.as_str()?.trim();
    (!text.is_empty()).then_some(text)
}

/// Whether an address is one of the web's, in one piece.
fn is_web(url: &str) -> bool {
    let has_scheme = ["https://", "http://"]
        .iter()
        .any(|scheme| url.len() > scheme.len() && url.starts_with(scheme));
    has_scheme
        && !url
            .chars()
            .any(|character| character.is_whitespace() || character.is_control())
}

#[cfg(test)]
mod tests;
