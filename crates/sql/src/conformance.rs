//! What the platform's storage does, stated as checks that run against any [`Sql`].
//!
//! The native driver passes them in its tests, and a Durable Object passes the same ones inside the real runtime:
//! that is what entitles domain crates to test against the native driver alone. Left out is what local runtimes do not
//! enforce: the limit of 2 MB a value.

mod statement;
mod transaction;
mod value;

use crate::{Sql, SqlError, Value};

/// One check: what it states, and the function that finds out.
pub type Check<S> = (&'static str, fn(&S) -> Result<(), String>);

/// Every check. Each drops what an earlier run left and makes its own tables, named `conformance_…`.
#[must_use]
pub fn checks<S: Sql>() -> Vec<Check<S>> {
    vec![
        (
            "an integer column keeps whole numbers below 2^53",
            value::whole_numbers,
        ),
        (
            "a bound integer beyond 2^53 is rounded as a double",
            value::rounded_integer,
        ),
        (
            "an integer that no double carries is refused by a strict column",
            value::strict_integer,
        ),
        (
            "a stored integer beyond 2^53 comes back as a real",
            value::large_integer,
        ),
        (
            "a whole real comes back as an integer, any other as a real",
            value::reals,
        ),
        ("not-a-number becomes null", value::not_a_number),
        (
            "a bound integer is a real where no column gives it a type",
            value::no_affinity,
        ),
        (
            "an untyped column keeps a real and a text column its text",
            value::column_types,
        ),
        ("text, bytes and null come back unchanged", value::round_trips),
        (
            "the largest value that enters the system is stored",
            value::large_values,
        ),
        (
            "a bound integer serves as limit and as row id of a full-text table",
            statement::bound_positions,
        ),
        ("full-text search ranks, marks and cuts", statement::full_text),
        (
            "a wrong number of parameters is refused and changes nothing",
            statement::parameter_count,
        ),
        (
            "a hundred parameters are taken and one more is refused",
            statement::hundred_parameters,
        ),
        (
            "several statements run in order and the last one answers",
            statement::several_statements,
        ),
        (
            "broken constraints and bad statements are refused, and the database lives on",
            statement::refusals,
        ),
        (
            "an error in a later row is an error",
            statement::error_while_stepping,
        ),
        (
            "transactions by hand, pragmas, attaching and temporary tables are refused",
            statement::forbidden,
        ),
        (
            "names of the platform's own tables are refused",
            statement::reserved_names,
        ),
        ("foreign keys are enforced", statement::foreign_keys),
        (
            "a pattern of 50 bytes is taken and a longer one is refused",
            statement::pattern_length,
        ),
        (
            "five selects in one are taken and six are refused",
            statement::compound_select,
        ),
        (
            "a statement of more than 100 KB is refused",
            statement::statement_length,
        ),
        (
            "a transaction commits what succeeds and undoes what fails",
            transaction::transactions,
        ),
        (
            "an inner transaction that fails keeps the outer rows",
            transaction::nested_transactions,
        ),
    ]
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
