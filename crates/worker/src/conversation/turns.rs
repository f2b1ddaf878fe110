//! The interpreter of turns: one loop that feeds the pure machine and carries out what it says.

use super::model_call::ModelCall;
use super::{Chat, Work};
use crate::clock::now;
use crate::configuration::Deployment;
use crate::fault::{Fault, log};
use crate::object;
use crate::socket::Socket;
use crate::sys::PlatformTimer;
use flarebot_conversation::ledger::{self, ClaimedTurn, Settlement};
use flarebot_conversation::turn::{Effect, Event, Turn, TurnContext};
use flarebot_conversation::{stream_log, transcript};
use flarebot_link::{AgentRequest, TurnReport};
use flarebot_protocol::frame::{ChatResponse, ClientKind, ServerFrame};
use flarebot_protocol::message::{Message, Outcome};
use flarebot_protocol::{MessageId, RequestId};
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

/// Whether a turn goes on after an effect.
#[derive(PartialEq, Eq)]
enum Flow {
    GoesOn,
    Ended,
}

impl Chat {
    /// Sees to it that somebody works on the accepted turns.
    pub(super) fn begin_work(self: &Rc<Self>) {
        if self.work.replace(Work::UnderWay) == Work::UnderWay {
            return;
        }
        let chat = Rc::clone(self);
        wasm_bindgen_futures::spawn_local(async move {
            let left = chat.work_through().await;
            if let Err(fault) = &left {
                log("accepted turns could not be worked through", fault);
            }
            // After a failure the next frame, or the agent's watch, looks again.
            chat.work
                .set(if left.is_ok() { Work::AtRest } else { Work::Unknown });
        });
    }

    async fn work_through(self: &Rc<Self>) -> Result<(), Fault> {
        while !self.closing.get() {
            // The agent watches before the first turn is claimed: should this instance be lost, somebody will notice.
            self.report(AgentRequest::TurnStarted).await;
            while let Some(claimed) = ledger::claim_next(&self.sql, "", now())? {
                let ran = self.run(&claimed).await;
                self.running.borrow_mut().take();
                if let Err(fault) = ran {
                    log("a turn broke off", &fault);
                    self.end_lost_turn()?;
                }
            }
            self.report(AgentRequest::TurnsEnded).await;
            // What was accepted while the report was under way is worked on now; nothing can slip in after this.
            if ledger::queued(&self.sql)?.is_empty() {
                break;
            }
        }
        Ok(())
    }

    async fn report(&self, request: impl FnOnce(TurnReport) -> AgentRequest) {
        let Some(conversation) = self.id.get() else { return };
        if self.closing.get() {
            return;
        }
        let report = request(TurnReport {
            conversation,
            at: now(),
            seen: self.seen(),
        });
        if let Err(fault) = object::ask_agent(&self.environment, &report).await {
            log("the agent could not be told of a turn", &fault);
        }
    }

    async fn run(&self, claimed: &ClaimedTurn) -> Result<(), Fault> {
        let deployment =
            Deployment::of(&self.environment).map_err(|error| Fault::internal(error.to_string()))?;
        let model = deployment
            .endpoint
            .as_ref()
            .map(|endpoint| endpoint.default_model().to_owned());
        let first = match &model {
            Some(_) => Event::Accepted,
            None => Event::Failed {
                sentence: "No model is configured. Set FLAREBOT_COMPATIBLE_BASE_URL and FLAREBOT_COMPATIBLE_MODELS, \
                           then send the message again."
                    .to_owned(),
            },
        };
        let context = TurnContext {
            model: model.unwrap_or_default(),
            system: None,
            messages: transcript::for_model(&self.sql, &claimed.user_message_id)?,
        };
        let turn = Rc::new(RefCell::new(Turn::new(
            claimed.request_id.clone(),
            claimed.assistant_message_id.clone(),
            context,
        )));
        let (cancel, cancelled) = oneshot::channel();
        let mut cancelled = cancelled.fuse();
        *self.running.borrow_mut() = Some(RunningTurn {
            turn: Rc::clone(&turn),
            cancel: Some(cancel),
        });

        let mut call = None;
        let mut timer = Timer::default();
        let mut events = vec![first];
        let ended = loop {
            match self.hear_events(claimed, &turn, events, &deployment, &mut call) {
                Ok(Flow::GoesOn) => {
                    let deadline = turn.borrow().deadline();
                    events = wait(deadline, &mut timer, call.as_mut(), &mut cancelled).await;
                }
                Ok(Flow::Ended) => break Ok(()),
                Err(fault) => break Err(fault),
            }
        };
        // A provider may keep its connection open after the end, or not know yet that nobody reads any more.
        if let Some(call) = call {
            call.abort();
        }
        ended
    }

