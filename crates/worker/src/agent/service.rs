//! The calls that a client may make on the agent's socket.

use super::Agent;
use crate::clock::{now, random_uuid};
use crate::fault::{Fault, log};
use flarebot_agent::registry::{self, RegistryError};
use flarebot_agent::{ConversationName, instructions, time};
use flarebot_protocol::ConversationId;
use flarebot_protocol::call::{
    AgentService, CallFailure, CreateConversation, DeleteConversation, FailureCode, GetInstructionSettings,
    GetStatus, ListConversations, RenameConversation, ResetInstructions, UpdateInstructions,
};
use flarebot_protocol::conversation::{ConversationSummary, ModelStatus, Status};
use flarebot_protocol::frame::{ClientKind, ServerFrame};
use flarebot_protocol::settings::{InstructionSettings, SettingsSection};
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
        instructions::check(&call.text)
            .map_err(|refused| CallFailure::new(FailureCode::InvalidArguments, refused.to_string()))?;
        instructions::save(&self.0.sql, &call.text, now()).map_err(|error| report(error.into()))?;
        self.0.announce_settings(SettingsSection::Instructions);
        self.0.instruction_settings()
    }

    async fn reset_instructions(&self, _: ResetInstructions) -> Result<InstructionSettings, CallFailure> {
        instructions::reset(&self.0.sql).map_err(|error| report(error.into()))?;
        self.0.announce_settings(SettingsSection::Instructions);
        self.0.instruction_settings()
    }
}

impl Agent {
    /// Gives a conversation another name and tells every page.
    pub(super) fn rename(&self, id: ConversationId, name: &str) -> Result<ConversationSummary, CallFailure> {
        let name = parse_name(name)?;
        let summary = registry::rename(&self.sql, id, &name, now()).map_err(|error| match error {
            RegistryError::NotFound => CallFailure::new(
                FailureCode::NotFound,
                "This conversation does not exist any more.",
            ),
            RegistryError::Sql(error) => report(error.into()),
        })?;
        self.announce_conversations().map_err(report)?;
        Ok(summary)
    }

    fn instruction_settings(&self) -> Result<InstructionSettings, CallFailure> {
        instructions::settings(&self.sql).map_err(|error| report(error.into()))
    }

    /// Tells our own pages that a setting changed.
    fn announce_settings(&self, section: SettingsSection) {
        let frame = ServerFrame::SettingsChanged { section };
        self.sockets.send(&self.state, &frame, |socket| {
            socket.client() == ClientKind::Flarebot
        });
    }

    /// The agent's status.
    pub(super) fn status(&self) -> Result<Status, Fault> {
        let opened = self.opened()?;
        let model = opened.deployment.endpoint.as_ref().map(|endpoint| ModelStatus {
            provider: "openai-compatible".to_owned(),
            model: endpoint.default_model().to_owned(),
        });
        Ok(Status {
            schema_version: opened.runtime.schema_version,
            created_at: time::iso8601(opened.runtime.created_at),
            model,
        })
    }
}

fn parse_name(text: &str) -> Result<ConversationName, CallFailure> {
    ConversationName::parse(text)
        .map_err(|error| CallFailure::new(FailureCode::InvalidArguments, error.to_string()))
}

fn report(fault: Fault) -> CallFailure {
    if !matches!(fault, Fault::Client(_)) {
        log("a call failed", &fault);
    }
    fault.for_client()
}
