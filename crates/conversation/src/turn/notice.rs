//! What the owner reads when a turn did not simply complete: what happened, and what to do next.

use flarebot_protocol::chunk::FinishReason;

pub(super) const INTERRUPTED: &str = "The runtime restarted again and again while it made this answer, so the answer is incomplete. Ask for the rest in a new message.";

pub(super) const INTERRUPTED_BEFORE_TEXT: &str =
    "The runtime restarted again and again before this answer began. Send your message again to get one.";

pub(super) const TOO_MUCH_WORK: &str = "This answer was interrupted too often and was stopped to limit its cost. Ask for the rest in a new message.";

pub(super) const TOO_MANY_STEPS: &str =
    "The model wanted to use more tools than one answer may. Ask it to go on in a new message.";

pub(super) const STUCK: &str = "The model tried the same thing three times, and it failed in the same way each time, so this answer ends here. Say what it should do instead, or ask again.";

pub(super) const FULL: &str = "This answer reached the largest size that can be stored and was stopped there. Ask for the rest in a new message.";

pub(super) const SUMMARISED: &str = "This conversation is longer than the model can take, so the model now works from a summary of its older part. You still see all of it.";

pub(super) const LEFT_OUT: &str = "This conversation is longer than the model can take, and its older part could not be summarised, so this answer was made without it. Start a new chat, or use a model with a larger context.";

/// The notice of a call that the model ended itself.
pub(super) const fn completed(reason: FinishReason, has_text: bool) -> Option<&'static str> {
    match (reason, has_text) {
        (FinishReason::Length, true) => Some(
            "This answer reached the limit of its length and stops in the middle. Ask the model to go on from there.",
        ),
        (FinishReason::Length, false) => Some(
            "The model reached the limit of its output before it wrote an answer. Ask for something smaller.",
        ),
        (FinishReason::ContentFilter, _) => {
            Some("The model provider's filter ended this answer. Say it in other words to try again.")
        }
        (FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other, false) => {
            Some("The model sent an empty answer. Send your message again to get another one.")
        }
        (FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other, true) => None,
    }
}
