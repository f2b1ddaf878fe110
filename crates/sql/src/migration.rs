//! Forward-only migrations: each component of an object owns a numbered list, applied once and checked for ever after.

use crate::{FromRow, Row, Sql, SqlError};
use sha2::{Digest, Sha256};

/// One numbered step of a component's schema. Released steps never change; a new need is a new step.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// Position in the component's list, counted from 1 without gaps.
    pub version: u32,
    /// A short name for people.
    pub name: &'static str,
    /// The statements, separated by semicolons.
    pub statements: &'static str,
}

/// What [`migrate`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MigrationReport {
    /// The version that was found.
    pub from: u32,
    /// The version that the schema has now.
    pub to: u32,
}

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MigrationError {
    /// The stored schema is newer than this program.
    #[error(
        "the stored schema of {component} is version {stored}, newer than version {known} of this program"
    )]
    Newer {
        /// The component whose schema it is.
        component: String,
        /// The version in storage.
        stored: u32,
        /// The newest version that this program knows.
        known: u32,
    },
    /// A step that was applied earlier does not read as it did then.
    #[error("migration {version} of {component} was changed after its release")]
    Changed {
        /// The component whose schema it is.
        component: String,
        /// The step that was changed.
        version: u32,
    },
    /// The database refused a step.
    #[error(transparent)]
    Sql(#[from] SqlError),
}

struct Applied {
    version: u32,
    digest: String,
}

impl FromRow for Applied {
    fn from_row(row: &Row) -> Result<Self, SqlError> {
        let version = u32::try_from(row.integer(0)?).map_err(|_| SqlError::Shape {
            column: 0,
            expected: "a schema version",
        })?;
        Ok(Self {
            version,
            digest: row.text(1)?.to_owned(),
        })
    }
}

/// Brings the schema of `component` to the newest of `migrations`, each step in a transaction of its own.
///
/// Cheap when there is nothing to do (one read), because an object's constructor runs it on every wake.
///
/// # Errors
/// [`MigrationError::Newer`] and [`MigrationError::Changed`] leave the database untouched.
pub fn migrate(
    sql: &impl Sql,
    component: &str,
    migrations: &[Migration],
    now: i64,
) -> Result<MigrationReport, MigrationError> {
    sql.exec(
        "CREATE TABLE IF NOT EXISTS schema_migration (component TEXT NOT NULL, version INTEGER NOT NULL, \
         name TEXT NOT NULL, digest TEXT NOT NULL, applied_at INTEGER NOT NULL, PRIMARY KEY (component, version)) STRICT",
        &[],
    )?;
    let applied: Vec<Applied> = sql.query(
        "SELECT version, digest FROM schema_migration WHERE component = ? ORDER BY version",
        &[component.into()],
    )?;
    let from = applied.last().map_or(0, |step| step.version);
    let known = migrations.last().map_or(0, |step| step.version);
    if from > known {
        return Err(MigrationError::Newer {
            component: component.to_owned(),
            stored: from,
            known,
        });
    }
    for (step, migration) in applied.iter().zip(migrations) {
        if step.version != migration.version || step.digest != digest(migration) {
            return Err(MigrationError::Changed {
                component: component.to_owned(),
                version: step.version,
            });
        }
    }
    for migration in migrations.iter().filter(|migration| migration.version > from) {
        sql.transaction(|| {
            sql.exec(migration.statements, &[])?;
            sql.exec(
                "INSERT INTO schema_migration (component, version, name, digest, applied_at) VALUES (?, ?, ?, ?, ?)",
                &[
                    component.into(),
                    migration.version.into(),
                    migration.name.into(),
                    digest(migration).into(),
                    now.into(),
                ],
            )?;
            Ok::<(), SqlError>(())
        })?;
    }
    Ok(MigrationReport { from, to: known })
}

fn digest(migration: &Migration) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(migration.statements.as_bytes()) {
        // Writing into a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
