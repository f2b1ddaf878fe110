//! A small world around the turn machine: a model that goes on with an answer in the ways that models do, tools that count
//! how often they run, an owner who has to allow one of them, readers that join and fall behind, and a process that dies
//! after any effect.

mod plan;
mod reader;

pub(crate) use plan::{Calls, Continuation, Plan, step_text};

use crate::long::Long;
use crate::support::{accept, message_id};
use crate::tools::{toolbox, tools_context};
use flarebot_conversation::action::{self, ActionResult, Claim};
use flarebot_conversation::activity::Watch;
use flarebot_conversation::ledger::approval::{self, Refusal, Verdict};
use flarebot_conversation::ledger::{self, ContinuedTurn, Settlement};
use flarebot_conversation::turn::{Effect, Event, Turn, TurnContext};
use flarebot_conversation::{compaction, stream_log, transcript};
use flarebot_model::ToolCall;
use flarebot_protocol::message::{Decision, Message, Part};
use flarebot_sql::native::Database;
use flarebot_tool::{Repetition, Toolbox};
use reader::Reader;
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};

/// What was left in the end.
pub(crate) struct Outcome {
    pub(crate) message: Message,
    /// How often each call ran, by tool and id.
    pub(crate) runs: BTreeMap<(String, String), usize>,
    /// What the owner has said to each call that asked, by id.
    pub(crate) decisions: BTreeMap<String, Decision>,
    pub(crate) deaths: usize,
    /// How often the model was called for an answer.
    pub(crate) model_calls: usize,
    pub(crate) compactions: usize,
    pub(crate) database: Database,
}

/// Runs the plan to the end of its turn.
pub(crate) fn play(plan: &Plan) -> Outcome {
    World::new(plan, None).play()
}

/// Runs the plan at the end of a long conversation.
pub(crate) fn play_long(plan: &Plan, long: Long) -> Outcome {
    World::new(plan, Some(long)).play()
}

struct World<'a> {
    plan: &'a Plan,
    long: Option<Long>,
    database: Database,
    toolbox: Toolbox,
    readers: Vec<Reader>,
    runs: BTreeMap<(String, String), usize>,
    decisions: BTreeMap<String, Decision>,
    model_calls: usize,
    compactions: usize,
    now: i64,
}

/// One life of the process.
struct Process {
    turn: Turn,
    model: VecDeque<Event>,
    tools: VecDeque<Event>,
    life: usize,
    /// Whether somebody connects.
    joined: bool,
}

/// Whether the process goes on.
#[derive(PartialEq, Eq)]
enum Life {
    GoesOn,
    Died,
    Paused,
    Finished,
}

