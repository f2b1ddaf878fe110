//! The registry's rules, one by one. What holds for every order of events is in `life_cycle.rs`.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop where it stands"
)]

mod support;

use flarebot_agent::registry::{self, Counts, Deletion, RegistryError, State};
use flarebot_agent::{ConversationName, activity, open};
use flarebot_durable::lease::{self, Lease};
use flarebot_protocol::ConversationId;
use flarebot_sql::native::Database;
use support::{IDENTITY, agent};
use uuid::Uuid;

fn id(number: u128) -> ConversationId {
    ConversationId::new(Uuid::from_u128(number))
}

fn name(text: &str) -> ConversationName {
    ConversationName::parse(text).unwrap()
}

fn create(sql: &Database, number: u128, now: i64) {
    registry::begin_create(sql, id(number), &ConversationName::default(), now).unwrap();
    registry::activate(sql, id(number)).unwrap();
}

fn listed(sql: &Database) -> Vec<ConversationId> {
    let conversations = registry::list(sql).unwrap();
    conversations.iter().map(|conversation| conversation.id).collect()
}

fn latest(sql: &Database) -> Vec<ConversationId> {
    let activities = activity::activities(sql).unwrap();
    activities.iter().map(|activity| activity.id).collect()
}

#[test]
fn a_conversation_is_listed_once_it_is_active_and_answers_with_iso_times() {
    let sql = agent();
    registry::begin_create(&sql, id(1), &name(" Research "), 1_796_029_500_042).unwrap();
    assert_eq!(listed(&sql), []);
    assert_eq!(latest(&sql), []);
    assert_eq!(registry::state(&sql, id(1)).unwrap(), Some(State::Pending));
    let summary = registry::activate(&sql, id(1)).unwrap();
    assert_eq!(summary.name, "Research");
    assert_eq!(summary.created_at, "2026-11-30T09:05:00.042Z");
    assert_eq!(summary.updated_at, "2026-11-30T09:05:00.042Z");
    assert_eq!(registry::list(&sql).unwrap(), [summary]);
}

#[test]
fn the_list_follows_names_and_the_activity_follows_turns() {
    let sql = agent();
    for (number, now) in [(1, 10), (3, 20), (2, 20)] {
        create(&sql, number, now);
    }
    assert_eq!(listed(&sql), [id(2), id(3), id(1)]);
    let renamed = registry::rename(&sql, id(1), &name("Release research"), 30).unwrap();
    assert_eq!(renamed.created_at, "1970-01-01T00:00:00.010Z");
    assert_eq!(renamed.updated_at, "1970-01-01T00:00:00.030Z");
    assert_eq!(listed(&sql), [id(1), id(2), id(3)]);
    assert_eq!(latest(&sql), [id(2), id(3), id(1)]);
    activity::turn_started(&sql, id(3), 40).unwrap();
    assert_eq!(listed(&sql), [id(1), id(2), id(3)]);
    assert_eq!(latest(&sql), [id(3), id(2), id(1)]);
}

#[test]
fn what_is_unknown_pending_or_deleted_cannot_be_renamed() {
    let sql = agent();
    registry::begin_create(&sql, id(1), &name("pending"), 0).unwrap();
    create(&sql, 2, 0);
    registry::begin_delete(&sql, id(2)).unwrap();
    for number in [1, 2, 3] {
        let renamed = registry::rename(&sql, id(number), &name("other"), 1);
        assert_eq!(renamed, Err(RegistryError::NotFound));
    }
}

#[test]
fn concurrent_deletes_share_one_teardown() {
    let sql = agent();
    create(&sql, 1, 0);
    assert_eq!(registry::begin_delete(&sql, id(1)).unwrap(), Deletion::Started);
    assert_eq!(registry::begin_delete(&sql, id(1)).unwrap(), Deletion::InProgress);
    assert_eq!(listed(&sql), []);
    registry::finish_delete(&sql, id(1)).unwrap();
    assert_eq!(registry::begin_delete(&sql, id(1)).unwrap(), Deletion::Absent);
    assert_eq!(registry::begin_delete(&sql, id(2)).unwrap(), Deletion::Absent);
}

