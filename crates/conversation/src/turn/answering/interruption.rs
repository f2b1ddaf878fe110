//! What happens to an answer that is interrupted: it is taken up again, within bounds.

use super::{Activity, Answering, Ending, Progress};
use crate::stream_log::LoggedStream;
use crate::turn::answer::Answer;
use crate::turn::incident::{Interruption, Verdict};
use crate::turn::outbox::Outbox;
use crate::turn::{Effect, TurnContext, TurnState};
use flarebot_model::{FailureKind, ModelFailure};
use flarebot_protocol::chunk::Chunk;

/// What a call is answered with that its model never finished writing.
const BROKEN_OFF: &str = "The model broke off before it had said what this is to do.";

impl Answering {
    /// The answer of an instance that is gone, as far as it is durable.
    pub(in crate::turn) fn restore(
        context: TurnContext,
        attempts: u32,
        state: TurnState,
        logged: &LoggedStream,
    ) -> Self {
        Self {
            context,
            attempts,
            answer: Answer::restore(state.empty_message(), &logged.chunks),
            state,
            outbox: Outbox::from(logged.next_seq),
            activity: Activity::Nothing,
        }
    }

    /// Counts the loss of the instance. Says whether the turn goes on.
    pub(in crate::turn) fn count_lost_instance(&mut self) -> Verdict {
        let content = self.answer.content();
        self.state
            .incident
            .count(Interruption::InstanceLost, self.attempts, content)
    }

    /// Goes on where the log ends.
    pub(in crate::turn) fn take_up(
        &mut self,
        logged: LoggedStream,
        now: i64,
        effects: &mut Vec<Effect>,
    ) -> Progress {
        effects.push(Effect::Checkpoint(self.state.clone()));
        effects.push(Effect::Rewind(logged));
        if let Some(end_of_part) = self.answer.close_reasoning() {
            self.send(end_of_part, now, effects);
        }
        if self.answer.calls().next().is_some() {
            return self.run_calls(now, effects);
        }
        let opening = match self.answer.steps() {
            0 => vec![self.announcement(), Chunk::StartStep],
            _ => Vec::new(),
        };
        self.call(opening, now, effects)
    }

    /// Ends the calls that the model did not finish writing.
    pub(super) fn reject_broken_calls(&mut self, now: i64, effects: &mut Vec<Effect>) {
        for rejected in self.answer.reject_broken_calls(BROKEN_OFF) {
            self.send(rejected, now, effects);
        }
    }

    /// The call of the model ended before its answer did, or nothing came any more.
    pub(super) fn call_broke(&mut self, kind: FailureKind, now: i64, effects: &mut Vec<Effect>) -> Progress {
        self.activity = Activity::Nothing;
        self.reject_broken_calls(now, effects);
        let content = self.answer.content();
        match self
            .state
            .incident
            .count(Interruption::CallBroken, self.attempts, content)
        {
            Verdict::GoOn { pause: 0 } => self.call(Vec::new(), now, effects),
            Verdict::GoOn { pause } => {
                let until = now.saturating_add(pause);
                self.activity = Activity::Pause { until };
                Progress::GoesOn
            }
            Verdict::GiveUp => Progress::Ends(Ending::Failed(ModelFailure::new(kind).sentence())),
        }
    }
}
