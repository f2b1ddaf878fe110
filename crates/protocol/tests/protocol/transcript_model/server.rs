//! A server in miniature: it accepts, answers, dies in the middle of an answer, and goes on elsewhere.

use super::{PAGE, TABS};
use crate::support::{activities, empty_answer, ended, message_id, question, start};
use flarebot_protocol::chunk::{Chunk, merge};
use flarebot_protocol::frame::{
    AgentKind, ChatRequest, ChatResponse, ClientFrame, HistoryFrame, QueueFrame, QueuedTurn, RunningTurn,
    ServerFrame,
};
use flarebot_protocol::message::{Message, Outcome};
use flarebot_protocol::{RequestId, reduce};
use std::collections::VecDeque;

/// A conversation as its server has it.
#[derive(Default)]
pub(super) struct Server {
    pub(super) turns: Vec<Turn>,
    pub(super) running: Option<Running>,
    pub(super) lines: [Line; TABS],
}

/// A request, and what became of it.
pub(super) struct Turn {
    request: ChatRequest,
    answer: Option<Message>,
    fate: Fate,
}

/// What the owner did with a request that waited.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Kept,
    Cancelled,
    Deleted,
}

/// Which of the turns runs, as which attempt, with the chunks that were sent.
pub(super) struct Running {
    turn: usize,
    attempt: u32,
    chunks: Vec<Chunk>,
}

/// What is on its way to one tab.
#[derive(Default)]
pub(super) struct Line {
    pub(super) connected: bool,
    pub(super) outbox: VecDeque<ServerFrame>,
}

impl Line {
    fn send(&mut self, frame: ServerFrame) {
        if self.connected {
            self.outbox.push_back(frame);
        }
    }
}

impl Server {
    fn send(&mut self, frame: &ServerFrame) {
        for line in &mut self.lines {
            line.send(frame.clone());
        }
    }

    fn transcript(&self) -> Vec<Message> {
        let turns = self.turns.iter().filter(|turn| turn.fate != Fate::Deleted);
        turns
            .flat_map(|turn| [Some(turn.request.message.clone()), turn.answer.clone()])
            .flatten()
            .collect()
    }

    /// The transcript with the running answer in its place, as a page should show it.
    pub(super) fn shown(&self) -> Vec<Message> {
        let mut messages = self.transcript();
        if let Some(Running { turn, chunks, .. }) = &self.running {
            let request = &self.turns[*turn].request;
            let place = messages
                .iter()
                .position(|message| message.id == request.message.id)
                .unwrap();
            messages.insert(place + 1, reduce(empty_answer(&answer_id(request)), chunks));
        }
        messages
    }

    /// The first turn that is not done.
    pub(super) fn first_unanswered(&self) -> usize {
        self.running
            .as_ref()
            .map_or(self.turns.len(), |running| running.turn)
    }

    pub(super) fn queued(&self) -> Vec<QueuedTurn> {
        let waiting = self.waiting().into_iter();
        waiting.map(|place| queued(&self.turns[place].request)).collect()
    }

    /// Where the requests are that wait, in order.
    fn waiting(&self) -> Vec<usize> {
        let waiting = self.first_unanswered() + 1..self.turns.len();
        waiting
            .filter(|place| self.turns[*place].fate == Fate::Kept)
            .collect()
    }

    pub(super) fn running_turn(&self) -> Option<RunningTurn> {
        let running = self.running.as_ref()?;
        let request = &self.turns[running.turn].request;
        Some(RunningTurn {
            request_id: stream(request, running.attempt),
            message_id: message_id(&answer_id(request)),
            user_message_id: Some(request.message.id.clone()),
            chunks: merge(running.chunks.clone()),
            next_seq: running.chunks.len() as u64,
        })
    }

    pub(super) fn connect(&mut self, tab: usize) {
        let mut messages = self.transcript();
        let has_more = messages.len() > PAGE;
        messages.drain(..messages.len().saturating_sub(PAGE));
        let history = HistoryFrame {
            messages,
            has_more,
            running: self.running_turn(),
            queued: self.queued(),
        };
        let line = &mut self.lines[tab];
        line.connected = true;
        line.outbox.clear();
        line.send(ServerFrame::Identity {
            name: "conversation".to_owned(),
            agent: AgentKind::Conversation,
            state_follows: true,
        });
        line.send(activities(&[]));
        line.send(ServerFrame::History(history));
    }

    pub(super) fn disconnect(&mut self, tab: usize) {
        self.lines[tab] = Line::default();
    }

    pub(super) fn receive(&mut self, frame: ClientFrame) {
        match frame {
            ClientFrame::Chat(request) => self.accept(request),
            ClientFrame::Cancel { id } => self.cancel(&id.original()),
            other => panic!("{other:?}"),
        }
    }

