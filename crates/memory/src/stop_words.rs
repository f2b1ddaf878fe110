//! Words of English and German that stand in every question and say nothing of what it is about.

/// Sorted, in lower case, `ß` as `ss`. What an apostrophe cuts off is among them.
const STOP_WORDS: &[&str] = &[
    "a", "aber", "about", "again", "all", "alle", "also", "am", "an", "and", "any", "are", "as", "at",
    "auch", "auf", "aus", "be", "been", "bei", "beim", "bin", "bis", "bist", "bitte", "but", "by", "can",
    "could", "d", "da", "damit", "dann", "darf", "das", "dass", "dein", "deine", "dem", "den", "denn", "der",
    "des", "dich", "did", "die", "dies", "diese", "diesem", "diesen", "dieser", "dieses", "dir", "do",
    "doch", "does", "don", "du", "durch", "ein", "eine", "einem", "einen", "einer", "eines", "er", "es",
    "for", "from", "für", "get", "habe", "haben", "had", "has", "hast", "hat", "hatte", "have", "he", "her",
    "here", "hers", "hier", "him", "his", "how", "i", "ich", "if", "ihm", "ihn", "ihr", "ihre", "ihren",
    "im", "in", "into", "is", "ist", "it", "its", "ja", "jetzt", "just", "kann", "kannst", "kein", "keine",
    "keinen", "ll", "m", "mal", "man", "may", "me", "mein", "meine", "meinem", "meinen", "meiner", "meines",
    "mich", "mir", "mit", "muss", "my", "nach", "nicht", "no", "noch", "nor", "not", "nun", "nur", "ob",
    "oder", "of", "off", "on", "or", "our", "ours", "out", "please", "re", "s", "schon", "sehr", "sein",
    "seine", "seinen", "seiner", "selbst", "shall", "she", "should", "sich", "sie", "sind", "so", "soll",
    "some", "t", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "to", "too", "um", "und", "uns", "unser", "unsere", "unserem", "unseren", "unserer", "up", "us", "ve",
    "vom", "von", "vor", "wann", "war", "waren", "warum", "was", "we", "weil", "welche", "welchem",
    "welchen", "welcher", "welches", "wem", "wen", "wenn", "wer", "werde", "werden", "were", "what", "when",
    "where", "which", "who", "whom", "whose", "why", "wie", "wieder", "will", "wir", "wird", "with", "wo",
    "would", "you", "your", "yours", "zu", "zum", "zur", "über",
];

pub(crate) fn contains(letters: &[char]) -> bool {
    STOP_WORDS
        .binary_search_by(|word| word.chars().cmp(letters.iter().copied()))
        .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_sorted_so_that_each_is_found() {
        assert!(STOP_WORDS.is_sorted());
        for word in STOP_WORDS {
            let letters: Vec<char> = word.chars().collect();
            assert!(contains(&letters), "{word}");
        }
        assert!(!contains(&['c', 'a', 't']));
    }
}
