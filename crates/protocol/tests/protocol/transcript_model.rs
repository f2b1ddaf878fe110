//! A server in miniature and a client behind a network that breaks: whatever happens, the page ends up with the
//! server's transcript.

use crate::support::{chat, empty_answer, ended, message_id, start, text_delta, text_start};
use flarebot_protocol::chunk::{Chunk, merge};
use flarebot_protocol::client::{Change, ClientSession, EntryState, Output, SessionEvent, TranscriptView};
use flarebot_protocol::frame::{
    AgentKind, ChatRequest, ChatResponse, ClientFrame, HistoryFrame, QueuedTurn, RunningTurn, ServerFrame,
};
use flarebot_protocol::message::{Message, Outcome};
use flarebot_protocol::{RequestId, reduce};
use proptest::prelude::*;
use std::collections::{BTreeSet, VecDeque};

/// How many questions may be without their answer.
const UNANSWERED: usize = 4;

/// The page size of this server: enough to show what became of all that was on its way when a connection broke.
const PAGE: usize = 2 * UNANSWERED;

/// A conversation as its server has it.
#[derive(Default)]
struct Server {
    /// Each request with its question, and its answer once that is complete.
    turns: Vec<(ChatRequest, Option<Message>)>,
    known: BTreeSet<RequestId>,
    /// Which of the turns runs, with the chunks that were sent.
    running: Option<(usize, Vec<Chunk>)>,
    connected: bool,
    outbox: VecDeque<ServerFrame>,
}

impl Server {
    fn send(&mut self, frame: ServerFrame) {
        if self.connected {
            self.outbox.push_back(frame);
        }
    }

    fn transcript(&self) -> Vec<Message> {
        let pairs = self.turns.iter();
        pairs
            .flat_map(|(request, answer)| [Some(request.message.clone()), answer.clone()])
            .flatten()
            .collect()
    }

    /// The transcript with the running answer in its place, as a page should show it.
    fn shown(&self) -> Vec<Message> {
        let mut messages = self.transcript();
        if let Some((turn, chunks)) = &self.running {
            let question = &self.turns[*turn].0.message.id;
            let place = messages
                .iter()
                .position(|message| message.id == *question)
                .unwrap();
            let answer = empty_answer(&format!("{}-answer", self.turns[*turn].0.id));
            messages.insert(place + 1, reduce(answer, chunks));
        }
        messages
    }

    fn queued(&self) -> Vec<QueuedTurn> {
        let first = self
            .running
            .as_ref()
            .map_or(self.turns.len(), |(turn, _)| turn + 1);
        self.turns[first..]
            .iter()
            .map(|(request, _)| QueuedTurn {
                request_id: request.id.clone(),
                user_message_id: request.message.id.clone(),
            })
            .collect()
    }

    fn connect(&mut self) {
        self.connected = true;
        self.outbox.clear();
        self.send(ServerFrame::Identity {
            name: "conversation".to_owned(),
            agent: AgentKind::Conversation,
            state_follows: false,
        });
        let mut messages = self.transcript();
        let has_more = messages.len() > PAGE;
        messages.drain(..messages.len().saturating_sub(PAGE));
        let running = self.running.as_ref().map(|(turn, chunks)| {
            let request_id = self.turns[*turn].0.id.clone();
            RunningTurn {
                message_id: message_id(&format!("{request_id}-answer")),
                user_message_id: None,
                request_id,
                chunks: merge(chunks.clone()),
                next_seq: chunks.len() as u64,
            }
        });
        self.send(ServerFrame::History(HistoryFrame {
            messages,
            has_more,
            running,
            queued: self.queued(),
        }));
    }

    fn disconnect(&mut self) {
        self.connected = false;
        self.outbox.clear();
    }

    fn receive(&mut self, frame: ClientFrame) {
        match frame {
            ClientFrame::Chat(request) => self.accept(request),
            ClientFrame::Cancel { id } => {
                if self
                    .running
                    .as_ref()
                    .is_some_and(|(turn, _)| self.turns[*turn].0.id == id)
                {
                    self.finish(Outcome::Aborted);
                }
            }
            other => panic!("{other:?}"),
        }
    }

