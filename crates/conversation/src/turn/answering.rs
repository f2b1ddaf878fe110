//! The phase in which an answer is made: the model is called, tools run, and interruptions are survived.

mod approval;
mod ending;
mod interruption;
mod overflow;
mod step;

pub(super) use ending::Ending;

use super::answer::{Answer, Kind, Room};
use super::model_call::ModelCall;
use super::outbox::Outbox;
use super::summary::SummaryCall;
use super::tools::OpenCalls;
use super::{Effect, Event, TurnContext, TurnState};
use flarebot_model::{FailureKind, ModelEvent};
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::message::Usage;

#[derive(Debug)]
pub(super) struct Answering {
    context: TurnContext,
    /// How often the turn was begun or taken over, this time included and pauses not counted.
    attempts: u32,
    state: TurnState,
    answer: Answer,
    outbox: Outbox,
    activity: Activity,
}

/// What the turn waits for.
#[derive(Debug)]
enum Activity {
    Nothing,
    Model(Box<ModelCall>),
    Summary(SummaryCall),
    Tools(OpenCalls),
    /// The next attempt.
    Pause {
        until: i64,
    },
}

/// What an event means for the turn.
pub(super) enum Progress {
    GoesOn,
    /// It waits for the owner.
    Pauses,
    Ends(Ending),
}

impl Answering {
    pub(super) fn new(context: TurnContext, attempts: u32, state: TurnState) -> Self {
        Self {
            context,
            attempts,
            answer: Answer::new(state.empty_message()),
            state,
            outbox: Outbox::default(),
            activity: Activity::Nothing,
        }
    }

    /// When a tick is wanted next.
    pub(super) fn deadline(&self) -> Option<i64> {
        let activity = match &self.activity {
            Activity::Nothing => None,
            Activity::Model(call) => Some(call.silent_at()),
            Activity::Summary(call) => Some(call.silent_at()),
            Activity::Tools(open) => open.deadline(),
            Activity::Pause { until } => Some(*until),
        };
        [self.outbox.due_at(), activity].into_iter().flatten().min()
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
            Event::Model(event) => self.hear_model(event, now, effects),
            Event::ModelActive => {
                match &mut self.activity {
                    Activity::Model(call) => call.heard_at = now,
                    Activity::Summary(call) => call.heard_at = now,
                    Activity::Nothing | Activity::Tools(_) | Activity::Pause { .. } => {}
                }
                Progress::GoesOn
            }
            Event::ModelClosed => match self.activity {
                Activity::Model(_) => self.call_broke(FailureKind::Truncated, now, effects),
                Activity::Summary(_) => self.leave_out(now, effects),
                Activity::Nothing | Activity::Tools(_) | Activity::Pause { .. } => Progress::GoesOn,
            },
            Event::ToolProgress { call_id, progress } => {
                self.hear_report(&call_id, progress, now, effects);
                Progress::GoesOn
            }
            Event::ToolFinished { call_id, result } => self.take_result(&call_id, result, now, effects),
            Event::Cancel => Progress::Ends(Ending::Aborted),
            Event::Failed { sentence } => Progress::Ends(Ending::Failed(sentence)),
            Event::Tick => self.tick(now, effects),
            Event::Accepted | Event::Resumed | Event::Decided => Progress::GoesOn,
        }
    }

    fn tick(&mut self, now: i64, effects: &mut Vec<Effect>) -> Progress {
        match &mut self.activity {
            Activity::Model(call) if call.silent_at() <= now => {
                effects.push(Effect::StopModel);
                self.call_broke(FailureKind::Silent, now, effects)
            }
            Activity::Summary(call) if call.silent_at() <= now => {
                effects.push(Effect::StopModel);
                self.leave_out(now, effects)
            }
            Activity::Pause { until } if *until <= now => self.call(Vec::new(), now, effects),
            Activity::Tools(_) => self.look_after_calls(now, effects),
            Activity::Nothing | Activity::Model(_) | Activity::Summary(_) | Activity::Pause { .. } => {
                Progress::GoesOn
            }
        }
    }

    fn hear_model(&mut self, event: ModelEvent, now: i64, effects: &mut Vec<Effect>) -> Progress {
        let call = match &mut self.activity {
            Activity::Model(call) => call,
            Activity::Summary(_) => return self.hear_summary(event, now, effects),
            Activity::Nothing | Activity::Tools(_) | Activity::Pause { .. } => return Progress::GoesOn,
        };
        call.heard_at = now;
        match event {
            ModelEvent::Text(text) => {
                let new = call.take_text(text);
                self.extend(Kind::Text, &new, now, effects)
            }
            ModelEvent::Reasoning(_) if call.continues() => Progress::GoesOn,
            ModelEvent::Reasoning(text) => self.extend(Kind::Reasoning, &text, now, effects),
            ModelEvent::Thought(thought) => {
                // The thoughts of a rest would be told of as those of its whole step.
                if !call.continues() {
                    call.thoughts.push(thought);
                }
                Progress::GoesOn
            }
            ModelEvent::ToolCallStarted { id, name } => self.announce_call(&id, name, now, effects),
            ModelEvent::ToolCall(mut tool_call) => {
                tool_call.id = call.id(&tool_call.id, |id| self.answer.has_call(id));
                call.tool_calls.push(tool_call);
                Progress::GoesOn
            }
            ModelEvent::Usage(usage) => {
                self.count(usage);
                Progress::GoesOn
            }
            ModelEvent::Finished(reason) => self.finish_call(reason, now, effects),
            ModelEvent::Failed(failure) if failure.kind == FailureKind::Truncated => {
                self.call_broke(failure.kind, now, effects)
            }
            ModelEvent::Failed(failure) if failure.kind == FailureKind::ContextTooLong => {
                self.overflowed(failure, now, effects)
            }
            // The provider may report a failure inside an answer that it keeps open: the end stops the call.
            ModelEvent::Failed(failure) => Progress::Ends(Ending::Failed(failure.sentence())),
        }
    }

    fn count(&mut self, usage: Usage) {
        self.state.usage = Some(self.state.usage.unwrap_or_default().plus(usage));
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

    fn send(&mut self, chunk: Chunk, now: i64, effects: &mut Vec<Effect>) {
        self.answer.apply(&chunk);
        self.outbox.send(chunk, now, effects);
    }
}
