//! Which characters the bytes of a page are.
//!
//! A mark at the beginning decides. Without one, what the server says is tried, then what the page says of itself, then
//! UTF-8: the first in which the bytes make sense. Where they do in none of them they are taken for `windows-1252`, as
//! browsers do, in which everything makes sense.

use super::kind::Kind;
use encoding_rs::{CoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Where a page says of itself which encoding it has, in bytes from its beginning.
const DECLARED_WITHIN: usize = 1_024;

/// One damaged character among so many is taken for a slip in an otherwise good text.
const CHARACTERS_FOR_ONE_DAMAGED: usize = 200;

pub(super) fn decode(content_type: Option<&str>, kind: Kind, body: &[u8], body_goes_on: bool) -> String {
    if let Some((encoding, mark)) = Encoding::for_bom(body) {
        return decoded(encoding, body.get(mark..).unwrap_or_default(), body_goes_on);
    }
    let by_server = content_type.and_then(parameter).and_then(encoding);
    let by_page = match kind {
        Kind::Html => declared(body),
        Kind::Text => None,
    };
    // UTF-8 with more than ASCII in it is hardly ever anything else, while many a server calls everything Latin.
    let may_be = |encoding: &&'static Encoding| *encoding != WINDOWS_1252 || !is_utf8(body);
    [by_server, by_page, Some(UTF_8)]
        .into_iter()
        .flatten()
        .filter(may_be)
        .map(|encoding| decoded(encoding, body, body_goes_on))
        .find(|text| makes_sense(text))
        .unwrap_or_else(|| decoded(WINDOWS_1252, body, body_goes_on))
}

/// Whether the bytes are UTF-8, perhaps cut off inside a character.
fn is_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// The text, with a mark for each place that is damaged. A character that is cut off at the end of a body that goes on
/// is no damage.
fn decoded(encoding: &'static Encoding, bytes: &[u8], body_goes_on: bool) -> String {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let room = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or_default();
    let mut text = String::with_capacity(room);
    let (result, _, _) = decoder.decode_to_string(bytes, &mut text, !body_goes_on);
    debug_assert_eq!(result, CoderResult::InputEmpty, "there is room for all of it");
    text
}

fn makes_sense(text: &str) -> bool {
    let damaged = text
        .chars()
        .filter(|character| *character == char::REPLACEMENT_CHARACTER);
    let damaged = damaged.count().saturating_mul(CHARACTERS_FOR_ONE_DAMAGED);
    damaged <= text.chars().count()
}

/// The parameter `charset` of a content type.
fn parameter(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim().trim_matches(['"', '\'']))
    })
}

/// The encoding of a label; nothing for one that is unknown or too dangerous to be decoded.
fn encoding(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(label.as_bytes())
}

/// What a page says of itself: `<meta charset="…">`, or the same inside a `content`. Whatever could be read so far cannot
/// be in two-byte units, so a page that says UTF-16 is in UTF-8.
fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let beginning = body.get(..DECLARED_WITHIN).unwrap_or(body).to_ascii_lowercase();
    let beginning = String::from_utf8_lossy(&beginning);
    let declared = beginning.split("<meta").skip(1).find_map(|rest| {
        let (tag, _) = rest.split_once('>')?;
        let (_, after) = tag.split_once("charset")?;
        let value = after.trim_start().strip_prefix('=')?.trim_start();
        let value = value.trim_start_matches(['"', '\'']);
        let end = value.find(|character: char| character.is_whitespace() || "\"';/".contains(character));
        encoding(end.and_then(|end| value.get(..end)).unwrap_or(value))
    })?;
    Some(if [UTF_16LE, UTF_16BE].contains(&declared) {
        UTF_8
    } else {
        declared
    })
}
