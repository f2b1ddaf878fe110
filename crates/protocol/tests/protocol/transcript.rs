//! What a page shows of a conversation, frame by frame.

mod answers;
mod continued;
mod history;
mod questions;
mod queue;

use crate::support::{
    chat, empty_answer, ended, message_id, question, request_id, start, text_delta, text_start,
};
use flarebot_protocol::call::HistoryPage;
use flarebot_protocol::chunk::{Chunk, merge};
use flarebot_protocol::client::{Change, Delivery, Entry, EntryState, SubmissionState, TranscriptView};
use flarebot_protocol::frame::{
    ChatResponse, HistoryFrame, QueueFrame, QueuedTurn, RunningTurn, ServerFrame,
};
use flarebot_protocol::message::{Message, Metadata, Outcome, Part, PartState};
use flarebot_protocol::reduce;

fn loaded(messages: Vec<Message>) -> TranscriptView {
    let mut view = TranscriptView::new();
    let _ = view.apply(history(messages, false, None));
    view
}

fn history(messages: Vec<Message>, has_more: bool, running: Option<RunningTurn>) -> ServerFrame {
    ServerFrame::History(HistoryFrame {
        messages,
        has_more,
        running,
        queued: Vec::new(),
    })
}

fn running(request: &str, chunks: &[Chunk], next_seq: u64) -> RunningTurn {
    RunningTurn {
        request_id: request_id(request),
        message_id: message_id("a"),
        user_message_id: None,
        chunks: merge(chunks.to_vec()),
        next_seq,
    }
}

fn chunk(request: &str, seq: u64, chunk: &Chunk) -> ServerFrame {
    ServerFrame::ChatResponse(ChatResponse::chunk(request_id(request), seq, chunk))
}

fn end(request: &str, outcome: Outcome) -> ServerFrame {
    ServerFrame::ChatResponse(ChatResponse::ended(request_id(request), outcome, Vec::new()))
}

fn told(message: Message) -> ServerFrame {
    ServerFrame::Message { message }
}

fn waits(request: &str, message: &str) -> ServerFrame {
    ServerFrame::Queued(QueuedTurn {
        request_id: request_id(request),
        user_message_id: message_id(message),
    })
}

fn ids(view: &TranscriptView) -> Vec<&str> {
    view.entries()
        .iter()
        .map(|entry| entry.message().id.as_str())
        .collect()
}

fn text(view: &TranscriptView, id: &str) -> String {
    entry(view, id).message().text()
}

fn entry<'a>(view: &'a TranscriptView, id: &str) -> &'a Entry {
    view.entries()
        .iter()
        .find(|entry| entry.message().id.as_str() == id)
        .expect(id)
}

fn hello() -> [Chunk; 4] {
    [
        start("a"),
        text_start("t"),
        text_delta("t", "Hel"),
        text_delta("t", "lo."),
    ]
}