    fn hear_events(
        &self,
        claimed: &ClaimedTurn,
        turn: &RefCell<Turn>,
        events: Vec<Event>,
        deployment: &Deployment,
        call: &mut Option<ModelCall>,
    ) -> Result<Flow, Fault> {
        for event in events {
            let effects = turn.borrow_mut().handle(event, now());
            for effect in effects {
                if self.carry_out(claimed, effect, deployment, call)? == Flow::Ended {
                    return Ok(Flow::Ended);
                }
            }
        }
        Ok(Flow::GoesOn)
    }

    fn carry_out(
        &self,
        claimed: &ClaimedTurn,
        effect: Effect,
        deployment: &Deployment,
        call: &mut Option<ModelCall>,
    ) -> Result<Flow, Fault> {
        let request_id = &claimed.request_id;
        match effect {
            Effect::Checkpoint(state) => {
                if ledger::checkpoint(&self.sql, request_id, &state)? == Settlement::Late {
                    self.announce_end(request_id, Outcome::Aborted, None, &claimed.user_message_id);
                    return Ok(Flow::Ended);
                }
            }
            Effect::CallModel(request) => *call = Some(ModelCall::begin(deployment, &request)),
            Effect::StopModel => {
                if let Some(call) = call.take() {
                    call.abort();
                }
            }
            Effect::Append { first_seq, chunks } => {
                stream_log::append(&self.sql, request_id, first_seq, &chunks)?;
            }
            Effect::Send { seq, chunk } => {
                let frame = ServerFrame::ChatResponse(ChatResponse::chunk(request_id.clone(), seq, &chunk));
                self.sockets
                    .send(&self.state, &frame, |socket| not_waiting_for(socket, request_id));
            }
            Effect::Finish {
                outcome,
                message,
                notice,
            } => {
                self.settle(
                    request_id,
                    outcome,
                    message,
                    notice.as_deref(),
                    &claimed.user_message_id,
                )?;
                return Ok(Flow::Ended);
            }
        }
        Ok(Flow::GoesOn)
    }

    fn settle(
        &self,
        request_id: &RequestId,
        outcome: Outcome,
        message: Message,
        notice: Option<&str>,
        user_message_id: &MessageId,
    ) -> Result<(), Fault> {
        // Before the sockets hear of the end, so that one that connects now finds no running turn.
        let settlement = ledger::settle(&self.sql, request_id, outcome, &message, now())?;
        self.running.borrow_mut().take();
        match settlement {
            Settlement::Applied => {
                self.announce_message(message)?;
                self.announce_end(request_id, outcome, notice, user_message_id);
            }
            Settlement::Late => self.announce_end(request_id, Outcome::Aborted, None, user_message_id),
        }
        Ok(())
    }

    /// Ends a turn that an earlier life of this object was running. Says whether there was one.
    pub(super) fn end_lost_turn(&self) -> Result<bool, Fault> {
        let Some(lost) = ledger::lost(&self.sql, NOBODY)? else {
            return Ok(false);
        };
        let logged = stream_log::read(&self.sql, &lost.turn.request_id)?;
        let mut turn = Turn::resume(lost.state, logged);
        for effect in turn.handle(Event::Resumed, now()) {
            if let Effect::Finish {
                outcome,
                message,
                notice,
            } = effect
            {
                let user_message_id = &lost.turn.user_message_id;
                self.settle(
                    &lost.turn.request_id,
                    outcome,
                    message,
                    notice.as_deref(),
                    user_message_id,
                )?;
            }
        }
        Ok(true)
    }

