//! Short ways to make what the tests need.

use flarebot_conversation::history::History;
use flarebot_conversation::ledger::{self, Acceptance, ClaimedTurn};
use flarebot_conversation::turn::{Turn, TurnContext};
use flarebot_conversation::{initialise, transcript};
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::frame::{ChatRequest, Trigger};
use flarebot_protocol::message::{Message, Outcome, Part, PartState, Role};
use flarebot_protocol::{ConversationId, MessageId, RequestId};
use flarebot_sql::Sql;
use flarebot_sql::native::Database;
use uuid::Uuid;

pub(crate) fn conversation_id() -> ConversationId {
    ConversationId::new(Uuid::from_u128(1))
}

/// The database of a conversation that was just initialised.
pub(crate) fn database() -> Database {
    let database = Database::in_memory().unwrap();
    initialise(&database, conversation_id(), 1).unwrap();
    database
}

pub(crate) fn request_id(text: &str) -> RequestId {
    RequestId::new(text).unwrap()
}

pub(crate) fn message_id(text: &str) -> MessageId {
    MessageId::new(text).unwrap()
}

pub(crate) fn user_message(id: &str, text: &str) -> Message {
    Message {
        id: message_id(id),
        role: Role::User,
        parts: vec![Part::Text {
            text: text.to_owned(),
            state: None,
        }],
        metadata: None,
    }
}

pub(crate) fn answer(id: &str, text: &str) -> Message {
    Message {
        id: message_id(id),
        role: Role::Assistant,
        parts: vec![
            Part::StepStart,
            Part::Text {
                text: text.to_owned(),
                state: Some(PartState::Done),
            },
        ],
        metadata: None,
    }
}

/// The request `request-{name}` with the message `user-{name}`, whose text is `text`.
pub(crate) fn request(name: &str, text: &str) -> ChatRequest {
    ChatRequest {
        id: request_id(&format!("request-{name}")),
        message: user_message(&format!("user-{name}"), text),
        trigger: Trigger::Submit,
    }
}

/// Accepts the request `name`; its answer will be the message `answer-{name}`.
pub(crate) fn accept(sql: &impl Sql, name: &str) -> Acceptance {
    let answer = message_id(&format!("answer-{name}"));
    ledger::accept(sql, &request(name, &format!("question {name}")), &answer, 10).unwrap()
}

pub(crate) fn claim(sql: &impl Sql) -> ClaimedTurn {
    ledger::claim_next(sql, 20).unwrap().expect("a waiting turn")
}

/// Runs the whole turn `name`, whose answer has the text `text`.
pub(crate) fn complete(sql: &impl Sql, name: &str, text: &str) {
    accept(sql, name);
    let turn = claim(sql);
    let message = answer(turn.assistant_message_id.as_str(), text);
    ledger::settle(sql, &turn.request_id, Outcome::Completed, &message, 30).unwrap();
}

/// The ids of the transcript in order.
pub(crate) fn transcript_ids(sql: &impl Sql) -> Vec<String> {
    let messages = transcript::newest(sql).unwrap();
    messages
        .into_iter()
        .map(|message| message.id.to_string())
        .collect()
}

pub(crate) fn context() -> TurnContext {
    TurnContext {
        model: "small".to_owned(),
        system: Some("Be brief.".to_owned()),
        history: History::default(),
        tools: Vec::new(),
    }
}

pub(crate) fn claimed() -> ClaimedTurn {
    ClaimedTurn {
        request_id: request_id("request-a"),
        user_message_id: message_id("user-a"),
        assistant_message_id: message_id("answer-a"),
        attempts: 1,
    }
}

pub(crate) fn new_turn() -> Turn {
    Turn::new(claimed(), context())
}

pub(crate) fn text_delta(delta: &str) -> Chunk {
    Chunk::TextDelta {
        id: "text-0".to_owned(),
        delta: delta.to_owned(),
    }
}

/// All text of deltas, in order.
pub(crate) fn delta_text<'a>(chunks: impl IntoIterator<Item = &'a Chunk>) -> String {
    let mut text = String::new();
    for chunk in chunks {
        if let Chunk::TextDelta { delta, .. } | Chunk::ReasoningDelta { delta, .. } = chunk {
            text.push_str(delta);
        }
    }
    text
}
