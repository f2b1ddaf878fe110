//! A small world around the turn machine: a model that goes on with an answer in the ways that models do, two tools that
//! count how often they run, readers that join and fall behind, and a process that dies after any effect.

use crate::support::{accept, context};
use flarebot_conversation::action::{self, ActionResult, Claim};
use flarebot_conversation::ledger::{self, Settlement};
use flarebot_conversation::turn::{Effect, Event, Turn, TurnContext};
use flarebot_conversation::{stream_log, transcript};
use flarebot_model::{ModelEvent, ModelMessage, ModelRequest, ToolCall, ToolChoice};
use flarebot_protocol::chunk::{Chunk, FinishReason};
use flarebot_protocol::frame::RunningTurn;
use flarebot_protocol::message::{Message, Role};
use flarebot_protocol::{RequestId, reduce};
use flarebot_sql::native::Database;
use flarebot_tool::{Approval, DEADLINE_MILLISECONDS, Repetition, ToolDescriptor};
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};

/// What a model does when it is asked to go on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Continuation {
    Continues,
    StartsOver,
    Overlaps,
}

/// What the model is going to say.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// For each step with tools, how often it calls each of the two.
    pub(crate) tools: Vec<(usize, usize)>,
    /// How many numbered marks the text of every step has.
    pub(crate) marks: usize,
    pub(crate) continuation: Continuation,
    /// After how many effects the process dies, each time.
    pub(crate) lives: Vec<usize>,
    /// After how many marks the connection breaks, for the first calls of the model.
    pub(crate) cuts: Vec<usize>,
}

/// What was left in the end.
pub(crate) struct Outcome {
    pub(crate) message: Message,
    /// How often each call ran, by tool and id.
    pub(crate) runs: BTreeMap<(String, String), usize>,
    pub(crate) deaths: usize,
    pub(crate) model_calls: usize,
}

pub(crate) fn step_text(step: usize, marks: usize) -> String {
    (0..marks)
        .map(|number| format!("[{step}.{number:04} some words]"))
        .collect()
}

/// Runs the plan to the end of its turn.
pub(crate) fn play(plan: &Plan) -> Outcome {
    World::new(plan).play()
}

struct World<'a> {
    plan: &'a Plan,
    database: Database,
    readers: Vec<Reader>,
    runs: BTreeMap<(String, String), usize>,
    model_calls: usize,
    now: i64,
}

/// One life of the process.
struct Process {
    turn: Turn,
    model: VecDeque<Event>,
    tools: VecDeque<Event>,
    life: usize,
}

/// Whether the process goes on.
#[derive(PartialEq, Eq)]
enum Life {
    GoesOn,
    Died,
    Finished,
}

impl<'a> World<'a> {
    fn new(plan: &'a Plan) -> Self {
        let database = crate::support::database();
        accept(&database, "a");
        Self {
            plan,
            database,
            readers: Vec::new(),
            runs: BTreeMap::new(),
            model_calls: 0,
            now: 100,
        }
    }

    fn play(mut self) -> Outcome {
        let claimed = ledger::claim_next(&self.database, 50).unwrap().unwrap();
        let mut lives = self
            .plan
            .lives
            .iter()
            .copied()
            .chain(std::iter::repeat(usize::MAX));
        let mut turn = Turn::new(claimed, tools_context());
        let mut first = Event::Accepted;
        let mut deaths = 0;
        loop {
            let process = Process {
                turn,
                model: VecDeque::new(),
                tools: VecDeque::new(),
                life: lives.next().unwrap(),
            };
            if self.live(process, first) == Life::Finished {
                break;
            }
            deaths += 1;
            assert!(deaths < 100, "the turn never ends");
            self.database = self.database.copy().unwrap();
            let lost = ledger::take_over(&self.database)
                .unwrap()
                .expect("the turn is lost");
            let logged = stream_log::read(&self.database, &lost.turn.request_id).unwrap();
            turn = Turn::resume(lost.turn, tools_context(), lost.state, logged);
            first = Event::Resumed;
        }
        let stored = transcript::all(&self.database).unwrap();
        assert_eq!(stored.len(), 2, "one question, one answer");
        assert_eq!(ledger::take_over(&self.database), Ok(None));
        let message = stored.into_iter().next_back().unwrap();
        for reader in &self.readers {
            assert_eq!(reader.message(), message.parts, "a reader sees what is stored");
        }
        Outcome {
            message,
            runs: self.runs,
            deaths,
            model_calls: self.model_calls,
        }
    }

