//! The parent's own rules: whose agent this is, which conversations it has, what each of them is doing, what the owner
//! has set, and which sign-in assertions are used up.
//!
//! The registry is the authority on conversations: one exists for the owner when its row is active, and for nobody
//! else's requests in any other state. Everything here is one or a few statements on the agent's own database.

pub mod activity;
pub mod assertions;
pub mod conversation_memory;
mod identity;
pub mod instructions;
pub mod models;
mod name;
pub mod registry;
mod schema;
pub mod time;

pub use identity::{Identity, OpenError, Runtime, open};
pub use name::{ConversationName, NameError};
pub use schema::{COMPONENT, MIGRATIONS};
