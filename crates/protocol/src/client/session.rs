//! One socket's life, kept going over as many connections as it takes.

use super::backoff;
use super::calls::Calls;
use super::event::{ConnectionStatus, Output, SessionEvent, Settlement, SubmissionState};
use super::handshake::Handshake;
use super::submissions::Submissions;
use crate::call::Call;
use crate::frame::{ChatRequest, ClientFrame, ServerFrame, SharedState};
use crate::{CallId, CloseCode, RequestId};
use serde::Deserialize;
use std::collections::VecDeque;

/// How long a socket may take to open, and the server then to get ready, in milliseconds each.
const HANDSHAKE_TIMEOUT: i64 = 15_000;

/// How long a connection must have been ready for the next loss to count as the first, in milliseconds.
const STABLE_AFTER: i64 = 10_000;

/// How long nothing may arrive after something was sent that the server always answers, in milliseconds. Browsers do
/// not notice for minutes that a network has gone away.
const SILENCE_TIMEOUT: i64 = 30_000;

/// The client's end of one socket: the agent's or a conversation's. See the [module](super) for how to drive it.
///
/// All times are milliseconds since 1970; a `jitter` is a random number of at least 0 and less than 1.
#[derive(Debug)]
pub struct ClientSession {
    phase: Phase,
    attempt: u32,
    calls: Calls,
    submissions: Submissions,
    /// Cancellations of answers that have not been seen to end.
    cancellations: Vec<RequestId>,
    /// Since when an answer of any kind is awaited and nothing at all has arrived.
    silent_since: Option<i64>,
    outputs: VecDeque<Output>,
}

#[derive(Debug)]
enum Phase {
    Stopped,
    Opening { deadline: i64, handshake: Handshake },
    Ready { since: i64 },
    Waiting { retry_at: i64 },
    Closed,
}

impl Default for ClientSession {
    fn default() -> Self {
        Self::new()
    }
}

impl ClientSession {
    /// A session that does nothing until [`Self::start`].
    #[must_use]
    pub fn new() -> Self {
        Self {
            phase: Phase::Stopped,
            attempt: 0,
            calls: Calls::default(),
            submissions: Submissions::default(),
            cancellations: Vec::new(),
            silent_since: None,
            outputs: VecDeque::new(),
        }
    }

    /// Connects, and from then on stays connected. Does nothing on a session that runs.
    pub fn start(&mut self, now: i64) {
        if let Phase::Stopped | Phase::Closed = self.phase {
            self.attempt = 0;
            self.connect(now);
        }
    }

    /// Disconnects. Calls fail; the requests that the server has not confirmed are given back, and another session for
    /// the same conversation may submit them again as they are.
    pub fn stop(&mut self) -> Vec<ChatRequest> {
        if self.has_socket() {
            self.outputs.push_back(Output::Disconnect);
        }
        self.phase = Phase::Stopped;
        self.silent_since = None;
        self.cancellations.clear();
        let settlements = self.calls.abandon();
        self.settle(settlements);
        self.submissions.abandon()
    }

    /// Connects anew, so that the server sends the history again: what to do when a [`super::TranscriptView`] found a
    /// gap. It takes the usual delay, so that a server at fault is not hammered.
    pub fn resynchronise(&mut self, now: i64, jitter: f64) {
        if self.has_socket() {
            self.outputs.push_back(Output::Disconnect);
            self.lose(now, jitter);
        }
    }

    /// The socket is open.
    pub fn handle_opened(&mut self, now: i64) {
        if let Phase::Opening { deadline, .. } = &mut self.phase {
            *deadline = now.saturating_add(HANDSHAKE_TIMEOUT);
        }
    }

    /// The socket is closed, or could not be opened. A browser reports 1006 when it knows no code.
    pub fn handle_closed(&mut self, code: u16, now: i64, jitter: f64) {
        if !self.has_socket() {
            return;
        }
        match CloseCode::from_code(code) {
            Some(code) => self.close(code),
            None => self.lose(now, jitter),
        }
    }

