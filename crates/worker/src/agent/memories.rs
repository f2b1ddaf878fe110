//! What the agent remembers: for the owner, for tools, and for turns that begin.

use super::Agent;
use super::service::{report, unknown};
use crate::clock::{now, random_uuid};
use crate::fault::{Fault, log};
use flarebot_agent::conversation_memory;
use flarebot_agent::registry::{self, RegistryError};
use flarebot_link::{AgentReply, ToolQuestion, TurnMemory};
use flarebot_memory::facts::{self, MemoryError, Origin};
use flarebot_memory::search::{RELEVANT_FACTS, search};
use flarebot_memory::{FactId, MemoryQuestion, ToolCallIdentity};
use flarebot_protocol::ConversationId;
use flarebot_protocol::call::{CallFailure, FailureCode};
use flarebot_protocol::memory::{ConversationMemory, Fact, FactOrigin, MAXIMUM_FACTS};
use flarebot_protocol::settings::SettingsSection;

impl Agent {
    pub(super) fn memories(&self) -> Result<Vec<Fact>, CallFailure> {
        facts::list(&self.sql).map_err(|error| report(error.into()))
    }

    pub(super) fn search_memories(&self, query: &str) -> Result<Vec<Fact>, CallFailure> {
        search(&self.sql, query, MAXIMUM_FACTS).map_err(|error| report(error.into()))
    }

    pub(super) fn add_memory(&self, content: &str) -> Result<Fact, CallFailure> {
        let id = FactId::random(random_uuid().map_err(report)?);
        let fact = facts::add(&self.sql, id, content, Origin::Owner, now()).map_err(refused)?;
        self.announce_settings(SettingsSection::Memory);
        Ok(fact)
    }

    pub(super) fn update_memory(&self, id: &str, content: &str, version: u32) -> Result<Fact, CallFailure> {
        let fact = facts::update(&self.sql, fact_id(id)?, content, version, now()).map_err(refused)?;
        self.announce_settings(SettingsSection::Memory);
        Ok(fact)
    }

    pub(super) fn delete_memory(&self, id: &str, version: u32) -> Result<(), CallFailure> {
        facts::forget(&self.sql, fact_id(id)?, version, now()).map_err(refused)?;
        self.announce_settings(SettingsSection::Memory);
        Ok(())
    }

    /// Where a fact came from, with the conversation's name as it is now.
    pub(super) fn memory_origin(&self, id: &str) -> Result<FactOrigin, CallFailure> {
        match facts::origin(&self.sql, fact_id(id)?).map_err(refused)? {
            Origin::Owner => Ok(FactOrigin::Owner),
            Origin::Conversation(id) => {
                let name = registry::name(&self.sql, id).map_err(|error| report(error.into()))?;
                Ok(FactOrigin::Conversation { id, name })
            }
        }
    }

    pub(super) fn conversation_memory(&self, id: ConversationId) -> Result<ConversationMemory, CallFailure> {
        conversation_memory::read(&self.sql, id).map_err(unknown)
    }

    pub(super) fn set_conversation_memory(
        &self,
        id: ConversationId,
        enabled: bool,
    ) -> Result<ConversationMemory, CallFailure> {
        let memory = ConversationMemory { enabled };
        conversation_memory::set(&self.sql, id, memory).map_err(unknown)
    }

    /// Answers one of memory's tools.
    pub(super) fn answer_about_memory(
        &self,
        asked: &ToolQuestion,
        question: &MemoryQuestion,
    ) -> Result<AgentReply, Fault> {
        let call = ToolCallIdentity {
            conversation: asked.conversation,
            request_id: &asked.request_id,
            tool_call_id: &asked.tool_call_id,
        };
        match flarebot_memory::answer(&self.sql, call, question, now()) {
            Ok(answer) => {
                if question.changes_memory() {
                    self.announce_settings(SettingsSection::Memory);
                }
                let answer = serde_json::to_value(answer);
                let answer = answer.map_err(|error| Fault::internal(error.to_string()))?;
                Ok(AgentReply::ToolAnswer { answer })
            }
            Err(MemoryError::Sql(error)) => Err(error.into()),
            Err(error) => Ok(AgentReply::Refused {
                sentence: error.for_model(),
            }),
        }
    }

    /// What a turn is given. A memory that cannot be read takes no answer from the owner: the turn goes on without facts.
    /// Where it cannot even be read whether memory is kept out, it is.
    pub(super) fn turn_memory(&self, conversation: ConversationId, query: &str) -> TurnMemory {
        match conversation_memory::read(&self.sql, conversation) {
            Ok(ConversationMemory { enabled: true }) => {}
            Ok(ConversationMemory { enabled: false }) | Err(RegistryError::NotFound) => {
                return TurnMemory::KeptOut;
            }
            Err(RegistryError::Sql(error)) => {
                log(
                    "whether a conversation uses memory could not be read",
                    &error.into(),
                );
                return TurnMemory::KeptOut;
            }
        }
        TurnMemory::Facts(search(&self.sql, query, RELEVANT_FACTS).unwrap_or_else(|error| {
            log(
                "memory could not be read, so a turn goes on without facts",
                &error.into(),
            );
            Vec::new()
        }))
    }
}

fn fact_id(text: &str) -> Result<FactId, CallFailure> {
    text.parse().map_err(|_| {
        CallFailure::new(
            FailureCode::InvalidArguments,
            "This is not the id of a fact. Reload the page and try again.",
        )
    })
}

fn refused(error: MemoryError) -> CallFailure {
    let code = match error {
        MemoryError::Refused(_) | MemoryError::Full => FailureCode::InvalidArguments,
        MemoryError::NotFound | MemoryError::Forgotten => FailureCode::NotFound,
        MemoryError::Conflict => FailureCode::Conflict,
        MemoryError::Sql(error) => return report(error.into()),
    };
    CallFailure::new(code, error.to_string())
}
