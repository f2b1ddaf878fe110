//! A native SQLite behind [`Sql`], as strict as a Durable Object's, so that a test refuses what production would.
//!
//! It can also stop at any statement, as a process does that is killed, and show what the next process would find.

mod policy;

use crate::{Row, Sql, SqlError, Value};
use rusqlite::backup::Backup;
use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Statement};
use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

/// The largest whole number that a double carries without doubt, 2⁵³ − 1.
const MAXIMUM_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// A database in memory or in a file.
pub struct Database {
    connection: Connection,
    guard: policy::Guard,
    depth: Cell<u32>,
    statements_left: Cell<Option<usize>>,
}

impl Database {
    /// Opens an empty database in memory.
    ///
    /// # Errors
    /// When SQLite cannot open it.
    pub fn in_memory() -> Result<Self, SqlError> {
        Connection::open_in_memory()
            .and_then(Self::strict)
            .map_err(refused)
    }

    /// Opens the database in the file at `path`, which is made if there is none.
    ///
    /// # Errors
    /// When SQLite cannot open it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SqlError> {
        Connection::open(path).and_then(Self::strict).map_err(refused)
    }

    /// Lets `statements` more statements run and makes every later one fail, as if the process had been killed there.
    ///
    /// Each statement of a text with several counts, and so does the commit of an outermost transaction. What is
    /// uncommitted at that moment is lost.
    pub fn fail_after(&self, statements: usize) {
        self.statements_left.set(Some(statements));
    }

    /// Whether the statements that [`Database::fail_after`] granted are used up.
    #[must_use]
    pub fn has_stopped(&self) -> bool {
        self.statements_left.get() == Some(0)
    }

    /// What a restarted process would find: the committed contents, in memory, without injected failures.
    ///
    /// # Errors
    /// Inside a transaction, where the uncommitted rows would be copied too.
    pub fn copy(&self) -> Result<Self, SqlError> {
        if self.depth.get() > 0 {
            return Err(SqlError::Refused(
                "a copy cannot be made inside a transaction".to_owned(),
            ));
        }
        let copy = || {
            let mut target = Connection::open_in_memory()?;
            Backup::new(&self.connection, &mut target)?.run_to_completion(i32::MAX, Duration::ZERO, None)?;
            Self::strict(target)
        };
        copy().map_err(refused)
    }

    fn strict(mut connection: Connection) -> rusqlite::Result<Self> {
        let guard = policy::apply(&mut connection)?;
        Ok(Self {
            connection,
            guard,
            depth: Cell::new(0),
            statements_left: Cell::new(None),
        })
    }

    fn spend_one(&self) -> Result<(), SqlError> {
        match self.statements_left.get() {
            None => Ok(()),
            Some(0) => Err(SqlError::Refused("the process was stopped here".to_owned())),
            Some(left) => {
                self.statements_left.set(Some(left - 1));
                Ok(())
            }
        }
    }

    /// Runs a statement of our own that callers may not run.
    fn control(&self, statement: &str) -> Result<(), SqlError> {
        self.guard
            .trusted(|| self.connection.execute_batch(statement))
            .map_err(refused)
    }

    fn run(&self, statement: &mut Statement<'_>, parameters: &[Value]) -> Result<Vec<Row>, SqlError> {
        if statement.parameter_count() != parameters.len() {
            return Err(SqlError::Refused(format!(
                "wrong number of parameters: the statement takes {}, {} were given",
                statement.parameter_count(),
                parameters.len()
            )));
        }
        self.spend_one()?;
        bind(statement, parameters).map_err(refused)?;
        let columns = statement.column_count();
        let mut rows = statement.raw_query();
        let mut result = Vec::new();
        while let Some(row) = rows.next().map_err(refused)? {
            let values = (0..columns)
                .map(|column| row.get_ref(column).map(read))
                .collect::<rusqlite::Result<Vec<Value>>>()
                .map_err(refused)?;
            result.push(Row::new(values));
        }
        Ok(result)
    }
}

impl Sql for Database {
    fn exec(&self, statement: &str, parameters: &[Value]) -> Result<Vec<Row>, SqlError> {
        // One statement alone takes parameters; the platform would accept them for the last of several.
        if !parameters.is_empty() {
            let mut statement = self.connection.prepare(statement).map_err(refused)?;
            return self.run(&mut statement, parameters);
        }
        let mut statements = rusqlite::Batch::new(&self.connection, statement);
        let mut result = None;
        while let Some(mut statement) = statements.next().map_err(refused)? {
            result = Some(self.run(&mut statement, &[])?);
        }
        result.ok_or_else(|| SqlError::Refused("the text contains no statement".to_owned()))
    }

    fn transaction<T, E: From<SqlError>>(&self, body: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let depth = self.depth.get();
        self.control(&format!("SAVEPOINT nested_{depth}"))?;
        self.depth.set(depth + 1);
        let result = body();
        self.depth.set(depth);
        let result = result.and_then(|value| {
            if depth == 0 {
                self.spend_one()?;
            }
            self.control(&format!("RELEASE nested_{depth}"))?;
            Ok(value)
        });
        if result.is_err() {
            self.control(&format!("ROLLBACK TO nested_{depth}; RELEASE nested_{depth}"))?;
        }
        result
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the platform binds every number as a double"
)]
fn bind(statement: &mut Statement<'_>, parameters: &[Value]) -> rusqlite::Result<()> {
    for (index, value) in parameters.iter().enumerate() {
        let index = index + 1;
        match value {
            Value::Null => statement.raw_bind_parameter(index, rusqlite::types::Null)?,
            Value::Integer(number) => statement.raw_bind_parameter(index, *number as f64)?,
            Value::Real(number) => statement.raw_bind_parameter(index, *number)?,
            Value::Text(text) => statement.raw_bind_parameter(index, text)?,
            Value::Blob(bytes) => statement.raw_bind_parameter(index, bytes)?,
        }
    }
    Ok(())
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "the platform returns every number as a double and calls the whole ones integers"
)]
fn read(value: ValueRef<'_>) -> Value {
    let number = match value {
        ValueRef::Null => return Value::Null,
        ValueRef::Text(bytes) => return Value::Text(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Blob(bytes) => return Value::Blob(bytes.to_vec()),
        ValueRef::Integer(number) => number as f64,
        ValueRef::Real(number) => number,
    };
    if number.fract() == 0.0 && number.abs() <= MAXIMUM_SAFE_INTEGER {
        Value::Integer(number as i64)
    } else {
        Value::Real(number)
    }
}

/// The database's reason alone: the statement's text would make the message long without making it clearer.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "every other error prints no statement"
)]
fn refused(error: rusqlite::Error) -> SqlError {
    SqlError::Refused(match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg,
        other => other.to_string(),
    })
}
