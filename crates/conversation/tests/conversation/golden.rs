//! What is stored, byte for byte. A released form is never changed: a later version has to read these files.

use crate::support::{accept, claim, database, message_id, request_id, text_delta};
use flarebot_conversation::turn::TurnState;
use flarebot_conversation::{ledger, stream_log, transcript};
use flarebot_protocol::chunk::{Chunk, FinishReason};
use flarebot_protocol::message::{Message, Metadata, Outcome, Part, PartState, Role, Usage};
use flarebot_sql::Sql;

fn stored(sql: &impl Sql, query: &str) -> String {
    let rows = sql.exec(query, &[]).unwrap();
    rows[0].text(0).unwrap().to_owned()
}

fn metadata() -> Metadata {
    Metadata {
        created_at: Some(1_700_000_000_000),
        outcome: Some(Outcome::Completed),
        notice: Some("Mind the gap.".to_owned()),
        model: Some("small".to_owned()),
        usage: Some(Usage {
            input_tokens: 12,
            output_tokens: 34,
            ..Usage::default()
        }),
    }
}

#[test]
fn a_message_is_stored_in_its_released_form() {
    let database = database();
    accept(&database, "a");
    let turn = claim(&database);
    let message = Message {
        id: turn.assistant_message_id,
        role: Role::Assistant,
        parts: vec![
            Part::StepStart,
            Part::Reasoning {
                text: "Hm.".to_owned(),
                state: Some(PartState::Done),
            },
            Part::Text {
                text: "Hello, \"世界\".\n".to_owned(),
                state: Some(PartState::Done),
            },
        ],
        metadata: Some(metadata()),
    };
    ledger::settle(&database, &turn.request_id, Outcome::Completed, &message, 30).unwrap();
    let bodies = |role| {
        stored(
            &database,
            &format!("SELECT body FROM message WHERE role = '{role}'"),
        )
    };
    insta::assert_snapshot!("message_of_the_owner", bodies("user"));
    insta::assert_snapshot!("message_of_the_agent", bodies("assistant"));
    assert_eq!(transcript::all(&database).unwrap()[1], message);
}

#[test]
fn a_stream_segment_is_stored_in_its_released_form() {
    let database = database();
    accept(&database, "a");
    let id = claim(&database).request_id;
    let part = |name: &str| name.to_owned();
    let chunks = [
        Chunk::Start {
            message_id: message_id("answer-a"),
            message_metadata: Some(metadata()),
        },
        Chunk::StartStep,
        Chunk::ReasoningStart {
            id: part("reasoning-0"),
        },
        Chunk::ReasoningDelta {
            id: part("reasoning-0"),
            delta: "Hm.".to_owned(),
        },
        Chunk::ReasoningEnd {
            id: part("reasoning-0"),
        },
        Chunk::TextStart { id: part("text-0") },
        text_delta("Hello, "),
        text_delta("\"世界\".\n"),
        Chunk::TextEnd { id: part("text-0") },
        Chunk::FinishStep,
        Chunk::Finish {
            finish_reason: Some(FinishReason::Stop),
            message_metadata: Some(metadata()),
        },
        Chunk::Abort,
        Chunk::Error {
            error_text: "It failed.".to_owned(),
        },
    ];
    stream_log::append(&database, &id, 0, &chunks).unwrap();
    insta::assert_snapshot!(
        "stream_segment",
        stored(&database, "SELECT chunks FROM stream_segment")
    );
    let merged = flarebot_protocol::chunk::merge(chunks);
    assert_eq!(stream_log::read(&database, &id).unwrap().chunks, merged);
}

#[test]
fn a_checkpoint_is_stored_in_its_released_form() {
    let database = database();
    accept(&database, "a");
    claim(&database);
    let mut state = TurnState::new(request_id("request-a"), message_id("answer-a"), 1_700_000_000_000);
    state.model = Some("small".to_owned());
    ledger::checkpoint(&database, &state.request_id, &state).unwrap();
    insta::assert_snapshot!("checkpoint", stored(&database, "SELECT state FROM turn"));
    assert_eq!(ledger::take_over(&database).unwrap().unwrap().state, state);
}

#[test]
fn what_a_newer_version_wrote_is_not_guessed_at_and_hides_nothing_else() {
    let database = database();
    accept(&database, "a");
    accept(&database, "b");
    let newer =
        r#"UPDATE message SET body = replace(body, '"version":1', '"version":2') WHERE id = 'user-a'"#;
    database.exec(newer, &[]).unwrap();
    let stored = transcript::all(&database).unwrap();
    assert!(stored[0].parts.is_empty());
    let notice = stored[0].metadata.as_ref().unwrap().notice.as_ref().unwrap();
    assert!(notice.contains("cannot be read"), "{notice}");
    assert_eq!(stored[1].text(), "question b");
    let page = transcript::page(&database, None, 10).unwrap();
    assert_eq!(page.messages, stored);
    let claimed = claim(&database);
    assert_eq!(
        claimed.user_message_id,
        message_id("user-a"),
        "its turn runs all the same"
    );
    assert_eq!(
        transcript::for_model(&database, &message_id("user-b"))
            .unwrap()
            .len(),
        1
    );
}