#[test]
fn a_creation_that_is_deleted_meanwhile_does_not_come_back() {
    let sql = agent();
    registry::begin_create(&sql, id(1), &name("short-lived"), 0).unwrap();
    assert_eq!(registry::begin_delete(&sql, id(1)).unwrap(), Deletion::Started);
    assert_eq!(registry::activate(&sql, id(1)), Err(RegistryError::NotFound));
    registry::finish_delete(&sql, id(1)).unwrap();
    assert_eq!(registry::activate(&sql, id(1)), Err(RegistryError::NotFound));
    assert_eq!(registry::state(&sql, id(1)).unwrap(), None);
}

#[test]
fn an_active_conversation_survives_a_stray_end_of_a_deletion() {
    let sql = agent();
    create(&sql, 1, 0);
    registry::finish_delete(&sql, id(1)).unwrap();
    assert_eq!(listed(&sql), [id(1)]);
}

#[test]
fn what_is_interrupted_is_found_and_counted() {
    let sql = agent();
    create(&sql, 1, 0);
    registry::begin_create(&sql, id(2), &name("pending"), 0).unwrap();
    create(&sql, 3, 0);
    registry::begin_delete(&sql, id(3)).unwrap();
    assert_eq!(registry::unfinished(&sql).unwrap(), [id(2), id(3)]);
    let counts = Counts {
        pending: 1,
        active: 1,
        deleting: 1,
    };
    assert_eq!(registry::counts(&sql).unwrap(), counts);
}

#[test]
fn nothing_that_a_deleted_conversation_owed_wakes_the_agent() {
    let sql = agent();
    create(&sql, 1, 0);
    let owed = |owner: &str| Lease {
        owner: owner.to_owned(),
        kind: "turn".to_owned(),
        id: "a".to_owned(),
        due_at: 10,
    };
    lease::put(&sql, &owed(&id(1).to_string())).unwrap();
    lease::put(&sql, &owed("agent")).unwrap();
    registry::begin_delete(&sql, id(1)).unwrap();
    assert_eq!(lease::due(&sql, 10, 10).unwrap(), [owed("agent")]);
    lease::put(&sql, &owed(&id(1).to_string())).unwrap();
    registry::finish_delete(&sql, id(1)).unwrap();
    assert_eq!(lease::due(&sql, 10, 10).unwrap(), [owed("agent")]);
}

#[test]
fn an_answer_that_ends_unseen_is_unread_until_it_is_read() {
    let sql = agent();
    create(&sql, 1, 0);
    assert_eq!(activity::mark_read(&sql, id(1)).unwrap(), None);
    let started = activity::turn_started(&sql, id(1), 10).unwrap().unwrap();
    assert!(started.running && !started.unread);
    assert_eq!(activity::running(&sql).unwrap(), [id(1)]);
    let ended = activity::turn_ended(&sql, id(1), 20, false).unwrap().unwrap();
    assert!(!ended.running && ended.unread);
    assert_eq!(ended.last_activity_at, 20);
    assert!(!activity::mark_read(&sql, id(1)).unwrap().unwrap().unread);
    let repeated = activity::turn_ended(&sql, id(1), 20, false).unwrap().unwrap();
    assert!(!repeated.unread);
    activity::turn_started(&sql, id(1), 30).unwrap();
    let seen = activity::turn_ended(&sql, id(1), 40, true).unwrap().unwrap();
    assert!(!seen.running && !seen.unread);
}

#[test]
fn a_late_report_never_turns_activity_back_and_a_start_resets_none() {
    let sql = agent();
    create(&sql, 1, 100);
    let late = activity::turn_started(&sql, id(1), 50).unwrap().unwrap();
    assert_eq!(late.last_activity_at, 100);
    let restarted = sql.copy().unwrap();
    open(&restarted, &IDENTITY, 200).unwrap();
    assert_eq!(activity::activities(&restarted).unwrap(), [late]);
}

#[test]
fn a_name_is_known_as_long_as_the_owner_sees_the_conversation() {
    let sql = agent();
    registry::begin_create(&sql, id(1), &name("Research"), 0).unwrap();
    assert_eq!(registry::name(&sql, id(1)).unwrap(), None);
    registry::activate(&sql, id(1)).unwrap();
    assert_eq!(registry::name(&sql, id(1)).unwrap().as_deref(), Some("Research"));
    registry::rename(&sql, id(1), &name("Travel"), 1).unwrap();
    assert_eq!(registry::name(&sql, id(1)).unwrap().as_deref(), Some("Travel"));
    registry::begin_delete(&sql, id(1)).unwrap();
    assert_eq!(registry::name(&sql, id(1)).unwrap(), None);
}
