//! The native driver keeps the platform's rules, and stops where a test wants it to.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on should stop where it stands"
)]

use flarebot_sql::conformance;
use flarebot_sql::native::Database;
use flarebot_sql::{Sql, SqlError, Value};

fn counting() -> Database {
    let database = Database::in_memory().unwrap();
    database
        .exec("CREATE TABLE mark (value INTEGER NOT NULL) STRICT", &[])
        .unwrap();
    database
}

fn mark(sql: &impl Sql, value: i64) -> Result<(), SqlError> {
    sql.exec("INSERT INTO mark (value) VALUES (?)", &[value.into()])
        .map(drop)
}

fn marks(sql: &impl Sql) -> Vec<i64> {
    let rows = sql.exec("SELECT value FROM mark ORDER BY rowid", &[]).unwrap();
    rows.iter().map(|row| row.integer(0).unwrap()).collect()
}

fn failures(sql: &Database) -> Vec<String> {
    conformance::checks::<Database>()
        .into_iter()
        .filter_map(|(name, check)| check(sql).err().map(|reason| format!("{name}: {reason}")))
        .collect()
}

#[test]
fn storage_in_memory_behaves_as_the_platform_does() {
    assert_eq!(failures(&Database::in_memory().unwrap()), Vec::<String>::new());
}

#[test]
fn storage_in_a_file_behaves_as_the_platform_does_and_is_found_again() {
    let path = std::env::temp_dir().join(format!("flarebot-sql-{}.sqlite", std::process::id()));
    let first = Database::open(&path).unwrap();
    assert_eq!(failures(&first), Vec::<String>::new());
    first
        .exec("CREATE TABLE mark (value INTEGER NOT NULL) STRICT", &[])
        .unwrap();
    mark(&first, 1).unwrap();
    drop(first);
    let second = Database::open(&path).unwrap();
    assert_eq!(marks(&second), [1]);
    assert_eq!(failures(&second), Vec::<String>::new());
    drop(second);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_value_of_more_than_two_megabytes_is_refused() {
    let database = Database::in_memory().unwrap();
    let refused = database.exec("SELECT length(?)", &[vec![0_u8; 2_000_001].into()]);
    assert!(matches!(refused, Err(SqlError::Refused(_))));
}

#[test]
fn a_text_in_double_quotes_is_a_mistake() {
    let database = Database::in_memory().unwrap();
    assert!(database.exec("SELECT \"no such column\"", &[]).is_err());
}

#[test]
fn only_a_statement_that_stands_alone_takes_parameters() {
    let database = counting();
    let several = "INSERT INTO mark (value) VALUES (1); INSERT INTO mark (value) VALUES (?)";
    assert!(database.exec(several, &[Value::Integer(2)]).is_err());
    assert_eq!(marks(&database), Vec::<i64>::new());
}

#[test]
fn after_the_granted_statements_every_statement_fails() {
    let database = counting();
    database.fail_after(2);
    assert!(mark(&database, 1).is_ok());
    assert!(!database.has_stopped());
    assert!(mark(&database, 2).is_ok());
    assert!(database.has_stopped());
    assert!(mark(&database, 3).is_err());
    assert!(mark(&database, 4).is_err());
    assert_eq!(marks(&database.copy().unwrap()), [1, 2]);
}

#[test]
fn a_stop_inside_a_transaction_loses_the_transaction() {
    // Two statements and the commit: it is there only when all three were granted.
    for (granted, expected) in [(0, vec![]), (1, vec![]), (2, vec![]), (3, vec![1, 2])] {
        let database = counting();
        database.fail_after(granted);
        let result: Result<(), SqlError> = database.transaction(|| {
            mark(&database, 1)?;
            mark(&database, 2)
        });
        assert_eq!(result.is_ok(), !expected.is_empty());
        assert_eq!(marks(&database.copy().unwrap()), expected);
    }
}

#[test]
fn a_stop_is_not_undone_by_a_body_that_hides_it() {
    let database = counting();
    database.fail_after(1);
    let result: Result<(), SqlError> = database.transaction(|| {
        mark(&database, 1)?;
        let _ = mark(&database, 2);
        Ok(())
    });
    assert!(result.is_err());
    assert_eq!(marks(&database.copy().unwrap()), Vec::<i64>::new());
}

#[test]
fn a_stop_between_the_statements_of_one_text_keeps_the_first() {
    let database = counting();
    database.fail_after(1);
    let both = "INSERT INTO mark (value) VALUES (1); INSERT INTO mark (value) VALUES (2)";
    assert!(database.exec(both, &[]).is_err());
    assert_eq!(marks(&database.copy().unwrap()), [1]);
}

#[test]
fn a_copy_lives_its_own_life() {
    let database = counting();
    mark(&database, 1).unwrap();
    let copy = database.copy().unwrap();
    mark(&copy, 2).unwrap();
    assert_eq!(marks(&database), [1]);
    assert_eq!(marks(&copy), [1, 2]);
}

#[test]
fn a_copy_inside_a_transaction_is_refused() {
    let database = counting();
    let result: Result<(), SqlError> = database.transaction(|| database.copy().map(drop));
    assert!(result.is_err());
}
