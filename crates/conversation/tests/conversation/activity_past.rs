//! What is left of the calls of tools: pages of the past, the live ones, and what clearing, crashes and older versions do.

use crate::activity::{RUNNING, SUCCEEDED, dump, ends, status};
use crate::activity_world::World;
use crate::support::{complete, conversation_id, database, request_id};
use flarebot_conversation::activity::{self, News};
use flarebot_conversation::stream_log::{self, LoggedStream};
use flarebot_conversation::turn::Event;
use flarebot_conversation::{COMPONENT, MIGRATIONS, initialise, ledger};
use flarebot_model::ToolCall;
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::tool_activity::{ActivityStatus, LIVE_ACTIVITIES, ToolActivity};
use flarebot_sql::native::Database;
use flarebot_sql::{Sql, migrate};
use flarebot_tool::Repetition;
use serde_json::{Value, json};

/// So many answers with one call each, all of which succeed.
fn past(answers: usize) -> World {
    let mut world = World::new();
    for _ in 0..answers {
        world.ask();
        world.call(&["look"]);
        world.end("call-0", Ok(json!(1)));
        world.finish();
    }
    world
}

fn sequences(activities: &[ToolActivity]) -> Vec<u64> {
    activities.iter().map(|activity| activity.sequence).collect()
}

#[test]
fn the_past_is_read_in_pages_that_do_not_move_while_more_happens() {
    let mut world = past(130);
    let first = activity::page(&world.database, None).unwrap();
    assert_eq!(sequences(&first.activities), (31..=130).rev().collect::<Vec<_>>());
    assert_eq!(first.next_cursor, Some(31));
    world.ask();
    world.call(&["look", "look"]);
    let second = activity::page(&world.database, first.next_cursor).unwrap();
    assert_eq!(sequences(&second.activities), (1..=30).rev().collect::<Vec<_>>());
    assert_eq!(second.next_cursor, None);
    for nothing in [Some(0), Some(1)] {
        let page = activity::page(&world.database, nothing).unwrap();
        assert_eq!((page.activities, page.next_cursor), (Vec::new(), None));
    }
    let all = activity::page(&world.database, Some(u64::MAX)).unwrap();
    assert_eq!(all.activities[0].sequence, 132);
    // Exactly one page is the last one.
    let world = past(100);
    let page = activity::page(&world.database, None).unwrap();
    assert_eq!((page.activities.len(), page.next_cursor), (100, None));
}

#[test]
fn the_live_ones_are_those_that_have_not_ended_and_then_the_newest() {
    let mut world = World::new();
    assert_eq!(activity::live(&world.database).unwrap().activities, []);
    world.ask();
    world.call(&["sign", "sign"]);
    // The answers behind one that waits go on.
    for _ in 0..40 {
        world.ask();
        world.call(&["look"]);
        world.end("call-0", Ok(json!(1)));
        world.finish();
    }
    world.ask();
    world.call(&["look", "look"]);
    let live = activity::live(&world.database).unwrap().activities;
    assert_eq!(live.len(), LIVE_ACTIVITIES);
    let mut expected = vec![44, 43, 2, 1];
    expected.extend((15..=42).rev());
    assert_eq!(sequences(&live), expected);

    let mut world = World::new();
    world.ask();
    world.call(&["look"; LIVE_ACTIVITIES + 8]);
    let live = activity::live(&world.database).unwrap().activities;
    assert_eq!(
        sequences(&live),
        (9..=40).rev().collect::<Vec<_>>(),
        "never more than the window holds"
    );
}

#[test]
fn clearing_forgets_everything_and_hears_nothing_more_of_it() {
    let mut world = World::calling(&["look", "act", "sign"]);
    world.end("call-0", Ok(json!(1)));
    world.clear();
    assert_eq!(world.activities(), []);
    let left = dump(&world);
    assert!(
        left.contains("answer-0") && !left.contains("Do something"),
        "{left}"
    );

    // The machine does not know it yet, and what it says is not kept.
    world.report("call-1", json!({ "done": 1 }));
    world.end("call-1", Ok(json!(1)));
    world.announce("call-9", "look");
    world.cancel();
    assert_eq!(world.activities(), []);
    let watch = world.watch();
    let again = ToolCall {
        id: "call-1".to_owned(),
        name: "look".to_owned(),
        arguments: Value::Null,
    };
    watch.begin(&again, Repetition::Harmless, 99_999).unwrap();
    for chunk in ends("call-1") {
        watch.append(90, &[chunk], 99_999).unwrap();
    }
    assert_eq!(world.activities(), []);

    // What comes later is kept, with numbers that were never given.
    world.ask();
    world.call(&["look", "look"]);
    assert_eq!(sequences(&world.activities()), [4, 5]);
    world.clear();
    world.cancel();
    world.clear();
    world.ask();
    world.call(&["look"]);
    assert_eq!(sequences(&world.activities()), [6]);
}

