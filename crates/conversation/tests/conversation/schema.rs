//! Storage stays empty until a conversation is initialised, and old schemas are brought up to date.

use crate::support::{conversation_id, database};
use flarebot_conversation::{COMPONENT, ConversationError, MIGRATIONS, initialise, open};
use flarebot_protocol::ConversationId;
use flarebot_sql::native::Database;
use flarebot_sql::{Sql, migrate};
use uuid::Uuid;

fn tables(sql: &impl Sql) -> usize {
    sql.exec("SELECT name FROM sqlite_master", &[]).unwrap().len()
}

#[test]
fn opening_a_storage_that_was_never_initialised_leaves_it_empty() {
    let database = Database::in_memory().unwrap();
    assert_eq!(open(&database, 5), Ok(None));
    assert_eq!(tables(&database), 0);
}

#[test]
fn an_initialised_conversation_opens_as_itself() {
    let database = database();
    assert_eq!(open(&database, 5), Ok(Some(conversation_id())));
}

#[test]
fn initialising_again_changes_nothing_and_for_another_conversation_is_refused() {
    let database = database();
    assert_eq!(initialise(&database, conversation_id(), 9), Ok(()));
    let other = ConversationId::new(Uuid::from_u128(2));
    assert_eq!(
        initialise(&database, other, 9),
        Err(ConversationError::AnotherConversation)
    );
    assert_eq!(open(&database, 9), Ok(Some(conversation_id())));
}

#[test]
fn a_crash_anywhere_in_the_initialisation_leaves_it_whole_or_absent() {
    for statements in 0.. {
        let database = Database::in_memory().unwrap();
        database.fail_after(statements);
        let result = initialise(&database, conversation_id(), 1);
        let restarted = database.copy().unwrap();
        if result.is_ok() {
            assert_eq!(open(&restarted, 2), Ok(Some(conversation_id())));
            break;
        }
        assert_eq!(open(&restarted, 2), Ok(None));
        assert_eq!(tables(&restarted), 0);
        initialise(&restarted, conversation_id(), 3).unwrap();
    }
}

#[test]
fn every_older_schema_upgrades_to_the_newest() {
    for released in 0..=MIGRATIONS.len() {
        let database = Database::in_memory().unwrap();
        migrate(&database, COMPONENT, &MIGRATIONS[..released], 1).unwrap();
        initialise(&database, conversation_id(), 2).unwrap();
        assert_eq!(open(&database, 3), Ok(Some(conversation_id())));
        crate::support::complete(&database, "a", "hello");
        assert_eq!(crate::support::transcript_ids(&database), ["user-a", "answer-a"]);
    }
}
