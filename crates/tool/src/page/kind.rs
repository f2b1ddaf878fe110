//! What a body is: by what its server says, and where that says nothing, by its first bytes.

use super::PageFailure;

/// What can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A web page.
    Html,
    /// Markdown, plain text, and whatever else is meant to be read as it is.
    Text,
}

/// How much of a body is looked at to find out what it is, in bytes.
const LOOKED_AT: usize = 1_024;

/// Documents that are text, though their types do not begin with `text`.
const TEXTUAL: [&str; 6] = [
    "application/json",
    "application/ld+json",
    "application/xml",
    "application/atom+xml",
    "application/rss+xml",
    "application/feed+json",
];

pub(super) fn of(content_type: Option<&str>, body: &[u8]) -> Result<Kind, PageFailure> {
    // A server that calls everything HTML is believed about nothing that says clearly what it is.
    if body.starts_with(b"%PDF-") {
        return Err(PageFailure::Pdf);
    }
    let essence = content_type
        .and_then(|value| value.split(';').next())
        .map(str::trim);
    let essence = essence.unwrap_or_default().to_ascii_lowercase();
    let (group, name) = essence.split_once('/').unwrap_or_default();
    match (group, name) {
        ("text", "html") | ("application", "xhtml+xml") => Ok(Kind::Html),
        ("application", "pdf" | "x-pdf") => Err(PageFailure::Pdf),
        ("text", _) => Ok(Kind::Text),
        ("image" | "audio" | "video" | "font", _) => Err(PageFailure::Media),
        ("", _) => Ok(guess(body)),
        _ if TEXTUAL.contains(&essence.as_str()) => Ok(Kind::Text),
        _ => Err(PageFailure::Unsupported),
    }
}

/// What a body without a type is. One that is no text at all is found out once it was decoded.
fn guess(body: &[u8]) -> Kind {
    let beginning = body.get(..LOOKED_AT).unwrap_or(body).to_ascii_lowercase();
    let first = beginning.trim_ascii_start();
    let is_page = [
        &b"<!doctype html"[..],
        b"<html",
        b"<head",
        b"<body",
        b"<title",
        b"<!--",
    ]
    .iter()
    .any(|tag| first.starts_with(tag));
    if is_page { Kind::Html } else { Kind::Text }
}

/// Whether a decoded body is no text, whatever its type says.
pub(super) fn is_binary(text: &str) -> bool {
    let mut beginning = text.chars().take(LOOKED_AT);
    beginning.any(|character| matches!(character, '\0'..='\u{8}' | '\u{e}'..='\u{1a}' | '\u{1c}'..='\u{1f}'))
}
