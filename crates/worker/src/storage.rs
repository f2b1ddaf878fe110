//! The storage seam over a Durable Object's SQLite. Only `exec` and `raw` are used: the other cursor methods throw
//! where nothing catches.

use crate::sys;
use flarebot_sql::{Row, Sql, SqlError, Value};
use wasm_bindgen::JsValue;
use worker::{SqlStorageValue, Storage};

/// The SQLite database of one object.
pub struct ObjectSql {
    storage: Storage,
    sql: worker::SqlStorage,
}

impl ObjectSql {
    /// The database behind an object's storage.
    #[must_use]
    pub fn new(storage: Storage) -> Self {
        let sql = storage.sql();
        Self { storage, sql }
    }
}

impl Sql for ObjectSql {
    fn exec(&self, statement: &str, parameters: &[Value]) -> Result<Vec<Row>, SqlError> {
        let bound: Vec<SqlStorageValue> = parameters.iter().map(bind).collect();
        let cursor = self.sql.exec(statement, bound).map_err(|error| refused(&error))?;
        let mut rows = Vec::new();
        for row in cursor.raw() {
            let row = row.map_err(|error| refused(&error))?;
            rows.push(Row::new(row.into_iter().map(read).collect()));
        }
        Ok(rows)
    }

    fn transaction<T, E: From<SqlError>>(&self, body: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let mut body = Some(body);
        let mut result = None;
        let outcome = sys::transaction(&self.storage, &mut || {
            let Some(body) = body.take() else {
                return Err(JsValue::from_str("ran twice"));
            };
            let done = body();
            let outcome = if done.is_ok() {
                Ok(JsValue::UNDEFINED)
            } else {
                Err(JsValue::from_str("rollback"))
            };
            result = Some(done);
            outcome
        });
        match (result, outcome) {
            (Some(Ok(value)), Ok(_)) => Ok(value),
            (Some(Err(error)), _) => Err(error),
            (Some(Ok(_)) | None, Err(thrown)) => Err(SqlError::Refused(format!("{thrown:?}")).into()),
            (None, Ok(_)) => Err(SqlError::Refused("the transaction did not run".to_owned()).into()),
        }
    }
}

fn refused(error: &worker::Error) -> SqlError {
    SqlError::Refused(error.to_string())
}

fn bind(value: &Value) -> SqlStorageValue {
    match value {
        Value::Null => SqlStorageValue::Null,
        Value::Integer(number) => SqlStorageValue::Integer(*number),
        Value::Real(number) => SqlStorageValue::Float(*number),
        Value::Text(text) => SqlStorageValue::String(text.clone()),
        Value::Blob(bytes) => SqlStorageValue::Blob(bytes.clone()),
    }
}

fn read(value: SqlStorageValue) -> Value {
    match value {
        SqlStorageValue::Null => Value::Null,
        SqlStorageValue::Boolean(truth) => Value::Integer(i64::from(truth)),
        SqlStorageValue::Integer(number) => Value::Integer(number),
        SqlStorageValue::Float(number) => Value::Real(number),
        SqlStorageValue::String(text) => Value::Text(text),
        SqlStorageValue::Blob(bytes) => Value::Blob(bytes),
    }
}
