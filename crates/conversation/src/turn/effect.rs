//! What a turn wants done.

use super::TurnState;
use crate::history::Summary;
use crate::stream_log::LoggedStream;
use flarebot_model::{ModelRequest, ToolCall};
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::message::{Message, Outcome};
use flarebot_tool::Repetition;

/// What has to be done for a turn, in the order given.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Store the state ([`crate::ledger::checkpoint`]). If the turn is gone by then, stop running it.
    Checkpoint(TurnState),
    /// Store a summary of the older part of the conversation together with the state ([`crate::compaction::store`]). If
    /// the turn is gone by then, stop running it.
    Compact {
        /// What stands for the older part from now on.
        summary: Summary,
        /// The state.
        state: TurnState,
    },
    /// Begin a call of the model.
    CallModel(ModelRequest),
    /// Abort the call of the model; nothing that it still sends is wanted.
    StopModel,
    /// Run a tool and report what comes of it, if [`crate::activity::begin`] lets it.
    RunTool {
        /// The call; its id is unique within the answer.
        call: ToolCall,
        /// Whether it may have been run before.
        repetition: Repetition,
    },
    /// Drop a tool's call; nothing that it still reports is wanted.
    StopTool {
        /// The call.
        call_id: String,
        /// Why.
        reason: StopReason,
    },
    /// The answer goes on from these chunks under the request [`Turn::stream_id`](super::Turn::stream_id): replace the log by them
    /// ([`crate::stream_log::rewind`]), and what every reader has of the answer. Live chunks follow.
    Rewind(LoggedStream),
    /// Make chunks durable ([`crate::activity::append`]).
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
    /// The turn waits for the owner: store that ([`crate::ledger::pause`]), tell the sockets, and drop the machine. Comes
    /// instead of [`Effect::Finish`], and last.
    Pause {
        /// What is needed to go on, with the log.
        state: TurnState,
        /// The answer so far.
        message: Message,
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

/// Why a call is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// It ran longer than its tool may.
    TimedOut,
    /// Its answer ends: nobody waits for it any more.
    AnswerEnds,
}
