//! What the platform refuses that a plain SQLite allows: sizes, counts, pragmas, transactions by hand, reserved names.

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Sizes are bytes. A value or a row of more than 2 MB is refused in production, though not by every local runtime.
const LIMITS: [(Limit, i32); 12] = [
    (Limit::SQLITE_LIMIT_LENGTH, 2_000_000),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 100_000),
    (Limit::SQLITE_LIMIT_COLUMN, 100),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 5),
    (Limit::SQLITE_LIMIT_VDBE_OP, 25_000),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 127),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50),
    (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 100),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 10),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

const ALLOWED_PRAGMAS: [&str; 10] = [
    // Full-text search reads it behind the scenes.
    "data_version",
    "defer_foreign_keys",
    "foreign_key_check",
    "foreign_key_list",
    "index_info",
    "index_list",
    "optimize",
    "quick_check",
    "table_info",
    "table_list",
];

const ALLOWED_MODULES: [&str; 2] = ["fts5", "fts5vocab"];

const REFUSED_FUNCTIONS: [&str; 3] = ["load_extension", "sqlite_source_id", "sqlite_version"];

const RESERVED_PREFIX: &str = "_cf_";

/// Lets the driver's own savepoints through.
pub(super) struct Guard(Arc<AtomicBool>);

impl Guard {
    pub(super) fn trusted<T>(&self, body: impl FnOnce() -> T) -> T {
        self.0.store(true, Ordering::Relaxed);
        let result = body();
        self.0.store(false, Ordering::Relaxed);
        result
    }
}

pub(super) fn apply(connection: &mut Connection) -> rusqlite::Result<Guard> {
    for (limit, value) in LIMITS {
        connection.set_limit(limit, value)?;
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // A name in double quotes that is no column is a mistake, never a text.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    let trusted = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&trusted);
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        if seen.load(Ordering::Relaxed) || is_allowed(context.action) {
            Authorization::Allow
        } else {
            Authorization::Deny
        }
    }))?;
    Ok(Guard(trusted))
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "reading, selecting and what else names no table is allowed"
)]
fn is_allowed(action: AuthAction<'_>) -> bool {
    match action {
        AuthAction::Transaction { .. }
        | AuthAction::Savepoint { .. }
        | AuthAction::Attach { .. }
        | AuthAction::Detach { .. }
        | AuthAction::CreateTempIndex { .. }
        | AuthAction::CreateTempTable { .. }
        | AuthAction::CreateTempTrigger { .. }
        | AuthAction::CreateTempView { .. }
        | AuthAction::DropTempIndex { .. }
        | AuthAction::DropTempTable { .. }
        | AuthAction::DropTempTrigger { .. }
        | AuthAction::DropTempView { .. } => false,
        AuthAction::Pragma { pragma_name, .. } => is_among(&ALLOWED_PRAGMAS, pragma_name),
        AuthAction::Function { function_name } => !is_among(&REFUSED_FUNCTIONS, function_name),
        AuthAction::CreateVtable {
            table_name,
            module_name,
        } => is_among(&ALLOWED_MODULES, module_name) && !is_reserved(table_name),
        AuthAction::CreateIndex {
            index_name: name,
            table_name,
        }
        | AuthAction::DropIndex {
            index_name: name,
            table_name,
        }
        | AuthAction::CreateTrigger {
            trigger_name: name,
            table_name,
        }
        | AuthAction::DropTrigger {
            trigger_name: name,
            table_name,
        } => !is_reserved(name) && !is_reserved(table_name),
        AuthAction::CreateTable { table_name: name }
        | AuthAction::CreateView { view_name: name }
        | AuthAction::DropTable { table_name: name }
        | AuthAction::DropView { view_name: name }
        | AuthAction::DropVtable { table_name: name, .. }
        | AuthAction::AlterTable { table_name: name, .. }
        | AuthAction::Analyze { table_name: name }
        | AuthAction::Insert { table_name: name }
        | AuthAction::Read { table_name: name, .. }
        | AuthAction::Update { table_name: name, .. }
        | AuthAction::Delete { table_name: name } => !is_reserved(name),
        _ => true,
    }
}

fn is_among(names: &[&str], name: &str) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn is_reserved(name: &str) -> bool {
    name.get(..RESERVED_PREFIX.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(RESERVED_PREFIX))
}
