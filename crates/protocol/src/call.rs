//! Remote calls: each is one type with its reply, and serving them is a trait, so a call that nobody serves does not
//! compile.
//!
//! On the wire a call is a method name with positional arguments, as the Agents SDK client sends it.

use crate::conversation::{ConversationSummary, Status};
use crate::memory::{ConversationMemory, Fact, FactOrigin};
use crate::message::{Decision, Message};
use crate::settings::{
    InstructionSettings, ModelCatalog, ModelChoice, ModelList, ModelProvider, ModelSettings, ModelTrial,
    ProviderKey,
};
use crate::submission::{Submission, SubmissionPage, Submitted};
use crate::tool_activity::ActivityPage;
use crate::{ConversationId, MessageId, RequestId, SubmissionKey};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One remote call and the type of its reply.
pub trait Call: Sized {
    /// The method's name on the wire.
    const METHOD: &'static str;
    /// What a successful call answers.
    type Reply: Serialize + DeserializeOwned;

    /// The positional arguments on the wire.
    fn arguments(&self) -> Vec<Value>;
}

/// Why a call failed, in words for the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct CallFailure {
    /// What kind of failure it is, for a program.
    pub code: FailureCode,
    /// One sentence that says what to do next.
    pub message: String,
}

impl CallFailure {
    /// A failure of `code` with a sentence for the owner.
    #[must_use]
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    /// There is no such method.
    UnknownMethod,
    /// The arguments are wrong.
    InvalidArguments,
    /// What the call names does not exist.
    NotFound,
    /// What the call is based on has changed meanwhile; nothing was changed by it.
    Conflict,
    /// The frame could not be read.
    InvalidFrame,
    /// What the call asks for cannot be had in this version or configuration.
    Unsupported,
    /// The connection was lost before an answer came.
    Disconnected,
    /// Something went wrong on the server.
    Internal,
}

/// Reads one positional argument; a missing one reads as `null`.
fn argument<T: DeserializeOwned>(
    arguments: &mut std::vec::IntoIter<Value>,
    name: &str,
) -> Result<T, CallFailure> {
    serde_json::from_value(arguments.next().unwrap_or(Value::Null)).map_err(|_| {
        CallFailure::new(
            FailureCode::InvalidArguments,
            format!("The argument {name} is missing or has the wrong form."),
        )
    })
}

/// A missing argument reads as nothing, and nothing removes a key: here it has to be said.
fn check_intent(method: &str, given: usize) -> Result<(), CallFailure> {
    if method == SetProviderKey::METHOD && given < 2 {
        return Err(CallFailure::new(
            FailureCode::InvalidArguments,
            "The argument key is missing; give null to remove the key.",
        ));
    }
    Ok(())
}

/// A value of ours as JSON. Serialising our own types cannot fail: their maps have string keys.
fn json<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

