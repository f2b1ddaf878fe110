//! What is kept and what is undone.

use super::{answers, fresh};
use crate::{Sql, SqlError};

pub(super) fn transactions(sql: &impl Sql) -> Result<(), String> {
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

pub(super) fn nested_transactions(sql: &impl Sql) -> Result<(), String> {
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
