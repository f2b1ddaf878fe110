//! A schema goes forward only, from every released state, and never silently.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop where it stands"
)]

use flarebot_sql::native::Database;
use flarebot_sql::{Migration, MigrationError, MigrationReport, Sql, migrate};
use proptest::prelude::*;

const STEPS: [Migration; 3] = [
    Migration {
        version: 1,
        name: "notes",
        statements: "CREATE TABLE note (id TEXT PRIMARY KEY) STRICT; CREATE TABLE tag (name TEXT PRIMARY KEY) STRICT",
    },
    Migration {
        version: 2,
        name: "titles",
        statements: "ALTER TABLE note ADD COLUMN title TEXT NOT NULL DEFAULT ''",
    },
    Migration {
        version: 3,
        name: "no tags",
        statements: "DROP TABLE tag; CREATE INDEX note_title ON note (title)",
    },
];

/// The tables and indexes as the database itself writes them down.
fn schema(sql: &impl Sql) -> Vec<String> {
    let rows = sql
        .exec(
            "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name",
            &[],
        )
        .unwrap();
    rows.iter()
        .map(|row| format!("{}: {}", row.text(0).unwrap(), row.text(1).unwrap()))
        .collect()
}

#[test]
fn every_prefix_upgrades_to_the_same_schema() {
    let straight = Database::in_memory().unwrap();
    migrate(&straight, "notes", &STEPS, 0).unwrap();
    for prefix in 0..=STEPS.len() {
        let database = Database::in_memory().unwrap();
        migrate(&database, "notes", &STEPS[..prefix], 0).unwrap();
        let report = migrate(&database, "notes", &STEPS, 0).unwrap();
        assert_eq!(
            report,
            MigrationReport {
                from: u32::try_from(prefix).unwrap(),
                to: 3
            }
        );
        assert_eq!(schema(&database), schema(&straight));
    }
}

#[test]
fn components_do_not_see_each_other() {
    let database = Database::in_memory().unwrap();
    migrate(&database, "notes", &STEPS[..1], 0).unwrap();
    let other = [Migration {
        version: 1,
        name: "own",
        statements: "CREATE TABLE own (id TEXT PRIMARY KEY) STRICT",
    }];
    assert_eq!(
        migrate(&database, "other", &other, 0).unwrap(),
        MigrationReport { from: 0, to: 1 }
    );
    assert_eq!(
        migrate(&database, "notes", &STEPS, 0).unwrap(),
        MigrationReport { from: 1, to: 3 }
    );
}

#[test]
fn a_newer_schema_is_refused_and_left_alone() {
    let database = Database::in_memory().unwrap();
    migrate(&database, "notes", &STEPS, 0).unwrap();
    let before = schema(&database);
    assert_eq!(
        migrate(&database, "notes", &STEPS[..2], 0),
        Err(MigrationError::Newer {
            component: "notes".to_owned(),
            stored: 3,
            known: 2
        })
    );
    assert_eq!(schema(&database), before);
}

#[test]
fn a_step_changed_after_its_release_is_refused_and_nothing_runs() {
    let database = Database::in_memory().unwrap();
    migrate(&database, "notes", &STEPS[..2], 0).unwrap();
    let before = schema(&database);
    let mut changed = STEPS;
    changed[1].statements = "ALTER TABLE note ADD COLUMN title TEXT";
    assert_eq!(
        migrate(&database, "notes", &changed, 0),
        Err(MigrationError::Changed {
            component: "notes".to_owned(),
            version: 2
        })
    );
    assert_eq!(schema(&database), before);
}

#[test]
fn a_failing_step_leaves_no_trace_and_can_be_run_again() {
    let database = Database::in_memory().unwrap();
    let mut broken = STEPS;
    broken[2].statements = "DROP TABLE tag; CREATE INDEX note_title ON note (nothing)";
    assert!(matches!(
        migrate(&database, "notes", &broken, 0),
        Err(MigrationError::Sql(_))
    ));
    let upgraded = Database::in_memory().unwrap();
    migrate(&upgraded, "notes", &STEPS[..2], 0).unwrap();
    assert_eq!(schema(&database), schema(&upgraded));
    assert_eq!(
        migrate(&database, "notes", &STEPS, 0).unwrap(),
        MigrationReport { from: 2, to: 3 }
    );
}

proptest! {
    #[test]
    fn a_stop_at_any_statement_leaves_whole_steps_only(statements in 0_usize..20) {
        let database = Database::in_memory().unwrap();
        database.fail_after(statements);
        let result = migrate(&database, "notes", &STEPS, 0);
        let found = database.copy().unwrap();
        if result.is_ok() {
            prop_assert_eq!(migrate(&found, "notes", &STEPS, 0).unwrap(), MigrationReport { from: 3, to: 3 });
        } else {
            prop_assert!(migrate(&found, "notes", &STEPS, 0).is_ok());
        }
        let straight = Database::in_memory().unwrap();
        migrate(&straight, "notes", &STEPS, 0).unwrap();
        prop_assert_eq!(schema(&found), schema(&straight));
    }
}