    fn accept(&mut self, request: ChatRequest) {
        self.send(ServerFrame::Message {
            message: request.message.clone(),
        });
        if !self.known.insert(request.id.clone()) {
            return;
        }
        let queued = QueuedTurn {
            request_id: request.id.clone(),
            user_message_id: request.message.id.clone(),
        };
        self.turns.push((request, None));
        if self.running.is_some() {
            self.send(ServerFrame::Queued(queued));
        } else {
            self.begin(self.turns.len() - 1);
        }
    }

    fn begin(&mut self, turn: usize) {
        self.running = Some((turn, Vec::new()));
        self.say(&start(&format!("{}-answer", self.turns[turn].0.id)));
    }

    fn say(&mut self, chunk: &Chunk) {
        let Some((turn, chunks)) = &mut self.running else {
            return;
        };
        let id = self.turns[*turn].0.id.clone();
        let seq = chunks.len() as u64;
        chunks.push(chunk.clone());
        self.send(ServerFrame::ChatResponse(ChatResponse::chunk(id, seq, chunk)));
    }

    fn finish(&mut self, outcome: Outcome) {
        let Some((turn, mut chunks)) = self.running.take() else {
            return;
        };
        chunks.push(Chunk::Abort);
        let (request, answer) = &mut self.turns[turn];
        let message = ended(reduce(empty_answer("a"), &chunks), outcome);
        *answer = Some(message.clone());
        let end = ChatResponse::ended(request.id.clone(), outcome, vec![request.message.id.clone()]);
        self.send(ServerFrame::Message { message });
        self.send(ServerFrame::ChatResponse(end));
        if turn + 1 < self.turns.len() {
            self.begin(turn + 1);
        }
    }

    /// The instance dies and another one seals the answer with less than the client may have seen.
    fn crash(&mut self) {
        self.disconnect();
        if let Some((_, chunks)) = &mut self.running {
            chunks.truncate(2);
        }
        self.finish(Outcome::Interrupted);
    }
}

/// A page with its session and its view.
struct Page {
    session: ClientSession,
    view: TranscriptView,
    to_server: VecDeque<String>,
    now: i64,
    submitted: u32,
}

impl Page {
    fn new() -> Self {
        let mut session = ClientSession::new();
        session.start(0);
        Self {
            session,
            view: TranscriptView::new(),
            to_server: VecDeque::new(),
            now: 0,
            submitted: 0,
        }
    }

    fn submit(&mut self) {
        let request = chat(&format!("r{}", self.submitted), "Hello?");
        self.submitted += 1;
        let _ = self.view.submit(&request);
        self.session.submit(request, self.now);
    }

    fn cancel(&mut self) {
        let running = self.view.entries().iter().find_map(|entry| match entry.state() {
            EntryState::Running(id) => Some(id.clone()),
            _ => None,
        });
        if let Some(id) = running {
            self.session.cancel(&id);
        }
    }

    /// Does what the session says. Gaps never come on a network that keeps the order.
    fn pump(&mut self, server: &mut Server) {
        while let Some(output) = self.session.poll_output() {
            match output {
                Output::Connect => {
                    self.to_server.clear();
                    server.connect();
                }
                Output::Disconnect => server.disconnect(),
                Output::Transmit(text) => self.to_server.push_back(text),
                Output::Event(SessionEvent::Frame(frame)) => {
                    assert_ne!(self.view.apply(*frame), Change::Resynchronise);
                }
                Output::Event(SessionEvent::Submission { id, state }) => {
                    let _ = self.view.apply_submission(&id, &state);
                }
                Output::Event(_) => {}
            }
            self.check();
        }
    }

