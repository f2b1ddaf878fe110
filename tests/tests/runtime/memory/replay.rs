//! A reply that is lost makes no second fact.

use super::{FACT, call, list};
use crate::tools::tools;
use crate::turns::outcome;
use flarebot_protocol::ConversationId;
use flarebot_protocol::message::{Message, Outcome, Role, ToolState};
use flarebot_tests::provider::Script;
use flarebot_tests::{Installation, PATIENCE, eventually};
use serde_json::json;
use std::time::Duration;

/// Begins an answer that remembers a fact, and kills the process once the model has been told so.
fn killed_after_remembering(installation: &mut Installation, label: &str) -> (ConversationId, Script) {
    let (id, mut socket) = installation.new_conversation("Memory");
    let script = Script {
        tools: vec![vec![call("remember", json!({ "content": FACT }))]],
        spoken: 1,
        gate_after: Some(1),
        ..Script::labelled(label)
    };
    socket.say(&script.to_string());
    eventually("the step after the tool", PATIENCE, || {
        installation.provider.labelled(label).get(1).cloned()
    });
    installation.kill();
    installation.provider.release(label);
    (id, script)
}

fn recovered(installation: &Installation, id: ConversationId) -> Message {
    eventually("the turn ends", Duration::from_secs(30), || {
        let last = installation.messages(id).pop()?;
        (last.role == Role::Assistant && outcome(&last).is_some()).then_some(last)
    })
}

fn assert_remembered_once(installation: &Installation, id: ConversationId, script: &Script) {
    let stored = recovered(installation, id);
    assert_eq!(
        (outcome(&stored), stored.text()),
        (Some(Outcome::Completed), script.whole_text())
    );
    let facts = list(installation);
    assert_eq!(facts.len(), 1);
    assert_eq!((facts[0].content.as_str(), facts[0].version), (FACT, 1));
    let parts = tools(&stored);
    assert_eq!(parts.len(), 1);
    assert!(
        matches!(&parts[0].state, ToolState::OutputAvailable { output, .. } if output["remembered"]["id"] == facts[0].id.as_str()),
        "{parts:?}"
    );
}

/// Takes from storage what the conversation knows of the tool's end, as if the process had been killed before the agent's
/// reply reached it: the action, and all that was logged from its result on.
fn lose_the_reply(installation: &Installation) {
    installation.damage("DELETE FROM action");
    let mut cut = 0;
    for file in installation.database_files() {
        let database = rusqlite::Connection::open(file).unwrap();
        let Ok(mut statement) =
            database.prepare("SELECT request_id, first_seq, chunks FROM stream_segment ORDER BY first_seq")
        else {
            continue;
        };
        let read = |row: &rusqlite::Row<'_>| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, i64>(1)?,
                row.get::<_, String>(2)?,
            ))
        };
        let segments: Vec<_> = statement
            .query_map([], read)
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let mut after = false;
        for (request, first_seq, chunks) in segments {
            let additions = chunks.lines().take_while(|addition| {
                after |= addition.contains("tool-output-available");
                !after
            });
            let kept: Vec<&str> = additions.collect();
            let changed = if kept.is_empty() {
                database.execute(
                    "DELETE FROM stream_segment WHERE request_id = ? AND first_seq = ?",
                    rusqlite::params![request, first_seq],
                )
            } else {
                database.execute(
                    "UPDATE stream_segment SET chunks = ? WHERE request_id = ? AND first_seq = ?",
                    rusqlite::params![kept.join("\n"), request, first_seq],
                )
            };
            assert_eq!(changed, Ok(1));
        }
        cut += usize::from(after);
    }
    assert_eq!(cut, 1, "one log holds the tool's result");
}

#[test]
fn a_kill_after_remembering_makes_no_second_fact() {
    let mut installation = Installation::start();
    let (id, script) = killed_after_remembering(&mut installation, "killed");
    installation.start_again();
    assert_remembered_once(&installation, id, &script);
}

#[test]
fn a_question_whose_reply_was_lost_is_asked_again_and_makes_no_second_fact() {
    let mut installation = Installation::start();
    let (id, script) = killed_after_remembering(&mut installation, "lost");
    lose_the_reply(&installation);
    installation.start_again();
    assert_remembered_once(&installation, id, &script);
}

#[test]
fn what_was_forgotten_meanwhile_is_not_remembered_by_a_late_repetition() {
    let mut installation = Installation::start();
    let (id, _) = killed_after_remembering(&mut installation, "late");
    lose_the_reply(&installation);
    let forgotten =
        "UPDATE flarebot_memories SET content = '', terms = '', conversation_id = NULL, deleted_at = 1";
    installation.damage(forgotten);
    installation.start_again();
    let stored = recovered(&installation, id);
    assert!(crate::tools::error(tools(&stored)[0]).contains("forgotten since"));
    assert_eq!(list(&installation), []);
}
