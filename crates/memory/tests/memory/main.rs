//! What memory keeps, what it forgets, what it finds, and what its tools say.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop where it finds something wrong"
)]

mod facts;
mod questions;
mod recall;
mod schema;
mod search;
mod tools;

use flarebot_memory::FactId;
use flarebot_memory::facts::{Origin, add};
use flarebot_protocol::memory::Fact;
use flarebot_sql::Sql;
use flarebot_sql::native::Database;
use uuid::Uuid;

/// An empty memory.
fn memory() -> Database {
    let sql = Database::in_memory().unwrap();
    flarebot_memory::open(&sql, 0).unwrap();
    sql
}

fn id(number: u128) -> FactId {
    FactId::random(Uuid::from_u128(number))
}

/// Remembers what the owner wrote, at an instant that is the id's number.
fn remember(sql: &impl Sql, number: u32, content: &str) -> Fact {
    add(sql, id(number.into()), content, Origin::Owner, number.into()).unwrap()
}

fn contents(facts: &[Fact]) -> Vec<&str> {
    facts.iter().map(|fact| fact.content.as_str()).collect()
}
