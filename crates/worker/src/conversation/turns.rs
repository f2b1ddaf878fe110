//! The interpreter of turns: one loop that feeds the pure machine and carries out what it says.

use super::announcing::not_waiting_for;
use super::tool_calls::ToolCalls;
use super::{Chat, Work};
use crate::clock::now;
use crate::fault::{Fault, log};
use crate::model::Model;
use crate::model_call::{Heard, ModelCall};
use crate::object;
use crate::timer::Timer;
use flarebot_conversation::compaction;
use flarebot_conversation::ledger::{self, ClaimedTurn, ContinuedTurn, Settlement};
use flarebot_conversation::stream_log::{self, LoggedStream};
use flarebot_conversation::turn::{Effect, Event, Turn, TurnContext};
use flarebot_link::{AgentRequest, TurnReport};
use flarebot_protocol::RequestId;
use flarebot_protocol::frame::{ChatResponse, ServerFrame};
use flarebot_protocol::message::{Message, Outcome};
use futures_channel::oneshot;
use futures_util::FutureExt as _;
use futures_util::future::Fuse;
use std::cell::RefCell;
use std::rc::Rc;

/// The turn that this object runs now.
pub(super) struct RunningTurn {
    pub(super) turn: Rc<RefCell<Turn>>,
    cancel: Option<oneshot::Sender<()>>,
}

/// A turn that is about to run: with what happens to it first, and with the owner's stop.
pub(super) struct BegunTurn {
    turn: Rc<RefCell<Turn>>,
    first: Event,
    cancelled: Fuse<oneshot::Receiver<()>>,
}

/// Whether a turn goes on after an effect.
#[derive(PartialEq, Eq)]
enum Flow {
    GoesOn,
    Ended,
}

impl Chat {
    /// Sees to it that somebody works on the accepted turns.
    pub(super) fn begin_work(self: &Rc<Self>) {
        self.go_on_working(None);
    }

    /// Takes over the turn that an earlier life of this object left running. Says whether there was one. From this moment
    /// on it can be joined and stopped, although the work on it begins later.
    pub(super) fn take_over_lost_turn(self: &Rc<Self>) -> Result<bool, Fault> {
        let Some(lost) = self.begin_lost_turn()? else {
            return Ok(false);
        };
        self.go_on_working(Some(lost));
        Ok(true)
    }

    fn go_on_working(self: &Rc<Self>, begun: Option<BegunTurn>) {
        if self.work.replace(Work::UnderWay) == Work::UnderWay {
            return;
        }
        let chat = Rc::clone(self);
        wasm_bindgen_futures::spawn_local(async move {
            let left = chat.work_through(begun).await;
            if let Err(fault) = &left {
                log("accepted turns could not be worked through", fault);
            }
            // After a failure the next frame, or the agent's watch, looks again.
            chat.work
                .set(if left.is_ok() { Work::AtRest } else { Work::Unknown });
        });
    }

    async fn work_through(self: &Rc<Self>, mut begun: Option<BegunTurn>) -> Result<(), Fault> {
        while !self.closing.get() {
            self.work_through_queue(begun.take()).await?;
            self.report_end(self.seen()).await;
            // What was accepted while the report was under way is worked on now; nothing can slip in after this.
            if !ledger::has_work(&self.sql)? {
                break;
            }
        }
        Ok(())
    }

    async fn work_through_queue(self: &Rc<Self>, mut begun: Option<BegunTurn>) -> Result<(), Fault> {
        loop {
            let next = match begun.take() {
                Some(begun) => begun,
                None => match self.begin_next_turn()? {
                    Some(begun) => begun,
                    None => return Ok(()),
                },
            };
            let ran = self.run(next).await;
            self.running.borrow_mut().take();
            if let Err(fault) = ran {
                log("a turn broke off", &fault);
                begun = self.begin_lost_turn()?;
            }
        }
    }

    /// What the owner has decided on stands before what waits.
    fn begin_next_turn(&self) -> Result<Option<BegunTurn>, Fault> {
        if let Some(decided) = ledger::claim_decided(&self.sql)? {
            return self.begin_decided_turn(decided).map(Some);
        }
        let claimed = ledger::claim_next(&self.sql, now())?;
        Ok(claimed.map(|claimed| self.begin_turn(claimed)))
    }

    fn begin_turn(&self, claimed: ClaimedTurn) -> BegunTurn {
        self.begin(Turn::new(claimed, TurnContext::default()), Event::Accepted)
    }

    fn begin_lost_turn(&self) -> Result<Option<BegunTurn>, Fault> {
        let Some(lost) = ledger::take_over(&self.sql, now())? else {
            return Ok(None);
        };
        self.tell_changed_activities();
        let earlier = lost.turn.earlier_stream_id();
        let begun = self.begin_continued_turn(lost, Event::Resumed);
        self.offer_continuation(Some(&earlier), &begun.turn.borrow())?;
        Ok(Some(begun))
    }

