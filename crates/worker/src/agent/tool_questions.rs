//! What the agent answers to the tools of its conversations.

use super::Agent;
use crate::fault::Fault;
use flarebot_link::{AgentReply, ToolQuestion};
use flarebot_memory::MemoryQuestion;
use flarebot_protocol::ConversationId;
use flarebot_protocol::call::CallFailure;
use flarebot_tool::{ConversationQuestion, Question};
use serde::Serialize;
use serde_json::Value;

impl Agent {
    /// Answers a question. One that cannot be answered is refused with a sentence for the model and the owner.
    pub(super) fn answer_tool(&self, asked: &ToolQuestion) -> Result<AgentReply, Fault> {
        match asked.feature.as_str() {
            ConversationQuestion::FEATURE => {
                let question = read(&asked.question)?;
                answered(self.answer_about_conversation(asked.conversation, question))
            }
            MemoryQuestion::FEATURE => self.answer_about_memory(asked, &read(&asked.question)?),
            unknown => Err(Fault::internal(format!(
                "a tool asks {unknown}, which is no feature"
            ))),
        }
    }

    fn answer_about_conversation(
        &self,
        id: ConversationId,
        question: ConversationQuestion,
    ) -> Result<String, CallFailure> {
        match question {
            ConversationQuestion::Rename(name) => Ok(self.rename(id, &name)?.name),
        }
    }
}

fn read<Asked: Question>(question: &Value) -> Result<Asked, Fault> {
    Asked::deserialize(question).map_err(|error| Fault::internal(error.to_string()))
}

fn answered(answer: Result<impl Serialize, CallFailure>) -> Result<AgentReply, Fault> {
    match answer {
        Ok(answer) => serde_json::to_value(answer)
            .map(|answer| AgentReply::ToolAnswer { answer })
            .map_err(|error| Fault::internal(error.to_string())),
        Err(failure) => Ok(AgentReply::Refused {
            sentence: failure.message,
        }),
    }
}
