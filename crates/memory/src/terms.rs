//! The terms under which a text is indexed, and those that a question looks for.
//!
//! SQLite's tokenizers know words that spaces divide, and stem English ones. The rest is done here, the same for facts and
//! questions. A word of letters gives itself and its overlapping pieces of five letters, so that other forms and parts of
//! compounds are found too (`Tonne` in `Tonnen`, `Klavier` in `Klavierunterricht`). Chinese, Japanese and Korean words are
//! short and nothing divides them: what is written in one script gives its overlapping pairs of characters.

use crate::stop_words;
use std::collections::HashSet;

/// The most words that a question looks for. Two pairs of characters count as one word.
const QUERY_WORDS: usize = 24;

/// How many letters a piece of a word has.
const PIECE_LETTERS: usize = 5;

/// How much of a very long word is cut into pieces, in letters.
const LETTERS_IN_PIECES: usize = 32;

/// Stands where a word begins, and ends every piece: no piece is taken for a word, and the stemmer leaves it alone. The
/// tokenizer takes characters for private use as letters, and no word of a text has any.
const MARK: char = '\u{e000}';

/// What is written in one of these ends where another begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    /// Letters and digits whose words spaces divide.
    Spaced,
    Han,
    Hiragana,
    Katakana,
    Hangul,
}

struct Word {
    script: Script,
    letters: Vec<char>,
}

/// Something to look for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Term {
    Whole(String),
    /// Whatever begins so.
    Beginning(String),
}

/// The terms of a fact, with spaces between them.
pub(crate) fn of_fact(content: &str) -> String {
    let mut terms = Vec::new();
    for word in words(content) {
        if word.script == Script::Spaced {
            terms.extend(word.with_pieces());
        } else {
            terms.extend(word.pairs());
            // Alone, so that each character begins a term.
            terms.extend(word.letters.last().map(char::to_string));
        }
    }
    terms.join(" ")
}

/// What finds the facts that a text may be about, as an expression of FTS5; nothing if the text has no word that says
/// anything.
pub(crate) fn query(text: &str) -> Option<String> {
    let mut terms = Vec::new();
    let mut pairs_left = QUERY_WORDS * 2;
    for word in words(text) {
        match (word.script, pairs_left) {
            (_, 0) | (Script::Spaced, 1) => break,
            (Script::Spaced, _) => {
                pairs_left -= 2;
                terms.extend(word.with_pieces().into_iter().map(Term::Whole));
            }
            (Script::Han | Script::Hiragana | Script::Katakana | Script::Hangul, _) => {
                let before = terms.len();
                match word.letters.as_slice() {
                    [letter] => terms.push(Term::Beginning(letter.to_string())),
                    _ => terms.extend(word.pairs().take(pairs_left).map(Term::Whole)),
                }
                pairs_left -= terms.len() - before;
            }
        }
    }
    let mut seen = HashSet::new();
    terms.retain(|term| seen.insert(term.clone()));
    let expression: Vec<String> = terms.iter().map(Term::expression).collect();
    (!expression.is_empty()).then(|| expression.join(" OR "))
}

impl Term {
    /// Between quotation marks, of which no term has any, nothing is an operator.
    fn expression(&self) -> String {
        match self {
            Self::Whole(term) => format!("\"{term}\""),
            Self::Beginning(term) => format!("\"{term}\"*"),
        }
    }
}

impl Word {
    fn with_pieces(&self) -> Vec<String> {
        let letters = self.letters.iter().take(LETTERS_IN_PIECES).copied();
        let marked: Vec<char> = std::iter::once(MARK).chain(letters).collect();
        let pieces = marked.windows(PIECE_LETTERS);
        let pieces = pieces.map(|piece| piece.iter().chain([&MARK]).collect());
        std::iter::once(self.letters.iter().collect())
            .chain(pieces)
            .collect()
    }

    fn pairs(&self) -> impl Iterator<Item = String> {
        self.letters.windows(2).map(|pair| pair.iter().collect())
    }
}

/// The words of a text but for those that say nothing.
fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut goes_on = false;
    for character in text.chars().flat_map(normalised) {
        let Some(script) = script(character) else {
            goes_on = false;
            continue;
        };
        match words.last_mut() {
            Some(word) if goes_on && word.script == script => word.letters.push(character),
            Some(_) | None => words.push(Word {
                script,
                letters: vec![character],
            }),
        }
        goes_on = true;
    }
    words.retain(|word| match word.script {
        Script::Spaced => !stop_words::contains(&word.letters),
        // A particle, or the end of a verb.
        Script::Hiragana => word.letters.len() > 1,
        Script::Han | Script::Katakana | Script::Hangul => true,
    });
    words
}

/// A character as it is compared: in lower case, of ordinary width, without marks that stand on it. (Letters that have
/// their mark in them are the tokenizer's to know.)
fn normalised(character: char) -> impl Iterator<Item = char> {
    let plain = match character {
        '\u{300}'..='\u{36f}' => None,
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0),
        other => Some(other),
    };
    let sharp = plain == Some('ß');
    let doubled = sharp.then_some(['s', 's']).into_iter().flatten();
    let lower = plain.filter(|_| !sharp).into_iter().flat_map(char::to_lowercase);
    doubled.chain(lower.filter(|character| !matches!(character, '\u{300}'..='\u{36f}')))
}

fn script(character: char) -> Option<Script> {
    match character {
        _ if !character.is_alphanumeric() => None,
        '\u{3005}'..='\u{3007}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' => Some(Script::Han),
        '\u{3040}'..='\u{309f}' => Some(Script::Hiragana),
        '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => Some(Script::Katakana),
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7ff}' => Some(Script::Hangul),
        _ => Some(Script::Spaced),
    }
}
