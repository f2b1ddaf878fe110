//! The client session: readiness, calls, chat requests, and what a lost connection does to them.

mod activities;
mod calls;
mod connection;
mod requests;

use crate::support::{activities, conversation_id, message_id, request_id};
use flarebot_protocol::RequestId;
use flarebot_protocol::client::{
    ClientSession, ConnectionStatus, Output, SessionEvent, Settlement, SubmissionState,
};
use flarebot_protocol::conversation::PublicState;
use flarebot_protocol::frame::{
    AgentKind, ChatRequest, HistoryFrame, QueuedTurn, RunningTurn, ServerFrame, SharedState,
};
use flarebot_protocol::message::Message;

/// What a browser reports when it knows no close code.
const ABNORMAL: u16 = 1006;

/// A session with its outputs taken as a driver would.
struct Driver {
    session: ClientSession,
    now: i64,
}

impl Driver {
    fn new() -> Self {
        Self {
            session: ClientSession::new(),
            now: 1_000_000,
        }
    }

    /// A driver whose session has opened its socket.
    fn connected() -> Self {
        let mut driver = Self::new();
        driver.session.start(driver.now);
        driver.session.handle_opened(driver.now);
        driver.outputs();
        driver
    }

    /// A driver whose session is ready on a conversation without messages.
    fn ready() -> Self {
        let mut driver = Self::connected();
        driver.introduce_conversation();
        driver.receive(&history(Vec::new()));
        driver.outputs();
        driver
    }

    fn outputs(&mut self) -> Vec<Output> {
        std::iter::from_fn(|| self.session.poll_output()).collect()
    }

    fn receive(&mut self, frame: &ServerFrame) {
        self.session
            .handle_text(&serde_json::to_string(frame).unwrap(), self.now);
    }

    /// Loses the connection, and makes the next one up to its handshake.
    fn reconnect(&mut self) {
        self.session.handle_closed(ABNORMAL, self.now, 0.5);
        self.session.handle_online(self.now);
        self.session.handle_opened(self.now);
        self.outputs();
        self.introduce_conversation();
    }

    /// What a conversation sends before its history.
    fn introduce_conversation(&mut self) {
        self.receive(&identity(AgentKind::Conversation, true));
        self.receive(&activities(&[]));
    }

    /// Lets time pass up to the session's own next deadline.
    fn wait(&mut self) {
        self.now = self.session.poll_timeout().expect("something is awaited");
        self.session.handle_timeout(self.now, 0.5);
    }
}

fn identity(agent: AgentKind, state_follows: bool) -> ServerFrame {
    ServerFrame::Identity {
        name: conversation_id().to_string(),
        agent,
        state_follows,
    }
}

fn state() -> ServerFrame {
    ServerFrame::State {
        state: SharedState::Agent(PublicState {
            schema_version: 1,
            created_at: "2026-03-01T08:00:00.000Z".to_owned(),
        }),
    }
}

fn history(messages: Vec<Message>) -> ServerFrame {
    ServerFrame::History(HistoryFrame {
        messages,
        has_more: false,
        running: None,
        queued: Vec::new(),
    })
}

fn history_running(request: &ChatRequest) -> ServerFrame {
    ServerFrame::History(HistoryFrame {
        messages: vec![request.message.clone()],
        has_more: false,
        running: Some(running(request.id.clone())),
        queued: Vec::new(),
    })
}

fn running(request_id: RequestId) -> RunningTurn {
    RunningTurn {
        request_id,
        message_id: message_id("answer"),
        user_message_id: None,
        chunks: Vec::new(),
        next_seq: 0,
    }
}

fn queued(request: &ChatRequest) -> QueuedTurn {
    QueuedTurn {
        request_id: request.id.clone(),
        user_message_id: request.message.id.clone(),
    }
}

fn statuses(outputs: &[Output]) -> Vec<ConnectionStatus> {
    let status = |output: &Output| match output {
        Output::Event(SessionEvent::Status(status)) => Some(*status),
        _ => None,
    };
    outputs.iter().filter_map(status).collect()
}

fn transmitted(outputs: &[Output]) -> Vec<&str> {
    fn text(output: &Output) -> Option<&str> {
        match output {
            Output::Transmit(text) => Some(text),
            _ => None,
        }
    }
    outputs.iter().filter_map(text).collect()
}

fn settlements(outputs: &[Output]) -> Vec<Settlement> {
    let settlement = |output: &Output| match output {
        Output::Event(SessionEvent::CallSettled(settlement)) => Some(settlement.clone()),
        _ => None,
    };
    outputs.iter().filter_map(settlement).collect()
}

fn submissions(outputs: &[Output]) -> Vec<(&str, SubmissionState)> {
    fn submission(output: &Output) -> Option<(&str, SubmissionState)> {
        match output {
            Output::Event(SessionEvent::Submission { id, state }) => Some((id.as_str(), state.clone())),
            _ => None,
        }
    }
    outputs.iter().filter_map(submission).collect()
}

fn cancel_text(id: &str) -> String {
    flarebot_protocol::frame::ClientFrame::Cancel { id: request_id(id) }.text()
}
