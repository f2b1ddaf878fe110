//! What becomes of a turn whose instance is gone.

use super::{Effect, TurnState, notice};
use flarebot_protocol::Reduction;
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::message::{Message, Outcome, Part};

/// Ends a lost turn with what is durable of it.
pub(super) fn finish(state: &TurnState, chunks: &[Chunk]) -> Effect {
    let mut reduction = Reduction::new(state.empty_message());
    for chunk in chunks {
        reduction.apply(chunk);
    }
    // Nothing more comes for any part that is still open.
    reduction.apply(&Chunk::Abort);
    let mut message = reduction.message;
    let (outcome, notice) = match chunks.last() {
        Some(Chunk::Finish { message_metadata, .. }) => {
            let ended = message_metadata.clone().unwrap_or_default();
            (ended.outcome.unwrap_or(Outcome::Completed), ended.notice)
        }
        Some(Chunk::Abort) => (Outcome::Aborted, None),
        Some(Chunk::Error { error_text }) => (Outcome::Error, Some(error_text.clone())),
        Some(_) | None => (Outcome::Interrupted, Some(interrupted(&message).to_owned())),
    };
    let metadata = message.metadata.get_or_insert_default();
    metadata.outcome = Some(outcome);
    metadata.notice.clone_from(&notice);
    Effect::Finish {
        outcome,
        message,
        notice,
    }
}

fn interrupted(message: &Message) -> &'static str {
    let has_content = message.parts.iter().any(|part| match part {
        Part::Text { text, .. } | Part::Reasoning { text, .. } => !text.is_empty(),
        Part::StepStart | Part::Tool(_) => false,
    });
    if has_content {
        notice::INTERRUPTED
    } else {
        notice::INTERRUPTED_BEFORE_TEXT
    }
}