    fn live(&mut self, mut process: Process, first: Event) -> Life {
        let mut next = Some(first);
        loop {
            let event = match next.take() {
                Some(event) => event,
                // Whatever is quicker; the tick comes when nothing else does.
                None => match process.tools.pop_front().or_else(|| process.model.pop_front()) {
                    Some(event) => event,
                    None => {
                        self.now = process.turn.deadline().expect("something to wait for");
                        Event::Tick
                    }
                },
            };
            self.now += 7;
            for effect in process.turn.handle(event, self.now) {
                if process.life == 0 {
                    return Life::Died;
                }
                process.life -= 1;
                match self.carry_out(&mut process, effect) {
                    Life::GoesOn => {}
                    ended => return ended,
                }
            }
        }
    }

    fn carry_out(&mut self, process: &mut Process, effect: Effect) -> Life {
        let request_id = process.turn.request_id().clone();
        match effect {
            Effect::Checkpoint(state) => {
                let settlement = ledger::checkpoint(&self.database, &request_id, &state).unwrap();
                assert_eq!(settlement, Settlement::Applied);
            }
            Effect::CallModel(request) => {
                let cut = self.plan.cuts.get(self.model_calls).copied();
                self.model_calls += 1;
                process.model = self.plan.answer(&request, cut).into();
            }
            Effect::StopModel => process.model.clear(),
            Effect::RunTool { call, repetition } => {
                return self.run_tool(process, &request_id, call, repetition);
            }
            Effect::StopTool { .. } => panic!("no tool is slow here"),
            Effect::Rewind(logged) => {
                stream_log::rewind(&self.database, &request_id, &logged).unwrap();
                let running = process.turn.rewound(logged);
                for reader in &mut self.readers {
                    *reader = Reader::join(running.clone());
                }
            }
            Effect::Append { first_seq, chunks } => {
                stream_log::append(&self.database, &request_id, first_seq, &chunks).unwrap();
            }
            Effect::Send { seq, chunk } => {
                for reader in &mut self.readers {
                    reader.take(process.turn.stream_id(), seq, &chunk);
                }
                if seq % 9 == 1 && self.readers.len() < 5 {
                    let logged = stream_log::read(&self.database, &request_id).unwrap();
                    self.readers.push(Reader::join(process.turn.running(logged)));
                }
            }
            Effect::Pause { .. } => panic!("no tool waits here"),
            Effect::Finish { outcome, message, .. } => {
                let settlement =
                    ledger::settle(&self.database, &request_id, outcome, &message, self.now).unwrap();
                assert_eq!(settlement, Settlement::Applied);
                // Every page is sent the complete message.
                for reader in &mut self.readers {
                    reader.settled = Some(message.clone());
                }
                return Life::Finished;
            }
        }
        Life::GoesOn
    }

    /// Runs a tool in three steps, after each of which the process may die.
    fn run_tool(
        &mut self,
        process: &mut Process,
        request_id: &RequestId,
        call: ToolCall,
        repetition: Repetition,
    ) -> Life {
        let claim = match repetition {
            Repetition::Harmless => Claim::Run,
            Repetition::Never => {
                action::claim(&self.database, request_id, &call.id, &call.name, self.now).unwrap()
            }
        };
        let result = match claim {
            Claim::Run => {
                for step in 0..3 {
                    if process.life == 0 {
                        return Life::Died;
                    }
                    process.life -= 1;
                    match step {
                        0 => *self.runs.entry((call.name.clone(), call.id.clone())).or_default() += 1,
                        1 if repetition == Repetition::Never => {
                            let result = ActionResult::Returned(json!({ "done": call.id }));
                            action::settle(&self.database, request_id, &call.id, &result).unwrap();
                        }
                        _ => {}
                    }
                }
                Ok(json!({ "done": call.id }))
            }
            Claim::Settled(ActionResult::Returned(value)) => Ok(value),
            Claim::Settled(ActionResult::Failed(sentence)) => Err(sentence),
            Claim::Unknown => Err("unknown".to_owned()),
        };
        process.tools.push_back(Event::ToolFinished {
            call_id: call.id,
            result,
        });
        Life::GoesOn
    }
}

