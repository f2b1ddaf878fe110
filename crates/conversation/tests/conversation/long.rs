//! A long conversation and a model that refuses what is too much for it.

use crate::support::complete;
use flarebot_conversation::turn::Event;
use flarebot_model::{FailureKind, ModelEvent, ModelFailure, ModelMessage, ModelRequest};
use flarebot_protocol::chunk::FinishReason;
use flarebot_sql::Sql;

/// What the model writes as a summary.
pub(crate) const SUMMARY: &str = "They asked and answered.";

/// How long the conversation is, and what the model takes of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Long {
    /// How many questions were answered before.
    pub(crate) earlier: usize,
    /// The most bytes of a request.
    pub(crate) room: usize,
    pub(crate) summary: Writing,
}

/// What comes of the call for a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writing {
    Whole,
    Empty,
    BreaksOff,
    Refused,
    Silent,
}

impl Long {
    /// Has the earlier part of the conversation.
    pub(crate) fn speak(self, sql: &impl Sql) {
        for number in 0..self.earlier {
            complete(sql, &format!("earlier-{number:02}"), &text_of(number));
        }
    }

    /// What the model says other than an answer to the question.
    pub(crate) fn instead_of_an_answer(self, request: &ModelRequest) -> Option<Vec<Event>> {
        let is_too_long = request.messages.iter().map(ModelMessage::bytes).sum::<usize>() > self.room;
        let failed = Event::Model(ModelEvent::Failed(ModelFailure::new(FailureKind::ContextTooLong)));
        if !asks_for_a_summary(request) {
            return is_too_long.then(|| vec![failed]);
        }
        let text = |text: &str| Event::Model(ModelEvent::Text(text.to_owned()));
        let end = Event::Model(ModelEvent::Finished(FinishReason::Stop));
        let reasoning = Event::Model(ModelEvent::Reasoning("Hm.".to_owned()));
        Some(match self.summary {
            _ if is_too_long => vec![failed],
            Writing::Whole => vec![reasoning, text("They asked "), text("and answered.\n"), end],
            Writing::Empty => vec![text(" "), end],
            Writing::BreaksOff => vec![text("They"), Event::ModelClosed],
            Writing::Refused => vec![failed],
            Writing::Silent => vec![text("They")],
        })
    }
}

pub(crate) fn text_of(number: usize) -> String {
    format!("answer {number:02} {}", "x".repeat(391))
}

pub(crate) fn asks_for_a_summary(request: &ModelRequest) -> bool {
    request
        .system
        .as_ref()
        .is_some_and(|system| system.contains("summary"))
}
