//! What a turn uses: asked of the agent in one piece when the turn begins or goes on, and the same from then to its end.

use super::{Chat, foresight};
use crate::clock::now;
use crate::configuration::Deployment;
use crate::fault::{Fault, log};
use crate::model::Model;
use crate::object;
use crate::timer::Timer;
use crate::tools::toolbox;
use flarebot_conversation::turn::TurnContext;
use flarebot_conversation::{SystemPrompt, transcript};
use flarebot_link::{AgentReply, TurnMemory, TurnSettings};
use flarebot_protocol::MessageId;
use flarebot_protocol::tool_activity::ActivityKind;

/// When the agent is asked again if it could not be reached, in milliseconds: it may be starting at this moment.
const ASK_AGAIN_AFTER: [i64; 3] = [100, 500, 2_000];

impl Chat {
    /// What a turn needs to know and the model that it calls, or a sentence for the owner if it cannot run.
    pub(super) async fn prepare(&self, user_message_id: &MessageId) -> Result<(TurnContext, Model), String> {
        let settings = self.turn_settings(user_message_id).await.map_err(|fault| {
            log("the settings of a turn could not be read", &fault);
            "The settings could not be read. Nothing was lost: send the message again.".to_owned()
        })?;
        let deployment = Deployment::of(&self.environment).map_err(|error| error.to_string())?;
        let model = Model::ready(
            &self.environment,
            &deployment,
            &settings.model,
            settings.key.as_ref(),
        )?;
        let history = transcript::for_model(&self.sql, user_message_id).map_err(|error| {
            log("a conversation could not be read for its model", &error.into());
            "This conversation could not be read. Nothing was lost: send the message again.".to_owned()
        })?;
        let mut tools = toolbox().descriptors();
        let facts = match settings.memory {
            TurnMemory::Facts(facts) => facts,
            TurnMemory::KeptOut => {
                tools.retain(|tool| tool.activity.kind != ActivityKind::Memory);
                Vec::new()
            }
        };
        let system = SystemPrompt {
            instructions: &settings.instructions,
            about_tools: flarebot_tool::WEB_INSTRUCTIONS,
            facts: &facts,
        };
        let context = TurnContext {
            system: Some(system.compose()),
            model: settings.model.model,
            history: history.ok_or_else(|| {
                "This message cannot be read any more, so it is not answered. Send it again.".to_owned()
            })?,
            tools,
        };
        Ok((context, model))
    }

    /// One that cannot be read finds no facts.
    fn query(&self, user_message_id: &MessageId) -> String {
        let message = transcript::message(&self.sql, user_message_id).unwrap_or_else(|error| {
            log("the message of a turn could not be read", &error.into());
            None
        });
        message.as_ref().map(foresight::query).unwrap_or_default()
    }

    /// The agent watches the work from here on: should this instance be lost, somebody will notice.
    async fn turn_settings(&self, user_message_id: &MessageId) -> Result<TurnSettings, Fault> {
        let conversation = self.id.get();
        let conversation =
            conversation.ok_or_else(|| Fault::internal("a conversation does not know its id"))?;
        let mut foreseen = self.foreseen_reply(user_message_id).await;
        let mut later = ASK_AGAIN_AFTER.into_iter();
        loop {
            let asked = match foreseen.take() {
                Some(reply) => reply,
                None => {
                    let beginning = foresight::beginning(conversation, self.query(user_message_id));
                    object::ask_agent(&self.environment, &beginning).await
                }
            };
            match (asked, later.next()) {
                (Ok(AgentReply::TurnSettings(settings)), _) => return Ok(settings),
                (Ok(_), _) => return Err(Fault::internal("the agent gave another answer")),
                (Err(fault), None) => return Err(fault),
                (Err(_), Some(pause)) => {
                    let mut timer = Timer::default();
                    timer.arm(Some(now().saturating_add(pause)));
                    timer.ring().await;
                }
            }
        }
    }
}
