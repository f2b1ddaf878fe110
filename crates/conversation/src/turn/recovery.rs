//! What the log of a turn says about how to go on with it.

use super::{Effect, TurnState, ended_call, notice};
use flarebot_protocol::Reduction;
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::message::{Message, Outcome, Part};
use std::collections::BTreeSet;

/// What a call is answered with whose turn is given up.
const NO_RESULT: &str = "The runtime restarted while this ran. It is not known how far it came.";

/// What a call is answered with that the owner had allowed when they stopped its answer.
const NOT_BEGUN: &str = "The answer was stopped before this ran.";

/// The chunks that mean something to a later instance: all but the beginnings of tool calls whose input never came.
pub(super) fn usable(chunks: Vec<Chunk>) -> Vec<Chunk> {
    let complete: BTreeSet<String> = chunks
        .iter()
        .filter_map(completed_call)
        .map(str::to_owned)
        .collect();
    let is_usable = |chunk: &Chunk| {
        let begun = if let Chunk::ToolInputStart { tool_call_id, .. } = chunk {
            Some(tool_call_id)
        } else {
            None
        };
        begun.is_none_or(|call| complete.contains(call))
    };
    chunks.into_iter().filter(is_usable).collect()
}

/// Whether the log holds the answer's end: then only its settlement was lost.
pub(super) fn has_ended(chunks: &[Chunk]) -> bool {
    matches!(
        chunks.last(),
        Some(Chunk::Finish { .. } | Chunk::Abort | Chunk::Error { .. })
    )
}

/// How a lost turn ends that does not go on, unless the log holds its end.
pub(super) enum Otherwise {
    /// It was interrupted too often.
    Interrupted,
    /// The owner stopped it.
    Stopped,
    /// It cannot go on, with a sentence for the owner.
    Failed(String),
}

/// Ends a lost turn with what is durable of it: as it had ended, if the log holds that.
pub(super) fn finish(state: &TurnState, chunks: &[Chunk], otherwise: Otherwise) -> Effect {
    let mut reduction = Reduction::new(state.empty_message());
    for chunk in chunks {
        reduction.apply(chunk);
    }
    // Nothing more comes for any part that is still open.
    reduction.apply(&Chunk::Abort);
    end_calls(&mut reduction, NO_RESULT);
    let mut message = reduction.message;
    let (outcome, notice) = match chunks.last() {
        Some(Chunk::Finish { message_metadata, .. }) => {
            let ended = message_metadata.clone().unwrap_or_default();
            (ended.outcome.unwrap_or(Outcome::Completed), ended.notice)
        }
        Some(Chunk::Abort) => (Outcome::Aborted, None),
        Some(Chunk::Error { error_text }) => (Outcome::Error, Some(error_text.clone())),
        Some(_) | None => match otherwise {
            Otherwise::Interrupted => (Outcome::Interrupted, Some(interrupted(&message).to_owned())),
            Otherwise::Stopped => (Outcome::Aborted, None),
            Otherwise::Failed(sentence) => (Outcome::Error, Some(sentence)),
        },
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

/// The end of an answer that waits for the owner, or was about to go on, and is stopped instead.
pub(crate) fn stop(message: Message) -> Message {
    let mut reduction = Reduction::new(message);
    end_calls(&mut reduction, NOT_BEGUN);
    let mut message = reduction.message;
    message.metadata.get_or_insert_default().outcome = Some(Outcome::Aborted);
    message
}

fn end_calls(reduction: &mut Reduction, may_have_run: &str) {
    let calls = reduction.message.parts.iter().filter_map(|part| match part {
        Part::Tool(call) if !call.state.is_settled() => Some(ended_call::last_word(call, may_have_run)),
        Part::Tool(_) | Part::Text { .. } | Part::Reasoning { .. } | Part::StepStart => None,
    });
    let last_words: Vec<Chunk> = calls.collect();
    for last_word in &last_words {
        reduction.apply(last_word);
    }
}

fn completed_call(chunk: &Chunk) -> Option<&str> {
    if let Chunk::ToolInputAvailable { tool_call_id, .. } | Chunk::ToolInputError { tool_call_id, .. } = chunk
    {
        Some(tool_call_id)
    } else {
        None
    }
}

fn interrupted(message: &Message) -> &'static str {
    let has_content = message.parts.iter().any(|part| match part {
        Part::Text { text, .. } | Part::Reasoning { text, .. } => !text.is_empty(),
        Part::Tool(_) => true,
        Part::StepStart => false,
    });
    if has_content {
        notice::INTERRUPTED
    } else {
        notice::INTERRUPTED_BEFORE_TEXT
    }
}