impl Plan {
    /// What the model answers to a request, from what the request holds alone.
    fn answer(&self, request: &ModelRequest, cut: Option<usize>) -> Vec<Event> {
        let calls = |message: &ModelMessage| matches!(message, ModelMessage::Assistant { calls, .. } if !calls.is_empty());
        let step = request.messages.iter().filter(|message| calls(message)).count();
        let whole = step_text(step, self.marks);
        let partial = match request.messages.as_slice() {
            [
                ..,
                ModelMessage::Assistant { text, calls },
                ModelMessage::User { .. },
            ] if calls.is_empty() => text.as_str(),
            _ => "",
        };
        assert!(
            whole.starts_with(partial),
            "{partial:?} is what the model has said"
        );
        let from = match self.continuation {
            Continuation::Continues => partial.len(),
            Continuation::StartsOver => 0,
            Continuation::Overlaps => partial.len().saturating_sub(40),
        };
        let rest: Vec<char> = whole[from..].chars().collect();
        let mut events: Vec<Event> = rest
            .chunks(17)
            .map(|piece| Event::Model(ModelEvent::Text(piece.iter().collect())))
            .collect();
        if let Some(cut) = cut {
            events.truncate(cut);
            events.push(Event::ModelClosed);
            return events;
        }
        let reason = match self.tools.get(step) {
            Some((acts, looks)) if request.tool_choice == ToolChoice::Automatic && acts + looks > 0 => {
                let names = [("act", *acts), ("look", *looks)];
                let all = names
                    .into_iter()
                    .flat_map(|(name, count)| (0..count).map(move |number| (name, number)));
                for (name, number) in all {
                    let id = format!("call-{name}-{number}");
                    let started = ModelEvent::ToolCallStarted {
                        id: id.clone(),
                        name: name.to_owned(),
                    };
                    let call = ToolCall {
                        id,
                        name: name.to_owned(),
                        arguments: json!({ "step": step }),
                    };
                    events.extend([started, ModelEvent::ToolCall(call)].map(Event::Model));
                }
                FinishReason::ToolCalls
            }
            _ => FinishReason::Stop,
        };
        events.push(Event::Model(ModelEvent::Finished(reason)));
        events
    }
}

/// Somebody who watches the answer.
struct Reader {
    running: RunningTurn,
    settled: Option<Message>,
}

impl Reader {
    fn join(running: RunningTurn) -> Self {
        Self {
            running,
            settled: None,
        }
    }

    fn take(&mut self, stream: &RequestId, seq: u64, chunk: &Chunk) {
        if self.running.request_id == *stream && seq == self.running.next_seq {
            self.running.chunks.push(chunk.clone());
            self.running.next_seq += 1;
        }
    }

    /// What is shown: the chunks must lead to the very message that is stored.
    fn message(&self) -> Vec<flarebot_protocol::message::Part> {
        let empty = Message {
            id: self.running.message_id.clone(),
            role: Role::Assistant,
            parts: Vec::new(),
            metadata: None,
        };
        let settled = self.settled.as_ref().expect("everybody hears of the end");
        let ended = self.running.chunks.last();
        match ended {
            Some(Chunk::Finish { .. } | Chunk::Error { .. } | Chunk::Abort) => {
                reduce(empty, &self.running.chunks).parts
            }
            // Its end was only in the log when the process died.
            _ => settled.parts.clone(),
        }
    }
}

fn tools_context() -> TurnContext {
    let tool = |name, repetition| ToolDescriptor {
        name,
        description: "A tool.",
        parameters: json!({ "type": "object" }),
        repetition,
        approval: Approval::NotNeeded,
        deadline_milliseconds: DEADLINE_MILLISECONDS,
    };
    TurnContext {
        messages: vec![ModelMessage::User {
            text: "question a".to_owned(),
        }],
        tools: vec![tool("act", Repetition::Never), tool("look", Repetition::Harmless)],
        ..context()
    }
}
