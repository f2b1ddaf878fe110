//! The first name of a conversation, taken from the owner's first words.

/// The longest name that is made up here, in UTF-16 code units. The owner may choose a longer one.
const MAXIMUM_UNITS: usize = 60;

/// A name for a conversation that begins with `text`: its first line with anything on it, cut at a word. `None` when there
/// is nothing to take.
#[must_use]
pub(super) fn from_first_message(text: &str) -> Option<String> {
    let line = text.lines().map(readable).find(|line| !line.is_empty())?;
    if units(&line) <= MAXIMUM_UNITS {
        return Some(line);
    }
    let mut name = String::new();
    for word in line.split(' ') {
        if units(&name) + units(word) + usize::from(!name.is_empty()) >= MAXIMUM_UNITS {
            break;
        }
        if !name.is_empty() {
            name.push(' ');
        }
        name.push_str(word);
    }
    if name.is_empty() {
        name = beginning(&line);
    }
    name.push('…');
    Some(name)
}

/// A line with single spaces and without control characters.
fn readable(line: &str) -> String {
    let words = line.split(|character: char| character.is_whitespace() || character.is_control());
    words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// As many whole characters as fit beside an ellipsis, for a line whose first word alone is too long.
fn beginning(line: &str) -> String {
    let mut room = MAXIMUM_UNITS - 1;
    line.chars()
        .take_while(|character| {
            let fits = character.len_utf16() <= room;
            room = room.saturating_sub(character.len_utf16());
            fits
        })
        .collect()
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_short_first_line_is_the_name() {
        assert_eq!(
            from_first_message("\n  Hello \t there\nmore").as_deref(),
            Some("Hello there")
        );
    }

    #[test]
    fn a_long_first_line_is_cut_at_a_word() {
        let text = "Please explain to me in simple words how the tides come about and why";
        let name = "Please explain to me in simple words how the tides come…";
        assert_eq!(from_first_message(text).as_deref(), Some(name));
    }

    #[test]
    fn a_first_word_without_end_is_cut_anyway() {
        let name = from_first_message(&"🙂".repeat(200)).unwrap();
        assert_eq!(name, format!("{}…", "🙂".repeat(29)));
    }

    #[test]
    fn nothing_readable_gives_no_name() {
        assert_eq!(from_first_message(" \n\t\u{7}\n"), None);
    }

    proptest! {
        #[test]
        fn every_name_keeps_the_rules_of_names(text in ".{0,300}") {
            if let Some(name) = from_first_message(&text) {
                prop_assert!(units(&name) <= MAXIMUM_UNITS);
                prop_assert!(!name.trim().is_empty());
                prop_assert!(!name.chars().any(char::is_control));
            }
        }
    }
}
