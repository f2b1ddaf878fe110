//! Whose agent this is. Written at the first start and compared at every later one, so that storage that belongs to
//! another installation or another owner is never opened.

use crate::schema::{self, newest_version};
use flarebot_sql::{FromRow, MigrationError, Row, Sql, SqlError, migrate};

/// Who may use the storage, as the deployment's configuration names them.
#[derive(Clone, Copy)]
pub struct Identity<'a> {
    /// The installation.
    pub installation_id: &'a str,
    /// The one owner.
    pub owner_subject: &'a str,
}

/// The opened agent: what its public state says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Runtime {
    /// The version of the agent's schema.
    pub schema_version: u32,
    /// When the agent was created, in milliseconds since 1970.
    pub created_at: i64,
}

/// Why the agent's storage cannot be opened. No message holds a configured or stored value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The storage was made by another installation.
    #[error(
        "the stored agent belongs to another installation; restore the installation id it was created with"
    )]
    OtherInstallation,
    /// The storage belongs to another owner.
    #[error("the stored agent belongs to another owner; restore the owner subject it was created with")]
    OtherOwner,
    /// The storage was written by a newer program.
    #[error("the stored agent was written by a newer version; deploy that version or a later one")]
    Newer,
    /// The tables are there and the identity is not.
    #[error("the stored agent has lost its identity; restore a backup")]
    Damaged,
    /// The schema cannot be brought up to date.
    #[error(transparent)]
    Migration(#[from] MigrationError),
    /// The database failed.
    #[error(transparent)]
    Sql(#[from] SqlError),
}

struct Stored {
    schema_version: i64,
    installation_id: String,
    owner_subject: String,
    created_at: i64,
}

impl FromRow for Stored {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        Ok(Self {
            schema_version: row.integer(0)?,
            installation_id: row.text(1)?.to_owned(),
            owner_subject: row.text(2)?.to_owned(),
            created_at: row.integer(3)?,
        })
    }
}

/// Opens the agent's storage: checks whose it is, brings the schema up to date, and at the first start writes the
/// identity. It is one transaction, so a start that fails leaves everything as it was.
///
/// Running it again changes nothing: an object does so on every wake.
///
/// # Errors
/// [`OpenError`], of which each case but a failing database needs a person.
pub fn open(sql: &impl Sql, identity: &Identity<'_>, now: i64) -> Result<Runtime, OpenError> {
    sql.transaction(|| {
        let stored = read(sql)?;
        if let Some(stored) = &stored {
            check(stored, identity)?;
        }
        migrate(
            sql,
            flarebot_durable::COMPONENT,
            flarebot_durable::MIGRATIONS,
            now,
        )?;
        migrate(sql, schema::COMPONENT, schema::MIGRATIONS, now)?;
        let created_at = match &stored {
            Some(stored) => stored.created_at,
            None => create(sql, identity, now)?,
        };
        let schema_version = newest_version();
        if stored.is_some_and(|stored| stored.schema_version != i64::from(schema_version)) {
            sql.exec(
                "UPDATE flarebot_runtime SET schema_version = ?",
                &[schema_version.into()],
            )?;
        }
        Ok(Runtime {
            schema_version,
            created_at,
        })
    })
}

/// The stored identity; `None` before the first start.
fn read(sql: &impl Sql) -> Result<Option<Stored>, OpenError> {
    let table = sql.exec(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'flarebot_runtime'",
        &[],
    )?;
    if table.is_empty() {
        return Ok(None);
    }
    let stored = sql.query_first(
        "SELECT schema_version, installation_id, owner_subject, created_at FROM flarebot_runtime",
        &[],
    )?;
    stored.map(Some).ok_or(OpenError::Damaged)
}

fn check(stored: &Stored, identity: &Identity<'_>) -> Result<(), OpenError> {
    if stored.installation_id != identity.installation_id {
        return Err(OpenError::OtherInstallation);
    }
    if stored.owner_subject != identity.owner_subject {
        return Err(OpenError::OtherOwner);
    }
    if stored.schema_version > i64::from(newest_version()) {
        return Err(OpenError::Newer);
    }
    Ok(())
}

fn create(sql: &impl Sql, identity: &Identity<'_>, now: i64) -> Result<i64, SqlError> {
    sql.exec(
        "INSERT INTO flarebot_runtime (singleton, schema_version, installation_id, owner_subject, created_at) \
         VALUES (1, ?, ?, ?, ?)",
        &[
            newest_version().into(),
            identity.installation_id.into(),
            identity.owner_subject.into(),
            now.into(),
        ],
    )?;
    Ok(now)
}
