//! The agent that the tests of its parts begin with.

use flarebot_agent::{Identity, open};
use flarebot_sql::native::Database;

/// Whose agent it is.
pub(crate) const IDENTITY: Identity<'static> = Identity {
    installation_id: "installation",
    owner_subject: "owner",
};

/// An agent on empty storage, opened at the instant 0.
pub(crate) fn agent() -> Database {
    let sql = Database::in_memory().unwrap();
    open(&sql, &IDENTITY, 0).unwrap();
    sql
}