    fn accept(&mut self, request: ChatRequest) {
        let known = self.turns.iter().find(|turn| turn.request.id == request.id);
        let message = known.map_or(&request, |known| &known.request).message.clone();
        let is_known = known.is_some();
        self.send(&ServerFrame::Message { message });
        if is_known {
            return;
        }
        let waits = queued(&request);
        self.turns.push(Turn {
            request,
            answer: None,
            fate: Fate::Kept,
        });
        if self.running.is_some() {
            self.send(&ServerFrame::Queued(waits));
        } else {
            self.begin(self.turns.len() - 1);
        }
    }

    fn cancel(&mut self, id: &RequestId) {
        let Some(place) = self.turns.iter().position(|turn| turn.request.id == *id) else {
            return;
        };
        if self.running.is_some() && place == self.first_unanswered() {
            self.finish(Outcome::Aborted);
        } else if self.waiting().contains(&place) {
            self.turns[place].fate = Fate::Cancelled;
            let end = ChatResponse::ended(id.clone(), Outcome::Aborted, Vec::new());
            self.send(&ServerFrame::ChatResponse(end));
        }
    }

    /// Changes the text of one that waits.
    pub(super) fn edit(&mut self, which: usize) {
        if let Some(place) = self.waiting().get(which) {
            let message = &mut self.turns[*place].request.message;
            *message = question(message.id.as_str(), "Better?");
            let message = message.clone();
            self.send(&ServerFrame::Message { message });
        }
    }

    /// Deletes one that waits, unless a tab may still send it again.
    pub(super) fn delete(&mut self, which: usize, is_uncertain: impl Fn(&RequestId) -> bool) {
        if let Some(place) = self.waiting().get(which)
            && !is_uncertain(&self.turns[*place].request.id)
        {
            self.turns[*place].fate = Fate::Deleted;
            let deleted = vec![queued(&self.turns[*place].request)];
            self.tell_queue(deleted);
        }
    }

    /// Moves one that waits to the front, and stops the answer that runs.
    pub(super) fn send_now(&mut self, which: usize) {
        let waiting = self.waiting();
        if which < waiting.len() {
            for pair in waiting[..=which].windows(2).rev() {
                self.turns.swap(pair[0], pair[1]);
            }
            self.tell_queue(Vec::new());
            self.finish(Outcome::Aborted);
        }
    }

    fn tell_queue(&mut self, deleted: Vec<QueuedTurn>) {
        let queued = self.queued();
        self.send(&ServerFrame::Queue(QueueFrame { queued, deleted }));
    }

    fn begin(&mut self, turn: usize) {
        self.running = Some(Running {
            turn,
            attempt: 1,
            chunks: Vec::new(),
        });
        self.say(&start(&answer_id(&self.turns[turn].request)));
    }

    pub(super) fn say(&mut self, chunk: &Chunk) {
        let Some(running) = &mut self.running else {
            return;
        };
        let id = stream(&self.turns[running.turn].request, running.attempt);
        let seq = running.chunks.len() as u64;
        running.chunks.push(chunk.clone());
        self.send(&ServerFrame::ChatResponse(ChatResponse::chunk(id, seq, chunk)));
    }

    pub(super) fn finish(&mut self, outcome: Outcome) {
        let Some(mut running) = self.running.take() else {
            return;
        };
        running.chunks.push(Chunk::Abort);
        let turn = &mut self.turns[running.turn];
        let message = ended(reduce(empty_answer("a"), &running.chunks), outcome);
        turn.answer = Some(message.clone());
        let id = stream(&turn.request, running.attempt);
        let end = ChatResponse::ended(id, outcome, vec![turn.request.message.id.clone()]);
        self.send(&ServerFrame::Message { message });
        self.send(&ServerFrame::ChatResponse(end));
        let mut later = running.turn + 1..self.turns.len();
        if let Some(next) = later.find(|place| self.turns[*place].fate == Fate::Kept) {
            self.begin(next);
        }
    }

    /// The instance dies with the tail of the answer that it had not logged, and another one goes on with the rest. The
    /// sockets that outlive it are told.
    pub(super) fn continue_elsewhere(&mut self, lost: usize) {
        let Some(running) = &mut self.running else {
            return;
        };
        let kept = running.chunks.len().saturating_sub(lost);
        running.chunks.truncate(kept);
        running.attempt += 1;
        let turn = self.running_turn().unwrap();
        self.send(&ServerFrame::Running(turn));
        if kept == 0 {
            self.say(&start(&answer_id(&self.turns[self.first_unanswered()].request)));
        }
    }

    /// The instance dies and another one seals the answer with less than the client may have seen.
    pub(super) fn seal(&mut self) {
        if let Some(running) = &mut self.running {
            running.chunks.truncate(2);
        }
        self.finish(Outcome::Interrupted);
    }
}

fn answer_id(request: &ChatRequest) -> String {
    format!("{}-answer", request.id)
}

fn stream(request: &ChatRequest, attempt: u32) -> RequestId {
    match attempt {
        1 => request.id.clone(),
        later => request.id.continued(later),
    }
}

fn queued(request: &ChatRequest) -> QueuedTurn {
    QueuedTurn {
        request_id: request.id.clone(),
        user_message_id: request.message.id.clone(),
    }
}
