//! What happens when the conversation does not fit the model, or is longer than any model is told: its older part is
//! summarised, once in a turn, and the model is called again. Without a summary the older part is left out instead.

use super::{Activity, Answering, Ending, Progress};
use crate::history::{self, Coverage, History, Summary};
use crate::turn::state::Overflow;
use crate::turn::summary::{self, SummaryCall};
use crate::turn::{Effect, notice};
use flarebot_model::{ModelEvent, ModelFailure};
use flarebot_protocol::chunk::FinishReason;

/// Before the first message: nothing that a model is told is left out.
const NOTHING: i64 = 0;

impl Answering {
    /// Sees to it that a conversation that is longer than any model is told is summarised before the answer is asked for.
    pub(super) fn make_room(&mut self) {
        if self.state.overflow == Overflow::None
            && self.context.history.coverage == Coverage::Newest
            && let Some(through) = self.border()
        {
            self.state.overflow = Overflow::Summarising { through };
        }
    }

    fn border(&self) -> Option<i64> {
        let answer_tokens = history::tokens(&self.answer.for_model());
        self.context.history.border(answer_tokens)
    }

    /// The model was given more than it takes.
    pub(super) fn overflowed(
        &mut self,
        failure: ModelFailure,
        now: i64,
        effects: &mut Vec<Effect>,
    ) -> Progress {
        let next = match self.state.overflow {
            Overflow::None => self.border().map(|through| Overflow::Summarising { through }),
            Overflow::LeftOut { through: NOTHING } => {
                self.border().map(|through| Overflow::LeftOut { through })
            }
            Overflow::Summarising { .. } | Overflow::Summarised | Overflow::LeftOut { .. } => None,
        };
        let Some(next) = next else {
            return Progress::Ends(Ending::Failed(failure.sentence()));
        };
        self.state.overflow = next;
        self.reject_broken_calls(now, effects);
        self.call(Vec::new(), now, effects)
    }

    /// Asks the model for what is to stand for the messages up to the position `through`. Nothing of it is sent to anybody.
    pub(super) fn ask_for_summary(&mut self, through: i64, now: i64, effects: &mut Vec<Effect>) -> Progress {
        let history = &self.context.history;
        let refused = history
            .tokens()
            .saturating_add(history::tokens(&self.answer.for_model()));
        let request = summary::request(self.context.model.clone(), &history.older(through), refused / 2);
        self.activity = Activity::Summary(SummaryCall::new(through, now));
        effects.push(Effect::CallModel(request));
        Progress::GoesOn
    }

    /// The model says something while it writes a summary.
    pub(super) fn hear_summary(
        &mut self,
        event: ModelEvent,
        now: i64,
        effects: &mut Vec<Effect>,
    ) -> Progress {
        let Activity::Summary(call) = &mut self.activity else {
            return Progress::GoesOn;
        };
        call.heard_at = now;
        match event {
            ModelEvent::Text(text) => call.take(&text),
            ModelEvent::Usage(usage) => self.count(usage),
            ModelEvent::Finished(FinishReason::ContentFilter) | ModelEvent::Failed(_) => {
                return self.leave_out(now, effects);
            }
            ModelEvent::Finished(_) => return self.summarised(now, effects),
            ModelEvent::Reasoning(_)
            | ModelEvent::Thought(_)
            | ModelEvent::ToolCallStarted { .. }
            | ModelEvent::ToolCall(_) => {}
        }
        Progress::GoesOn
    }

    /// There will be no summary: the model is called without the messages that it was to stand for.
    pub(super) fn leave_out(&mut self, now: i64, effects: &mut Vec<Effect>) -> Progress {
        if let Overflow::Summarising { through } = self.state.overflow {
            let through = match self.context.history.coverage {
                Coverage::Whole => through,
                // No model has refused what it is told anyway.
                Coverage::Newest => NOTHING,
            };
            self.state.overflow = Overflow::LeftOut { through };
        }
        self.call(Vec::new(), now, effects)
    }

    fn summarised(&mut self, now: i64, effects: &mut Vec<Effect>) -> Progress {
        let Activity::Summary(call) = std::mem::replace(&mut self.activity, Activity::Nothing) else {
            return Progress::GoesOn;
        };
        let through = call.through;
        let Some(text) = call.end() else {
            return self.leave_out(now, effects);
        };
        let summary = Summary { through, text };
        self.context.history = self.context.history.summarised(summary.clone());
        self.state.overflow = Overflow::Summarised;
        effects.push(Effect::Compact {
            summary,
            state: self.state.clone(),
        });
        self.call(Vec::new(), now, effects)
    }

    /// The conversation as the model is told of it in this turn.
    pub(super) fn history(&self) -> History {
        match self.state.overflow {
            Overflow::None | Overflow::Summarising { .. } | Overflow::Summarised => {
                self.context.history.clone()
            }
            Overflow::LeftOut { through } => self.context.history.shortened(through),
        }
    }

    /// The notice of an answer that completed, with what the owner should know of the conversation behind it.
    pub(super) fn completion_notice(&self, notice: Option<&str>) -> Option<String> {
        let overflow = match self.state.overflow {
            Overflow::None | Overflow::Summarising { .. } => None,
            Overflow::Summarised => Some(notice::SUMMARISED),
            Overflow::LeftOut { .. } => Some(notice::LEFT_OUT),
        };
        let sentences: Vec<&str> = notice.into_iter().chain(overflow).collect();
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }
}
