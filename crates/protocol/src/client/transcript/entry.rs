//! One line of a transcript: a message and how settled it is.

use crate::chunk::Chunk;
use crate::frame::RunningTurn;
use crate::message::{Message, Metadata, Outcome, Role};
use crate::{MessageId, Reduction, RequestId};

/// One message of a [`super::TranscriptView`].
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub(super) content: Content,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    Settled(Message),
    Running(Answer),
    Queued {
        request: RequestId,
        message: Message,
    },
    Unconfirmed {
        request: RequestId,
        message: Message,
        delivery: Delivery,
    },
}

/// How settled a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryState<'a> {
    /// The server has it, and it is complete.
    Settled,
    /// An answer that is being made.
    Running(&'a RequestId),
    /// The owner's message, which waits for the answers before it.
    Queued(&'a RequestId),
    /// The owner's message, which the server has not confirmed.
    Unconfirmed(&'a RequestId, &'a Delivery),
}

/// What is known of a message that the server has not confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// It is on its way, or waits for a connection.
    Sending,
    /// The connection was lost; it will be sent again.
    Uncertain,
    /// It will not be sent any more. [`super::TranscriptView::withdraw`] gives its text back.
    Failed {
        /// Why, for the owner.
        sentence: String,
    },
}

impl Entry {
    pub(super) fn settled(message: Message) -> Self {
        Self {
            content: Content::Settled(message),
        }
    }

    /// The message as far as it is known.
    #[must_use]
    pub fn message(&self) -> &Message {
        match &self.content {
            Content::Settled(message)
            | Content::Queued { message, .. }
            | Content::Unconfirmed { message, .. } => message,
            Content::Running(answer) => &answer.reduction.message,
        }
    }

    /// How settled it is.
    #[must_use]
    pub fn state(&self) -> EntryState<'_> {
        match &self.content {
            Content::Settled(_) => EntryState::Settled,
            Content::Running(answer) => EntryState::Running(&answer.request),
            Content::Queued { request, .. } => EntryState::Queued(request),
            Content::Unconfirmed {
                request, delivery, ..
            } => EntryState::Unconfirmed(request, delivery),
        }
    }

    /// One sentence for the owner if the answer did not simply complete.
    #[must_use]
    pub fn notice(&self) -> Option<&str> {
        let metadata = self.message().metadata.as_ref()?;
        if metadata.notice.is_some() {
            return metadata.notice.as_deref();
        }
        match metadata.outcome? {
            Outcome::Completed => None,
            Outcome::Aborted => Some("You stopped this answer."),
            Outcome::Error => Some("This answer failed. Send your message again."),
            Outcome::Interrupted => Some("This answer was interrupted."),
        }
    }

    pub(super) fn is_unconfirmed(&self) -> bool {
        match self.content {
            Content::Unconfirmed { .. } => true,
            Content::Settled(_) | Content::Running(_) | Content::Queued { .. } => false,
        }
    }

    /// Whether it is a question whose answer has not begun.
    pub(super) fn waits(&self) -> bool {
        match self.content {
            Content::Queued { .. } | Content::Unconfirmed { .. } => true,
            Content::Settled(_) | Content::Running(_) => false,
        }
    }

    /// A running answer as it stands at its end.
    pub(super) fn ended(self, outcome: Option<Outcome>) -> Self {
        match self.content {
            Content::Running(answer) => Self::settled(answer.end(outcome)),
            Content::Settled(_) | Content::Queued { .. } | Content::Unconfirmed { .. } => self,
        }
    }

    /// A question that waits for the answers before it.
    pub(super) fn queued(self, request: RequestId) -> Self {
        Self {
            content: Content::Queued {
                request,
                message: self.into_message(),
            },
        }
    }

    pub(super) fn into_message(self) -> Message {
        match self.content {
            Content::Settled(message)
            | Content::Queued { message, .. }
            | Content::Unconfirmed { message, .. } => message,
            Content::Running(answer) => answer.reduction.message,
        }
    }
}

/// An answer in the making.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub(super) request: RequestId,
    pub(super) next_seq: u64,
    reduction: Reduction,
}

impl Answer {
    /// An answer without its first chunk. The message's id is the request's until that chunk names it.
    pub(super) fn begin(request: RequestId) -> Option<Self> {
        let id = MessageId::new(request.as_str()).ok()?;
        Some(Self::empty(request, id, 0))
    }

    /// An answer as the history tells it.
    pub(super) fn join(turn: RunningTurn) -> Self {
        let mut answer = Self::empty(turn.request_id, turn.message_id, turn.next_seq);
        for chunk in &turn.chunks {
            answer.apply(chunk);
        }
        answer
    }

    fn empty(request: RequestId, id: MessageId, next_seq: u64) -> Self {
        let message = Message {
            id,
            role: Role::Assistant,
            parts: Vec::new(),
            metadata: None,
        };
        Self {
            request,
            next_seq,
            reduction: Reduction::new(message),
        }
    }

    /// Applies the next chunk. One that this version cannot read only counts.
    pub(super) fn extend(&mut self, body: &str) {
        self.next_seq = self.next_seq.saturating_add(1);
        if let Ok(chunk) = serde_json::from_str(body) {
            self.apply(&chunk);
        }
    }

    fn apply(&mut self, chunk: &Chunk) {
        self.reduction.apply(chunk);
        if let Chunk::Error { error_text } = chunk {
            self.fail(error_text.clone());
        }
    }

    /// Notes why the answer fails.
    pub(super) fn fail(&mut self, sentence: String) {
        let metadata = self.metadata();
        metadata.outcome = Some(Outcome::Error);
        metadata.notice = Some(sentence);
    }

    fn end(mut self, outcome: Option<Outcome>) -> Message {
        self.reduction.apply(&Chunk::Abort);
        if outcome.is_some() {
            self.metadata().outcome = outcome;
        }
        self.reduction.message
    }

    pub(super) fn message_id(&self) -> &MessageId {
        &self.reduction.message.id
    }

    fn metadata(&mut self) -> &mut Metadata {
        self.reduction.message.metadata.get_or_insert_default()
    }
}
