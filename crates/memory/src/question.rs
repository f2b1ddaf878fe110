//! What the tools of memory ask of the agent, and how it answers.

use crate::fact::FactId;
use crate::facts::{self, MemoryError, Origin};
use crate::search::{RELEVANT_FACTS, search};
use flarebot_protocol::memory::Fact;
use flarebot_protocol::{ConversationId, RequestId};
use flarebot_sql::Sql;
use flarebot_tool::Question;
use serde::{Deserialize, Serialize};

/// A question about what is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryQuestion {
    /// Remember this.
    Remember {
        /// The fact.
        content: String,
    },
    /// Which facts is this about?
    Recall {
        /// What is looked for.
        query: String,
    },
    /// Change a fact.
    Update {
        /// Its id.
        id: String,
        /// Its new text.
        content: String,
        /// The version that the change is based on.
        version: u32,
    },
    /// Forget a fact.
    Forget {
        /// Its id.
        id: String,
        /// The version that was seen.
        version: u32,
    },
}

/// What the agent answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryAnswer {
    /// The fact as it is remembered now.
    Remembered(Fact),
    /// The facts that were found, the likeliest first.
    Recalled(Vec<Fact>),
    /// The fact is not remembered any more.
    Forgotten,
}

impl Question for MemoryQuestion {
    const FEATURE: &'static str = "memory";
    type Answer = MemoryAnswer;
}

impl MemoryQuestion {
    /// Whether its answer may have changed what is remembered.
    #[must_use]
    pub const fn changes_memory(&self) -> bool {
        match self {
            Self::Remember { .. } | Self::Update { .. } | Self::Forget { .. } => true,
            Self::Recall { .. } => false,
        }
    }
}

/// The call of a tool that asks.
#[derive(Debug, Clone, Copy)]
pub struct ToolCallIdentity<'a> {
    /// The conversation.
    pub conversation: ConversationId,
    /// The request whose answer the call is part of.
    pub request_id: &'a RequestId,
    /// The call, unique in that answer.
    pub tool_call_id: &'a str,
}

/// Answers a question. One that remembers is answered the same however often its call asks it.
///
/// # Errors
/// As the functions of [`facts`]. An id that is none is not remembered.
pub fn answer(
    sql: &impl Sql,
    call: ToolCallIdentity<'_>,
    question: &MemoryQuestion,
    now: i64,
) -> Result<MemoryAnswer, MemoryError> {
    match question {
        MemoryQuestion::Remember { content } => {
            let id = FactId::of_call(call.conversation, call.request_id, call.tool_call_id);
            let origin = Origin::Conversation(call.conversation);
            facts::add(sql, id, content, origin, now).map(MemoryAnswer::Remembered)
        }
        MemoryQuestion::Recall { query } => Ok(MemoryAnswer::Recalled(search(sql, query, RELEVANT_FACTS)?)),
        MemoryQuestion::Update { id, content, version } => {
            let id = id.parse().map_err(|_| MemoryError::NotFound)?;
            facts::update(sql, id, content, *version, now).map(MemoryAnswer::Remembered)
        }
        MemoryQuestion::Forget { id, version } => {
            let id = id.parse().map_err(|_| MemoryError::NotFound)?;
            facts::forget(sql, id, *version, now)?;
            Ok(MemoryAnswer::Forgotten)
        }
    }
}
