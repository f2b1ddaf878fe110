//! The turn machine: what happens between the owner's message and the end of its answer, without any I/O.
//!
//! Whoever runs a turn gives it [`Event`]s with the time and carries out the [`Effect`]s that come back, in their
//! order and before anything else happens to the turn. Between two events it waits for the first of four things:
//! bytes of the model, a tool, a cancel, and the instant of [`Turn::deadline`], which it reports as [`Event::Tick`].
//!
//! ```
//! use flarebot_conversation::history::History;
//! use flarebot_conversation::ledger::ClaimedTurn;
//! use flarebot_conversation::turn::{Effect, Event, Turn, TurnContext};
//! use flarebot_model::ModelEvent;
//! use flarebot_protocol::chunk::FinishReason;
//! use flarebot_protocol::message::Outcome;
//! use flarebot_protocol::{MessageId, RequestId};
//!
//! let claimed = ClaimedTurn {
//!     request_id: RequestId::new("request")?,
//!     user_message_id: MessageId::new("question")?,
//!     assistant_message_id: MessageId::new("answer")?,
//!     attempts: 1,
//! };
//! let context = TurnContext { model: "small".to_owned(), system: None, history: History::default(), tools: Vec::new() };
//! let mut turn = Turn::new(claimed, context);
//!
//! let effects = turn.handle(Event::Accepted, 0);
//! assert!(matches!(effects.last(), Some(Effect::CallModel(_))));
//!
//! turn.handle(Event::Model(ModelEvent::Text("Hello.".to_owned())), 20);
//! assert_eq!(turn.deadline(), Some(250));
//!
//! let effects = turn.handle(Event::Model(ModelEvent::Finished(FinishReason::Stop)), 30);
//! let Some(Effect::Finish { outcome, message, .. }) = effects.last() else { panic!("the turn ended") };
//! assert_eq!((*outcome, message.text().as_str()), (Outcome::Completed, "Hello."));
//! # Ok::<(), flarebot_protocol::IdentifierError>(())
//! ```
//!
//! A turn that a later instance finds running is rebuilt with [`Turn::resume`] and told [`Event::Resumed`]: it goes on
//! where the log ends. It runs tools whose result is not in the log, and calls the model again for the rest of a step.
//!
//! A conversation that does not fit its model is summarised in its older part, once in a turn, and the model called again.
//!
//! A turn whose model called a tool that needs the owner's approval ends its machine with [`Effect::Pause`] once all
//! else of that step is done. When the owner has decided, it goes on in the same way, told [`Event::Decided`].

mod answer;
mod answering;
mod effect;
mod ended_call;
mod incident;
mod model_call;
mod notice;
mod outbox;
mod overlap;
mod recovery;
mod repetition;
mod state;
mod summary;
mod thinking;
mod tools;

pub use answer::MAXIMUM_ANSWER_BYTES;
pub use effect::{Effect, StopReason};
pub use incident::{MAXIMUM_ATTEMPTS, MAXIMUM_INTERRUPTIONS, MAXIMUM_MODEL_CALLS};
pub(crate) use recovery::stop;
pub use state::TurnState;

use crate::history::History;
use crate::ledger::ClaimedTurn;
use crate::stream_log::LoggedStream;
use answering::{Answering, Ending, Progress};
use flarebot_model::ModelEvent;
use flarebot_protocol::chunk;
use flarebot_protocol::frame::RunningTurn;
use flarebot_protocol::{MessageId, RequestId};
use flarebot_tool::ToolDescriptor;
use incident::Verdict;
use recovery::Otherwise;
use serde_json::Value;

/// How many calls of the model an answer may consist of. The last one is offered no tools, so that it has to answer.
pub const MAXIMUM_STEPS: usize = 8;

/// What a turn needs to know to call the model: one coherent snapshot, taken when the turn is claimed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnContext {
    /// The model's name at its provider.
    pub model: String,
    /// Instructions that come before the conversation.
    pub system: Option<String>,
    /// The conversation up to the message that is answered; see [`crate::transcript::for_model`].
    pub history: History,
    /// The tools that the model may call.
    pub tools: Vec<ToolDescriptor>,
}

