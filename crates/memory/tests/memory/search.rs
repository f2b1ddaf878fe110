//! Which facts a text finds, and that no text is an error.

use super::{contents, memory, remember};
use flarebot_memory::search::{RELEVANT_FACTS, search};
use flarebot_sql::native::Database;
use proptest::prelude::*;

fn with(facts: &[&str]) -> Database {
    let sql = memory();
    for (number, fact) in (1..).zip(facts) {
        remember(&sql, number, fact);
    }
    sql
}

fn finds(fact: &str, text: &str) -> bool {
    !search(&with(&[fact, "Something else entirely"]), text, RELEVANT_FACTS)
        .unwrap()
        .is_empty()
}

#[test]
fn other_forms_of_a_word_find_it() {
    for (fact, text) in [
        ("I run every morning", "running"),
        ("I am allergic to nuts", "allergies"),
        ("The meeting moved", "meetings"),
        ("Die gelben Tonnen", "Tonne"),
        ("Meine Hunde heißen Balu und Rex", "Hund"),
        ("Der Hund heißt Balu", "Hunde"),
        ("Die Bücher stehen im Keller", "Büchern"),
        ("Ich programmiere in Rust", "programmieren"),
        ("Ich nehme Klavier und Gesang", "Klavierunterricht"),
        ("Omas Käsekuchen", "Kuchenrezept"),
        ("Schuhgröße 42", "größer"),
        ("Lindenstraße 4", "LINDENSTRASSE"),
        ("Café Müller", "cafe muller"),
        ("Cafe\u{301}", "café"),
        ("Ｗｉ－Ｆｉ ｐａｓｓｗｏｒｄ", "password"),
    ] {
        assert!(finds(fact, text), "{text} finds {fact}");
    }
}

#[test]
fn words_inside_sentences_without_spaces_are_found() {
    for (fact, text) in [
        ("我对花生过敏", "花生"),
        ("我对花生过敏", "这个有花生吗？"),
        ("我家有一只猫", "猫？"),
        ("猫叫年糕", "猫"),
        ("我写代码用Rust语言", "rust"),
        ("我用Rust写代码", "代码"),
        ("猫の薬は一日二回", "薬を買う"),
        ("コーヒーを飲みません", "コーヒーは？"),
        ("와이파이 비밀번호는 뒤에 있다", "비밀번호가 뭐야"),
        ("땅콩에 알레르기가 있다", "땅콩이 들었어"),
    ] {
        assert!(finds(fact, text), "{text} finds {fact}");
    }
}

#[test]
fn a_text_without_a_word_of_a_fact_finds_nothing() {
    for text in [
        "",
        " ",
        "?!",
        "the and of is",
        "wie ist das",
        "“”",
        "\"",
        "*",
        "AND",
        "xyzzy",
        "花",
        "\u{e000}",
        "\0",
    ] {
        assert!(!finds("The dentist lives in Leipzig", text), "{text:?}");
    }
}

#[test]
fn operators_and_names_of_columns_are_words_like_others() {
    let sql = with(&["NEAR and NOT far", "terms of service", "I like tea"]);
    for (text, found) in [
        ("NEAR(tea like)", vec!["I like tea", "NEAR and NOT far"]),
        ("terms:tea", vec!["terms of service", "I like tea"]),
        ("tea* ^tea -tea +tea {tea}", vec!["I like tea"]),
        ("\"tea\" OR \"\"\"", vec!["I like tea"]),
        ("'; DROP TABLE flarebot_memories; -- tea", vec!["I like tea"]),
    ] {
        let facts = search(&sql, text, RELEVANT_FACTS).unwrap();
        let mut facts = contents(&facts);
        facts.sort_unstable();
        let mut found = found;
        found.sort_unstable();
        assert_eq!(facts, found, "{text}");
    }
}

#[test]
fn at_most_eight_facts_come_and_the_likeliest_is_the_first() {
    let sql = memory();
    for number in 1..=30 {
        remember(&sql, number, &format!("Meeting number {number} is about budgets"));
    }
    remember(&sql, 31, "The meeting about budgets with Clara is on Tuesday");
    let facts = search(&sql, "When is the meeting with Clara?", RELEVANT_FACTS).unwrap();
    assert_eq!(facts.len(), 8);
    assert_eq!(
        facts[0].content,
        "The meeting about budgets with Clara is on Tuesday"
    );
}

#[test]
fn only_the_beginning_of_a_long_text_is_looked_at() {
    let sql = with(&["Clara lives in Edinburgh"]);
    let words = |count: usize| -> String { (0..count).map(|number| format!("w{number} ")).collect() };
    let finds = |text: String| !search(&sql, &text, RELEVANT_FACTS).unwrap().is_empty();
    assert!(finds(format!("{}Clara", words(23))));
    assert!(!finds(format!("{}Clara", words(24))), "24 words are looked for");
    assert!(
        finds(format!("{}Clara", "the ".repeat(249))),
        "words that say nothing do not count"
    );
    assert!(
        !finds(format!("{}Clara", "the ".repeat(250))),
        "1,000 characters are looked at"
    );
}

#[test]
fn the_longest_questions_are_no_error() {
    let sql = with(&["Clara lives in Edinburgh", "我对花生过敏"]);
    let letters = |number: usize| -> String {
        (0..40)
            .map(|at| char::from(b'a' + ((number * 7 + at * at) % 26) as u8))
            .collect()
    };
    let many: Vec<String> = (0..24).map(letters).collect();
    for text in [
        many.join(" "),
        "x".repeat(5_000),
        "花生".repeat(2_000),
        "a ".repeat(2_000),
        "\"".repeat(5_000),
    ] {
        search(&sql, &text, RELEVANT_FACTS).unwrap();
    }
}

/// What a person, a model or an attacker may write: any characters, and the pieces of which queries are made.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "\\PC{0,12}",
        any::<String>(),
        prop::sample::select(vec![
            "\"",
            "'",
            "*",
            "^",
            "(",
            ")",
            "{",
            "}",
            ":",
            "-",
            "+",
            ",",
            ".",
            " AND ",
            " OR ",
            " NOT ",
            " NEAR",
            "terms:",
            "rank",
            "花生",
            "ｗｉｄｅ",
            "e\u{301}",
            "\u{e000}",
            "\0",
            "\u{fffd}",
            "猫",
            "𠀀𠀁",
            "𱍊𱍊",
            "ß",
            "İ",
            "ǅ",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_is_an_error(text in texts(), fact in texts()) {
        let sql = memory();
        if flarebot_memory::check(&fact).is_ok() {
            remember(&sql, 1, &fact);
        }
        let facts = search(&sql, &text, RELEVANT_FACTS);
        prop_assert!(facts.is_ok(), "{facts:?}");
    }

    #[test]
    fn a_fact_is_found_by_any_word_of_it(words in prop::collection::vec("[a-zäöüß]{3,9}", 1..8), which in any::<prop::sample::Index>()) {
        // Followed by a sign of its own, so that it is none of the words that say nothing.
        let words: Vec<String> = words.iter().map(|word| format!("{word}x7")).collect();
        let sql = with(&[&words.join(" ")]);
        let facts = search(&sql, which.get(&words), RELEVANT_FACTS).unwrap();
        prop_assert_eq!(facts.len(), 1);
    }
}
