//! What a conversation may be called.

use std::fmt;

/// The longest name, in UTF-16 code units, counted before trimming.
const MAXIMUM_LENGTH: usize = 120;

/// A conversation's name: trimmed, not blank, without control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationName(String);

/// Why a text is no name, in words for the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing is left after trimming.
    #[error("Give the conversation a name that is not blank.")]
    Blank,
    /// More than 120 UTF-16 code units.
    #[error("Shorten the name to at most 120 characters.")]
    TooLong,
    /// A control character, such as a line break.
    #[error("Remove line breaks and other control characters from the name.")]
    ControlCharacter,
}

impl ConversationName {
    /// Reads a name and trims it.
    ///
    /// # Errors
    /// [`NameError`] unless it is 1 to 120 UTF-16 code units before trimming, free of control characters, and not
    /// blank.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        if text.encode_utf16().count() > MAXIMUM_LENGTH {
            return Err(NameError::TooLong);
        }
        if text.chars().any(char::is_control) {
            return Err(NameError::ControlCharacter);
        }
        let trimmed = text.trim_matches(is_space);
        if trimmed.is_empty() {
            return Err(NameError::Blank);
        }
        Ok(Self(trimmed.to_owned()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for ConversationName {
    fn default() -> Self {
        Self("New conversation".to_owned())
    }
}

impl fmt::Display for ConversationName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What browsers trim, which is more than Unicode's white space: a byte order mark too.
fn is_space(character: char) -> bool {
    character.is_whitespace() || character == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules() {
        let longest = "x".repeat(120);
        let surrogates = "🙂".repeat(60);
        let padded = format!("  {}", "x".repeat(118));
        let cases = [
            ("Research", Ok("Research")),
            ("  Research \u{a0}\u{3000}\u{feff}", Ok("Research")),
            ("two  words", Ok("two  words")),
            ("Grüße, 世界 🙂", Ok("Grüße, 世界 🙂")),
            ("👩‍👩‍👧", Ok("👩‍👩‍👧")),
            (longest.as_str(), Ok(longest.as_str())),
            (surrogates.as_str(), Ok(surrogates.as_str())),
            (padded.as_str(), Ok(padded.trim_start())),
            ("", Err(NameError::Blank)),
            ("   ", Err(NameError::Blank)),
            ("\u{feff}\u{2003}", Err(NameError::Blank)),
            (&"x".repeat(121), Err(NameError::TooLong)),
            (&format!("{}x", "🙂".repeat(60)), Err(NameError::TooLong)),
            (&format!("  {}", "x".repeat(119)), Err(NameError::TooLong)),
            ("two\nlines", Err(NameError::ControlCharacter)),
            ("Research\n", Err(NameError::ControlCharacter)),
            ("\t", Err(NameError::ControlCharacter)),
            ("nul\0", Err(NameError::ControlCharacter)),
            ("delete\u{7f}", Err(NameError::ControlCharacter)),
            ("next line\u{85}", Err(NameError::ControlCharacter)),
        ];
        for (text, expected) in cases {
            let name = ConversationName::parse(text);
            assert_eq!(
                name.as_ref().map(ConversationName::as_str),
                expected.as_ref().copied(),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_conversation_without_a_name_has_the_default() {
        let name = ConversationName::default();
        assert_eq!(name.as_str(), "New conversation");
        assert_eq!(ConversationName::parse(name.as_str()), Ok(name));
    }
}
