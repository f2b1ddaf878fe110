//! How an answer ends: what is said last, made durable, and handed over.

use super::{Activity, Answering};
use crate::turn::{Effect, ended_call, notice};
use flarebot_protocol::chunk::{Chunk, FinishReason};
use flarebot_protocol::message::{Metadata, Outcome};

/// What a call is answered with that runs when its answer ends.
const STOPPED: &str = "The answer was stopped while this ran. It is not known how far it came.";

/// Why the turn ends.
pub(in crate::turn) enum Ending {
    /// The model ended its answer.
    Completed(FinishReason),
    /// The answer has the largest size that is kept.
    Full,
    /// The model called tools in the last step that an answer may have.
    TooManySteps,
    /// The model does again and again what fails.
    Stuck,
    /// The owner stopped it.
    Aborted,
    /// It failed, with a sentence for the owner.
    Failed(String),
}

impl Answering {
    /// Ends an answer that never began.
    pub(in crate::turn) fn end_unbegun(mut self, ending: Ending, now: i64, effects: &mut Vec<Effect>) {
        let announcement = self.announcement();
        self.send(announcement, now, effects);
        self.end(ending, now, effects);
    }

    /// Says how the answer ended and hands the message over. Its settlement makes the rest of it durable.
    pub(in crate::turn) fn end(mut self, ending: Ending, now: i64, effects: &mut Vec<Effect>) {
        self.stop_everything(now, effects);
        let (outcome, notice) = match &ending {
            Ending::Completed(reason) => (
                Outcome::Completed,
                self.completion_notice(notice::completed(*reason, self.answer.has_text())),
            ),
            Ending::Full => (Outcome::Completed, self.completion_notice(Some(notice::FULL))),
            Ending::TooManySteps => (
                Outcome::Completed,
                self.completion_notice(Some(notice::TOO_MANY_STEPS)),
            ),
            Ending::Stuck => (Outcome::Completed, self.completion_notice(Some(notice::STUCK))),
            Ending::Aborted => (Outcome::Aborted, None),
            Ending::Failed(sentence) => (Outcome::Error, Some(sentence.clone())),
        };
        let ended = Metadata {
            outcome: Some(outcome),
            notice: notice.clone(),
            usage: self.state.usage,
            ..Metadata::default()
        };
        match ending {
            Ending::Completed(reason) => self.send_finish(reason, &ended, now, effects),
            Ending::Full => self.send_finish(FinishReason::Length, &ended, now, effects),
            Ending::TooManySteps | Ending::Stuck => {
                self.send_finish(FinishReason::ToolCalls, &ended, now, effects);
            }
            Ending::Aborted => self.send(Chunk::Abort, now, effects),
            Ending::Failed(error_text) => self.send(Chunk::Error { error_text }, now, effects),
        }
        let mut message = self.answer.into_message();
        message.metadata = Some(Metadata {
            created_at: Some(self.state.begun_at),
            model: self.state.model,
            ..ended
        });
        effects.push(Effect::Finish {
            outcome,
            message,
            notice,
        });
    }

    fn stop_everything(&mut self, now: i64, effects: &mut Vec<Effect>) {
        match std::mem::replace(&mut self.activity, Activity::Nothing) {
            Activity::Model(_) | Activity::Summary(_) => effects.push(Effect::StopModel),
            Activity::Tools(open) => self.drop_calls(open, effects),
            Activity::Nothing | Activity::Pause { .. } => {}
        }
        if let Some(end_of_part) = self.answer.close() {
            self.send(end_of_part, now, effects);
        }
        for rejected in self.answer.reject_broken_calls(STOPPED) {
            self.send(rejected, now, effects);
        }
        let calls = self.answer.calls().filter(|call| !call.state.is_settled());
        let last_words: Vec<Chunk> = calls.map(|call| ended_call::last_word(call, STOPPED)).collect();
        for last_word in last_words {
            self.send(last_word, now, effects);
        }
    }

    fn send_finish(&mut self, reason: FinishReason, ended: &Metadata, now: i64, effects: &mut Vec<Effect>) {
        self.send(Chunk::FinishStep, now, effects);
        let finish = Chunk::Finish {
            finish_reason: Some(reason),
            message_metadata: Some(ended.clone()),
        };
        self.send(finish, now, effects);
    }
}
