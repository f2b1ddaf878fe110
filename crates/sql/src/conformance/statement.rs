//! What statements may say, how many parameters they take, and where they end.

use super::{answers, fresh, refuses, run};
use crate::Sql;

pub(super) fn bound_positions(sql: &impl Sql) -> Result<(), String> {
    run(
        sql,
        "DROP TABLE IF EXISTS conformance_position; CREATE VIRTUAL TABLE conformance_position USING fts5(words)",
        &[],
    )?;
    for (row, words) in [(1_i64, "one apple"), (2, "two apples"), (3, "three pears")] {
        let insert = "INSERT INTO conformance_position (rowid, words) VALUES (?, ?)";
        run(sql, insert, &[row.into(), words.into()])?;
    }
    let query = "SELECT words FROM conformance_position WHERE rowid = ?";
    answers(sql, query, &[2_i64.into()], &["two apples".into()])?;
    let query = "SELECT count(*) FROM (SELECT 1 FROM conformance_position LIMIT ? OFFSET ?)";
    answers(sql, query, &[2_i64.into(), 1_i64.into()], &[2_i64.into()])
}

pub(super) fn full_text(sql: &impl Sql) -> Result<(), String> {
    run(
        sql,
        "DROP TABLE IF EXISTS conformance_search;
         CREATE VIRTUAL TABLE conformance_search USING fts5(words, tokenize = 'porter unicode61');
         INSERT INTO conformance_search (rowid, words) VALUES (1, 'the runner was running'), (2, 'a walk and a run')",
        &[],
    )?;
    let query = "SELECT highlight(conformance_search, 0, '[', ']'), snippet(conformance_search, 0, '<', '>', '…', 3) \
                 FROM conformance_search WHERE conformance_search MATCH ? ORDER BY bm25(conformance_search) LIMIT 1";
    let expected = ["a [walk] and a run".into(), "a <walk> and…".into()];
    answers(sql, query, &["walking".into()], &expected)?;
    refuses(
        sql,
        "SELECT 1 FROM conformance_search WHERE conformance_search MATCH ?",
        &["\"open".into()],
    )
}

pub(super) fn parameter_count(sql: &impl Sql) -> Result<(), String> {
    fresh(sql, "conformance_count", "value INTEGER NOT NULL")?;
    run(sql, "INSERT INTO conformance_count (value) VALUES (1)", &[])?;
    refuses(sql, "DELETE FROM conformance_count", &[1_i64.into()])?;
    refuses(sql, "DELETE FROM conformance_count WHERE value = ?", &[])?;
    refuses(
        sql,
        "DELETE FROM conformance_count WHERE value = ?",
        &[1_i64.into(), 1_i64.into()],
    )?;
    answers(
        sql,
        "SELECT count(*) FROM conformance_count",
        &[],
        &[1_i64.into()],
    )
}

pub(super) fn hundred_parameters(sql: &impl Sql) -> Result<(), String> {
    let query = |count: usize| {
        format!(
            "SELECT count(*) FROM sqlite_schema WHERE name IN ({})",
            vec!["?"; count].join(", ")
        )
    };
    answers(sql, &query(100), &vec!["nobody".into(); 100], &[0_i64.into()])?;
    refuses(sql, &query(101), &vec!["nobody".into(); 101])
}

pub(super) fn several_statements(sql: &impl Sql) -> Result<(), String> {
    answers(
        sql,
        "DROP TABLE IF EXISTS conformance_several;
         CREATE TABLE conformance_several (value INTEGER NOT NULL) STRICT;
         INSERT INTO conformance_several (value) VALUES (1), (2);
         SELECT sum(value) FROM conformance_several;",
        &[],
        &[3_i64.into()],
    )
}

pub(super) fn refusals(sql: &impl Sql) -> Result<(), String> {
    fresh(sql, "conformance_refusal", "tag TEXT NOT NULL UNIQUE")?;
    run(sql, "INSERT INTO conformance_refusal (tag) VALUES ('taken')", &[])?;
    for statement in [
        "INSERT INTO conformance_refusal (tag) VALUES ('taken')",
        "INSERT INTO conformance_refusal (tag) VALUES (NULL)",
        "INSERT INTO conformance_refusal (tag) VALUES (x'00')",
        "SELECT nothing FROM conformance_refusal",
        "SELECT 1 FROM conformance_nowhere",
        "SELEKT 1",
    ] {
        refuses(sql, statement, &[])?;
    }
    answers(sql, "SELECT tag FROM conformance_refusal", &[], &["taken".into()])
}

pub(super) fn error_while_stepping(sql: &impl Sql) -> Result<(), String> {
    refuses(
        sql,
        "SELECT abs(column1) FROM (VALUES (1), (-9223372036854775807 - 1))",
        &[],
    )
}

pub(super) fn forbidden(sql: &impl Sql) -> Result<(), String> {
    for statement in [
        "BEGIN",
        "BEGIN IMMEDIATE",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT here",
        "RELEASE here",
        "ATTACH ':memory:' AS other",
        "PRAGMA user_version",
        "PRAGMA user_version = 3",
        "PRAGMA journal_mode",
        "CREATE TEMP TABLE conformance_temporary (value)",
        "CREATE TEMPORARY VIEW conformance_temporary AS SELECT 1",
        "VACUUM",
        "SELECT sqlite_version()",
    ] {
        refuses(sql, statement, &[])?;
    }
    Ok(())
}

pub(super) fn reserved_names(sql: &impl Sql) -> Result<(), String> {
    refuses(sql, "CREATE TABLE _cf_mine (value)", &[])?;
    refuses(sql, "SELECT * FROM _cf_KV", &[])
}

pub(super) fn foreign_keys(sql: &impl Sql) -> Result<(), String> {
    run(
        sql,
        "DROP TABLE IF EXISTS conformance_child; DROP TABLE IF EXISTS conformance_parent;
         CREATE TABLE conformance_parent (id TEXT PRIMARY KEY) STRICT;
         CREATE TABLE conformance_child (parent TEXT NOT NULL REFERENCES conformance_parent (id)) STRICT",
        &[],
    )?;
    refuses(
        sql,
        "INSERT INTO conformance_child (parent) VALUES ('nobody')",
        &[],
    )
}

pub(super) fn pattern_length(sql: &impl Sql) -> Result<(), String> {
    answers(
        sql,
        "SELECT 'text' LIKE ?",
        &["x".repeat(50).into()],
        &[0_i64.into()],
    )?;
    refuses(sql, "SELECT 'text' LIKE ?", &["x".repeat(51).into()])
}

pub(super) fn compound_select(sql: &impl Sql) -> Result<(), String> {
    let query = |count: usize| {
        format!(
            "SELECT count(*) FROM ({})",
            vec!["SELECT 1"; count].join(" UNION ALL ")
        )
    };
    answers(sql, &query(5), &[], &[5_i64.into()])?;
    refuses(sql, &query(6), &[])
}

pub(super) fn statement_length(sql: &impl Sql) -> Result<(), String> {
    let query = |length: usize| format!("SELECT length('{}')", "x".repeat(length));
    answers(sql, &query(90_000), &[], &[90_000_i64.into()])?;
    refuses(sql, &query(110_000), &[])
}
