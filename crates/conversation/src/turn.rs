//! The turn machine: what happens between the owner's message and the end of its answer, without any I/O.
//!
//! Whoever runs a turn gives it [`Event`]s with the time and carries out the [`Effect`]s that come back, in their
//! order and before anything else happens to the turn. Between two events it waits for the first of three things:
//! bytes of the model, a cancel, and the instant of [`Turn::deadline`], which it reports as [`Event::Tick`].
//!
//! ```
//! use flarebot_conversation::turn::{Effect, Event, Turn, TurnContext};
//! use flarebot_model::ModelEvent;
//! use flarebot_protocol::chunk::FinishReason;
//! use flarebot_protocol::message::Outcome;
//! use flarebot_protocol::{MessageId, RequestId};
//!
//! let context = TurnContext { model: "small".to_owned(), system: None, messages: Vec::new() };
//! let mut turn = Turn::new(RequestId::new("request")?, MessageId::new("answer")?, context);
//!
//! let effects = turn.handle(Event::Accepted, 0);
//! assert!(matches!(effects.first(), Some(Effect::Checkpoint(_))));
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
//! A turn that a later instance finds running is rebuilt with [`Turn::resume`] and told [`Event::Resumed`].

mod answer;
mod answering;
mod notice;
mod outbox;
mod recovery;
mod state;

pub use answer::MAXIMUM_ANSWER_BYTES;
pub use state::TurnState;

use crate::stream_log::LoggedStream;
use answering::{Answering, Ending, Progress};
use flarebot_model::{ModelEvent, ModelMessage, ModelRequest};
use flarebot_protocol::chunk::{self, Chunk};
use flarebot_protocol::frame::RunningTurn;
use flarebot_protocol::message::{Message, Outcome};
use flarebot_protocol::{MessageId, RequestId};

/// What a turn needs to know to call the model: one coherent snapshot, taken when the turn is claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnContext {
    /// The model's name at its provider.
    pub model: String,
    /// Instructions that come before the conversation.
    pub system: Option<String>,
    /// The conversation up to the message that is answered; see [`crate::transcript::for_model`].
    pub messages: Vec<ModelMessage>,
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
    /// The owner stops the answer.
    Cancel,
    /// The turn cannot go on for a reason outside of the model, such as a missing configuration.
    Failed {
        /// One sentence for the owner: what happened, and what to do next.
        sentence: String,
    },
    /// A later instance took the turn over; see [`Turn::resume`].
    Resumed,
    /// The instant of [`Turn::deadline`] came.
    Tick,
}

/// What has to be done for a turn, in the order given.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Store the state ([`crate::ledger::checkpoint`]). If the turn is gone by then, stop running it.
    Checkpoint(TurnState),
    /// Begin a call of the model.
    CallModel(ModelRequest),
    /// Abort the call of the model; nothing that it still sends is wanted.
    StopModel,
    /// Make chunks durable ([`crate::stream_log::append`]).
    Append {
        /// The number of the first one; the others follow without gaps.
        first_seq: u64,
        /// The chunks, at least one.
        chunks: Vec<Chunk>,
    },
    /// Send a chunk to every open socket.
    Send {
        /// Its number within the request.
        seq: u64,
        /// The chunk.
        chunk: Chunk,
    },
    /// The turn ended: settle it ([`crate::ledger::settle`]), tell the sockets, and drop the machine. Comes exactly
    /// once and last.
    Finish {
        /// How it ended.
        outcome: Outcome,
        /// The answer, with all its metadata; without parts if nothing of it ever came.
        message: Message,
        /// One sentence for the owner when the turn did not simply complete; also in the message's metadata.
        notice: Option<String>,
    },
}

/// One turn in progress.
#[derive(Debug)]
pub struct Turn {
    request_id: RequestId,
    message_id: MessageId,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    Ready(TurnContext),
    Answering(Box<Answering>),
    Lost { state: TurnState, chunks: Vec<Chunk> },
    Finished,
}

impl Turn {
    /// A turn that was just claimed. It waits for [`Event::Accepted`].
    #[must_use]
    pub fn new(request_id: RequestId, message_id: MessageId, context: TurnContext) -> Self {
        Self {
            request_id,
            message_id,
            phase: Phase::Ready(context),
        }
    }

