//! Recognises what a model repeats when it is asked to go on with an answer that was cut off.
//!
//! Models go on in one of three ways: right after the last word, with the last words again, or with the whole answer
//! from its beginning. The first words of the continuation are held back until it is clear which it is; what repeats the
//! text that is there already is dropped.

/// How many bytes at the end of the partial text are searched for the place where a continuation begins.
const WINDOW_BYTES: usize = 4096;

/// How long a repetition must be to count as one, in bytes, unless it repeats the whole text. Shorter ones happen by
/// chance.
const SHORTEST_BYTES: usize = 16;

/// The beginning of a continuation, compared with the text that it continues.
#[derive(Debug)]
pub(super) struct Overlap {
    partial: String,
    /// What was held back.
    held: String,
    /// Places in the partial text from which all of `held` has matched so far, ascending.
    candidates: Vec<usize>,
}

/// What is known after some text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Recognition {
    /// Not enough: everything is held back.
    Open,
    /// It is decided. This text is new; whatever comes later is new as well.
    Decided(String),
}

impl Overlap {
    /// Compares with `partial`, which is not empty.
    pub(super) fn new(partial: String) -> Self {
        let window = partial.len().saturating_sub(WINDOW_BYTES);
        let near_the_end = partial
            .char_indices()
            .map(|(place, _)| place)
            .filter(|place| *place >= window && *place > 0);
        let candidates = std::iter::once(0).chain(near_the_end).collect();
        Self {
            partial,
            held: String::new(),
            candidates,
        }
    }

    /// Takes more of the continuation.
    pub(super) fn feed(&mut self, text: &str) -> Recognition {
        let matched = self.held.len();
        self.held.push_str(text);
        let partial = &self.partial;
        self.candidates.retain(|place| {
            let rest = partial.get(place.saturating_add(matched)..).unwrap_or_default();
            rest.starts_with(text) || text.starts_with(rest)
        });
        // The earliest candidate is the longest repetition. It is certain once it reaches the end of the partial text.
        match self.candidates.first() {
            Some(place) if self.repeated(*place) > self.held.len() => Recognition::Open,
            Some(_) | None => Recognition::Decided(self.new_text().unwrap_or_else(|| self.held.clone())),
        }
    }

    /// The continuation is at its end: what of the text that was held back is new.
    pub(super) fn end(self) -> String {
        match self.new_text() {
            Some(text) => text,
            // It stopped in the middle of what it repeats, and so adds nothing.
            None if self.held.len() >= SHORTEST_BYTES && !self.candidates.is_empty() => String::new(),
            None => self.held,
        }
    }

    /// What follows the longest repetition that reaches the end of the partial text, if there is one.
    fn new_text(&self) -> Option<String> {
        let repetition = self.candidates.iter().find(|place| {
            let length = self.repeated(**place);
            length <= self.held.len() && (length >= SHORTEST_BYTES || **place == 0)
        })?;
        Some(
            self.held
                .get(self.repeated(*repetition)..)
                .unwrap_or_default()
                .to_owned(),
        )
    }

    /// How much a repetition from this place repeats, in bytes.
    fn repeated(&self, place: usize) -> usize {
        self.partial.len().saturating_sub(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The new text of a continuation that comes in pieces of `piece` characters.
    fn continued(partial: &str, continuation: &str, piece: usize) -> String {
        let characters: Vec<char> = continuation.chars().collect();
        let mut overlap = Some(Overlap::new(partial.to_owned()));
        let mut new = String::new();
        for piece in characters.chunks(piece) {
            let piece: String = piece.iter().collect();
            match &mut overlap {
                Some(open) => {
                    if let Recognition::Decided(text) = open.feed(&piece) {
                        new.push_str(&text);
                        overlap = None;
                    }
                }
                None => new.push_str(&piece),
            }
        }
        new + &overlap.map(Overlap::end).unwrap_or_default()
    }

    #[test]
    fn a_continuation_is_new_from_its_first_word() {
        assert_eq!(
            continued("The capital of ", "France is Paris.", 3),
            "France is Paris."
        );
    }

    #[test]
    fn an_answer_that_starts_over_adds_only_what_was_missing() {
        assert_eq!(
            continued("The capital of ", "The capital of France is Paris.", 3),
            "France is Paris."
        );
        assert_eq!(continued("Hi", "Hi there", 1), " there");
    }

    #[test]
    fn the_last_words_are_not_said_twice() {
        let partial = "A long story, and then they all lived ";
        assert_eq!(
            continued(partial, "and then they all lived happily.", 5),
            "happily."
        );
    }

    #[test]
    fn an_answer_that_starts_over_and_is_shorter_adds_nothing() {
        assert_eq!(
            continued("The capital of France is Paris.", "The capital of France", 4),
            ""
        );
    }

    #[test]
    fn words_that_recur_by_chance_are_kept() {
        assert_eq!(continued("to be or not to be", " or not", 2), " or not");
        assert_eq!(continued("one, two, ", "two, three", 2), "two, three");
    }

    #[test]
    fn another_answer_is_kept_whole() {
        let partial = "The capital of France is";
        assert_eq!(
            continued(partial, "The capital city is Paris.", 4),
            "The capital city is Paris."
        );
    }

    proptest! {
        #[test]
        fn whatever_way_a_model_goes_on_the_whole_is_the_same(
            numbers in 4..200_usize,
            cut in 0.2..0.9_f64,
            repeated in prop_oneof![Just(0_usize), 16..400_usize, Just(usize::MAX)],
            piece in 1..40_usize,
        ) {
            let whole: String = (0..numbers).map(|number| format!("({number:05})—")).collect();
            let characters = whole.chars().count();
            #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
            let cut = ((characters as f64) * cut) as usize;
            let partial: String = whole.chars().take(cut.max(1)).collect();
            let from = cut.max(1).saturating_sub(repeated);
            let continuation: String = whole.chars().skip(from).collect();
            prop_assert_eq!(partial.clone() + &continued(&partial, &continuation, piece), whole);
        }
    }
}
