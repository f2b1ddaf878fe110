//! How long a search takes: `cargo run --release -p flarebot-memory --example search_time`.
//!
//! The facts are those of the recall fixture, once, and fifty times over under other ids; the questions are its questions
//! and the longest there are. Every word of a question then stands in fifty times as many facts, which is the worst that
//! so many can do.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement may stop where it finds something wrong"
)]

use flarebot_memory::facts::{Origin, add};
use flarebot_memory::search::{RELEVANT_FACTS, search};
use flarebot_memory::{FactId, open};
use flarebot_sql::Sql;
use flarebot_sql::native::Database;
use serde_json::Value;
use std::time::{Duration, Instant};
use uuid::Uuid;

const LANGUAGES: [&str; 5] = [
    include_str!("../tests/recall/en.json"),
    include_str!("../tests/recall/de.json"),
    include_str!("../tests/recall/zh.json"),
    include_str!("../tests/recall/ja.json"),
    include_str!("../tests/recall/ko.json"),
];

const ROUNDS: usize = 20;

fn main() {
    let languages = LANGUAGES.map(|json| serde_json::from_str::<Value>(json).unwrap());
    let texts = |key: &str| -> Vec<String> {
        let entries = languages
            .iter()
            .flat_map(|language| language[key].as_array().unwrap());
        entries
            .map(|entry| entry["text"].as_str().unwrap().to_owned())
            .collect()
    };
    let questions = texts("queries");
    let longest: Vec<String> = questions
        .chunks(24)
        .map(|some| some.join(" ").chars().take(1_000).collect())
        .collect();
    let sql = Database::in_memory().unwrap();
    open(&sql, 0).unwrap();
    for (number, fact) in (1_u32..).zip(texts("facts")) {
        add(
            &sql,
            FactId::random(Uuid::from_u128(number.into())),
            &fact,
            Origin::Owner,
            0,
        )
        .unwrap();
    }
    report(&sql, "questions", &questions);
    report(&sql, "questions of 1,000 characters", &longest);
    for copy in 1..50_u32 {
        let copied = "INSERT INTO flarebot_memories (id, content, terms, version, created_at, updated_at) \
                      SELECT id || '-' || ?, content, terms, version, created_at, updated_at FROM flarebot_memories \
                      WHERE number <= 200";
        sql.exec(copied, &[copy.to_string().into()]).unwrap();
    }
    report(&sql, "questions", &questions);
    report(&sql, "questions of 1,000 characters", &longest);
}

fn report(sql: &Database, what: &str, questions: &[String]) {
    let facts = sql.exec("SELECT count(*) FROM flarebot_memories", &[]).unwrap()[0]
        .integer(0)
        .unwrap();
    let mut times: Vec<Duration> = Vec::new();
    for question in questions.iter().cycle().take(questions.len() * ROUNDS) {
        let begun = Instant::now();
        search(sql, question, RELEVANT_FACTS).unwrap();
        times.push(begun.elapsed());
    }
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    println!(
        "{facts} facts, {} {what}: median {:?}, 95 of 100 within {:?}, longest {:?}",
        questions.len(),
        at(50),
        at(95),
        at(100)
    );
}