    fn begin_decided_turn(&self, decided: ContinuedTurn) -> Result<BegunTurn, Fault> {
        let begun = self.begin_continued_turn(decided, Event::Decided);
        // The earlier stream ended when the turn paused.
        self.offer_continuation(None, &begun.turn.borrow())?;
        Ok(begun)
    }

    fn begin_continued_turn(&self, continued: ContinuedTurn, goes_on: Event) -> BegunTurn {
        let ContinuedTurn { turn, state } = continued;
        // A log that cannot be read must not keep the turn from ending: it is answered from its beginning.
        let logged = stream_log::read(&self.sql, &turn.request_id).unwrap_or_else(|error| {
            log("the log of a turn cannot be read", &error.into());
            LoggedStream::default()
        });
        self.begin(Turn::resume(turn, TurnContext::default(), state, logged), goes_on)
    }

    fn begin(&self, turn: Turn, first: Event) -> BegunTurn {
        let turn = Rc::new(RefCell::new(turn));
        let (cancel, cancelled) = oneshot::channel();
        *self.running.borrow_mut() = Some(RunningTurn {
            turn: Rc::clone(&turn),
            cancel: Some(cancel),
        });
        BegunTurn {
            turn,
            first,
            cancelled: cancelled.fuse(),
        }
    }

    /// Tells the agent that no accepted work is left, and whether the owner has seen what came of it.
    pub(super) async fn report_end(&self, seen: bool) {
        let Some(conversation) = self.id.get() else { return };
        if self.closing.get() {
            return;
        }
        self.watch_ends();
        let report = AgentRequest::TurnsEnded(TurnReport {
            conversation,
            at: now(),
            seen,
        });
        if let Err(fault) = object::ask_agent(&self.environment, &report).await {
            log("the agent could not be told of a turn", &fault);
        }
    }

    async fn run(self: &Rc<Self>, begun: BegunTurn) -> Result<(), Fault> {
        let BegunTurn {
            turn,
            first,
            mut cancelled,
        } = begun;
        let mut work = TurnWork {
            model: None,
            call: None,
            tools: ToolCalls::new(),
        };
        let mut timer = Timer::default();
        let mut events = vec![self.begin_with(first, &turn, &mut work, &mut cancelled).await];
        self.watch_begins();
        let ended = loop {
            let flow = self.hear_events(&turn, events, &mut work);
            self.tell_activities();
            match flow {
                Ok(Flow::GoesOn) => {
                    let deadlines = [turn.borrow().deadline(), self.told.due_at()];
                    let deadline = deadlines.into_iter().flatten().min();
                    events = wait(deadline, &mut timer, &mut work, &mut cancelled).await;
                }
                Ok(Flow::Ended) => break Ok(()),
                Err(fault) => break Err(fault),
            }
        };
        // A provider may keep its connection open after the end, or not know yet that nobody reads any more.
        if let Some(call) = work.call {
            call.abort();
        }
        ended
    }

    /// Gives the turn what is set now, and says what happens to it first. A stop that comes before keeps it from calling
    /// anything.
    async fn begin_with(
        &self,
        first: Event,
        turn: &RefCell<Turn>,
        work: &mut TurnWork,
        mut cancelled: &mut Fuse<oneshot::Receiver<()>>,
    ) -> Event {
        let user_message_id = turn.borrow().user_message_id().clone();
        let mut prepared = std::pin::pin!(self.prepare(&user_message_id).fuse());
        futures_util::select_biased! {
            _ = cancelled => Event::Cancel,
            prepared = prepared => match prepared {
                Ok((context, model)) => {
                    turn.borrow_mut().configure(context);
                    work.model = Some(model);
                    first
                }
                Err(sentence) => Event::Failed { sentence },
            },
        }
    }

    fn hear_events(
        self: &Rc<Self>,
        turn: &RefCell<Turn>,
        events: Vec<Event>,
        work: &mut TurnWork,
    ) -> Result<Flow, Fault> {
        for event in events {
            let effects = turn.borrow_mut().handle(event, now());
            for effect in effects {
                if self.carry_out(&turn.borrow(), effect, work)? == Flow::Ended {
                    return Ok(Flow::Ended);
                }
            }
        }
        Ok(Flow::GoesOn)
    }