macro_rules! calls {
    (
        $(#[$set_documentation:meta])* $set:ident served by $(#[$service_documentation:meta])* $service:ident;
        $(
            $(#[$documentation:meta])*
            $method:literal => $name:ident { $($(#[$field_documentation:meta])* $field:ident: $type:ty),* $(,)? } -> $reply:ty, $function:ident;
        )*
    ) => {
        $(
            $(#[$documentation])*
            #[derive(Debug, Clone, PartialEq)]
            pub struct $name {
                $($(#[$field_documentation])* pub $field: $type,)*
            }

            impl Call for $name {
                const METHOD: &'static str = $method;
                type Reply = $reply;

                fn arguments(&self) -> Vec<Value> {
                    vec![$(json(&self.$field)),*]
                }
            }
        )*

        $(#[$set_documentation])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $set {
            $(
                $(#[$documentation])*
                $name($name),
            )*
        }

        impl $set {
            /// Reads a call from its method and positional arguments.
            ///
            /// # Errors
            /// An unknown method, too many arguments, or arguments of the wrong form.
            pub fn parse(method: &str, arguments: Vec<Value>) -> Result<Self, CallFailure> {
                let given = arguments.len();
                check_intent(method, given)?;
                let mut arguments = arguments.into_iter();
                let call = match method {
                    $($method => Self::$name($name { $($field: argument(&mut arguments, stringify!($field))?),* }),)*
                    _ => {
                        return Err(CallFailure::new(
                            FailureCode::UnknownMethod,
                            format!("Method {} does not exist", method.chars().take(64).collect::<String>()),
                        ));
                    }
                };
                if arguments.len() > 0 {
                    let message = format!("{method} was given {given} arguments, which is too many.");
                    return Err(CallFailure::new(FailureCode::InvalidArguments, message));
                }
                Ok(call)
            }
        }

        $(#[$service_documentation])*
        pub trait $service {
            $(
                $(#[$documentation])*
                fn $function(&self, call: $name) -> impl Future<Output = Result<$reply, CallFailure>>;
            )*

            /// Serves any of the calls and gives its reply as JSON.
            fn serve(&self, call: $set) -> impl Future<Output = Result<Value, CallFailure>> {
                async move {
                    match call {
                        $($set::$name(call) => Ok(json(&self.$function(call).await?)),)*
                    }
                }
            }
        }
    };
}

calls! {
    /// What a client may call on the agent's socket.
    AgentCall served by
    /// The agent's side of [`AgentCall`].
    AgentService;

    /// The agent's status.
    "getStatus" => GetStatus {} -> Status, get_status;
    /// Makes a conversation. Without a name it is called `New conversation`.
    "createConversation" => CreateConversation {
        /// 1 to 120 UTF-16 code units, without control characters, not blank.
        name: Option<String>,
    } -> ConversationSummary, create_conversation;
    /// All conversations, the one whose name changed last first.
    "listConversations" => ListConversations {} -> Vec<ConversationSummary>, list_conversations;
    /// Renames a conversation.
    "renameConversation" => RenameConversation {
        /// Which one.
        id: ConversationId,
        /// Its new name, under the rules of [`CreateConversation`].
        name: String,
    } -> ConversationSummary, rename_conversation;
    /// Deletes a conversation with everything in it. Deleting what does not exist succeeds.
    "deleteConversation" => DeleteConversation {
        /// Which one.
        id: ConversationId,
    } -> (), delete_conversation;
    /// What the agent is told before every conversation.
    "getInstructionSettings" => GetInstructionSettings {} -> InstructionSettings, get_instruction_settings;
    /// Saves instructions of the owner's own. Every next turn, of any conversation, follows them.
    "updateInstructions" => UpdateInstructions {
        /// Kept exactly: not blank, at most [`crate::settings::MAXIMUM_INSTRUCTIONS`], no control characters but tabs and
        /// the ends of lines.
        text: String,
    } -> InstructionSettings, update_instructions;
    /// Goes back to the instructions that the program comes with.
    "resetInstructions" => ResetInstructions {} -> InstructionSettings, reset_instructions;
    /// The names of the models that may be chosen.
    "getModelCatalog" => GetModelCatalog {} -> ModelCatalog, get_model_catalog;
    /// The same models, with what the owner should know of each.
    "listModels" => ListModels {} -> ModelList, list_models;
    /// Which model answers, and which keys there are.
    "getModelSettings" => GetModelSettings {} -> ModelSettings, get_model_settings;
    /// Chooses the model of every next turn. Only one of the catalog can be chosen.
    "updateModelSettings" => UpdateModelSettings {
        /// The choice.
        choice: ModelChoice,
    } -> ModelSettings, update_model_settings;
    /// Stores a key in place of the one before, or removes it.
    "setProviderKey" => SetProviderKey {
        /// Whose key it is; one that takes none refuses.
        provider: ModelProvider,
        /// 20 to 512 printable ASCII characters without whitespace; nothing removes the key.
        key: Option<ProviderKey>,
    } -> ModelSettings, set_provider_key;
    /// Sends one short request to a model and says what happened. Nothing is stored or changed.
    "tryModel" => TryModel {
        /// The model, which need not be the one that answers now.
        choice: ModelChoice,
    } -> ModelTrial, try_model;
    /// Every fact that is remembered, the one that changed last first.
    "listMemories" => ListMemories {} -> Vec<Fact>, list_memories;
    /// The facts that a text is most likely about, the likeliest first.
    "searchMemories" => SearchMemories {
        /// What is looked for, in any words; at most [`crate::memory::MAXIMUM_QUERY_CHARACTERS`] count.
        query: String,
    } -> Vec<Fact>, search_memories;
    /// Remembers a fact.
    "addMemory" => AddMemory {
        /// Not blank, at most [`crate::memory::MAXIMUM_FACT_UNITS`], no control characters but tabs and the ends of lines.
        content: String,
    } -> Fact, add_memory;
    /// Changes a fact, unless it changed meanwhile.
    "updateMemory" => UpdateMemory {
        /// Which one.
        id: String,
        /// The new text, under the rules of [`AddMemory`].
        content: String,
        /// The version that the change is based on.
        version: u32,
    } -> Fact, update_memory;
    /// Forgets a fact, unless it changed meanwhile. Forgetting what is not remembered succeeds.
    "deleteMemory" => DeleteMemory {
        /// Which one.
        id: String,
        /// The version that was seen.
        version: u32,
    } -> (), delete_memory;
    /// Where a fact came from.
    "getMemoryOrigin" => GetMemoryOrigin {
        /// Which one.
        id: String,
    } -> FactOrigin, get_memory_origin;
    /// Whether a conversation uses memory.
    "getConversationMemory" => GetConversationMemory {
        /// Which conversation.
        id: ConversationId,
    } -> ConversationMemory, get_conversation_memory;
    /// Lets a conversation use memory, or keeps memory out of it. Counts from its next answer on.
    "setConversationMemory" => SetConversationMemory {
        /// Which conversation.
        id: ConversationId,
        /// Whether it uses memory.
        enabled: bool,
    } -> ConversationMemory, set_conversation_memory;
}

calls! {
    /// What a client may call on a conversation's socket.
    ConversationCall served by
    /// The conversation's side of [`ConversationCall`].
    ConversationService;

    /// One page of messages before a given one, oldest first.
    "getHistory" => GetHistory {
        /// The message that the page ends before; without it, the page is the newest.
        before: Option<MessageId>,
    } -> HistoryPage, get_history;
    /// Replaces the text of a message that waits.
    "editQueued" => EditQueued {
        /// The request that waits.
        request_id: RequestId,
        /// The new text: not blank, and no longer than [`crate::MAXIMUM_MESSAGE_BYTES`].
        text: String,
    } -> (), edit_queued;
    /// Deletes a message that waits.
    "deleteQueued" => DeleteQueued {
        /// The request that waits.
        request_id: RequestId,
    } -> (), delete_queued;
    /// Stops the running answer and answers this message next.
    "sendQueuedNow" => SendQueuedNow {
        /// The request that waits.
        request_id: RequestId,
    } -> (), send_queued_now;
    /// Leaves a message to be answered, whether or not anybody is connected by then.
    "submitMessage" => SubmitMessage {
        /// Not blank, and no longer than [`crate::MAXIMUM_MESSAGE_BYTES`].
        text: String,
        /// What is known under a key is not taken again, so a call whose reply was lost can be repeated.
        key: Option<SubmissionKey>,
    } -> Submitted, submit_message;
    /// One submission.
    "getSubmission" => GetSubmission {
        /// Which one.
        request_id: RequestId,
    } -> Submission, get_submission;
    /// The submission with a key.
    "findSubmission" => FindSubmission {
        /// The key.
        key: SubmissionKey,
    } -> Submission, find_submission;
    /// One page of submissions, the latest first.
    "listSubmissions" => ListSubmissions {
        /// The submission that the page begins after; without it, the page begins with the latest.
        before: Option<RequestId>,
    } -> SubmissionPage, list_submissions;
    /// Stops the answer to a submission, or takes it out of the queue. One that has ended stays as it is.
    "cancelSubmission" => CancelSubmission {
        /// Which one.
        request_id: RequestId,
    } -> Submission, cancel_submission;
    /// Forgets a submission that has ended. Its messages stay.
    "deleteSubmission" => DeleteSubmission {
        /// Which one.
        request_id: RequestId,
    } -> (), delete_submission;
    /// The owner's word on a tool's call that waits for it. The first one counts; a later one fails and says so.
    "decideApproval" => DecideApproval {
        /// The answer that the call is part of.
        message_id: MessageId,
        /// The call.
        tool_call_id: String,
        /// Whether it may run.
        decision: Decision,
    } -> (), decide_approval;
    /// One page of the calls of tools, the newest first.
    "listToolActivities" => ListToolActivities {
        /// The cursor of the page before; without it, the page begins with the newest.
        before: Option<u64>,
    } -> ActivityPage, list_tool_activities;
}

/// One page of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryPage {
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// Whether there are older ones.
    pub has_more: bool,
}