/// What happens to a turn. Times come beside it, in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The turn was claimed: begin.
    Accepted,
    /// The model's decoder made this out of its bytes.
    Model(ModelEvent),
    /// Bytes of the model came, whatever they hold: it is not silent.
    ModelActive,
    /// The model's answer ended, or its connection broke, and the decoder has nothing more to say. A connection that
    /// was never made is a [`ModelEvent::Failed`] instead.
    ModelClosed,
    /// A tool tells how far its call is.
    ToolProgress {
        /// The call.
        call_id: String,
        /// For the owner alone.
        progress: Value,
    },
    /// A tool's call ended.
    ToolFinished {
        /// The call.
        call_id: String,
        /// What it returned, or why it failed, for the model and the owner.
        result: Result<Value, String>,
    },
    /// The owner stops the answer.
    Cancel,
    /// The turn cannot go on for a reason outside of the model, such as a missing configuration.
    Failed {
        /// One sentence for the owner: what happened, and what to do next.
        sentence: String,
    },
    /// A later instance took the turn over; see [`Turn::resume`].
    Resumed,
    /// The owner has decided all that the turn paused for; see [`Turn::resume`].
    Decided,
    /// The instant of [`Turn::deadline`] came.
    Tick,
}

/// One turn in progress.
#[derive(Debug)]
pub struct Turn {
    claimed: ClaimedTurn,
    stream_id: RequestId,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    Ready(TurnContext),
    Answering(Box<Answering>),
    Lost(Box<Lost>),
    Finished,
}

/// What is known of a turn whose instance is gone.
#[derive(Debug)]
struct Lost {
    context: TurnContext,
    state: TurnState,
    logged: LoggedStream,
}

impl Turn {
    /// A turn that was just claimed. It waits for [`Event::Accepted`].
    #[must_use]
    pub fn new(claimed: ClaimedTurn, context: TurnContext) -> Self {
        Self {
            stream_id: claimed.request_id.clone(),
            claimed,
            phase: Phase::Ready(context),
        }
    }

    /// A turn that paused, or ran in an instance that is gone, rebuilt from what is durable of it and what is configured
    /// now. It waits for [`Event::Decided`] or [`Event::Resumed`], or for what ends it before.
    ///
    /// Its chunks travel under a request of their own ([`RequestId::continued`]), since a client may hold chunks beyond
    /// the log and a number must never mean two texts.
    #[must_use]
    pub fn resume(
        claimed: ClaimedTurn,
        context: TurnContext,
        state: TurnState,
        logged: LoggedStream,
    ) -> Self {
        Self {
            stream_id: claimed.stream_id(),
            claimed,
            phase: Phase::Lost(Box::new(Lost {
                context,
                state,
                logged: LoggedStream {
                    chunks: recovery::usable(logged.chunks),
                    next_seq: logged.next_seq,
                },
            })),
        }
    }

    /// Sets what the turn uses, which may be known later than the turn itself can be joined and stopped. Once it has begun
    /// or gone on, that stays what it is.
    pub fn configure(&mut self, context: TurnContext) {
        match &mut self.phase {
            Phase::Ready(earlier) => *earlier = context,
            Phase::Lost(lost) => lost.context = context,
            Phase::Answering(_) | Phase::Finished => {}
        }
    }

    /// The request that is answered.
    #[must_use]
    pub fn request_id(&self) -> &RequestId {
        &self.claimed.request_id
    }

    /// The request under which this attempt's chunks travel; the one that is answered, unless the turn was taken over.
    #[must_use]
    pub fn stream_id(&self) -> &RequestId {
        &self.stream_id
    }

    /// Whether `id` names this turn: as its request, or as one under which its chunks travelled.
    #[must_use]
    pub fn answers(&self, id: &RequestId) -> bool {
        id.original() == self.claimed.request_id
    }

    /// The message that is answered.
    #[must_use]
    pub fn user_message_id(&self) -> &MessageId {
        &self.claimed.user_message_id
    }

    /// The message that is written.
    #[must_use]
    pub fn message_id(&self) -> &MessageId {
        &self.claimed.assistant_message_id
    }

