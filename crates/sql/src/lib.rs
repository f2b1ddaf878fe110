//! The storage seam of every domain crate: a synchronous SQL database behind one small trait.
//!
//! Production implements [`Sql`] over a Durable Object's SQLite; tests implement it over a native SQLite that is as
//! strict as the platform (feature `native`). Domain crates see only this crate, so their rules and queries run in
//! both places unchanged.

#[cfg(feature = "conformance")]
pub mod conformance;
mod migration;
#[cfg(feature = "native")]
pub mod native;
mod row;
mod value;

pub use migration::{Migration, MigrationError, MigrationReport, migrate};
pub use row::{FromRow, Row};
pub use value::Value;

/// The largest text or blob that may be stored in one value, in bytes. The platform refuses more than 2 MB; what
/// enters the system is cut or split below this mark.
pub const MAXIMUM_VALUE_BYTES: usize = 1_800_000;

/// A synchronous SQL database.
///
/// Statements never contain `BEGIN`, `COMMIT` or `SAVEPOINT`: grouping happens through [`Sql::transaction`] alone.
/// Numbers cross as doubles, so an integer is exact only within ±2⁵³; there are no booleans (bind 0 or 1).
pub trait Sql {
    /// Runs one statement, or several separated by semicolons, and returns the rows of the last one. Only a statement
    /// that stands alone takes parameters.
    ///
    /// # Errors
    /// Whatever the database refuses: bad SQL, a violated constraint, a wrong number of parameters.
    fn exec(&self, statement: &str, parameters: &[Value]) -> Result<Vec<Row>, SqlError>;

    /// Runs `body` in a transaction: committed when it returns `Ok`, rolled back when it returns `Err`, and the
    /// error is handed on. Transactions nest; an inner rollback keeps the outer rows.
    ///
    /// # Errors
    /// The error of `body`, or the database's own if the transaction could not be opened or committed.
    fn transaction<T, E: From<SqlError>>(&self, body: impl FnOnce() -> Result<T, E>) -> Result<T, E>;

    /// Runs a query and reads each row as `T`.
    ///
    /// # Errors
    /// As [`Sql::exec`], and [`SqlError::Shape`] when a row does not have the shape of `T`.
    fn query<T: FromRow>(&self, statement: &str, parameters: &[Value]) -> Result<Vec<T>, SqlError> {
        self.exec(statement, parameters)?
            .iter()
            .map(T::from_row)
            .collect()
    }

    /// Runs a query and reads its first row, if there is one.
    ///
    /// # Errors
    /// As [`Sql::query`].
    fn query_first<T: FromRow>(&self, statement: &str, parameters: &[Value]) -> Result<Option<T>, SqlError> {
        self.exec(statement, parameters)?
            .first()
            .map(T::from_row)
            .transpose()
    }
}

impl<S: Sql> Sql for &S {
    fn exec(&self, statement: &str, parameters: &[Value]) -> Result<Vec<Row>, SqlError> {
        (**self).exec(statement, parameters)
    }

    fn transaction<T, E: From<SqlError>>(&self, body: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        (**self).transaction(body)
    }
}

/// Why a statement failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SqlError {
    /// The database refused the statement.
    #[error("the database refused a statement: {0}")]
    Refused(String),
    /// A row did not have the expected columns or types.
    #[error("column {column} is not {expected}")]
    Shape {
        /// The zero-based column.
        column: usize,
        /// What the caller expected to find there.
        expected: &'static str,
    },
}
