//! A conversation whose turns are driven by hand: the machine, the storage, and an interpreter between them that runs no tool
//! by itself.

use crate::support::{accept, claim, database, message_id, request_id};
use crate::tools::{toolbox, tools_context};
use flarebot_conversation::action::{self, ActionResult, Claim};
use flarebot_conversation::activity::{self, News, Watch};
use flarebot_conversation::ledger::approval;
use flarebot_conversation::ledger::{self, ContinuedTurn};
use flarebot_conversation::turn::{Effect, Event, Turn};
use flarebot_conversation::{stream_log, transcript};
use flarebot_model::{ModelEvent, ToolCall, ToolChoice};
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::{Decision, Outcome};
use flarebot_protocol::tool_activity::ToolActivity;
use flarebot_protocol::{MessageId, RequestId};
use flarebot_sql::native::Database;
use flarebot_tool::Toolbox;
use serde_json::{Value, json};

pub(crate) struct World {
    pub(crate) database: Database,
    pub(crate) now: i64,
    /// The calls that run.
    pub(crate) running: Vec<String>,
    /// What watchers were owed since this was last looked at.
    pub(crate) news: News,
    /// Whether the answer waits for the owner.
    pub(crate) waits: bool,
    /// Whether the newest answer ended because it was interrupted too often.
    pub(crate) given_up: bool,
    /// Whether the model may call tools in the step that it makes.
    pub(crate) offers_tools: bool,
    /// The turn that is made, unless none is or it waits for the owner.
    turn: Option<Turn>,
    toolbox: Toolbox,
    asked: usize,
    /// The newest question, and its answer.
    request_id: RequestId,
    message_id: MessageId,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            database: database(),
            now: 1_000,
            running: Vec::new(),
            news: News::Nothing,
            waits: false,
            given_up: false,
            offers_tools: false,
            turn: None,
            toolbox: toolbox(),
            asked: 0,
            request_id: request_id("request-0"),
            message_id: message_id("answer-0"),
        }
    }

    /// A conversation whose model writes a call of each of these tools, one after the other: `call-0`, `call-1` …
    pub(crate) fn calling(tools: &[&str]) -> Self {
        let mut world = Self::new();
        world.ask();
        world.call(tools);
        world
    }

    /// The owner asks something, and its answer begins: `answer-0`, `answer-1` …
    pub(crate) fn ask(&mut self) {
        accept(&self.database, &self.asked.to_string());
        self.request_id = request_id(&format!("request-{}", self.asked));
        self.message_id = message_id(&format!("answer-{}", self.asked));
        self.asked += 1;
        self.given_up = false;
        let mut turn = Turn::new(claim(&self.database), tools_context(Default::default()));
        let effects = turn.handle(Event::Accepted, self.now);
        self.turn = Some(turn);
        self.carry_out(effects);
    }

    pub(crate) fn answer_id(&self) -> &MessageId {
        &self.message_id
    }

    /// The watch over the calls of the newest answer.
    pub(crate) fn watch(&self) -> Watch<'_, Database> {
        Watch {
            sql: &self.database,
            toolbox: &self.toolbox,
            request_id: &self.request_id,
            message_id: &self.message_id,
        }
    }

    pub(crate) fn is_answering(&self) -> bool {
        self.turn.is_some()
    }

    /// The model begins to write a call.
    pub(crate) fn announce(&mut self, id: &str, tool: &str) {
        self.hear(Event::Model(ModelEvent::ToolCallStarted {
            id: id.to_owned(),
            name: tool.to_owned(),
        }));
        // What was sent is durable a quarter of a second later.
        self.now += 300;
        self.hear(Event::Model(ModelEvent::ToolCall(ToolCall {
            id: id.to_owned(),
            name: tool.to_owned(),
            arguments: json!({ "number": 7, "secret": "argument-secret" }),
        })));
    }

    /// The model has written its calls.
    pub(crate) fn written(&mut self) {
        self.hear(Event::Model(ModelEvent::Finished(FinishReason::ToolCalls)));
    }

    pub(crate) fn call(&mut self, tools: &[&str]) {
        for (number, tool) in tools.iter().enumerate() {
            self.announce(&format!("call-{number}"), tool);
        }
        self.written();
    }

    pub(crate) fn report(&mut self, id: &str, report: Value) {
        self.hear(Event::ToolProgress {
            call_id: id.to_owned(),
            progress: report,
        });
    }

    /// A tool's run ends; what it has done is in the ledger of actions before anybody hears of it.
    pub(crate) fn end(&mut self, id: &str, result: Result<Value, &str>) {
        action::settle(&self.database, &self.request_id, id, &kept(&result)).unwrap();
        self.running.retain(|running| running != id);
        self.hear(Event::ToolFinished {
            call_id: id.to_owned(),
            result: result.map_err(str::to_owned),
        });
    }

    /// A tool has done what it should, and the instance dies before it is told.
    pub(crate) fn end_unheard(&mut self, id: &str, result: Result<Value, &str>) {
        action::settle(&self.database, &self.request_id, id, &kept(&result)).unwrap();
    }

    /// The model says the rest of its answer.
    pub(crate) fn finish(&mut self) {
        self.hear(Event::Model(ModelEvent::Text("Done.".to_owned())));
        self.hear(Event::Model(ModelEvent::Finished(FinishReason::Stop)));
    }

    pub(crate) fn cancel(&mut self) {
        self.hear(Event::Cancel);
    }

    pub(crate) fn tick(&mut self, after: i64) {
        self.now += after;
        self.hear(Event::Tick);
    }

    /// The instance dies, and another one takes up what it finds.
    pub(crate) fn kill(&mut self) {
        self.die();
        if let Some(lost) = ledger::take_over(&self.database, self.now).unwrap() {
            self.go_on(lost, Event::Resumed);
        }
    }

    /// The instance dies.
    pub(crate) fn die(&mut self) {
        self.turn = None;
        self.running.clear();
        self.database = self.database.copy().unwrap();
    }

    pub(crate) fn go_on(&mut self, continued: ContinuedTurn, event: Event) {
        let logged = stream_log::read(&self.database, &continued.turn.request_id).unwrap();
        let context = tools_context(Default::default());
        self.turn = Some(Turn::resume(continued.turn, context, continued.state, logged));
        self.hear(event);
    }

    /// The owner's word on a call; with the last one the answer goes on.
    pub(crate) fn decide(&mut self, id: &str, decision: Decision) {
        self.now += 10;
        approval::decide(&self.database, &self.message_id, id, decision, self.now).unwrap();
        if let Some(decided) = ledger::claim_decided(&self.database).unwrap() {
            self.go_on(decided, Event::Decided);
        }
    }

    /// The owner stops an answer that waits.
    pub(crate) fn stop_paused(&mut self) {
        let stopped = ledger::stop_paused(&self.database, &self.request_id, self.now).unwrap();
        assert!(stopped.is_some());
    }

    /// The owner erases the conversation. The machine hears of that later, as of a stop.
    pub(crate) fn clear(&mut self) {
        transcript::clear(&self.database).unwrap();
    }

    pub(crate) fn hear(&mut self, event: Event) {
        self.now += 10;
        let Some(turn) = &mut self.turn else { return };
        let effects = turn.handle(event, self.now);
        self.carry_out(effects);
    }

    /// Carries out effects of the turn, be it that they come too late.
    fn carry_out(&mut self, effects: Vec<Effect>) {
        self.waits = false;
        for effect in effects {
            let (watch, request_id) = (self.watch(), &self.request_id);
            match effect {
                Effect::Checkpoint(state) => {
                    ledger::checkpoint(&self.database, request_id, &state).unwrap();
                }
                Effect::RunTool { call, repetition } => {
                    let (claim, news) = watch.begin(&call, repetition, self.now).unwrap();
                    self.news = self.news.max(news);
                    let result = match claim {
                        Claim::Run => {
                            self.running.push(call.id);
                            continue;
                        }
                        Claim::Settled(ActionResult::Returned(value)) => Ok(value),
                        Claim::Settled(ActionResult::Failed(sentence)) => Err(sentence),
                        Claim::Unknown => Err(format!("Of {} it is not known.", call.id)),
                    };
                    self.hear(Event::ToolFinished {
                        call_id: call.id,
                        result,
                    });
                }
                Effect::StopTool { call_id, reason } => {
                    self.news = self.news.max(watch.stop(&call_id, reason, self.now).unwrap());
                    self.running.retain(|running| *running != call_id);
                }
                Effect::Rewind(logged) => stream_log::rewind(&self.database, request_id, &logged).unwrap(),
                Effect::Append { first_seq, chunks } => {
                    self.news = self.news.max(watch.append(first_seq, &chunks, self.now).unwrap());
                }
                Effect::Pause { state, message } => {
                    ledger::pause(&self.database, request_id, &state, &message, self.now).unwrap();
                    self.turn = None;
                    self.waits = true;
                }
                Effect::Finish { outcome, message, .. } => {
                    ledger::settle(&self.database, request_id, outcome, &message, self.now).unwrap();
                    self.turn = None;
                    self.running.clear();
                    self.given_up = outcome == Outcome::Interrupted;
                }
                Effect::CallModel(request) => {
                    self.offers_tools = request.tool_choice == ToolChoice::Automatic;
                }
                Effect::StopModel | Effect::Send { .. } | Effect::Compact { .. } => {}
            }
        }
    }

    /// All activities, the oldest first.
    pub(crate) fn activities(&self) -> Vec<ToolActivity> {
        let mut all = Vec::new();
        let mut before = None;
        loop {
            let page = activity::page(&self.database, before).unwrap();
            all.extend(page.activities);
            before = page.next_cursor;
            if before.is_none() {
                all.reverse();
                return all;
            }
        }
    }

    /// The activity of a call of the newest answer.
    pub(crate) fn activity(&self, id: &str) -> ToolActivity {
        let mut all = self.activities().into_iter();
        all.find(|activity| activity.tool_call_id == id && activity.message_id == self.message_id)
            .expect("there is a record of the call")
    }
}

fn kept(result: &Result<Value, &str>) -> ActionResult {
    match result {
        Ok(value) => ActionResult::Returned(value.clone()),
        Err(sentence) => ActionResult::Failed((*sentence).to_owned()),
    }
}
