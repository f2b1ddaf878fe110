//! How values cross the boundary and what columns make of them.

use super::{answers, fresh, refuses, run};
use crate::{MAXIMUM_VALUE_BYTES, Sql, Value};

/// 2⁵³, the first whole number that a double shares with its neighbour.
const TWO_TO_THE_53: i64 = 9_007_199_254_740_992;

pub(super) fn whole_numbers(sql: &impl Sql) -> Result<(), String> {
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

pub(super) fn rounded_integer(sql: &impl Sql) -> Result<(), String> {
    fresh(sql, "conformance_rounded", "value INTEGER NOT NULL")?;
    let insert = "INSERT INTO conformance_rounded (value) VALUES (?)";
    run(sql, insert, &[(TWO_TO_THE_53 + 1).into()])?;
    let query = "SELECT CAST(value AS TEXT) FROM conformance_rounded";
    answers(sql, query, &[], &["9007199254740992".into()])
}

pub(super) fn strict_integer(sql: &impl Sql) -> Result<(), String> {
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

pub(super) fn large_integer(sql: &impl Sql) -> Result<(), String> {
    let expected = [
        Value::Real(9_007_199_254_740_992.0),
        Value::Real(-9_007_199_254_740_992.0),
    ];
    answers(sql, "SELECT 9007199254740993, -9007199254740993", &[], &expected)
}

pub(super) fn reals(sql: &impl Sql) -> Result<(), String> {
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

pub(super) fn not_a_number(sql: &impl Sql) -> Result<(), String> {
    answers(sql, "SELECT ?", &[f64::NAN.into()], &[Value::Null])
}

pub(super) fn no_affinity(sql: &impl Sql) -> Result<(), String> {
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

pub(super) fn column_types(sql: &impl Sql) -> Result<(), String> {
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

pub(super) fn round_trips(sql: &impl Sql) -> Result<(), String> {
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

pub(super) fn large_values(sql: &impl Sql) -> Result<(), String> {
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
