//! The phase in which the model is called and its answer comes in.

use super::answer::{Answer, Kind, Room};
use super::outbox::Outbox;
use super::{Effect, Event, TurnContext, TurnState, notice};
use flarebot_model::{
    FailureKind, MAXIMUM_OUTPUT_TOKENS, ModelEvent, ModelFailure, ModelRequest, SILENCE_MILLISECONDS,
};
use flarebot_protocol::chunk::{Chunk, FinishReason};
use flarebot_protocol::message::{Metadata, Outcome, Usage};

#[derive(Debug)]
pub(super) struct Answering {
    state: TurnState,
    answer: Answer,
    outbox: Outbox,
    usage: Option<Usage>,
    /// When the model last sent anything, or was called.
    heard_at: i64,
    call: Call,
}

/// Whether a call of the model is in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    None,
    Open,
}

/// What an event means for the turn.
pub(super) enum Progress {
    GoesOn,
    Ends(Ending),
}

/// Why the turn ends.
pub(super) enum Ending {
    /// The model ended its answer.
    Completed(FinishReason),
    /// The answer has the largest size that is kept.
    Full,
    /// The owner stopped it.
    Aborted,
    /// It failed, with a sentence for the owner.
    Failed(String),
}

impl Answering {
    pub(super) fn new(state: TurnState, now: i64) -> Self {
        Self {
            answer: Answer::new(state.empty_message()),
            state,
            outbox: Outbox::default(),
            usage: None,
            heard_at: now,
            call: Call::None,
        }
    }

    /// Announces the answer.
    pub(super) fn start(&mut self, now: i64, effects: &mut Vec<Effect>) {
        let start = Chunk::Start {
            message_id: self.state.message_id.clone(),
            message_metadata: Some(self.state.metadata()),
        };
        self.send(start, now, effects);
    }

    /// Announces the answer and calls the model, after a checkpoint.
    pub(super) fn call(&mut self, context: TurnContext, now: i64, effects: &mut Vec<Effect>) {
        effects.push(Effect::Checkpoint(self.state.clone()));
        self.start(now, effects);
        self.send(Chunk::StartStep, now, effects);
        self.call = Call::Open;
        effects.push(Effect::CallModel(ModelRequest {
            model: context.model,
            system: context.system,
            messages: context.messages,
            max_output_tokens: MAXIMUM_OUTPUT_TOKENS,
            tools: Vec::new(),
            tool_choice: flarebot_model::ToolChoice::Automatic,
        }));
    }

    pub(super) fn deadline(&self) -> i64 {
        let silent_at = self.silent_at();
        self.outbox
            .due_at()
            .map_or(silent_at, |due_at| due_at.min(silent_at))
    }

    /// What was sent and is not logged, and the number of the next chunk.
    pub(super) fn unlogged(&self) -> (&[Chunk], u64) {
        (self.outbox.waiting(), self.outbox.next_seq())
    }

    pub(super) fn hear(&mut self, event: Event, now: i64, effects: &mut Vec<Effect>) -> Progress {
        if self.outbox.due_at().is_some_and(|due_at| due_at <= now) {
            self.outbox.flush(effects);
        }
        match event {
            Event::Model(event) => {
                self.heard_at = now;
                self.hear_model(event, now, effects)
            }
            Event::ModelActive => {
                self.heard_at = now;
                Progress::GoesOn
            }
            Event::ModelClosed => {
                self.call = Call::None;
                Progress::Ends(failed(FailureKind::Truncated))
            }
            Event::Cancel => Progress::Ends(Ending::Aborted),
            Event::Failed { sentence } => Progress::Ends(Ending::Failed(sentence)),
            Event::Tick if self.silent_at() <= now => Progress::Ends(failed(FailureKind::Silent)),
            Event::Tick | Event::Accepted | Event::Resumed => Progress::GoesOn,
        }
    }

    /// Says how the answer ended, makes the rest of it durable, and hands the message over.
    pub(super) fn end(mut self, ending: Ending, now: i64, effects: &mut Vec<Effect>) {
        if self.call == Call::Open {
            effects.push(Effect::StopModel);
        }
        if let Some(end_of_part) = self.answer.close() {
            self.send(end_of_part, now, effects);
        }
        let (outcome, notice) = match &ending {
            Ending::Completed(reason) => (
                Outcome::Completed,
                notice::completed(*reason, self.answer.has_text()).map(str::to_owned),
            ),
            Ending::Full => (Outcome::Completed, Some(notice::FULL.to_owned())),
            Ending::Aborted => (Outcome::Aborted, None),
            Ending::Failed(sentence) => (Outcome::Error, Some(sentence.clone())),
        };
        let ended = Metadata {
            outcome: Some(outcome),
            notice: notice.clone(),
            usage: self.usage,
            ..Metadata::default()
        };
        match ending {
            Ending::Completed(reason) => self.send_finish(reason, &ended, now, effects),
            Ending::Full => self.send_finish(FinishReason::Length, &ended, now, effects),
            Ending::Aborted => self.send(Chunk::Abort, now, effects),
            Ending::Failed(error_text) => self.send(Chunk::Error { error_text }, now, effects),
        }
        self.outbox.flush(effects);
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

    fn hear_model(&mut self, event: ModelEvent, now: i64, effects: &mut Vec<Effect>) -> Progress {
        match event {
            ModelEvent::Text(text) => self.extend(Kind::Text, &text, now, effects),
            ModelEvent::Reasoning(text) => self.extend(Kind::Reasoning, &text, now, effects),
            ModelEvent::Usage(usage) => {
                self.usage = Some(usage);
                Progress::GoesOn
            }
            ModelEvent::Finished(reason) => {
                self.call = Call::None;
                Progress::Ends(Ending::Completed(reason))
            }
            ModelEvent::ToolCallStarted { .. } | ModelEvent::ToolCall(_) => Progress::GoesOn,
            // The provider may report a failure inside an answer that it keeps open, so the call is stopped as well.
            ModelEvent::Failed(failure) => Progress::Ends(Ending::Failed(failure.sentence())),
        }
    }

    fn extend(&mut self, kind: Kind, text: &str, now: i64, effects: &mut Vec<Effect>) -> Progress {
        let (chunks, room) = self.answer.extend(kind, text);
        for chunk in chunks {
            self.send(chunk, now, effects);
        }
        match room {
            Room::Left => Progress::GoesOn,
            Room::Full => Progress::Ends(Ending::Full),
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

    fn send(&mut self, chunk: Chunk, now: i64, effects: &mut Vec<Effect>) {
        self.answer.apply(&chunk);
        self.outbox.send(chunk, now, effects);
    }

    fn silent_at(&self) -> i64 {
        self.heard_at.saturating_add(SILENCE_MILLISECONDS)
    }
}

fn failed(kind: FailureKind) -> Ending {
    Ending::Failed(ModelFailure::new(kind).sentence())
}