    /// Whether [`Effect::Finish`] or [`Effect::Pause`] has come.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        matches!(self.phase, Phase::Finished)
    }

    /// When [`Event::Tick`] is wanted next; `None` while there is nothing to wait for.
    #[must_use]
    pub fn deadline(&self) -> Option<i64> {
        match &self.phase {
            Phase::Answering(answering) => answering.deadline(),
            Phase::Ready(_) | Phase::Lost(_) | Phase::Finished => None,
        }
    }

    /// What a reader who joins now needs: `logged` is what [`crate::stream_log::read`] gives at this moment, and
    /// what was sent since the last append is added to it.
    #[must_use]
    pub fn running(&self, logged: LoggedStream) -> RunningTurn {
        let mut running = self.rewound(logged);
        if let Phase::Answering(answering) = &self.phase {
            let (waiting, next_seq) = answering.unlogged();
            running.chunks.extend(waiting.iter().cloned());
            running.next_seq = next_seq;
        }
        running.chunks = chunk::merge(running.chunks);
        running
    }

    /// What a reader has to replace its copy of the answer by; see [`Effect::Rewind`].
    #[must_use]
    pub fn rewound(&self, logged: LoggedStream) -> RunningTurn {
        RunningTurn {
            request_id: self.stream_id.clone(),
            message_id: self.claimed.assistant_message_id.clone(),
            user_message_id: Some(self.claimed.user_message_id.clone()),
            chunks: logged.chunks,
            next_seq: logged.next_seq,
        }
    }

    /// Takes an event and says what has to be done for it. An event that does not fit the turn's phase changes
    /// nothing; after [`Effect::Finish`] none does.
    pub fn handle(&mut self, event: Event, now: i64) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.phase = match std::mem::replace(&mut self.phase, Phase::Finished) {
            Phase::Ready(context) => self.begin(context, event, now, &mut effects),
            Phase::Answering(mut answering) => {
                let progress = answering.hear(event, now, &mut effects);
                follow(answering, progress, now, &mut effects)
            }
            Phase::Lost(lost) => self.take_over(lost, event, now, &mut effects),
            Phase::Finished => Phase::Finished,
        };
        effects
    }

    fn begin(&self, context: TurnContext, event: Event, now: i64, effects: &mut Vec<Effect>) -> Phase {
        let ending = match event {
            Event::Accepted => None,
            Event::Cancel => Some(Ending::Aborted),
            Event::Failed { sentence } => Some(Ending::Failed(sentence)),
            Event::Model(_)
            | Event::ModelActive
            | Event::ModelClosed
            | Event::ToolProgress { .. }
            | Event::ToolFinished { .. }
            | Event::Resumed
            | Event::Decided
            | Event::Tick => return Phase::Ready(context),
        };
        let state = TurnState::new(self.request_id().clone(), self.message_id().clone(), now);
        let mut answering = Box::new(Answering::new(context, self.claimed.attempts, state));
        if let Some(ending) = ending {
            answering.end_unbegun(ending, now, effects);
            return Phase::Finished;
        }
        let progress = answering.begin(now, effects);
        follow(answering, progress, now, effects)
    }

    fn take_over(&self, lost: Box<Lost>, event: Event, now: i64, effects: &mut Vec<Effect>) -> Phase {
        let was_interrupted = !matches!(event, Event::Decided);
        let otherwise = match event {
            Event::Resumed | Event::Decided => Otherwise::Interrupted,
            Event::Cancel => Otherwise::Stopped,
            Event::Failed { sentence } => Otherwise::Failed(sentence),
            Event::Accepted
            | Event::Model(_)
            | Event::ModelActive
            | Event::ModelClosed
            | Event::ToolProgress { .. }
            | Event::ToolFinished { .. }
            | Event::Tick => return Phase::Lost(lost),
        };
        let Lost {
            context,
            state,
            logged,
        } = *lost;
        let goes_on = matches!(otherwise, Otherwise::Interrupted) && !recovery::has_ended(&logged.chunks);
        // A pause is nobody's fault, so what follows it is no further attempt.
        let attempts = self.claimed.attempts.saturating_sub(state.pauses);
        let mut answering = Box::new(Answering::restore(context, attempts, state.clone(), &logged));
        if !goes_on || (was_interrupted && answering.count_lost_instance() == Verdict::GiveUp) {
            effects.push(recovery::finish(&state, &logged.chunks, otherwise));
            return Phase::Finished;
        }
        let progress = answering.take_up(logged, now, effects);
        follow(answering, progress, now, effects)
    }
}

fn follow(answering: Box<Answering>, progress: Progress, now: i64, effects: &mut Vec<Effect>) -> Phase {
    match progress {
        Progress::GoesOn => Phase::Answering(answering),
        Progress::Pauses => {
            answering.pause(effects);
            Phase::Finished
        }
        Progress::Ends(ending) => {
            answering.end(ending, now, effects);
            Phase::Finished
        }
    }
}
