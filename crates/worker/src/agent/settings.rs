//! What the owner sets for all conversations: the instructions, the model, and the keys of providers.

use super::Agent;
use super::service::report;
use crate::clock::now;
use crate::fault::Fault;
use crate::model::Model;
use crate::model_call::{Heard, ModelCall};
use crate::sys;
use crate::timer::Timer;
use flarebot_agent::instructions;
use flarebot_agent::models::{self, ModelsError, SealedKey};
use flarebot_link::TurnSettings;
use flarebot_model::catalog::Catalog;
use flarebot_model::{
    FailureKind, ModelEvent, ModelFailure, ModelMessage, ModelRequest, ToolChoice, owner_key,
};
use flarebot_protocol::ConversationId;
use flarebot_protocol::call::{CallFailure, FailureCode, SetProviderKey};
use flarebot_protocol::frame::ServerFrame;
use flarebot_protocol::settings::{
    InstructionSettings, ModelChoice, ModelProvider, ModelSettings, ModelTrial, SettingsSection,
};
use flarebot_session::vault::{self, KeyChange, KeyRefusal};
use futures_util::{FutureExt as _, pin_mut, select_biased};

/// How long a model has to answer when it is tried, in milliseconds.
const TRIAL_PATIENCE: i64 = 30_000;

impl Agent {
    pub(super) fn instruction_settings(&self) -> Result<InstructionSettings, CallFailure> {
        instructions::settings(&self.sql).map_err(|error| report(error.into()))
    }

    pub(super) fn update_instructions(&self, text: &str) -> Result<InstructionSettings, CallFailure> {
        instructions::check(text).map_err(|refused| wrong(refused.to_string()))?;
        instructions::save(&self.sql, text, now()).map_err(|error| report(error.into()))?;
        self.announce_settings(SettingsSection::Instructions);
        self.instruction_settings()
    }

    pub(super) fn reset_instructions(&self) -> Result<InstructionSettings, CallFailure> {
        instructions::reset(&self.sql).map_err(|error| report(error.into()))?;
        self.announce_settings(SettingsSection::Instructions);
        self.instruction_settings()
    }

    /// The models that may be chosen.
    pub(super) fn catalog(&self) -> Result<&Catalog, Fault> {
        Ok(&self.opened()?.deployment.catalog)
    }

    /// The model of the next turn.
    pub(super) fn model_choice(&self) -> Result<ModelChoice, Fault> {
        Ok(models::choice(&self.sql, self.catalog()?)?)
    }

    pub(super) fn model_settings(&self) -> Result<ModelSettings, Fault> {
        Ok(models::settings(&self.sql, self.catalog()?)?)
    }

    pub(super) fn choose_model(&self, choice: &ModelChoice) -> Result<ModelSettings, Fault> {
        models::choose(&self.sql, self.catalog()?, choice, now()).map_err(refused)?;
        self.announce_settings(SettingsSection::Models);
        self.model_settings()
    }

    pub(super) fn set_provider_key(&self, call: SetProviderKey) -> Result<ModelSettings, Fault> {
        let slot = owner_key(call.provider).ok_or_else(|| refused(ModelsError::NoKeyTaken))?;
        let key = call.key.map(|key| key.expose().to_owned());
        let sealed = match KeyChange::read(key).map_err(|refusal: KeyRefusal| wrong(refusal.sentence()))? {
            KeyChange::Replace(key) => {
                let nonce = sys::nonce().map_err(Fault::from_js)?;
                let sealed = vault::seal(&self.opened()?.deployment.session, slot.name(), &key, nonce);
                Some(SealedKey(sealed.map_err(|error| {
                    CallFailure::new(FailureCode::Internal, error.sentence())
                })?))
            }
            KeyChange::Remove => None,
        };
        models::set_key(&self.sql, call.provider, sealed, now()).map_err(refused)?;
        self.announce_settings(SettingsSection::Models);
        self.model_settings()
    }

    /// One coherent snapshot for a turn that begins now, or goes on now.
    pub(super) fn turn_settings(
        &self,
        conversation: ConversationId,
        query: &str,
    ) -> Result<TurnSettings, Fault> {
        let model = self.model_choice()?;
        Ok(TurnSettings {
            key: models::key(&self.sql, model.provider)?,
            model,
            instructions: instructions::in_force(&self.sql)?,
            memory: self.turn_memory(conversation, query),
        })
    }

    /// Sends one short request to a model. Nothing of it is kept.
    pub(super) async fn try_model(&self, choice: &ModelChoice) -> Result<ModelTrial, Fault> {
        let deployment = &self.opened()?.deployment;
        self.catalog()?
            .find(choice.provider, &choice.model)
            .map_err(|_| refused(ModelsError::UnknownModel))?;
        let sealed = models::key(&self.sql, choice.provider)?;
        let sentence = match Model::ready(&self.environment, deployment, choice, sealed.as_ref()) {
            Ok(model) => match answer(&model, choice).await {
                Ok(()) => {
                    return Ok(ModelTrial {
                        answered: true,
                        sentence: "The model answered.".to_owned(),
                    });
                }
                Err(failure) => failure.sentence(),
            },
            Err(sentence) => sentence,
        };
        Ok(ModelTrial {
            answered: false,
            sentence,
        })
    }

    /// Tells our own pages that a setting changed.
    pub(super) fn announce_settings(&self, section: SettingsSection) {
        let frame = ServerFrame::SettingsChanged { section };
        self.sockets.send_to_pages(&self.state, &frame);
    }
}

/// Asks a model for a word, and waits until it has said one.
async fn answer(model: &Model, choice: &ModelChoice) -> Result<(), ModelFailure> {
    let request = ModelRequest {
        model: choice.model.clone(),
        system: None,
        messages: vec![ModelMessage::User {
            text: "Answer with the word: yes".to_owned(),
        }],
        max_output_tokens: 64,
        tools: Vec::new(),
        tool_choice: ToolChoice::None,
    };
    let mut call = ModelCall::begin(model, &request);
    let mut timer = Timer::default();
    timer.arm(Some(now().saturating_add(TRIAL_PATIENCE)));
    let outcome = loop {
        let heard = {
            let (next, rung) = (call.next().fuse(), timer.ring().fuse());
            pin_mut!(next, rung);
            select_biased! {
                heard = next => heard,
                () = rung => break Err(failed(FailureKind::Silent, choice.provider)),
            }
        };
        let Heard::Events(events) = heard else {
            break Err(failed(FailureKind::Truncated, choice.provider));
        };
        let end = events.into_iter().find_map(|event| match event {
            ModelEvent::Finished(_) => Some(Ok(())),
            ModelEvent::Failed(failure) => Some(Err(failure)),
            ModelEvent::Text(_)
            | ModelEvent::Reasoning(_)
            | ModelEvent::Thought(_)
            | ModelEvent::ToolCallStarted { .. }
            | ModelEvent::ToolCall(_)
            | ModelEvent::Usage(_) => None,
        });
        if let Some(end) = end {
            break end;
        }
    };
    call.abort();
    outcome
}

fn failed(kind: FailureKind, provider: ModelProvider) -> ModelFailure {
    ModelFailure::new(kind).of(provider)
}

fn wrong(sentence: impl Into<String>) -> CallFailure {
    CallFailure::new(FailureCode::InvalidArguments, sentence)
}

fn refused(error: ModelsError) -> Fault {
    match error {
        ModelsError::UnknownModel | ModelsError::NoKeyTaken => wrong(error.to_string()).into(),
        ModelsError::Sql(error) => error.into(),
    }
}