    /// A text frame arrived.
    pub fn handle_text(&mut self, text: &str, now: i64) {
        if !self.has_socket() {
            return;
        }
        self.silent_since = None;
        match serde_json::from_str(text) {
            Ok(ServerFrame::Rpc(reply)) => {
                let settlement = self.calls.settle(reply);
                self.settle(settlement);
            }
            Ok(frame) => self.handle_frame(frame),
            Err(_) => self.handle_unreadable(text),
        }
        if let Phase::Opening { handshake, .. } = &self.phase
            && handshake.is_complete()
        {
            self.phase = Phase::Ready { since: now };
            self.emit(SessionEvent::Status(ConnectionStatus::Ready));
            for id in self.cancellations.clone() {
                self.transmit_cancellation(id);
            }
            self.flush(now);
        }
    }

    /// The time of [`Self::poll_timeout`] has come. Calling it earlier does nothing.
    pub fn handle_timeout(&mut self, now: i64, jitter: f64) {
        match self.phase {
            Phase::Opening { deadline, .. } if deadline <= now => self.resynchronise(now, jitter),
            Phase::Waiting { retry_at } if retry_at <= now => self.connect(now),
            Phase::Ready { .. } if self.silence_deadline().is_some_and(|deadline| deadline <= now) => {
                self.resynchronise(now, jitter);
            }
            Phase::Ready { .. } => {
                let settlements = self.calls.expire(now);
                self.settle(settlements);
            }
            Phase::Stopped | Phase::Opening { .. } | Phase::Waiting { .. } | Phase::Closed => {}
        }
    }

    /// The browser has its network back, or the page is visible again: a waiting session tries at once.
    pub fn handle_online(&mut self, now: i64) {
        if let Phase::Waiting { .. } = self.phase {
            self.connect(now);
        }
    }

    /// Makes a call, now or with the next connection. It settles exactly once, by [`SessionEvent::CallSettled`]: with
    /// its reply, or as disconnected after 30 seconds without one, on the loss of the connection that it was sent on,
    /// at the end of the session, and at once if 64 calls wait already.
    pub fn call<C: Call>(&mut self, call: &C, id: CallId, now: i64) {
        match self.calls.add(call, id) {
            Ok(()) => self.flush(now),
            Err(settlement) => self.settle([settlement]),
        }
    }

    /// Sends a chat request, now or with the next connection, and again until the server has it.
    /// [`SessionEvent::Submission`] follows it.
    pub fn submit(&mut self, request: ChatRequest, now: i64) {
        self.submissions.add(request);
        self.flush(now);
    }

    /// Stops the answer to a request, now or with the next connection. A request that never left is withdrawn instead,
    /// which [`SubmissionState::Undelivered`] says.
    pub fn cancel(&mut self, id: &RequestId) {
        if let Some(request) = self.submissions.withdraw_waiting(id) {
            self.report(request.id, SubmissionState::Undelivered);
            return;
        }
        if !self.cancellations.contains(id) {
            self.cancellations.push(id.clone());
        }
        if let Phase::Ready { .. } = self.phase {
            self.transmit_cancellation(id.clone());
        }
    }

    /// Gives up a request that the server has not confirmed, and gives it back. It may have reached the server all the
    /// same if it was ever sent; the transcript shows it then.
    pub fn withdraw(&mut self, id: &RequestId) -> Option<ChatRequest> {
        self.submissions.withdraw(id)
    }

