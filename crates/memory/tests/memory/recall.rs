//! Of two hundred facts in five languages, those that a question is about are among the first eight.

use super::{memory, remember};
use flarebot_memory::search::{RELEVANT_FACTS, search};
use flarebot_protocol::memory::MAXIMUM_FACTS;
use serde::Deserialize;
use std::collections::HashMap;

const LANGUAGES: [(&str, &str); 5] = [
    ("English", include_str!("../recall/en.json")),
    ("German", include_str!("../recall/de.json")),
    ("Chinese", include_str!("../recall/zh.json")),
    ("Japanese", include_str!("../recall/ja.json")),
    ("Korean", include_str!("../recall/ko.json")),
];

#[derive(Deserialize)]
struct Language {
    facts: Vec<Told>,
    queries: Vec<Asked>,
}

#[derive(Deserialize)]
struct Told {
    id: String,
    text: String,
}

#[derive(Deserialize)]
struct Asked {
    text: String,
    finds: Vec<String>,
}

#[test]
fn nine_of_ten_facts_are_found_in_every_language_when_all_languages_stand_in_one_memory() {
    let languages = LANGUAGES.map(|(name, json)| (name, serde_json::from_str::<Language>(json).unwrap()));
    let sql = memory();
    let mut names = HashMap::new();
    for told in languages.iter().flat_map(|(_, language)| &language.facts) {
        let number = u32::try_from(names.len()).unwrap() + 1;
        let fact = remember(&sql, number, &told.text);
        names.insert(fact.id, told.id.clone());
    }
    assert_eq!(names.len(), MAXIMUM_FACTS);
    for (name, language) in languages {
        assert!(language.facts.len() >= 40 && language.queries.len() >= 20);
        let (mut wanted, mut found, mut first, mut given) = (0_u32, 0, 0, 0);
        for asked in &language.queries {
            let facts = search(&sql, &asked.text, RELEVANT_FACTS).unwrap();
            let ids: Vec<_> = facts.iter().map(|fact| &names[&fact.id]).collect();
            given += ids.len();
            for expected in &asked.finds {
                wanted += 1;
                found += u32::from(ids.contains(&expected));
                first += u32::from(ids.first() == Some(&expected));
                if !ids.contains(&expected) {
                    println!("{name}: {expected} is not found by {:?}", asked.text);
                }
            }
        }
        let questions = language.queries.len();
        println!(
            "{name}: {found} of {wanted} found, {first} of them first; {given} facts given to {questions} questions"
        );
        assert!(found * 10 >= wanted * 9, "{name}: {found} of {wanted}");
    }
}
