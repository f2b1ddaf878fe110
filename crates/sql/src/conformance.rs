//! What the platform's storage does, stated as checks that run against any [`Sql`].
//!
//! The native driver passes them in its tests, and a Durable Object passes the same ones inside the real runtime:
//! that is what entitles domain crates to test against the native driver alone. Left out is what local runtimes do not
//! enforce: the limit of 2 MB a value.

use crate::{MAXIMUM_VALUE_BYTES, Sql, SqlError, Value};

/// One check: what it states, and the function that finds out.
pub type Check<S> = (&'static str, fn(&S) -> Result<(), String>);

/// 2⁵³, the first whole number that a double shares with its neighbour.
const TWO_TO_THE_53: i64 = 9_007_199_254_740_992;

/// Every check. Each drops what an earlier run left and makes its own tables, named `conformance_…`.
#[must_use]
pub fn checks<S: Sql>() -> Vec<Check<S>> {
    vec![
        ("an integer column keeps whole numbers below 2^53", whole_numbers),
        (
            "a bound integer beyond 2^53 is rounded as a double",
            rounded_integer,
        ),
        (
            "an integer that no double carries is refused by a strict column",
            strict_integer,
        ),
        ("a stored integer beyond 2^53 comes back as a real", large_integer),
        (
            "a whole real comes back as an integer, any other as a real",
            reals,
        ),
        ("not-a-number becomes null", not_a_number),
        (
            "a bound integer is a real where no column gives it a type",
            no_affinity,
        ),
        (
            "an untyped column keeps a real and a text column its text",
            column_types,
        ),
        ("text, bytes and null come back unchanged", round_trips),
        ("the largest value that enters the system is stored", large_values),
        (
            "a bound integer serves as limit and as row id of a full-text table",
            bound_positions,
        ),
        ("full-text search ranks, marks and cuts", full_text),
        (
            "a wrong number of parameters is refused and changes nothing",
            parameter_count,
        ),
        (
            "a hundred parameters are taken and one more is refused",
            hundred_parameters,
        ),
        (
            "several statements run in order and the last one answers",
            several_statements,
        ),
        (
            "broken constraints and bad statements are refused, and the database lives on",
            refusals,
        ),
        ("an error in a later row is an error", error_while_stepping),
        (
            "transactions by hand, pragmas, attaching and temporary tables are refused",
            forbidden,
        ),
        ("names of the platform's own tables are refused", reserved_names),
        ("foreign keys are enforced", foreign_keys),
        (
            "a pattern of 50 bytes is taken and a longer one is refused",
            pattern_length,
        ),
        (
            "five selects in one are taken and six are refused",
            compound_select,
        ),
        ("a statement of more than 100 KB is refused", statement_length),
        (
            "a transaction commits what succeeds and undoes what fails",
            transactions,
        ),
        (
            "an inner transaction that fails keeps the outer rows",
            nested_transactions,
        ),
    ]
}

fn whole_numbers(sql: &impl Sql) -> Result<(), String> {
    fresh(sql, "conformance_whole", "value INTEGER NOT NULL")?;
    for number in [0, 1, -1, TWO_TO_THE_53 - 1, 1 - TWO_TO_THE_53] {
        run(sql, "DELETE FROM conformance_whole", &[])?;
        run(
            sql,
            "INSERT INTO conformance_whole (value) VALUES (?)",
            &[number.into()],
        )?;
        let query = "SELECT value, typeof(value) FROM conformance_whole";
        answers(sql, query, &[], &[number.into(), "integer".into()])?;
    }
    Ok(())
}

fn rounded_integer(sql: &impl Sql) -> Result<(), String> {
    fresh(sql, "conformance_rounded", "value INTEGER NOT NULL")?;
    let insert = "INSERT INTO conformance_rounded (value) VALUES (?)";
    run(sql, insert, &[(TWO_TO_THE_53 + 1).into()])?;
    let query = "SELECT CAST(value AS TEXT) FROM conformance_rounded";
    answers(sql, query, &[], &["9007199254740992".into()])
}

fn strict_integer(sql: &impl Sql) -> Result<(), String> {
    fresh(sql, "conformance_strict", "value INTEGER NOT NULL")?;
    for number in [i64::MAX, i64::MIN] {
        refuses(
            sql,
            "INSERT INTO conformance_strict (value) VALUES (?)",
            &[number.into()],
        )?;
    }
    refuses(
        sql,
        "INSERT INTO conformance_strict (value) VALUES (?)",
        &["true".into()],
    )
}

fn large_integer(sql: &impl Sql) -> Result<(), String> {
    let expected = [
        Value::Real(9_007_199_254_740_992.0),
        Value::Real(-9_007_199_254_740_992.0),
    ];
    answers(sql, "SELECT 9007199254740993, -9007199254740993", &[], &expected)
}

fn reals(sql: &impl Sql) -> Result<(), String> {
    fresh(sql, "conformance_real", "value REAL NOT NULL")?;
    let cases = [
        (2.0, Value::Integer(2)),
        (1.5, Value::Real(1.5)),
        (1e300, Value::Real(1e300)),
        (f64::INFINITY, Value::Real(f64::INFINITY)),
    ];
    for (number, expected) in cases {
        run(sql, "DELETE FROM conformance_real", &[])?;
        run(
            sql,
            "INSERT INTO conformance_real (value) VALUES (?)",
            &[number.into()],
        )?;
        let query = "SELECT value, typeof(value) FROM conformance_real";
        answers(sql, query, &[], &[expected, "real".into()])?;
    }
    Ok(())
}

fn not_a_number(sql: &impl Sql) -> Result<(), String> {
    answers(sql, "SELECT ?", &[f64::NAN.into()], &[Value::Null])
}

fn no_affinity(sql: &impl Sql) -> Result<(), String> {
    let five = [Value::Integer(5)];
    answers(sql, "SELECT typeof(?)", &five, &["real".into()])?;
    answers(sql, "SELECT 'x' || ?", &five, &["x5.0".into()])?;
    answers(sql, "SELECT json_array(?)", &five, &["[5.0]".into()])?;
    answers(sql, "SELECT ? / 2", &five, &[Value::Real(2.5)])?;
    answers(
        sql,
        "SELECT typeof(CAST(? AS INTEGER))",
        &five,
        &["integer".into()],
    )
}

fn column_types(sql: &impl Sql) -> Result<(), String> {
    run(
        sql,
        "DROP TABLE IF EXISTS conformance_types; CREATE TABLE conformance_types (untyped, words TEXT)",
        &[],
    )?;
    let insert = "INSERT INTO conformance_types (untyped, words) VALUES (?, ?)";
    run(sql, insert, &[5_i64.into(), 5_i64.into()])?;
    let query = "SELECT typeof(untyped), typeof(words), words FROM conformance_types";
    answers(sql, query, &[], &["real".into(), "text".into(), "5.0".into()])
}

fn round_trips(sql: &impl Sql) -> Result<(), String> {
    fresh(sql, "conformance_round", "words TEXT, bytes BLOB")?;
    let cases: [(Value, Value); 4] = [
        ("Grüße, 世界 🙂".into(), vec![0_u8, 255, 128].into()),
        ("".into(), Vec::new().into()),
        ("before\0after".into(), vec![0_u8].into()),
        (Value::Null, Value::Null),
    ];
    for (words, bytes) in cases {
        run(sql, "DELETE FROM conformance_round", &[])?;
        let row = [words, bytes];
        run(
            sql,
            "INSERT INTO conformance_round (words, bytes) VALUES (?, ?)",
            &row,
        )?;
        answers(sql, "SELECT words, bytes FROM conformance_round", &[], &row)?;
    }
    Ok(())
}

fn large_values(sql: &impl Sql) -> Result<(), String> {
    fresh(sql, "conformance_large", "value ANY")?;
    let cases: [Value; 2] = [
        "x".repeat(MAXIMUM_VALUE_BYTES).into(),
        vec![7_u8; MAXIMUM_VALUE_BYTES].into(),
    ];
    for value in cases {
        run(sql, "DELETE FROM conformance_large", &[])?;
        run(sql, "INSERT INTO conformance_large (value) VALUES (?)", &[value])?;
        let length = i64::try_from(MAXIMUM_VALUE_BYTES).map_err(|error| error.to_string())?;
        answers(
            sql,
            "SELECT length(value) FROM conformance_large",
            &[],
            &[length.into()],
        )?;
    }
    run(sql, "DELETE FROM conformance_large", &[])
}

fn bound_positions(sql: &impl Sql) -> Result<(), String> {
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

fn full_text(sql: &impl Sql) -> Result<(), String> {
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

fn parameter_count(sql: &impl Sql) -> Result<(), String> {
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

fn hundred_parameters(sql: &impl Sql) -> Result<(), String> {
    let query = |count: usize| {
        format!(
            "SELECT count(*) FROM sqlite_schema WHERE name IN ({})",
            vec!["?"; count].join(", ")
        )
    };
    answers(sql, &query(100), &vec!["nobody".into(); 100], &[0_i64.into()])?;
    refuses(sql, &query(101), &vec!["nobody".into(); 101])
}

fn several_statements(sql: &impl Sql) -> Result<(), String> {
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

fn refusals(sql: &impl Sql) -> Result<(), String> {
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

fn error_while_stepping(sql: &impl Sql) -> Result<(), String> {
    refuses(
        sql,
        "SELECT abs(column1) FROM (VALUES (1), (-9223372036854775807 - 1))",
        &[],
    )
}

fn forbidden(sql: &impl Sql) -> Result<(), String> {
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

fn reserved_names(sql: &impl Sql) -> Result<(), String> {
    refuses(sql, "CREATE TABLE _cf_mine (value)", &[])?;
    refuses(sql, "SELECT * FROM _cf_KV", &[])
}

fn foreign_keys(sql: &impl Sql) -> Result<(), String> {
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

fn pattern_length(sql: &impl Sql) -> Result<(), String> {
    answers(
        sql,
        "SELECT 'text' LIKE ?",
        &["x".repeat(50).into()],
        &[0_i64.into()],
    )?;
    refuses(sql, "SELECT 'text' LIKE ?", &["x".repeat(51).into()])
}

fn compound_select(sql: &impl Sql) -> Result<(), String> {
    let query = |count: usize| {
        format!(
            "SELECT count(*) FROM ({})",
            vec!["SELECT 1"; count].join(" UNION ALL ")
        )
    };
    answers(sql, &query(5), &[], &[5_i64.into()])?;
    refuses(sql, &query(6), &[])
}

fn statement_length(sql: &impl Sql) -> Result<(), String> {
    let query = |length: usize| format!("SELECT length('{}')", "x".repeat(length));
    answers(sql, &query(90_000), &[], &[90_000_i64.into()])?;
    refuses(sql, &query(110_000), &[])
}

fn transactions(sql: &impl Sql) -> Result<(), String> {
    fresh(sql, "conformance_transaction", "value INTEGER NOT NULL")?;
    let insert = "INSERT INTO conformance_transaction (value) VALUES (?)";
    sql.transaction(|| sql.exec(insert, &[1_i64.into()]))
        .map_err(|error| error.to_string())?;
    let failed: Result<(), SqlError> = sql.transaction(|| {
        sql.exec(insert, &[2_i64.into()])?;
        Err(SqlError::Refused("on purpose".to_owned()))
    });
    if failed != Err(SqlError::Refused("on purpose".to_owned())) {
        return Err(format!("the error of the body was not handed on: {failed:?}"));
    }
    answers(
        sql,
        "SELECT count(*), sum(value) FROM conformance_transaction",
        &[],
        &[1_i64.into(), 1_i64.into()],
    )
}

fn nested_transactions(sql: &impl Sql) -> Result<(), String> {
    fresh(sql, "conformance_nested", "value INTEGER NOT NULL")?;
    let insert = "INSERT INTO conformance_nested (value) VALUES (?)";
    let outer: Result<(), SqlError> = sql.transaction(|| {
        sql.exec(insert, &[1_i64.into()])?;
        let inner: Result<(), SqlError> = sql.transaction(|| {
            sql.exec(insert, &[10_i64.into()])?;
            Err(SqlError::Refused("on purpose".to_owned()))
        });
        if inner.is_ok() {
            return Err(SqlError::Refused("the inner transaction succeeded".to_owned()));
        }
        sql.transaction(|| sql.exec(insert, &[100_i64.into()]))?;
        Ok(())
    });
    outer.map_err(|error| error.to_string())?;
    answers(
        sql,
        "SELECT sum(value) FROM conformance_nested",
        &[],
        &[101_i64.into()],
    )
}

/// Makes a strict table without rows.
fn fresh(sql: &impl Sql, table: &str, columns: &str) -> Result<(), String> {
    run(
        sql,
        &format!("DROP TABLE IF EXISTS {table}; CREATE TABLE {table} ({columns}) STRICT"),
        &[],
    )
}

fn run(sql: &impl Sql, statement: &str, parameters: &[Value]) -> Result<(), String> {
    match sql.exec(statement, parameters) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("{}: {error}", shortened(statement))),
    }
}

/// The statement must answer exactly one row with these values.
fn answers(sql: &impl Sql, statement: &str, parameters: &[Value], expected: &[Value]) -> Result<(), String> {
    let rows = sql
        .exec(statement, parameters)
        .map_err(|error| format!("{}: {error}", shortened(statement)))?;
    match rows.as_slice() {
        [row] if row.values() == expected => Ok(()),
        _ => Err(format!(
            "{}: expected {expected:?}, got {rows:?}",
            shortened(statement)
        )),
    }
}

fn refuses(sql: &impl Sql, statement: &str, parameters: &[Value]) -> Result<(), String> {
    match sql.exec(statement, parameters) {
        Err(SqlError::Refused(_)) => Ok(()),
        other => Err(format!(
            "{}: expected a refusal, got {other:?}",
            shortened(statement)
        )),
    }
}

fn shortened(statement: &str) -> String {
    statement.chars().take(120).collect()
}
