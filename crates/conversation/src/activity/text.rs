//! Text that may be shown: short, on one line, and nothing but what it looks like.

use flarebot_protocol::tool_activity::ACTIVITY_TEXT_CHARACTERS;

/// The text as it is stored and shown: at most [`ACTIVITY_TEXT_CHARACTERS`], control characters as spaces; nothing if
/// nothing is left.
pub(super) fn safe(text: &str) -> Option<String> {
    let visible = |character: char| if is_control(character) { ' ' } else { character };
    let text: String = text
        .chars()
        .map(visible)
        .take(ACTIVITY_TEXT_CHARACTERS.saturating_add(1))
        .collect();
    let text = match text.char_indices().nth(ACTIVITY_TEXT_CHARACTERS - 1) {
        Some((end, last)) if end.saturating_add(last.len_utf8()) < text.len() => {
            format!("{}…", text.get(..end).unwrap_or_default())
        }
        Some(_) | None => text,
    };
    (!text.trim().is_empty()).then_some(text)
}

/// Characters that do something to a text instead of standing in it: controls, breaks of lines, changes of direction.
fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn a_text_is_cut_to_160_characters_and_says_so() {
        let fits = "漢".repeat(160);
        assert_eq!(safe(&fits), Some(fits.clone()));
        let cut = safe(&format!("{fits}字")).unwrap_or_default();
        assert_eq!(cut.chars().count(), 160);
        assert_eq!(cut, format!("{}…", "漢".repeat(159)));
        assert_eq!(
            safe(&"a".repeat(100_000)).map(|text| text.chars().count()),
            Some(160)
        );
    }

    #[test]
    fn what_controls_a_text_becomes_a_space() {
        assert_eq!(
            safe("a\nb\u{1b}[31mc\u{202e}d\u{2028}e\0").as_deref(),
            Some("a b [31mc d e ")
        );
        assert_eq!(safe(" \n\t "), None);
        assert_eq!(safe(""), None);
    }
}
