//! The tables of memory.

use super::memory;
use flarebot_memory::{COMPONENT, MIGRATIONS, open};
use flarebot_sql::{Migration, MigrationError, Sql, migrate};

#[test]
fn opening_again_changes_nothing() {
    let sql = memory();
    let schema = || sql.exec("SELECT name, sql FROM sqlite_schema", &[]).unwrap();
    let before = schema();
    let report = open(&sql, 1).unwrap();
    assert_eq!(report.from, report.to);
    assert_eq!(schema(), before);
}

#[test]
fn what_a_newer_program_wrote_is_not_opened() {
    let sql = memory();
    let newest = MIGRATIONS.last().unwrap().version;
    let mut migrations = MIGRATIONS.to_vec();
    migrations.push(Migration {
        version: newest + 1,
        name: "of the future",
        statements: "CREATE TABLE of_the_future (id TEXT) STRICT",
    });
    migrate(&sql, COMPONENT, &migrations, 1).unwrap();
    assert!(matches!(open(&sql, 2), Err(MigrationError::Newer { .. })));
}

#[test]
fn a_tombstone_cannot_hold_a_text() {
    let sql = memory();
    let insert = "INSERT INTO flarebot_memories (id, content, terms, version, created_at, updated_at, deleted_at) \
                  VALUES ('a', 'a text', '', 1, 1, 1, 1)";
    assert!(sql.exec(insert, &[]).is_err());
}
