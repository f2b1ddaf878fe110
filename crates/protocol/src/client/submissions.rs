//! Chat requests that the server has not confirmed. They are kept until it has, so that a lost connection loses no
//! message; the server knows a repeated one by its ids, so that none is doubled.

use super::event::SubmissionState;
use crate::RequestId;
use crate::frame::{ChatRequest, ClientFrame, HistoryFrame, ServerFrame};

#[derive(Debug, Default)]
pub(super) struct Submissions {
    open: Vec<Submission>,
}

#[derive(Debug)]
struct Submission {
    request: ChatRequest,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Never sent.
    Waiting,
    /// Sent on the connection that exists.
    Sent,
    /// Sent on a connection that is gone.
    Uncertain,
}

impl Submissions {
    /// Takes a request to be sent later. One that is already here is left alone.
    pub(super) fn add(&mut self, request: ChatRequest) {
        if self.open.iter().all(|open| open.request.id != request.id) {
            self.open.push(Submission {
                request,
                stage: Stage::Waiting,
            });
        }
    }

    /// The next request to send, oldest first, as text.
    pub(super) fn send_next(&mut self) -> Option<(RequestId, String)> {
        let next = self.open.iter_mut().find(|open| open.stage != Stage::Sent)?;
        next.stage = Stage::Sent;
        Some((
            next.request.id.clone(),
            ClientFrame::Chat(next.request.clone()).text(),
        ))
    }

    /// Takes out what a frame confirms or refuses.
    pub(super) fn confirm(&mut self, frame: &ServerFrame) -> Vec<(RequestId, SubmissionState)> {
        self.open
            .extract_if(.., |open| concerns(frame, &open.request))
            .map(|open| (open.request.id, verdict(frame)))
            .collect()
    }

    /// Marks what was sent on a connection that is gone.
    pub(super) fn lose(&mut self) -> Vec<RequestId> {
        let mut uncertain = Vec::new();
        for open in &mut self.open {
            if open.stage == Stage::Sent {
                open.stage = Stage::Uncertain;
                uncertain.push(open.request.id.clone());
            }
        }
        uncertain
    }

    /// Takes out one request.
    pub(super) fn withdraw(&mut self, id: &RequestId) -> Option<ChatRequest> {
        let place = self.open.iter().position(|open| open.request.id == *id)?;
        Some(self.open.remove(place).request)
    }

    /// Takes out one request if it was never sent.
    pub(super) fn withdraw_waiting(&mut self, id: &RequestId) -> Option<ChatRequest> {
        let place = self
            .open
            .iter()
            .position(|open| open.request.id == *id && open.stage == Stage::Waiting)?;
        Some(self.open.remove(place).request)
    }

    /// Takes out everything.
    pub(super) fn abandon(&mut self) -> Vec<ChatRequest> {
        self.open.drain(..).map(|open| open.request).collect()
    }
}

/// Whether a frame shows that the server has a request, or has refused it.
fn concerns(frame: &ServerFrame, request: &ChatRequest) -> bool {
    match frame {
        ServerFrame::ChatResponse(response) => response.id.original() == request.id,
        ServerFrame::Queued(queued) => queued.request_id == request.id,
        ServerFrame::Queue(queue) => {
            let mut known = queue.queued.iter().chain(&queue.deleted);
            known.any(|turn| turn.request_id == request.id)
        }
        ServerFrame::Message { message } => message.id == request.message.id,
        ServerFrame::History(history) => holds(history, request),
        ServerFrame::Running(running) => running.request_id.original() == request.id,
        ServerFrame::Identity { .. }
        | ServerFrame::State { .. }
        | ServerFrame::StateError { .. }
        | ServerFrame::Rpc(_)
        | ServerFrame::ChatMessages { .. }
        | ServerFrame::ChatClear
        | ServerFrame::StreamResuming { .. }
        | ServerFrame::StreamResumeNone { .. }
        | ServerFrame::StreamPending { .. }
        | ServerFrame::Conversations { .. }
        | ServerFrame::Activity { .. }
        | ServerFrame::SettingsChanged { .. }
        | ServerFrame::Error(_) => false,
    }
}

fn holds(history: &HistoryFrame, request: &ChatRequest) -> bool {
    history.is_unfinished(&request.id)
        || history
            .messages
            .iter()
            .any(|message| message.id == request.message.id)
}

fn verdict(frame: &ServerFrame) -> SubmissionState {
    if let ServerFrame::ChatResponse(response) = frame
        && response.is_refusal()
    {
        SubmissionState::Refused {
            sentence: response.body.clone(),
        }
    } else {
        SubmissionState::Accepted
    }
}