#[test]
fn an_erased_call_is_not_heard_even_if_its_answer_seems_to_run_again() {
    let mut world = World::calling(&["look"]);
    world.clear();
    let revived = "INSERT INTO turn (position, request_id, user_message_id, assistant_message_id, status, created_at) \
                   VALUES (1, 'request-0', 'user-0', 'answer-0', 'running', 1)";
    world.database.exec(revived, &[]).unwrap();
    let watch = world.watch();
    let written = |id: &str| Chunk::ToolInputAvailable {
        tool_call_id: id.to_owned(),
        tool_name: "look".to_owned(),
        input: json!({}),
    };
    assert_eq!(watch.append(0, &[written("call-0")], 99_999), Ok(News::Nothing));
    assert_eq!(watch.append(1, &[written("call-1")], 99_999), Ok(News::Calls));
    assert_eq!(sequences(&world.activities()), [2]);
}

#[test]
fn a_crash_anywhere_leaves_the_log_and_the_records_in_agreement() {
    for statements in 0.. {
        let mut world = World::new();
        world.ask();
        world.announce("a", "look");
        let chunks = [
            Chunk::ToolInputAvailable {
                tool_call_id: "a".to_owned(),
                tool_name: "look".to_owned(),
                input: json!({ "number": 7 }),
            },
            Chunk::ToolInputError {
                tool_call_id: "b".to_owned(),
                tool_name: "fly".to_owned(),
                input: json!({}),
                error_text: "No.".to_owned(),
            },
        ];
        let before = world.activities();
        world.database.fail_after(statements);
        let watch = world.watch();
        let stored = watch.append(100, &chunks, 5_000);
        world.database = world.database.copy().unwrap();
        let logged = stream_log::read(&world.database, &request_id("request-0"));
        let is_logged = logged.unwrap().chunks.contains(&chunks[0]);
        assert_eq!(is_logged, world.activities() != before, "{stored:?}");
        assert_eq!(is_logged, stored.is_ok());
        if stored.is_ok() {
            assert_eq!(world.activities().len(), 2);
            break;
        }
    }
}

#[test]
fn a_turn_that_an_older_version_left_running_goes_on_and_is_recorded_from_then_on() {
    let mut world = World::new();
    let older = Database::in_memory().unwrap();
    let known = &MIGRATIONS[..4];
    migrate(&older, COMPONENT, known, 1).unwrap();
    let turn = "INSERT INTO turn (position, request_id, user_message_id, assistant_message_id, status, attempts, \
                    created_at, started_at) \
                VALUES (2, 'request-0', 'user-0', 'answer-0', 'running', 1, 1, 2)";
    older.exec(turn, &[]).unwrap();
    let chunks = vec![
        Chunk::StartStep,
        Chunk::ToolInputAvailable {
            tool_call_id: "a".to_owned(),
            tool_name: "look".to_owned(),
            input: json!({ "number": 7 }),
        },
    ];
    let logged = LoggedStream { chunks, next_seq: 2 };
    stream_log::rewind(&older, &request_id("request-0"), &logged).unwrap();
    initialise(&older, conversation_id(), 3).unwrap();
    world.database = older;
    let lost = ledger::take_over(&world.database, 4).unwrap().unwrap();
    assert_eq!(world.activities(), []);
    world.go_on(lost, Event::Resumed);
    assert_eq!(status(&world, "a"), RUNNING);
    world.end("a", Ok(json!(1)));
    world.finish();
    assert_eq!(status(&world, "a"), SUCCEEDED);
}

#[test]
fn a_call_that_the_model_broke_off_is_cancelled_be_it_logged_or_not() {
    for logged in [true, false] {
        let mut world = World::new();
        world.ask();
        world.announce("a", "look");
        world.hear(Event::ModelClosed);
        if logged {
            world.tick(300);
            assert_eq!(status(&world, "a"), (ActivityStatus::Cancelled, None));
        }
        world.finish();
        assert_eq!(status(&world, "a"), (ActivityStatus::Cancelled, None));
    }
}

#[test]
fn a_turn_without_tools_records_nothing() {
    let database = database();
    complete(&database, "a", "Hello.");
    assert_eq!(activity::page(&database, None).unwrap().activities, []);
}
