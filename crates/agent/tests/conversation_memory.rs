//! Each conversation uses memory unless the owner keeps memory out of it.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop where it stands"
)]

use flarebot_agent::registry::{self, RegistryError};
use flarebot_agent::{ConversationName, Identity, conversation_memory, open};
use flarebot_protocol::ConversationId;
use flarebot_protocol::memory::ConversationMemory;
use flarebot_sql::native::Database;
use uuid::Uuid;

const ON: ConversationMemory = ConversationMemory { enabled: true };
const OFF: ConversationMemory = ConversationMemory { enabled: false };

fn agent() -> Database {
    let sql = Database::in_memory().unwrap();
    let identity = Identity {
        installation_id: "installation",
        owner_subject: "owner",
    };
    open(&sql, &identity, 0).unwrap();
    sql
}

fn id(number: u128) -> ConversationId {
    ConversationId::new(Uuid::from_u128(number))
}

fn create(sql: &Database, number: u128) {
    registry::begin_create(sql, id(number), &ConversationName::default(), 0).unwrap();
    registry::activate(sql, id(number)).unwrap();
}

#[test]
fn memory_can_be_kept_out_of_one_conversation_and_let_in_again() {
    let sql = agent();
    create(&sql, 1);
    create(&sql, 2);
    assert_eq!(conversation_memory::read(&sql, id(1)), Ok(ON));
    assert_eq!(conversation_memory::set(&sql, id(1), OFF), Ok(OFF));
    let restarted = sql.copy().unwrap();
    assert_eq!(conversation_memory::read(&restarted, id(1)), Ok(OFF));
    assert_eq!(conversation_memory::read(&restarted, id(2)), Ok(ON));
    assert_eq!(conversation_memory::set(&restarted, id(1), ON), Ok(ON));
    assert_eq!(conversation_memory::read(&restarted, id(1)), Ok(ON));
}

#[test]
fn what_the_owner_cannot_see_has_no_switch() {
    let sql = agent();
    registry::begin_create(&sql, id(1), &ConversationName::default(), 0).unwrap();
    create(&sql, 2);
    conversation_memory::set(&sql, id(2), OFF).unwrap();
    registry::begin_delete(&sql, id(2)).unwrap();
    for number in 1..=3 {
        assert_eq!(
            conversation_memory::read(&sql, id(number)),
            Err(RegistryError::NotFound)
        );
        assert_eq!(
            conversation_memory::set(&sql, id(number), OFF),
            Err(RegistryError::NotFound)
        );
    }
    registry::finish_delete(&sql, id(2)).unwrap();
    create(&sql, 2);
    assert_eq!(conversation_memory::read(&sql, id(2)), Ok(ON));
}
