//! Facts are remembered, changed and forgotten, each against the version that was seen.

use super::{contents, id, memory, remember};
use flarebot_memory::facts::{MemoryError, Origin, add, forget, list, origin, update};
use flarebot_memory::search::search;
use flarebot_memory::{FactId, FactRefused, check};
use flarebot_protocol::ConversationId;
use flarebot_protocol::memory::{Fact, MAXIMUM_FACTS};
use flarebot_sql::Sql;
use proptest::prelude::*;
use uuid::Uuid;

#[test]
fn a_fact_is_kept_exactly_and_listed_in_its_five_fields() {
    let sql = memory();
    let text = "  I like \"tea\".\r\n\tUnd „Kekse“ 👋🏽  ";
    let fact = add(&sql, id(1), text, Origin::Owner, 1_796_029_500_042).unwrap();
    let expected = Fact {
        id: "00000000-0000-0000-0000-000000000001".to_owned(),
        content: text.to_owned(),
        version: 1,
        created_at: "2026-11-30T09:05:00.042Z".to_owned(),
        updated_at: "2026-11-30T09:05:00.042Z".to_owned(),
    };
    assert_eq!(fact, expected);
    assert_eq!(list(&sql).unwrap(), [expected]);
}

#[test]
fn the_fact_that_changed_last_is_listed_first() {
    let sql = memory();
    for (number, text) in [(1, "one"), (2, "two"), (3, "three")] {
        remember(&sql, number, text);
    }
    update(&sql, id(1), "one more", 1, 4).unwrap();
    assert_eq!(contents(&list(&sql).unwrap()), ["one more", "three", "two"]);
}

#[test]
fn what_cannot_be_a_fact_is_refused_and_nothing_changes() {
    let sql = memory();
    let kept = remember(&sql, 1, "kept");
    let long = "x".repeat(1_001);
    let long_in_units = "👋".repeat(501);
    let cases = [
        ("", FactRefused::Blank),
        (" \t\r\n\u{3000}", FactRefused::Blank),
        (long.as_str(), FactRefused::TooLong),
        (long_in_units.as_str(), FactRefused::TooLong),
        ("a bell \u{7}", FactRefused::ControlCharacter),
        ("nothing \0", FactRefused::ControlCharacter),
        ("a line \u{85}", FactRefused::ControlCharacter),
    ];
    for (text, refused) in cases {
        assert_eq!(check(text), Err(refused), "{text:?}");
        let added = add(&sql, id(2), text, Origin::Owner, 2);
        assert_eq!(added, Err(MemoryError::Refused(refused)));
        assert_eq!(
            update(&sql, id(1), text, 1, 2),
            Err(MemoryError::Refused(refused))
        );
    }
    assert_eq!(list(&sql).unwrap(), [kept]);
    for text in ["x".repeat(1_000), "👋".repeat(500), "一".repeat(1_000)] {
        assert_eq!(check(&text), Ok(()));
    }
}

#[test]
fn a_change_is_based_on_the_version_that_was_seen() {
    let sql = memory();
    remember(&sql, 1, "The dentist is on Mill Street");
    let changed = update(&sql, id(1), "The dentist is on Bridge Street", 1, 5).unwrap();
    assert_eq!(
        (changed.version, changed.content.as_str()),
        (2, "The dentist is on Bridge Street")
    );
    assert_eq!(changed.created_at, "1970-01-01T00:00:00.001Z");
    assert_eq!(changed.updated_at, "1970-01-01T00:00:00.005Z");
    for version in [0, 1, 3, u32::MAX] {
        let late = update(&sql, id(1), "The dentist is gone", version, 6);
        assert_eq!(late, Err(MemoryError::Conflict), "{version}");
        assert_eq!(forget(&sql, id(1), version, 6), Err(MemoryError::Conflict));
    }
    assert_eq!(list(&sql).unwrap(), std::slice::from_ref(&changed));
    assert_eq!(search(&sql, "mill", 8).unwrap(), []);
    assert_eq!(search(&sql, "bridge", 8).unwrap(), [changed]);
}

