//! What the owner has written and the server does not have: a draft for each conversation, one of the instructions, those of
//! facts, and the messages that were sent without being confirmed. All of it outlives the page.

use super::settings::{Draft, KeptMemory};
use crate::platform::Platform;
use flarebot_protocol::frame::{ChatRequest, Trigger};
use flarebot_protocol::message::{Message, Part, Role};
use flarebot_protocol::{ConversationId, MessageId, RequestId};
use serde::{Deserialize, Serialize};

/// Everything that this page saves begins with this.
pub(super) const PREFIX: &str = "flarebot.";

/// The draft of a conversation, or of the one that does not exist yet. Empty if there is none.
pub(super) fn draft(platform: &dyn Platform, conversation: Option<ConversationId>) -> String {
    platform.load(&draft_key(conversation)).unwrap_or_default()
}

/// Keeps a draft; an empty one is removed.
pub(super) fn keep_draft(platform: &dyn Platform, conversation: Option<ConversationId>, text: &str) {
    platform.save(
        &draft_key(conversation),
        Some(text).filter(|text| !text.is_empty()),
    );
}

/// The instructions that were written and not saved.
pub(super) fn instructions(platform: &dyn Platform) -> Option<Draft> {
    serde_json::from_str(&platform.load(&instructions_key())?).ok()
}

/// Keeps instructions that are not saved, or forgets them.
pub(super) fn keep_instructions(platform: &dyn Platform, draft: Option<&Draft>) {
    let text = draft.and_then(|draft| serde_json::to_string(draft).ok());
    platform.save(&instructions_key(), text.as_deref());
}

/// What was written to be remembered and not saved.
pub(super) fn memory(platform: &dyn Platform) -> Option<KeptMemory> {
    serde_json::from_str(&platform.load(&memory_key())?).ok()
}

/// Keeps what is to be remembered and not saved, or forgets it.
pub(super) fn keep_memory(platform: &dyn Platform, kept: Option<&KeptMemory>) {
    let text = kept.and_then(|kept| serde_json::to_string(kept).ok());
    platform.save(&memory_key(), text.as_deref());
}

/// Puts a text that could not be sent back in front of a draft.
#[must_use]
pub(super) fn put_back(text: &str, draft: &str) -> String {
    if draft.trim().is_empty() {
        text.to_owned()
    } else {
        format!("{text}\n\n{draft}")
    }
}

/// The messages of a conversation that were sent and never confirmed, oldest first.
pub(super) fn unconfirmed(platform: &dyn Platform, conversation: ConversationId) -> Vec<ChatRequest> {
    let text = platform.load(&unconfirmed_key(conversation)).unwrap_or_default();
    let kept: Vec<Kept> = serde_json::from_str(&text).unwrap_or_default();
    kept.into_iter()
        .map(|kept| request(kept.request, kept.message, kept.text))
        .collect()
}

/// Keeps the messages of a conversation that were sent and not yet confirmed.
pub(super) fn keep_unconfirmed(
    platform: &dyn Platform,
    conversation: ConversationId,
    requests: &[ChatRequest],
) {
    let kept: Vec<Kept> = requests.iter().map(Kept::from).collect();
    let text = serde_json::to_string(&kept).ok().filter(|_| !kept.is_empty());
    platform.save(&unconfirmed_key(conversation), text.as_deref());
}

/// Forgets what was kept of a conversation that is gone.
pub(super) fn forget(platform: &dyn Platform, conversation: ConversationId) {
    platform.save(&draft_key(Some(conversation)), None);
    platform.save(&unconfirmed_key(conversation), None);
}

/// A request for an answer to a text of the owner's.
pub(super) fn request(id: RequestId, message: MessageId, text: String) -> ChatRequest {
    ChatRequest {
        id,
        message: Message {
            id: message,
            role: Role::User,
            parts: vec![Part::Text { text, state: None }],
            metadata: None,
        },
        trigger: Trigger::Submit,
    }
}

#[derive(Serialize, Deserialize)]
struct Kept {
    request: RequestId,
    message: MessageId,
    text: String,
}

impl From<&ChatRequest> for Kept {
    fn from(request: &ChatRequest) -> Self {
        Self {
            request: request.id.clone(),
            message: request.message.id.clone(),
            text: request.message.text(),
        }
    }
}

fn draft_key(conversation: Option<ConversationId>) -> String {
    match conversation {
        Some(id) => format!("{PREFIX}draft.{id}"),
        None => format!("{PREFIX}draft.new"),
    }
}

fn instructions_key() -> String {
    format!("{PREFIX}draft.instructions")
}

fn memory_key() -> String {
    format!("{PREFIX}draft.memory")
}

fn unconfirmed_key(conversation: ConversationId) -> String {
    format!("{PREFIX}unconfirmed.{conversation}")
}
