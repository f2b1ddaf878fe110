//! Reading a row by column, without panics and without trusting that a stored row has the shape we hope for.

use crate::{SqlError, Value};

/// One row of a result: its values in column order.
#[derive(Debug, Clone, PartialEq)]
pub struct Row(Vec<Value>);

/// A type that can be read from a row.
pub trait FromRow: Sized {
    /// Reads the columns in the order in which the query selects them.
    ///
    /// # Errors
    /// [`SqlError::Shape`] names the first column that does not fit.
    fn from_row(row: &Row) -> Result<Self, SqlError>;
}

impl Row {
    /// Wraps the values of one row.
    #[must_use]
    pub fn new(values: Vec<Value>) -> Self {
        Self(values)
    }

    /// The values in column order.
    #[must_use]
    pub fn values(&self) -> &[Value] {
        &self.0
    }

    /// The text in `column`.
    ///
    /// # Errors
    /// [`SqlError::Shape`] when there is no text there.
    pub fn text(&self, column: usize) -> Result<&str, SqlError> {
        self.optional_text(column)?.ok_or(SqlError::Shape {
            column,
            expected: "text",
        })
    }

    /// The text in `column`, or `None` for `NULL`.
    ///
    /// # Errors
    /// [`SqlError::Shape`] when there is something else there.
    pub fn optional_text(&self, column: usize) -> Result<Option<&str>, SqlError> {
        match self.0.get(column) {
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Null) => Ok(None),
            Some(Value::Integer(_) | Value::Real(_) | Value::Blob(_)) | None => Err(SqlError::Shape {
                column,
                expected: "text",
            }),
        }
    }

    /// The whole number in `column`.
    ///
    /// # Errors
    /// [`SqlError::Shape`] when there is no whole number there.
    pub fn integer(&self, column: usize) -> Result<i64, SqlError> {
        self.optional_integer(column)?.ok_or(SqlError::Shape {
            column,
            expected: "an integer",
        })
    }

    /// The whole number in `column`, or `None` for `NULL`.
    ///
    /// # Errors
    /// [`SqlError::Shape`] when there is something else there.
    pub fn optional_integer(&self, column: usize) -> Result<Option<i64>, SqlError> {
        match self.0.get(column) {
            Some(Value::Integer(number)) => Ok(Some(*number)),
            Some(Value::Null) => Ok(None),
            Some(Value::Real(_) | Value::Text(_) | Value::Blob(_)) | None => Err(SqlError::Shape {
                column,
                expected: "an integer",
            }),
        }
    }

    /// The number in `column`; a whole number is read as well, since the platform returns whole reals so.
    ///
    /// # Errors
    /// [`SqlError::Shape`] when there is no number there.
    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers cross the platform's boundary as doubles anyway"
    )]
    pub fn real(&self, column: usize) -> Result<f64, SqlError> {
        match self.0.get(column) {
            Some(Value::Real(number)) => Ok(*number),
            Some(Value::Integer(number)) => Ok(*number as f64),
            Some(Value::Null | Value::Text(_) | Value::Blob(_)) | None => Err(SqlError::Shape {
                column,
                expected: "a number",
            }),
        }
    }

    /// The bytes in `column`.
    ///
    /// # Errors
    /// [`SqlError::Shape`] when there are no bytes there.
    pub fn blob(&self, column: usize) -> Result<&[u8], SqlError> {
        match self.0.get(column) {
            Some(Value::Blob(bytes)) => Ok(bytes),
            Some(Value::Null | Value::Integer(_) | Value::Real(_) | Value::Text(_)) | None => {
                Err(SqlError::Shape {
                    column,
                    expected: "bytes",
                })
            }
        }
    }
}
