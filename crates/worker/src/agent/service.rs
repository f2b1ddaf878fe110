//! The calls that a client may make on the agent's socket.

use super::Agent;
use crate::clock::{now, random_uuid};
use crate::fault::{Fault, log};
use flarebot_agent::registry::{self, RegistryError};
use flarebot_agent::{ConversationName, models, time};
use flarebot_protocol::ConversationId;
use flarebot_protocol::call::{
    AddMemory, AgentService, CallFailure, CreateConversation, DeleteConversation, DeleteMemory, FailureCode,
    GetConversationMemory, GetInstructionSettings, GetMemoryOrigin, GetModelCatalog, GetModelSettings,
    GetStatus, ListConversations, ListMemories, ListModels, RenameConversation, ResetInstructions,
    SearchMemories, SetConversationMemory, SetProviderKey, TryModel, UpdateInstructions, UpdateMemory,
    UpdateModelSettings,
};
use flarebot_protocol::conversation::{ConversationSummary, ModelStatus, Status};
use flarebot_protocol::memory::{ConversationMemory, Fact, FactOrigin};
use flarebot_protocol::settings::{InstructionSettings, ModelCatalog, ModelList, ModelSettings, ModelTrial};
use std::rc::Rc;

/// The agent as clients may call it.
pub(super) struct Service(pub(super) Rc<Agent>);

impl AgentService for Service {
    async fn get_status(&self, _: GetStatus) -> Result<Status, CallFailure> {
        self.0.status().map_err(report)
    }

    async fn create_conversation(
        &self,
        call: CreateConversation,
    ) -> Result<ConversationSummary, CallFailure> {
        let name = match call.name {
            Some(name) => parse_name(&name)?,
            None => ConversationName::default(),
        };
        let id = ConversationId::new(random_uuid().map_err(report)?);
        self.0.create(id, &name).await.map_err(report)
    }

    async fn list_conversations(
        &self,
        _: ListConversations,
    ) -> Result<Vec<ConversationSummary>, CallFailure> {
        registry::list(&self.0.sql).map_err(Fault::from).map_err(report)
    }

    async fn rename_conversation(
        &self,
        call: RenameConversation,
    ) -> Result<ConversationSummary, CallFailure> {
        self.0.rename(call.id, &call.name)
    }

    async fn delete_conversation(&self, call: DeleteConversation) -> Result<(), CallFailure> {
        self.0.delete(call.id).await.map_err(report)
    }

    async fn get_instruction_settings(
        &self,
        _: GetInstructionSettings,
    ) -> Result<InstructionSettings, CallFailure> {
        self.0.instruction_settings()
    }

    async fn update_instructions(
        &self,
        call: UpdateInstructions,
    ) -> Result<InstructionSettings, CallFailure> {
        self.0.update_instructions(&call.text)
    }

    async fn reset_instructions(&self, _: ResetInstructions) -> Result<InstructionSettings, CallFailure> {
        self.0.reset_instructions()
    }

    async fn get_model_catalog(&self, _: GetModelCatalog) -> Result<ModelCatalog, CallFailure> {
        Ok(models::names(self.0.catalog().map_err(report)?))
    }

    async fn list_models(&self, _: ListModels) -> Result<ModelList, CallFailure> {
        Ok(models::describe(self.0.catalog().map_err(report)?))
    }

    async fn get_model_settings(&self, _: GetModelSettings) -> Result<ModelSettings, CallFailure> {
        self.0.model_settings().map_err(report)
    }

    async fn update_model_settings(&self, call: UpdateModelSettings) -> Result<ModelSettings, CallFailure> {
        self.0.choose_model(&call.choice).map_err(report)
    }

    async fn set_provider_key(&self, call: SetProviderKey) -> Result<ModelSettings, CallFailure> {
        self.0.set_provider_key(call).map_err(report)
    }

    async fn try_model(&self, call: TryModel) -> Result<ModelTrial, CallFailure> {
        self.0.try_model(&call.choice).await.map_err(report)
    }

    async fn list_memories(&self, _: ListMemories) -> Result<Vec<Fact>, CallFailure> {
        self.0.memories()
    }

    async fn search_memories(&self, call: SearchMemories) -> Result<Vec<Fact>, CallFailure> {
        self.0.search_memories(&call.query)
    }

    async fn add_memory(&self, call: AddMemory) -> Result<Fact, CallFailure> {
        self.0.add_memory(&call.content)
    }

    async fn update_memory(&self, call: UpdateMemory) -> Result<Fact, CallFailure> {
        self.0.update_memory(&call.id, &call.content, call.version)
    }

    async fn delete_memory(&self, call: DeleteMemory) -> Result<(), CallFailure> {
        self.0.delete_memory(&call.id, call.version)
    }

    async fn get_memory_origin(&self, call: GetMemoryOrigin) -> Result<FactOrigin, CallFailure> {
        self.0.memory_origin(&call.id)
    }

    async fn get_conversation_memory(
        &self,
        call: GetConversationMemory,
    ) -> Result<ConversationMemory, CallFailure> {
        self.0.conversation_memory(call.id)
    }

    async fn set_conversation_memory(
        &self,
        call: SetConversationMemory,
    ) -> Result<ConversationMemory, CallFailure> {
        self.0.set_conversation_memory(call.id, call.enabled)
    }
}

impl Agent {
    /// Gives a conversation another name and tells every page.
    pub(super) fn rename(&self, id: ConversationId, name: &str) -> Result<ConversationSummary, CallFailure> {
        let name = parse_name(name)?;
        let summary = registry::rename(&self.sql, id, &name, now()).map_err(unknown)?;
        self.announce_conversations().map_err(report)?;
        Ok(summary)
    }

    /// The agent's status.
    pub(super) fn status(&self) -> Result<Status, Fault> {
        let opened = self.opened()?;
        let model = self.model_choice()?;
        Ok(Status {
            schema_version: opened.runtime.schema_version,
            created_at: time::iso8601(opened.runtime.created_at),
            model: Some(ModelStatus {
                provider: model.provider.id().to_owned(),
                model: model.model,
            }),
        })
    }
}

pub(super) fn unknown(error: RegistryError) -> CallFailure {
    match error {
        RegistryError::NotFound => CallFailure::new(
            FailureCode::NotFound,
            "This conversation does not exist any more.",
        ),
        RegistryError::Sql(error) => report(error.into()),
    }
}

fn parse_name(text: &str) -> Result<ConversationName, CallFailure> {
    ConversationName::parse(text)
        .map_err(|error| CallFailure::new(FailureCode::InvalidArguments, error.to_string()))
}

pub(super) fn report(fault: Fault) -> CallFailure {
    if !matches!(fault, Fault::Client(_)) {
        log("a call failed", &fault);
    }
    fault.for_client()
}