    /// Stops the running turn if it answers this request.
    pub(super) fn stop_running_request(&self, id: &RequestId) -> bool {
        let matches = self
            .running
            .borrow()
            .as_ref()
            .is_some_and(|running| running.turn.borrow().request_id() == id);
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

    /// Our own pages get the one message; other clients the whole transcript, as they expect.
    fn announce_message(&self, message: Message) -> Result<(), Fault> {
        let transcripts =
            |socket: &Socket| socket.client() == ClientKind::Sdk && socket.attachment.offered.is_none();
        if self.sockets.all(&self.state).iter().any(transcripts) {
            self.sockets
                .send(&self.state, &self.transcript_frame(None)?, transcripts);
        }
        let empty =
            message.parts.is_empty() && message.metadata.as_ref().is_none_or(|data| data.notice.is_none());
        if !empty {
            self.sockets
                .send(&self.state, &ServerFrame::Message { message }, |socket| {
                    socket.client() == ClientKind::Flarebot
                });
        }
        Ok(())
    }

    fn announce_end(
        &self,
        request_id: &RequestId,
        outcome: Outcome,
        notice: Option<&str>,
        user_message_id: &MessageId,
    ) {
        let failed = matches!(outcome, Outcome::Error | Outcome::Interrupted);
        if let Some(notice) = notice.filter(|_| failed) {
            let frame =
                ServerFrame::ChatResponse(ChatResponse::failed(request_id.clone(), notice.to_owned()));
            self.sockets
                .send(&self.state, &frame, |socket| not_waiting_for(socket, request_id));
        }
        let ended = ChatResponse::ended(request_id.clone(), outcome, vec![user_message_id.clone()]);
        self.sockets
            .send(&self.state, &ServerFrame::ChatResponse(ended), |socket| {
                not_waiting_for(socket, request_id)
            });
    }
}

/// No instance has this name, so that every running row counts as lost: asked only while this object runs none.
const NOBODY: &str = "nobody";

fn not_waiting_for(socket: &Socket, request_id: &RequestId) -> bool {
    socket.attachment.offered.as_ref() != Some(request_id)
}

/// Waits for the first of: the owner's stop, the model, the turn's deadline.
async fn wait(
    deadline: Option<i64>,
    timer: &mut Timer,
    call: Option<&mut ModelCall>,
    mut cancelled: &mut Fuse<oneshot::Receiver<()>>,
) -> Vec<Event> {
    timer.arm(deadline);
    let mut ring = std::pin::pin!(timer.ring().fuse());
    let mut model = std::pin::pin!(
        async move {
            match call {
                Some(call) => call.next().await,
                None => std::future::pending().await,
            }
        }
        .fuse()
    );
    futures_util::select_biased! {
        _ = cancelled => vec![Event::Cancel],
        events = model => events,
        () = ring => vec![Event::Tick],
    }
}

/// The timer of a turn. It outlives many waits, because setting one for each chunk would cost more than the chunk: it
/// rings at the deadline or before, and a turn takes an early tick for what it is.
#[derive(Default)]
struct Timer {
    set: Option<(i64, PlatformTimer)>,
}

impl Timer {
    fn arm(&mut self, deadline: Option<i64>) {
        match (deadline, &self.set) {
            (Some(deadline), Some((instant, _))) if *instant <= deadline => {}
            (Some(deadline), _) => self.set = start(deadline),
            (None, _) => self.set = None,
        }
    }

    async fn ring(&mut self) {
        match &self.set {
            Some((_, timer)) => {
                if let Err(thrown) = timer.rung().await {
                    log("a timer broke", &Fault::from_js(thrown));
                }
            }
            None => std::future::pending().await,
        }
        self.set = None;
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the times of a turn are seconds and minutes"
)]
fn start(deadline: i64) -> Option<(i64, PlatformTimer)> {
    let milliseconds = deadline.saturating_sub(now()).max(0) as f64;
    match PlatformTimer::start(milliseconds) {
        Ok(timer) => Some((deadline, timer)),
        Err(thrown) => {
            log("a timer could not be started", &Fault::from_js(thrown));
            None
        }
    }
}
