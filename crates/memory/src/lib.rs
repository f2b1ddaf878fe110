//! What the owner lets the agent remember: facts that all conversations share, found again by the words of a question.
//!
//! Facts stand in one table of the agent's database ([`facts`]). A full-text index over their terms follows every
//! write by itself ([`open`]). A turn is given the few that its question is most likely about ([`search`]); a model may
//! look for others, remember, change and forget through four tools, which ask the agent ([`MemoryQuestion`]).

mod fact;
pub mod facts;
mod question;
mod schema;
pub mod search;
mod stop_words;
mod terms;
mod time;
mod tools;

pub use fact::{FactId, FactIdError, FactRefused, check};
pub use question::{MemoryAnswer, MemoryQuestion, ToolCallIdentity, answer};
pub use schema::{COMPONENT, MIGRATIONS, open};
pub use tools::with_tools;