impl<'a> World<'a> {
    fn new(plan: &'a Plan, long: Option<Long>) -> Self {
        let database = crate::support::database();
        if let Some(long) = long {
            long.speak(&database);
        }
        accept(&database, "a");
        Self {
            plan,
            long,
            database,
            toolbox: toolbox(),
            readers: Vec::new(),
            runs: BTreeMap::new(),
            decisions: BTreeMap::new(),
            model_calls: 0,
            compactions: 0,
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
        let mut turn = Turn::new(claimed, self.context());
        let mut first = Event::Accepted;
        let mut deaths = 0;
        loop {
            let process = Process {
                turn,
                model: VecDeque::new(),
                tools: VecDeque::new(),
                life: lives.next().unwrap(),
                joined: false,
            };
            if self.live(process, first) == Life::Finished {
                break;
            }
            assert!(deaths < 100, "the turn never ends");
            // What comes next sees nothing but the database, be it another process or the owner, hours later.
            self.restart();
            let (continued, event) = match ledger::take_over(&self.database, self.now).unwrap() {
                Some(lost) => {
                    deaths += 1;
                    (lost, Event::Resumed)
                }
                None => (self.ask_the_owner(), Event::Decided),
            };
            let logged = stream_log::read(&self.database, &continued.turn.request_id).unwrap();
            turn = Turn::resume(continued.turn, self.context(), continued.state, logged);
            first = event;
        }
        let stored = transcript::newest(&self.database).unwrap();
        let earlier = self.long.map_or(0, |long| long.earlier);
        assert_eq!(stored.len(), 2 * earlier + 2, "one question, one answer");
        assert_eq!(ledger::take_over(&self.database, self.now), Ok(None));
        let message = stored.into_iter().next_back().unwrap();
        for reader in &self.readers {
            assert_eq!(reader.message(), message.parts, "a reader sees what is stored");
        }
        Outcome {
            message,
            runs: self.runs,
            decisions: self.decisions,
            deaths,
            model_calls: self.model_calls,
            compactions: self.compactions,
            database: self.database,
        }
    }

    /// What a process knows when it begins.
    fn context(&self) -> TurnContext {
        let history = transcript::for_model(&self.database, &message_id("user-a")).unwrap();
        tools_context(history.unwrap())
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
            // Nobody connects while the effects of one event are carried out.
            if std::mem::take(&mut process.joined) && self.readers.len() < 5 {
                let logged = stream_log::read(&self.database, process.turn.request_id()).unwrap();
                self.readers.push(Reader::join(process.turn.running(logged)));
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
            Effect::Compact { summary, state } => {
                let settlement =
                    compaction::store(&self.database, &request_id, &summary, &state, self.now).unwrap();
                assert_eq!(settlement, Settlement::Applied);
                self.compactions += 1;
            }
            Effect::CallModel(request) => {
                let instead = self.long.and_then(|long| long.instead_of_an_answer(&request));
                if let Some(events) = instead {
                    process.model = events.into();
                    return Life::GoesOn;
                }
                let cut = self.plan.cuts.get(self.model_calls).copied();
                self.model_calls += 1;
                process.model = self.plan.answer(&request, cut).into();
            }
            Effect::StopModel => process.model.clear(),
            Effect::RunTool { call, repetition } => {
                return self.run_tool(process, call, repetition);
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
                let watch = self.watch(&process.turn);
                watch.append(first_seq, &chunks, self.now).unwrap();
            }
            Effect::Send { seq, chunk } => {
                for reader in &mut self.readers {
                    reader.take(process.turn.stream_id(), seq, &chunk);
                }
                process.joined |= seq % 9 == 1;
            }
            Effect::Pause { state, message } => {
                let settlement =
                    ledger::pause(&self.database, &request_id, &state, &message, self.now).unwrap();
                assert_eq!(settlement, Settlement::Applied);
                if process.life > 0 {
                    for reader in &mut self.readers {
                        assert_eq!(reader.reduced(), message.parts, "a reader sees what is stored");
                        reader.settle(&message);
                    }
                }
                return Life::Paused;
            }
            Effect::Finish { outcome, message, .. } => {
                let settlement =
                    ledger::settle(&self.database, &request_id, outcome, &message, self.now).unwrap();
                assert_eq!(settlement, Settlement::Applied);
                // Every page is sent the complete message.
                for reader in &mut self.readers {
                    reader.settle(&message);
                }
                return Life::Finished;
            }
        }
        Life::GoesOn
    }

    fn watch<'b>(&'b self, turn: &'b Turn) -> Watch<'b, Database> {
        Watch {
            sql: &self.database,
            toolbox: &self.toolbox,
            request_id: turn.request_id(),
            message_id: turn.message_id(),
        }
    }

    fn restart(&mut self) {
        self.database = self.database.copy().unwrap();
    }

    /// The owner decides on all that waits. Whoever decides something else later is too late, and a process that dies
    /// after a decision has not lost it.
    fn ask_the_owner(&mut self) -> ContinuedTurn {
        loop {
            self.restart();
            assert_eq!(
                ledger::take_over(&self.database, self.now),
                Ok(None),
                "a turn that waits is not lost"
            );
            let message = transcript::newest(&self.database).unwrap().remove(1);
            let waiting = message.parts.iter().find_map(|part| match part {
                Part::Tool(call) if call.state.waits_for_approval() => Some(call.tool_call_id.clone()),
                _ => None,
            });
            let Some(call) = waiting else {
                let decided = ledger::claim_decided(&self.database).unwrap();
                return decided.expect("everything is decided");
            };
            assert_eq!(
                ledger::claim_decided(&self.database),
                Ok(None),
                "{call} is not decided"
            );
            let said = self.plan.owner[self.decisions.len() % self.plan.owner.len()];
            let (decision, dies) = said;
            let decide =
                |decision| approval::decide(&self.database, &message.id, &call, decision, self.now).unwrap();
            assert!(matches!(decide(decision), Verdict::Applied { .. }));
            for late in [Decision::Approved, Decision::Declined] {
                assert_eq!(decide(late), Verdict::Refused(Refusal::Decided(decision)));
            }
            self.decisions.insert(call, decision);
            if dies {
                self.restart();
            }
        }
    }

    /// Runs a tool in three steps, after each of which the process may die.
    fn run_tool(&mut self, process: &mut Process, call: ToolCall, repetition: Repetition) -> Life {
        let request_id = process.turn.request_id();
        let watch = self.watch(&process.turn);
        let (claim, _) = watch.begin(&call, repetition, self.now).unwrap();
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
