//! Storage opens for the installation and the owner that made it, and for no other.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop where it stands"
)]

use flarebot_agent::{COMPONENT, Identity, MIGRATIONS, OpenError, Runtime, open};
use flarebot_sql::native::Database;
use flarebot_sql::{Migration, MigrationError, Sql, migrate};

const IDENTITY: Identity<'static> = Identity {
    installation_id: "the-installation",
    owner_subject: "the-owner",
};

fn opened(now: i64) -> Database {
    let sql = Database::in_memory().unwrap();
    open(&sql, &IDENTITY, now).unwrap();
    sql
}

/// Every row of every table, to show that a refused start changes nothing.
fn contents(sql: &Database) -> Vec<String> {
    let tables = sql
        .exec(
            "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
            &[],
        )
        .unwrap();
    tables
        .iter()
        .map(|table| {
            let name = table.text(0).unwrap();
            format!(
                "{name}: {:?}",
                sql.exec(&format!("SELECT * FROM {name}"), &[]).unwrap()
            )
        })
        .collect()
}

fn newest() -> u32 {
    MIGRATIONS.last().unwrap().version
}

#[test]
fn the_first_start_writes_the_identity_and_later_ones_keep_it() {
    let sql = Database::in_memory().unwrap();
    let created = Runtime {
        schema_version: newest(),
        created_at: 1_000,
    };
    assert_eq!(open(&sql, &IDENTITY, 1_000).unwrap(), created);
    let before = contents(&sql);
    assert_eq!(open(&sql, &IDENTITY, 2_000).unwrap(), created);
    assert_eq!(contents(&sql), before);
}

#[test]
fn another_installation_or_owner_is_refused_without_a_change_and_without_a_word_about_either() {
    let sql = opened(1_000);
    let before = contents(&sql);
    let cases = [
        ("another-installation", "the-owner", OpenError::OtherInstallation),
        ("the-installation", "another-owner", OpenError::OtherOwner),
        ("the-installation ", "the-owner", OpenError::OtherInstallation),
        ("the-installation", "The-Owner", OpenError::OtherOwner),
        ("", "", OpenError::OtherInstallation),
    ];
    for (installation_id, owner_subject, expected) in cases {
        let identity = Identity {
            installation_id,
            owner_subject,
        };
        let error = open(&sql, &identity, 2_000).unwrap_err();
        assert_eq!(error, expected);
        for text in [error.to_string(), format!("{error:?}")] {
            for value in [
                "the-installation",
                "the-owner",
                "another-installation",
                "another-owner",
            ] {
                assert!(!text.contains(value), "{text}");
            }
        }
    }
    assert_eq!(contents(&sql), before);
}

#[test]
fn another_owner_is_told_so_before_anything_is_upgraded() {
    let sql = opened(1_000);
    let mut newer = MIGRATIONS.to_vec();
    newer.push(Migration {
        version: newest() + 1,
        name: "later",
        statements: "CREATE TABLE later (id TEXT PRIMARY KEY) STRICT",
    });
    migrate(&sql, COMPONENT, &newer, 2_000).unwrap();
    let identity = Identity {
        owner_subject: "another-owner",
        ..IDENTITY
    };
    assert_eq!(open(&sql, &identity, 3_000).unwrap_err(), OpenError::OtherOwner);
}

#[test]
fn a_newer_schema_is_refused() {
    let sql = opened(1_000);
    sql.exec(
        "UPDATE flarebot_runtime SET schema_version = ?",
        &[(newest() + 1).into()],
    )
    .unwrap();
    let before = contents(&sql);
    assert_eq!(open(&sql, &IDENTITY, 2_000).unwrap_err(), OpenError::Newer);
    assert_eq!(contents(&sql), before);
}

#[test]
fn a_newer_step_of_any_component_is_refused() {
    for component in [COMPONENT, flarebot_durable::COMPONENT] {
        let sql = opened(1_000);
        sql.exec(
            "INSERT INTO schema_migration (component, version, name, digest, applied_at) VALUES (?, 99, 'later', '', 0)",
            &[component.into()],
        )
        .unwrap();
        let before = contents(&sql);
        assert!(matches!(
            open(&sql, &IDENTITY, 2_000),
            Err(OpenError::Migration(MigrationError::Newer { stored: 99, .. }))
        ));
        assert_eq!(contents(&sql), before);
    }
}

#[test]
fn a_lost_identity_is_never_replaced() {
    let sql = opened(1_000);
    sql.exec("DELETE FROM flarebot_runtime", &[]).unwrap();
    assert_eq!(open(&sql, &IDENTITY, 2_000).unwrap_err(), OpenError::Damaged);
    assert_eq!(sql.exec("SELECT 1 FROM flarebot_runtime", &[]).unwrap().len(), 0);
}

#[test]
fn a_first_start_that_is_stopped_anywhere_is_as_if_it_had_not_begun() {
    for statements in 0.. {
        let sql = Database::in_memory().unwrap();
        sql.fail_after(statements);
        let result = open(&sql, &IDENTITY, 1_000);
        let found = sql.copy().unwrap();
        if result.is_ok() {
            break;
        }
        assert_eq!(contents(&found), Vec::<String>::new());
        assert_eq!(open(&found, &IDENTITY, 2_000).unwrap().created_at, 2_000);
    }
}