    fn check(&self) {
        let entries = self.view.entries();
        let ids: BTreeSet<_> = entries.iter().map(|entry| &entry.message().id).collect();
        assert_eq!(ids.len(), entries.len(), "no message is there twice");
        let is_running = |state: EntryState<'_>| matches!(state, EntryState::Running(_));
        let running = entries.iter().filter(|entry| is_running(entry.state())).count();
        assert!(running <= 1);
    }

    fn break_connection(&mut self, server: &mut Server) {
        server.disconnect();
        self.to_server.clear();
        self.session.handle_closed(1006, self.now, 0.5);
    }

    /// Reads one frame from the server, some more than once.
    fn read(&mut self, server: &mut Server, times: usize) -> bool {
        let Some(frame) = server.outbox.pop_front() else {
            return false;
        };
        let times = if matches!(frame, ServerFrame::History(_)) {
            1
        } else {
            times
        };
        for _ in 0..times {
            let text = serde_json::to_string(&frame).unwrap();
            self.session.handle_text(&text, self.now);
        }
        true
    }

    fn write(&mut self, server: &mut Server) -> bool {
        let Some(text) = self.to_server.pop_front() else {
            return false;
        };
        server.receive(ClientFrame::parse(&text).unwrap());
        true
    }

    /// Gets through everything that is on its way, on a connection that holds.
    fn settle(&mut self, server: &mut Server) {
        self.pump(server);
        if !server.connected {
            self.session.handle_closed(1006, self.now, 0.5);
        }
        self.session.handle_online(self.now);
        self.pump(server);
        while self.write(server) | self.read(server, 1) {
            self.pump(server);
        }
    }

    /// The page shows the end of the server's transcript, as much as it has.
    fn assert_shows(&self, server: &Server) {
        let expected = server.shown();
        let shown: Vec<Message> = self
            .view
            .entries()
            .iter()
            .map(|entry| entry.message().clone())
            .collect();
        assert!(shown.len() <= expected.len() && shown.len() >= expected.len().min(PAGE));
        assert_eq!(shown, expected[expected.len() - shown.len()..]);
        if !self.view.has_more() {
            assert_eq!(shown.len(), expected.len());
        }
        let queued = self
            .view
            .entries()
            .iter()
            .filter_map(|entry| match entry.state() {
                EntryState::Queued(id) => Some(id.clone()),
                _ => None,
            });
        let waiting = server.queued().into_iter().map(|queued| queued.request_id);
        assert!(queued.eq(waiting), "what waits at the server waits on the page");
    }
}

proptest! {
    #[test]
    fn the_page_ends_up_with_the_servers_transcript(events in prop::collection::vec(0..24_u8, 0..120)) {
        let (mut server, mut page) = (Server::default(), Page::new());
        for event in events {
            match event {
                0..=2 => {
                    let answered = server.turns.iter().filter(|(_, answer)| answer.is_some()).count();
                    if (page.submitted as usize) < answered + UNANSWERED {
                        page.submit();
                    }
                }
                3 => page.cancel(),
                4..=6 => { page.write(&mut server); }
                7..=11 => { page.read(&mut server, 1); }
                12 => { page.read(&mut server, 3); }
                13 => server.say(&text_start("t")),
                14..=17 => server.say(&text_delta("t", &event.to_string())),
                18 | 19 => server.finish(Outcome::Completed),
                20 => page.break_connection(&mut server),
                21 => {
                    server.crash();
                    page.break_connection(&mut server);
                }
                22 => page.session.handle_online(page.now),
                _ => page.settle(&mut server),
            }
            page.pump(&mut server);
            if event > 22 {
                page.assert_shows(&server);
            }
        }
        page.settle(&mut server);
        page.assert_shows(&server);
        prop_assert_eq!(server.turns.len(), page.submitted as usize, "no message is lost, none is doubled");
        while server.running.is_some() {
            server.finish(Outcome::Completed);
            page.settle(&mut server);
        }
        page.assert_shows(&server);
        prop_assert!(page.view.entries().iter().all(|entry| entry.state() == EntryState::Settled));
        prop_assert_eq!(page.view.active(), None);
    }
}
