//! One row for each thing that is owed at an instant: a socket's expiry, a running turn, a clean-up.

use flarebot_sql::{FromRow, Row, Sql, SqlError, Value};

/// Something that `owner` owes at `due_at`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lease {
    /// Whose it is: it goes when the owner goes.
    pub owner: String,
    /// What kind of thing it is, a word that the owner chooses.
    pub kind: String,
    /// Which one of that kind.
    pub id: String,
    /// When it is due, in milliseconds since 1970.
    pub due_at: i64,
}

impl FromRow for Lease {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        Ok(Self {
            owner: row.text(0)?.to_owned(),
            kind: row.text(1)?.to_owned(),
            id: row.text(2)?.to_owned(),
            due_at: row.integer(3)?,
        })
    }
}

/// Writes a lease; one with the same owner, kind and id is replaced.
///
/// # Errors
/// When the database refuses it.
pub fn put(sql: &impl Sql, lease: &Lease) -> Result<(), SqlError> {
    sql.exec(
        "INSERT INTO lease (owner, kind, id, due_at) VALUES (?, ?, ?, ?) \
         ON CONFLICT (owner, kind, id) DO UPDATE SET due_at = excluded.due_at, taken = NULL",
        &[
            lease.owner.as_str().into(),
            lease.kind.as_str().into(),
            lease.id.as_str().into(),
            lease.due_at.into(),
        ],
    )?;
    Ok(())
}

/// Removes one lease, if it is there.
///
/// # Errors
/// When the database refuses it.
pub fn remove(sql: &impl Sql, owner: &str, kind: &str, id: &str) -> Result<(), SqlError> {
    sql.exec(
        "DELETE FROM lease WHERE owner = ? AND kind = ? AND id = ?",
        &[owner.into(), kind.into(), id.into()],
    )?;
    Ok(())
}

/// Removes everything of one kind that `owner` owes.
///
/// # Errors
/// When the database refuses it.
pub fn remove_kind(sql: &impl Sql, owner: &str, kind: &str) -> Result<(), SqlError> {
    sql.exec(
        "DELETE FROM lease WHERE owner = ? AND kind = ?",
        &[owner.into(), kind.into()],
    )?;
    Ok(())
}

/// Who owes something of this kind, each owner once.
///
/// # Errors
/// When the database refuses it.
pub fn owners(sql: &impl Sql, kind: &str) -> Result<Vec<String>, SqlError> {
    let rows = sql.exec(
        "SELECT DISTINCT owner FROM lease WHERE kind = ? ORDER BY owner",
        &[kind.into()],
    )?;
    rows.iter().map(|row| Ok(row.text(0)?.to_owned())).collect()
}

/// The ids of everything of one kind that `owner` owes.
///
/// # Errors
/// When the database refuses it.
pub fn ids(sql: &impl Sql, owner: &str, kind: &str) -> Result<Vec<String>, SqlError> {
    let rows = sql.exec(
        "SELECT id FROM lease WHERE owner = ? AND kind = ? ORDER BY id",
        &[owner.into(), kind.into()],
    )?;
    rows.iter().map(|row| Ok(row.text(0)?.to_owned())).collect()
}

/// Removes everything that `owner` owes.
///
/// # Errors
/// When the database refuses it.
pub fn remove_owner(sql: &impl Sql, owner: &str) -> Result<(), SqlError> {
    sql.exec("DELETE FROM lease WHERE owner = ?", &[owner.into()])?;
    Ok(())
}

/// What is due at `now`, the earliest first, at most `limit` of it. The rows stay until they are removed.
///
/// # Errors
/// When the database refuses it.
pub fn due(sql: &impl Sql, now: i64, limit: u32) -> Result<Vec<Lease>, SqlError> {
    sql.query(
        "SELECT owner, kind, id, due_at FROM lease WHERE due_at <= ? ORDER BY due_at, owner, kind, id LIMIT ?",
        &[now.into(), limit.into()],
    )
}

/// A lease in the hands of somebody who deals with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The lease, due again in case whoever has it dies.
    pub lease: Lease,
    token: String,
}

/// Takes what is due at `now`, the earliest first, at most `limit` of it, and makes it due again at `again_at` in case
/// whoever deals with it dies. `token` makes a name for each that was never used.
///
/// # Errors
/// When the database refuses it; nothing is taken then.
pub fn take_due(
    sql: &impl Sql,
    now: i64,
    limit: u32,
    again_at: i64,
    mut token: impl FnMut() -> String,
) -> Result<Vec<Taken>, SqlError> {
    sql.transaction(|| {
        let take = |mut lease: Lease| {
            let token = token();
            lease.due_at = again_at;
            sql.exec(
                "UPDATE lease SET due_at = ?, taken = ? WHERE owner = ? AND kind = ? AND id = ?",
                &[
                    again_at.into(),
                    token.as_str().into(),
                    lease.owner.as_str().into(),
                    lease.kind.as_str().into(),
                    lease.id.as_str().into(),
                ],
            )?;
            Ok(Taken { lease, token })
        };
        due(sql, now, limit)?.into_iter().map(take).collect()
    })
}

/// Removes a lease that was taken, unless it was written again or taken again meanwhile.
///
/// # Errors
/// When the database refuses it.
pub fn settle(sql: &impl Sql, taken: &Taken) -> Result<(), SqlError> {
    sql.exec(
        "DELETE FROM lease WHERE owner = ? AND kind = ? AND id = ? AND taken = ?",
        &guard(taken),
    )?;
    Ok(())
}

/// Makes a lease that was taken due at another instant, unless it was written again, taken again or removed meanwhile.
///
/// # Errors
/// When the database refuses it.
pub fn postpone(sql: &impl Sql, taken: &Taken, due_at: i64) -> Result<(), SqlError> {
    let mut parameters = vec![Value::from(due_at)];
    parameters.extend(guard(taken));
    sql.exec(
        "UPDATE lease SET due_at = ?, taken = NULL WHERE owner = ? AND kind = ? AND id = ? AND taken = ?",
        &parameters,
    )?;
    Ok(())
}

/// What names a lease as long as nobody else has touched it.
fn guard(taken: &Taken) -> [Value; 4] {
    let Lease { owner, kind, id, .. } = &taken.lease;
    [owner, kind, id, &taken.token].map(|text| text.as_str().into())
}

/// When the earliest lease is due, in milliseconds since 1970; a contribution to [`crate::alarm::next`].
///
/// # Errors
/// When the database refuses it.
pub fn next_due(sql: &impl Sql) -> Result<Option<i64>, SqlError> {
    let rows = sql.exec("SELECT min(due_at) FROM lease", &[])?;
    rows.first().map_or(Ok(None), |row| row.optional_integer(0))
}