#[test]
fn what_is_forgotten_leaves_a_tombstone_without_a_word_of_it() {
    let sql = memory();
    let call = conversation();
    add(
        &sql,
        id(1),
        "Zebras are afraid of umbrellas",
        Origin::Conversation(call),
        1,
    )
    .unwrap();
    update(&sql, id(1), "Zebras are afraid of parasols", 1, 2).unwrap();
    forget(&sql, id(1), 2, 3).unwrap();
    assert_eq!(list(&sql).unwrap(), []);
    assert_eq!(origin(&sql, id(1)), Err(MemoryError::NotFound));
    for word in ["zebras", "umbrellas", "parasols", "afraid"] {
        assert_eq!(search(&sql, word, 8).unwrap(), []);
    }
    let rows = sql.exec("SELECT * FROM flarebot_memories", &[]).unwrap();
    let row = format!("{:?}", rows[0].values());
    assert_eq!(rows.len(), 1);
    assert!(row.contains("00000000-0000-0000-0000-000000000001"), "{row}");
    assert!(
        !row.contains("Zebra") && !row.contains("zebra") && !row.contains(&call.to_string()),
        "{row}"
    );
    // Neither do the pages of the index have one: not even as entries that are marked as deleted.
    let blocks = sql
        .exec("SELECT block FROM flarebot_memories_search_data", &[])
        .unwrap();
    for block in blocks {
        let text = String::from_utf8_lossy(block.blob(0).unwrap()).into_owned();
        for word in ["zebra", "umbre", "paras", "afra"] {
            assert!(!text.contains(word), "{text:?}");
        }
    }
}

#[test]
fn forgetting_what_is_not_remembered_succeeds() {
    let sql = memory();
    assert_eq!(forget(&sql, id(1), 1, 1), Ok(()));
    remember(&sql, 1, "something");
    for _ in 0..3 {
        assert_eq!(forget(&sql, id(1), 1, 2), Ok(()));
    }
    assert_eq!(forget(&sql, id(1), 7, 3), Ok(()));
    assert_eq!(list(&sql).unwrap(), []);
}

#[test]
fn a_late_change_or_a_late_repetition_brings_nothing_back() {
    let sql = memory();
    remember(&sql, 1, "something");
    forget(&sql, id(1), 1, 2).unwrap();
    assert_eq!(
        update(&sql, id(1), "something else", 1, 3),
        Err(MemoryError::NotFound)
    );
    assert_eq!(
        update(&sql, id(2), "something else", 1, 3),
        Err(MemoryError::NotFound)
    );
    let again = add(&sql, id(1), "something", Origin::Owner, 4);
    assert_eq!(again, Err(MemoryError::Forgotten));
    assert_eq!(list(&sql).unwrap(), []);
    // Undoing a deletion adds the text under another id.
    assert_eq!(remember(&sql, 5, "something").version, 1);
}

#[test]
fn the_same_id_or_the_same_words_make_no_second_fact() {
    let sql = memory();
    let first = remember(&sql, 1, "I like tea");
    assert_eq!(remember(&sql, 2, "I like tea"), first);
    assert_eq!(
        add(&sql, id(1), "I like coffee", Origin::Owner, 3).unwrap(),
        first
    );
    assert_eq!(list(&sql).unwrap(), [first]);
}

#[test]
fn two_hundred_facts_are_the_most_and_tombstones_do_not_count() {
    let sql = memory();
    let most = u32::try_from(MAXIMUM_FACTS).unwrap();
    for number in 1..=most {
        remember(&sql, number, &format!("fact {number}"));
    }
    let over = add(&sql, id(900), "one more", Origin::Owner, 900);
    assert_eq!(over, Err(MemoryError::Full));
    assert_eq!(list(&sql).unwrap().len(), MAXIMUM_FACTS);
    // What is remembered already is no new fact.
    assert_eq!(remember(&sql, 7, "fact 7").version, 1);
    forget(&sql, id(7), 1, 901).unwrap();
    remember(&sql, 902, "one more");
    assert_eq!(
        add(&sql, id(903), "and another", Origin::Owner, 903),
        Err(MemoryError::Full)
    );
}

#[test]
fn where_a_fact_came_from_is_known_and_stays_so_when_it_changes() {
    let sql = memory();
    remember(&sql, 1, "by the owner");
    add(&sql, id(2), "by a model", Origin::Conversation(conversation()), 2).unwrap();
    update(&sql, id(2), "by a model, changed", 1, 3).unwrap();
    assert_eq!(origin(&sql, id(1)), Ok(Origin::Owner));
    assert_eq!(origin(&sql, id(2)), Ok(Origin::Conversation(conversation())));
    assert_eq!(origin(&sql, id(3)), Err(MemoryError::NotFound));
}

#[test]
fn an_id_has_one_spelling() {
    let text = "0191e7a0-5b1c-7cc0-8000-00000000000a";
    assert_eq!(text.parse::<FactId>().unwrap().to_string(), text);
    for other in [
        "",
        "0191E7A0-5B1C-7CC0-8000-00000000000A",
        "0191e7a05b1c7cc0800000000000000a",
        "{0191e7a0-5b1c-7cc0-8000-00000000000a}",
        "urn:uuid:0191e7a0-5b1c-7cc0-8000-00000000000a",
        " 0191e7a0-5b1c-7cc0-8000-00000000000a",
        "0191e7a0-5b1c-7cc0-8000-00000000000",
        "' OR 1 = 1 --",
    ] {
        assert!(other.parse::<FactId>().is_err(), "{other:?}");
    }
}

