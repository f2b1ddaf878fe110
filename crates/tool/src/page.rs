//! From what a server sent to the text that a model reads.
//!
//! Nothing here is certain of its input: the page may lie about its type and its character set, close what it never
//! opened, nest without end, or be cut off in the middle of a character. Whatever it is, the text is bounded, and it costs
//! one pass over a bounded number of bytes.

mod blocks;
mod charset;
mod excerpt;
mod kind;
mod markup;
mod writer;

pub use excerpt::{CONTENT_UNITS, Excerpt};

use kind::Kind;

/// The most of a page that is downloaded, in bytes, after the transport's compression.
pub const PAGE_BYTES: usize = 256_000;

/// The most of a title that is kept, in characters.
const TITLE_CHARACTERS: usize = 200;

/// A page as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageText {
    /// What the page calls itself, in one line.
    pub title: Option<String>,
    /// Its text.
    pub content: Excerpt,
}

/// Why a page has no text, in a sentence for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PageFailure {
    /// It is a PDF document.
    #[error("This is a PDF document, and those cannot be read. Look for the same as a web page.")]
    Pdf,
    /// It is to be seen or heard.
    #[error("This is a picture, a recording or a film, and those cannot be read. Look for a page about it.")]
    Media,
    /// It is something else that is no text.
    #[error("This is a file of a kind that cannot be read. Only web pages, Markdown and other text can.")]
    Unsupported,
    /// There is nothing to read in it.
    #[error("This page holds no text. It may be made by scripts, which are not run: use another source.")]
    Empty,
}

/// Reads the body of a response.
///
/// # Errors
/// [`PageFailure`] where there is nothing to read in it.
pub fn read_page(
    content_type: Option<&str>,
    body: &[u8],
    body_goes_on: bool,
) -> Result<PageText, PageFailure> {
    let kind = kind::of(content_type, body)?;
    let body_goes_on = body_goes_on || body.len() > PAGE_BYTES;
    let body = body.get(..PAGE_BYTES).unwrap_or(body);
    let text = charset::decode(content_type, kind, body, body_goes_on);
    if kind::is_binary(&text) {
        return Err(PageFailure::Unsupported);
    }
    let (title, content) = match kind {
        Kind::Html => markup::read(&text),
        Kind::Text => plain(&text),
    };
    let content = if body_goes_on { content.going_on() } else { content };
    if content.is_empty() {
        return Err(PageFailure::Empty);
    }
    Ok(PageText {
        title: title.and_then(|title| one_line(&title)),
        content,
    })
}

/// Text is kept as it is. Its title is its first line, if that is a heading of Markdown.
fn plain(text: &str) -> (Option<String>, Excerpt) {
    let text = text.trim_end();
    let first = text.lines().find(|line| !line.trim().is_empty());
    let title = first.and_then(|line| line.strip_prefix("# "));
    (title.map(str::to_owned), Excerpt::beginning_of(text))
}

/// A title in one line, of at most [`TITLE_CHARACTERS`]; nothing if there is nothing in it.
fn one_line(title: &str) -> Option<String> {
    let seen = |character: &char| character.is_whitespace() || !writer::is_invisible(*character);
    let title: String = title.chars().filter(seen).collect();
    let line = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = match line.char_indices().nth(TITLE_CHARACTERS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    };
    (!line.is_empty()).then_some(line)
}
