//! One call of the model as the turn sees it: what it has said that is not in the answer yet.

use super::overlap::{Overlap, Recognition};
use flarebot_model::{SILENCE_MILLISECONDS, Thought, ToolCall, ToolChoice};

/// How much of a provider's name for a call is kept in its id, in bytes.
const MAXIMUM_NAME_BYTES: usize = 128;

#[derive(Debug)]
pub(super) struct ModelCall {
    /// When the model last sent anything, or was called.
    pub(super) heard_at: i64,
    /// Whether it may call tools.
    pub(super) tool_choice: ToolChoice,
    /// The complete calls, under the ids that they have in the answer.
    pub(super) tool_calls: Vec<ToolCall>,
    /// What its provider wants to see again of its thinking.
    pub(super) thoughts: Vec<Thought>,
    beginning: Beginning,
    /// The provider's names for calls, with the ids that they have in the answer.
    names: Vec<(String, String)>,
}

/// What the first text of the call is.
#[derive(Debug)]
enum Beginning {
    /// The beginning of a step.
    OfAStep,
    /// Perhaps a repetition of what is there.
    Compared(Overlap),
    /// The rest of a step that was cut off.
    OfARest,
}

impl ModelCall {
    /// A call that goes on with `partial`, the text of the step so far.
    pub(super) fn new(partial: String, tool_choice: ToolChoice, now: i64) -> Self {
        let beginning = if partial.is_empty() {
            Beginning::OfAStep
        } else {
            Beginning::Compared(Overlap::new(partial))
        };
        Self {
            heard_at: now,
            tool_choice,
            tool_calls: Vec::new(),
            thoughts: Vec::new(),
            beginning,
            names: Vec::new(),
        }
    }

    /// When the model will have been silent for too long.
    pub(super) fn silent_at(&self) -> i64 {
        self.heard_at.saturating_add(SILENCE_MILLISECONDS)
    }

    /// What of some text is new.
    pub(super) fn take_text(&mut self, text: String) -> String {
        let Beginning::Compared(overlap) = &mut self.beginning else {
            return text;
        };
        match overlap.feed(&text) {
            Recognition::Open => String::new(),
            Recognition::Decided(new) => {
                self.beginning = Beginning::OfARest;
                new
            }
        }
    }

    /// What is new of the text that was held back, once no more text comes.
    pub(super) fn take_held(&mut self) -> String {
        match std::mem::replace(&mut self.beginning, Beginning::OfARest) {
            Beginning::Compared(overlap) => overlap.end(),
            Beginning::OfAStep | Beginning::OfARest => String::new(),
        }
    }

    /// Whether the call goes on in the middle of a step. Its reasoning would tear the text apart.
    pub(super) fn continues(&self) -> bool {
        !matches!(self.beginning, Beginning::OfAStep)
    }

    /// The id in the answer of the call that the provider names `name`.
    pub(super) fn id(&mut self, name: &str, is_taken: impl Fn(&str) -> bool) -> String {
        if let Some((_, id)) = self.names.iter().find(|(known, _)| known == name) {
            return id.clone();
        }
        let kept = name
            .get(..name.floor_char_boundary(MAXIMUM_NAME_BYTES))
            .unwrap_or_default();
        let numbered = (2..).map(|number: u32| format!("{kept}-{number}"));
        let id = std::iter::once(kept.to_owned())
            .chain(numbered)
            .find(|id| !is_taken(id) && self.names.iter().all(|(_, known)| known != id))
            .unwrap_or_default();
        self.names.push((name.to_owned(), id.clone()));
        id
    }
}