    /// A turn that ran in an instance that is gone, rebuilt from what is durable of it. It waits for
    /// [`Event::Resumed`] and then ends: as it had ended, if the log holds its end, and else as interrupted, with
    /// the text that was logged. No chunk is sent for it, since a client may hold chunks beyond the log and a number
    /// must never mean two texts.
    #[must_use]
    pub fn resume(state: TurnState, logged: LoggedStream) -> Self {
        Self {
            request_id: state.request_id.clone(),
            message_id: state.message_id.clone(),
            phase: Phase::Lost {
                state,
                chunks: logged.chunks,
            },
        }
    }

    /// The request that is answered.
    #[must_use]
    pub fn request_id(&self) -> &RequestId {
        &self.request_id
    }

    /// The message that is written.
    #[must_use]
    pub fn message_id(&self) -> &MessageId {
        &self.message_id
    }

    /// Whether [`Effect::Finish`] has come.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        matches!(self.phase, Phase::Finished)
    }

    /// When [`Event::Tick`] is wanted next; `None` while there is nothing to wait for.
    #[must_use]
    pub fn deadline(&self) -> Option<i64> {
        match &self.phase {
            Phase::Answering(answering) => Some(answering.deadline()),
            Phase::Ready(_) | Phase::Lost { .. } | Phase::Finished => None,
        }
    }

    /// What a reader who joins now needs: `logged` is what [`crate::stream_log::read`] gives at this moment, and
    /// what was sent since the last append is added to it.
    #[must_use]
    pub fn running(&self, logged: LoggedStream) -> RunningTurn {
        let mut chunks = logged.chunks;
        let mut next_seq = logged.next_seq;
        if let Phase::Answering(answering) = &self.phase {
            let (waiting, next) = answering.unlogged();
            chunks.extend(waiting.iter().cloned());
            next_seq = next;
        }
        RunningTurn {
            request_id: self.request_id.clone(),
            message_id: self.message_id.clone(),
            user_message_id: None,
            chunks: chunk::merge(chunks),
            next_seq,
        }
    }

    /// Takes an event and says what has to be done for it. An event that does not fit the turn's phase changes
    /// nothing; after [`Effect::Finish`] none does.
    pub fn handle(&mut self, event: Event, now: i64) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.phase = match std::mem::replace(&mut self.phase, Phase::Finished) {
            Phase::Ready(context) => self.begin(context, event, now, &mut effects),
            Phase::Answering(answering) => advance(answering, event, now, &mut effects),
            Phase::Lost { state, chunks } if event == Event::Resumed => {
                effects.push(recovery::finish(&state, &chunks));
                Phase::Finished
            }
            idle @ (Phase::Lost { .. } | Phase::Finished) => idle,
        };
        effects
    }

    fn begin(&self, context: TurnContext, event: Event, now: i64, effects: &mut Vec<Effect>) -> Phase {
        let ending = match event {
            Event::Accepted => None,
            Event::Cancel => Some(Ending::Aborted),
            Event::Failed { sentence } => Some(Ending::Failed(sentence)),
            Event::Model(_) | Event::ModelActive | Event::ModelClosed | Event::Resumed | Event::Tick => {
                return Phase::Ready(context);
            }
        };
        let state = TurnState {
            request_id: self.request_id.clone(),
            message_id: self.message_id.clone(),
            model: ending.is_none().then(|| context.model.clone()),
            begun_at: now,
        };
        let mut answering = Answering::new(state, now);
        if let Some(ending) = ending {
            answering.start(now, effects);
            answering.end(ending, now, effects);
            return Phase::Finished;
        }
        answering.call(context, now, effects);
        Phase::Answering(Box::new(answering))
    }
}

fn advance(mut answering: Box<Answering>, event: Event, now: i64, effects: &mut Vec<Effect>) -> Phase {
    match answering.hear(event, now, effects) {
        Progress::GoesOn => Phase::Answering(answering),
        Progress::Ends(ending) => {
            answering.end(ending, now, effects);
            Phase::Finished
        }
    }
}
