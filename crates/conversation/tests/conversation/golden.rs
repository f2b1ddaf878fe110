//! What is stored, byte for byte. A released form is never changed: a later version has to read these files.

use crate::script::{finished, run, text};
use crate::support::{accept, claim, complete, context, database, message_id, request_id, text_delta};
use flarebot_conversation::turn::{Effect, Event, Turn, TurnContext, TurnState};
use flarebot_conversation::{ledger, stream_log, transcript};
use flarebot_model::{FailureKind, ModelEvent, ModelFailure};
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
    assert_eq!(transcript::newest(&database).unwrap()[1], message);
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
    assert_eq!(ledger::take_over(&database, 40).unwrap().unwrap().state, state);
}

#[test]
fn a_checkpoint_of_a_conversation_that_does_not_fit_is_stored_in_its_released_form() {
    let database = database();
    for name in ["a", "b", "c", "d"] {
        complete(&database, name, "hello");
    }
    accept(&database, "e");
    let turn = claim(&database);
    let history = transcript::for_model(&database, &turn.user_message_id)
        .unwrap()
        .unwrap();
    let context = TurnContext { history, ..context() };
    let too_long = ModelEvent::Failed(ModelFailure::new(FailureKind::ContextTooLong));
    let mut forms = Vec::new();
    for summary in ["They spoke.", ""] {
        let mut turn = Turn::new(turn.clone(), context.clone());
        let asked = run(&mut turn, [Event::Accepted, Event::Model(too_long.clone())]);
        let ended = run(&mut turn, [text(summary), finished(FinishReason::Stop)]);
        for effects in [asked, ended] {
            let state = last_checkpoint(&effects);
            ledger::checkpoint(&database, turn.request_id(), &state).unwrap();
            forms.push(stored(
                &database,
                "SELECT state FROM turn WHERE status = 'running'",
            ));
            assert_eq!(ledger::take_over(&database, 40).unwrap().unwrap().state, state);
        }
    }
    insta::assert_snapshot!("checkpoint_of_a_long_conversation", forms.join("\n"));
}

fn last_checkpoint(effects: &[Effect]) -> TurnState {
    let mut checkpoints = effects.iter().filter_map(|effect| match effect {
        Effect::Checkpoint(state) => Some(state.clone()),
        _ => None,
    });
    checkpoints.next_back().unwrap()
}

#[test]
fn a_checkpoint_of_an_earlier_version_is_read() {
    let database = database();
    accept(&database, "a");
    claim(&database);
    let earlier = r#"{"version":1,"content":{"requestId":"request-a","messageId":"answer-a","model":"small","begunAt":7,"modelCalls":2,"incident":{"content":0,"attempts":1,"brokenCalls":0}}}"#;
    database
        .exec("UPDATE turn SET state = ?", &[earlier.into()])
        .unwrap();
    let lost = ledger::take_over(&database, 40).unwrap().unwrap();
    assert_eq!(
        (lost.state.begun_at, lost.state.model.as_deref()),
        (7, Some("small"))
    );
    ledger::checkpoint(&database, &lost.turn.request_id, &lost.state).unwrap();
    assert_eq!(stored(&database, "SELECT state FROM turn"), earlier);
}

#[test]
fn whatever_stands_where_a_message_was_the_conversation_is_read_paged_and_goes_on() {
    for damage in [
        "",
        "null",
        "{",
        "[]",
        "not json \u{1}",
        r#"{"version":1,"content":{}}"#,
    ] {
        let database = database();
        complete(&database, "a", "hello");
        complete(&database, "b", "hello again");
        accept(&database, "w");
        let damage_question = "UPDATE message SET body = ? WHERE id = 'user-w'";
        database.exec(damage_question, &[damage.into()]).unwrap();
        let mended = ledger::queue::edit(&database, &request_id("request-w"), "Once more.")
            .unwrap()
            .unwrap();
        assert_eq!(
            mended.text(),
            "Once more.",
            "a message that waits is mended by a new text"
        );
        ledger::queue::delete(&database, &request_id("request-w"), 12)
            .unwrap()
            .unwrap();
        let overwrite = "UPDATE message SET body = ? WHERE id = 'answer-a' OR id = 'user-b'";
        database.exec(overwrite, &[damage.into()]).unwrap();
        let messages = transcript::newest(&database).unwrap();
        let shown: Vec<(String, Role)> = messages
            .iter()
            .map(|message| (message.id.to_string(), message.role))
            .collect();
        let expected = [
            ("user-a", Role::User),
            ("answer-a", Role::Assistant),
            ("user-b", Role::User),
            ("answer-b", Role::Assistant),
        ];
        assert_eq!(shown, expected.map(|(id, role)| (id.to_owned(), role)));
        for message in &messages[1..3] {
            let notice = message.metadata.as_ref().unwrap().notice.as_ref().unwrap();
            assert!(notice.contains("cannot be read"), "{notice}");
        }
        assert_eq!(transcript::page(&database, None, 10).unwrap().messages, messages);
        let before = transcript::page(&database, Some(&message_id("user-b")), 1).unwrap();
        assert_eq!(before.messages, messages[1..2]);
        assert_eq!(
            transcript::message(&database, &message_id("answer-a"))
                .unwrap()
                .as_ref(),
            messages.get(1)
        );

        complete(&database, "c", "here");
        let history = transcript::for_model(&database, &message_id("user-c"))
            .unwrap()
            .unwrap();
        let positions: Vec<i64> = history.said.iter().map(|said| said.position).collect();
        assert_eq!(positions, [1, 4, 7], "a model is given nothing of it");
        let unreadable = transcript::for_model(&database, &message_id("user-b"));
        assert_eq!(unreadable, Ok(None), "what cannot be read cannot be answered");
    }
}

#[test]
fn what_a_newer_version_wrote_is_not_guessed_at_and_hides_nothing_else() {
    let database = database();
    accept(&database, "a");
    accept(&database, "b");
    let newer =
        r#"UPDATE message SET body = replace(body, '"version":1', '"version":2') WHERE id = 'user-a'"#;
    database.exec(newer, &[]).unwrap();
    let stored = transcript::newest(&database).unwrap();
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
            .unwrap()
            .said
            .len(),
        1
    );
}