/// Each step of a write is stopped after each of its statements: the next process finds all of it or nothing, and the
/// index agrees with the table.
#[test]
fn a_crash_anywhere_in_a_write_leaves_all_or_nothing() {
    let prepared = memory();
    remember(&prepared, 1, "zebra");
    type Write = fn(&flarebot_sql::native::Database) -> bool;
    let writes: [Write; 3] = [
        |sql| add(sql, id(2), "yak", Origin::Owner, 2).is_ok(),
        |sql| update(sql, id(1), "yak", 1, 2).is_ok(),
        |sql| forget(sql, id(1), 1, 2).is_ok(),
    ];
    for write in writes {
        for statements in 0.. {
            let sql = prepared.copy().unwrap();
            sql.fail_after(statements);
            let done = write(&sql);
            let found = sql.copy().unwrap();
            let listed = list(&found).unwrap();
            for word in ["zebra", "yak"] {
                let matches: Vec<_> = listed
                    .iter()
                    .filter(|fact| fact.content == word)
                    .cloned()
                    .collect();
                assert_eq!(search(&found, word, 8).unwrap(), matches, "{word}");
            }
            if done {
                break;
            }
            assert_eq!(listed, list(&prepared).unwrap(), "after {statements} statements");
        }
    }
}

fn conversation() -> ConversationId {
    ConversationId::new(Uuid::from_u128(0x77))
}

#[derive(Debug, Clone)]
enum Step {
    Add(u8, String),
    Update(u8, String, u32),
    Forget(u8, u32),
}

fn step() -> impl Strategy<Value = Step> {
    let (id, text) = (0_u8..4, "[ab]{1,2}");
    prop_oneof![
        (id.clone(), text).prop_map(|(id, text)| Step::Add(id, text)),
        (id.clone(), text, 1_u32..4).prop_map(|(id, text, version)| Step::Update(id, text, version)),
        (id, 1_u32..4).prop_map(|(id, version)| Step::Forget(id, version)),
    ]
}

proptest! {
    /// A model of maps: whatever comes in whatever order, what is listed is what it says, what is forgotten never comes
    /// back, and the index finds the listed facts and no others.
    #[test]
    fn any_order_of_writes_does_what_it_says(steps in prop::collection::vec(step(), 1..40)) {
        let sql = memory();
        let mut active: Vec<(u8, String, u32)> = Vec::new();
        let mut gone: Vec<u8> = Vec::new();
        for (now, step) in (1_i64..).zip(steps) {
            match step {
                Step::Add(number, text) => {
                    let added = add(&sql, id(number.into()), &text, Origin::Owner, now);
                    let known = active.iter().any(|(id, content, _)| *id == number || *content == text);
                    if gone.contains(&number) {
                        prop_assert_eq!(added, Err(MemoryError::Forgotten));
                    } else if !known {
                        prop_assert_eq!(added.unwrap().version, 1);
                        active.push((number, text, 1));
                    } else {
                        prop_assert!(added.is_ok());
                    }
                }
                Step::Update(number, text, version) => {
                    let updated = update(&sql, id(number.into()), &text, version, now);
                    match active.iter_mut().find(|(id, ..)| *id == number) {
                        None => prop_assert_eq!(updated, Err(MemoryError::NotFound)),
                        Some((_, content, current)) if *current == version => {
                            *current += 1;
                            content.clone_from(&text);
                            prop_assert_eq!(updated.unwrap().version, *current);
                        }
                        Some(_) => prop_assert_eq!(updated, Err(MemoryError::Conflict)),
                    }
                }
                Step::Forget(number, version) => {
                    let forgotten = forget(&sql, id(number.into()), version, now);
                    match active.iter().position(|(id, ..)| *id == number) {
                        Some(place) if active[place].2 == version => {
                            active.remove(place);
                            gone.push(number);
                            prop_assert_eq!(forgotten, Ok(()));
                        }
                        Some(_) => prop_assert_eq!(forgotten, Err(MemoryError::Conflict)),
                        None => prop_assert_eq!(forgotten, Ok(())),
                    }
                }
            }
            let mut listed: Vec<_> = list(&sql).unwrap().into_iter().map(|fact| (fact.id, fact.content, fact.version)).collect();
            let mut expected: Vec<_> = active.iter().map(|(number, text, version)| (id((*number).into()).to_string(), text.clone(), *version)).collect();
            listed.sort();
            expected.sort();
            prop_assert_eq!(&listed, &expected);
        }
        let check = sql.exec("INSERT INTO flarebot_memories_search (flarebot_memories_search, rank) VALUES ('integrity-check', 1)", &[]);
        prop_assert!(check.is_ok(), "{check:?}");
    }
}
