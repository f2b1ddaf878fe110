//! The conversation's public state, which is what its tools do: how open sockets hear of it, and how its past is read.

use super::Chat;
use crate::clock::now;
use crate::fault::{Fault, log};
use crate::storage::ObjectSql;
use crate::tools::toolbox;
use flarebot_conversation::ConversationError;
use flarebot_conversation::action::Claim;
use flarebot_conversation::activity::{self, News, Pace, Watch};
use flarebot_conversation::turn::{StopReason, Turn};
use flarebot_model::ToolCall;
use flarebot_protocol::call::{CallFailure, FailureCode, ListToolActivities};
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::frame::{ServerFrame, SharedState};
use flarebot_protocol::message::{Message, Part};
use flarebot_protocol::tool_activity::{ActivityPage, ConversationState};
use flarebot_tool::Repetition;
use std::cell::{Cell, RefCell};

/// What open sockets know of the activities, and what they are owed.
#[derive(Default)]
pub(super) struct Told {
    pace: Cell<Pace>,
    /// What all of them were told last, if that is known.
    state: RefCell<Option<ConversationState>>,
}

impl Told {
    /// Something has changed, and [`Chat::tell_activities`] will tell.
    pub(super) fn owe(&self, news: News) {
        let mut pace = self.pace.get();
        pace.hear(news);
        self.pace.set(pace);
    }

    /// When [`Chat::tell_activities`] has something to tell; `None` while it has not.
    pub(super) fn due_at(&self) -> Option<i64> {
        self.pace.get().due_at()
    }
}

impl Chat {
    /// Makes chunks durable with what they say of calls.
    pub(super) fn log_chunks(&self, turn: &Turn, first_seq: u64, chunks: &[Chunk]) -> Result<(), Fault> {
        self.watch(turn, |watch| Ok(((), watch.append(first_seq, chunks, now())?)))
    }

    /// Records that a call begins, if it may.
    pub(super) fn claim_call(
        &self,
        turn: &Turn,
        call: &ToolCall,
        repetition: Repetition,
    ) -> Result<Claim, Fault> {
        self.watch(turn, |watch| watch.begin(call, repetition, now()))
    }

    /// Records that nobody waits for a call any more.
    pub(super) fn drop_call(&self, turn: &Turn, call_id: &str, reason: StopReason) -> Result<(), Fault> {
        self.watch(turn, |watch| Ok(((), watch.stop(call_id, reason, now())?)))
    }

    fn watch<T>(
        &self,
        turn: &Turn,
        records: impl FnOnce(Watch<'_, ObjectSql>) -> Result<(T, News), ConversationError>,
    ) -> Result<T, Fault> {
        let toolbox = toolbox();
        let (value, news) = records(Watch {
            sql: &self.sql,
            toolbox: &toolbox,
            request_id: turn.request_id(),
            message_id: turn.message_id(),
        })?;
        self.told.owe(news);
        Ok(value)
    }

    /// An answer has ended, and what its tools had open with it.
    pub(super) fn owe_activities_of(&self, message: &Message) {
        if message.parts.iter().any(|part| matches!(part, Part::Tool(_))) {
            self.told.owe(News::Calls);
        }
    }

    /// The public state as a client gets it first. It may be newer than what the others were told.
    pub(super) fn state_frame(&self) -> Result<ServerFrame, Fault> {
        self.told.state.take();
        Ok(frame(activity::live(&self.sql)?))
    }

    /// Tells every socket what it is owed by now. What is told is stored, so a failure costs nothing but this one frame.
    pub(super) fn tell_activities(&self) {
        let mut pace = self.told.pace.get();
        if !pace.tell(now()) {
            return;
        }
        self.told.pace.set(pace);
        match activity::live(&self.sql) {
            Ok(state) => {
                let known = self.told.state.replace(Some(state.clone()));
                if known.as_ref() != Some(&state) {
                    self.sockets.send(&self.state, &frame(state), |_| true);
                }
            }
            Err(error) => log("the activities of tools could not be told", &error.into()),
        }
    }

    /// Tells every socket at once, if anything has changed.
    pub(super) fn tell_changed_activities(&self) {
        self.told.owe(News::Calls);
        self.tell_activities();
    }

    pub(super) fn list_activities(&self, call: &ListToolActivities) -> Result<ActivityPage, CallFailure> {
        activity::page(&self.sql, call.before).map_err(|error| {
            log("a page of activities could not be read", &error.into());
            CallFailure::new(
                FailureCode::Internal,
                "What tools have done could not be read. Try again.",
            )
        })
    }
}

fn frame(state: ConversationState) -> ServerFrame {
    ServerFrame::State {
        state: SharedState::Conversation(state),
    }
}