    /// The next thing to do. The driver takes all of them after each event.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// When to call [`Self::handle_timeout`], if no other event comes first.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<i64> {
        match &self.phase {
            Phase::Stopped | Phase::Closed => None,
            Phase::Opening { deadline, .. } => Some(*deadline),
            Phase::Waiting { retry_at } => Some(*retry_at),
            Phase::Ready { .. } => self
                .calls
                .deadline()
                .into_iter()
                .chain(self.silence_deadline())
                .min(),
        }
    }

    fn handle_frame(&mut self, frame: ServerFrame) {
        if let Phase::Opening { handshake, .. } = &mut self.phase {
            handshake.observe(&frame);
        }
        let mut progress = self.submissions.confirm(&frame);
        if let ServerFrame::ChatResponse(response) = &frame
            && response.done
        {
            let original = response.id.original();
            self.cancellations.retain(|id| id.original() != original);
        } else if let ServerFrame::Running(running) = &frame {
            // What the instance that is gone was told, the next one may not have heard.
            let original = running.request_id.original();
            if self.cancellations.iter().any(|id| id.original() == original) {
                self.transmit_cancellation(running.request_id.clone());
            }
        } else if let ServerFrame::ChatClear = &frame {
            self.cancellations.clear();
        } else if let ServerFrame::History(history) = &frame {
            // What was sent, cancelled and lost on the way is not worth sending again.
            for id in &self.cancellations {
                let lost = self.submissions.withdraw(id);
                progress.extend(lost.map(|request| (request.id, SubmissionState::Undelivered)));
            }
            self.cancellations.retain(|id| history.is_unfinished(id));
        }
        let event = if let ServerFrame::State {
            state: SharedState::Conversation(state),
        } = frame
        {
            SessionEvent::ToolActivities(state.activities)
        } else {
            SessionEvent::Frame(Box::new(frame))
        };
        self.emit(event);
        for (id, state) in progress {
            self.report(id, state);
        }
    }

    fn handle_unreadable(&mut self, text: &str) {
        #[derive(Deserialize)]
        struct Kind {
            #[serde(rename = "type")]
            kind: String,
        }
        let kind = serde_json::from_str(text).ok().map(|Kind { kind }| kind);
        if let (Phase::Opening { handshake, .. }, Some(kind)) = (&mut self.phase, &kind) {
            handshake.arrived(kind);
        }
        self.emit(SessionEvent::Unreadable { kind });
    }

    fn has_socket(&self) -> bool {
        match self.phase {
            Phase::Opening { .. } | Phase::Ready { .. } => true,
            Phase::Stopped | Phase::Waiting { .. } | Phase::Closed => false,
        }
    }

    fn silence_deadline(&self) -> Option<i64> {
        Some(self.silent_since?.saturating_add(SILENCE_TIMEOUT))
    }

    fn connect(&mut self, now: i64) {
        self.phase = Phase::Opening {
            deadline: now.saturating_add(HANDSHAKE_TIMEOUT),
            handshake: Handshake::new(),
        };
        self.outputs.push_back(Output::Connect);
        self.emit(SessionEvent::Status(ConnectionStatus::Connecting));
    }

    fn lose(&mut self, now: i64, jitter: f64) {
        if let Phase::Ready { since } = self.phase
            && now.saturating_sub(since) >= STABLE_AFTER
        {
            self.attempt = 0;
        }
        self.attempt = self.attempt.saturating_add(1);
        let retry_at = now.saturating_add(backoff::delay(self.attempt, jitter));
        self.phase = Phase::Waiting { retry_at };
        self.silent_since = None;
        let settlements = self.calls.lose();
        self.settle(settlements);
        for id in self.submissions.lose() {
            self.report(id, SubmissionState::Uncertain);
        }
        self.emit(SessionEvent::Status(ConnectionStatus::Reconnecting {
            attempt: self.attempt,
            retry_at,
        }));
    }

    fn close(&mut self, code: CloseCode) {
        self.phase = Phase::Closed;
        self.silent_since = None;
        self.cancellations.clear();
        let settlements = self.calls.abandon();
        self.settle(settlements);
        for request in self.submissions.abandon() {
            self.report(request.id, SubmissionState::Undelivered);
        }
        self.emit(SessionEvent::Status(ConnectionStatus::Closed(code)));
    }

    /// Sends everything that waits for a connection, if there is one.
    fn flush(&mut self, now: i64) {
        let Phase::Ready { .. } = self.phase else { return };
        while let Some((id, text)) = self.submissions.send_next() {
            self.transmit_awaiting(text, now);
            self.report(id, SubmissionState::Sent);
        }
        while let Some(text) = self.calls.send_next(now) {
            self.transmit_awaiting(text, now);
        }
    }

    fn transmit_awaiting(&mut self, text: String, now: i64) {
        self.silent_since.get_or_insert(now);
        self.outputs.push_back(Output::Transmit(text));
    }

    fn transmit_cancellation(&mut self, id: RequestId) {
        let frame = ClientFrame::Cancel { id };
        self.outputs.push_back(Output::Transmit(frame.text()));
    }

    fn settle(&mut self, settlements: impl IntoIterator<Item = Settlement>) {
        for settlement in settlements {
            self.emit(SessionEvent::CallSettled(settlement));
        }
    }

    fn report(&mut self, id: RequestId, state: SubmissionState) {
        self.emit(SessionEvent::Submission { id, state });
    }

    fn emit(&mut self, event: SessionEvent) {
        self.outputs.push_back(Output::Event(event));
    }
}