    fn carry_out(self: &Rc<Self>, turn: &Turn, effect: Effect, work: &mut TurnWork) -> Result<Flow, Fault> {
        let request_id = turn.request_id();
        match effect {
            Effect::Checkpoint(state) => {
                let stored = ledger::checkpoint(&self.sql, request_id, &state)?;
                return Ok(self.go_on_if_stored(turn, stored));
            }
            Effect::Compact { summary, state } => {
                let stored = compaction::store(&self.sql, request_id, &summary, &state, now())?;
                return Ok(self.go_on_if_stored(turn, stored));
            }
            Effect::CallModel(request) => {
                let model = work.model.as_ref();
                let model = model.ok_or_else(|| Fault::internal("a turn without a model calls it"))?;
                let call = ModelCall::begin(model, &request);
                if let Some(earlier) = work.call.replace(call) {
                    earlier.abort();
                }
            }
            Effect::StopModel => {
                if let Some(call) = work.call.take() {
                    call.abort();
                }
            }
            Effect::RunTool { call, repetition } => {
                let claim = self.claim_call(turn, &call, repetition)?;
                work.tools.begin(self, request_id, call, repetition, claim);
            }
            Effect::StopTool { call_id, reason } => {
                self.drop_call(turn, &call_id, reason)?;
                work.tools.stop(&call_id);
            }
            Effect::Rewind(logged) => {
                stream_log::rewind(&self.sql, request_id, &logged)?;
                let frame = ServerFrame::Running(turn.rewound(logged));
                self.sockets.send_to_pages(&self.state, &frame);
            }
            Effect::Append { first_seq, chunks } => self.log_chunks(turn, first_seq, &chunks)?,
            Effect::Send { seq, chunk } => {
                let stream_id = turn.stream_id();
                let frame = ServerFrame::ChatResponse(ChatResponse::chunk(stream_id.clone(), seq, &chunk));
                self.sockets
                    .send(&self.state, &frame, |socket| not_waiting_for(socket, stream_id));
            }
            Effect::Pause { state, message } => {
                self.pause(turn, &state, message)?;
                return Ok(Flow::Ended);
            }
            Effect::Finish {
                outcome,
                message,
                notice,
            } => {
                self.settle(turn, outcome, message, notice.as_deref())?;
                return Ok(Flow::Ended);
            }
        }
        Ok(Flow::GoesOn)
    }

    /// A turn that is gone, because it was stopped or erased, does not go on.
    fn go_on_if_stored(&self, turn: &Turn, stored: Settlement) -> Flow {
        match stored {
            Settlement::Applied => Flow::GoesOn,
            Settlement::Late => {
                self.announce_end(turn, Outcome::Aborted, None);
                Flow::Ended
            }
        }
    }

    fn settle(
        &self,
        turn: &Turn,
        outcome: Outcome,
        message: Message,
        notice: Option<&str>,
    ) -> Result<(), Fault> {
        // Before the sockets hear of the end, so that one that connects now finds no running turn.
        let settlement = ledger::settle(&self.sql, turn.request_id(), outcome, &message, now())?;
        self.running.borrow_mut().take();
        self.owe_activities_of(&message);
        match settlement {
            Settlement::Applied => {
                self.announce_message(message)?;
                self.announce_end(turn, outcome, notice);
            }
            Settlement::Late => self.announce_end(turn, Outcome::Aborted, None),
        }
        Ok(())
    }

    /// Stops the running turn if it answers this request.
    pub(super) fn stop_running_request(&self, id: &RequestId) -> bool {
        let matches = self
            .running
            .borrow()
            .as_ref()
            .is_some_and(|running| running.turn.borrow().answers(id));
        if matches {
            self.stop_running();
        }
        matches
    }

    /// Stops the running turn.
    pub(super) fn stop_running(&self) {
        let cancel = self
            .running
            .borrow_mut()
            .as_mut()
            .and_then(|running| running.cancel.take());
        if let Some(cancel) = cancel {
            // Nobody listens any more when the turn ended in this very moment.
            let _ = cancel.send(());
        }
    }
}

/// What a turn has under way.
struct TurnWork {
    /// The model that it uses, once that is known.
    model: Option<Model>,
    call: Option<ModelCall>,
    tools: ToolCalls,
}

/// Waits for the first of: the owner's stop, the model, a tool, the turn's deadline.
async fn wait(
    deadline: Option<i64>,
    timer: &mut Timer,
    work: &mut TurnWork,
    mut cancelled: &mut Fuse<oneshot::Receiver<()>>,
) -> Vec<Event> {
    timer.arm(deadline);
    let mut ring = std::pin::pin!(timer.ring().fuse());
    let call = work.call.as_mut();
    let mut model = std::pin::pin!(
        async move {
            match call {
                Some(call) => events(call.next().await),
                None => std::future::pending().await,
            }
        }
        .fuse()
    );
    let mut tool = std::pin::pin!(work.tools.next().fuse());
    futures_util::select_biased! {
        _ = cancelled => vec![Event::Cancel],
        event = tool => vec![event],
        events = model => events,
        () = ring => vec![Event::Tick],
    }
}

fn events(heard: Heard) -> Vec<Event> {
    match heard {
        Heard::Events(events) => {
            let events = events.into_iter().map(Event::Model);
            std::iter::once(Event::ModelActive).chain(events).collect()
        }
        Heard::Closed => vec![Event::ModelClosed],
    }
}
