//! Sign-in assertions work once, also across restarts.

use flarebot_sql::{Sql, SqlError};

/// What became of an assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consumption {
    /// It had not been used; from now on it has.
    First,
    /// It was used before, or has expired since its signature was checked.
    Used,
}

/// Uses up the assertion `id`, which nobody accepts from `expires_at` on (milliseconds since 1970), and forgets those
/// that have expired.
///
/// # Errors
/// When the database refuses it; the assertion is then as unused as it was.
pub fn consume(sql: &impl Sql, id: &str, expires_at: i64, now: i64) -> Result<Consumption, SqlError> {
    // Its row would be gone at the next call, so that it could be used again.
    if expires_at <= now {
        return Ok(Consumption::Used);
    }
    sql.transaction(|| {
        sql.exec("DELETE FROM sign_in_assertion WHERE expires_at <= ?", &[now.into()])?;
        let inserted = sql.exec(
            "INSERT INTO sign_in_assertion (id, expires_at) VALUES (?, ?) ON CONFLICT (id) DO NOTHING RETURNING 1",
            &[id.into(), expires_at.into()],
        )?;
        Ok(if inserted.is_empty() {
            Consumption::Used
        } else {
            Consumption::First
        })
    })
}
