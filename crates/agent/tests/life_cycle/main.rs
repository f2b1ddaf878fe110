//! The life of conversations as a state machine: any order of requests, reports and restarts, with the process stopped
//! after any statement of any of them, against a plain model.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop where it stands"
)]

mod model;
#[path = "../support/mod.rs"]
mod support;

use flarebot_agent::registry::{self, RegistryError, State};
use flarebot_agent::{ConversationName, activity, open};
use flarebot_durable::lease::{self, Lease};
use flarebot_protocol::ConversationId;
use flarebot_protocol::conversation::ConversationSummary;
use flarebot_sql::native::Database;
use flarebot_sql::{Row, Sql, SqlError};
use model::{Conversation, Outcome, Rows, Step, World};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use support::{IDENTITY, agent};

/// Three conversations that owe something, so that no run is about an empty registry.
fn opening() -> impl Iterator<Item = (Step, Option<usize>)> {
    (0..3)
        .flat_map(|which| {
            [
                Step::BeginCreate("Letters"),
                Step::Activate(which),
                Step::Owe(which),
            ]
        })
        .map(|step| (step, None))
}

/// More statements than any step has, so that some stops come after its end.
const MAXIMUM_STATEMENTS: usize = 6;

fn steps() -> impl Strategy<Value = Vec<(Step, Option<usize>)>> {
    let name = || prop::sample::select(&["Research", "Recipes", "Letters"][..]);
    let which = || 0_usize..6;
    let step = prop_oneof![
        4 => name().prop_map(Step::BeginCreate),
        6 => which().prop_map(Step::Activate),
        2 => (which(), name()).prop_map(|(which, name)| Step::Rename(which, name)),
        3 => which().prop_map(Step::BeginDelete),
        3 => which().prop_map(Step::FinishDelete),
        3 => which().prop_map(Step::TurnStarted),
        3 => (which(), any::<bool>()).prop_map(|(which, seen)| Step::TurnEnded(which, seen)),
        2 => which().prop_map(Step::MarkRead),
        3 => which().prop_map(Step::Owe),
    ];
    vec((step, prop::option::weighted(0.3, 0..MAXIMUM_STATEMENTS)), 1..40)
}

/// Carries out a step. `Err` means that the database failed, so nothing was acknowledged.
fn act(sql: &Database, world: &World, step: &Step, now: i64) -> Result<Outcome, SqlError> {
    let name = |text: &str| ConversationName::parse(text).unwrap();
    let summary = |result: Result<ConversationSummary, RegistryError>| match result {
        Ok(summary) => Ok(Outcome::Summary(summary)),
        Err(RegistryError::NotFound) => Ok(Outcome::NotFound),
        Err(RegistryError::Sql(error)) => Err(error),
    };
    match *step {
        Step::BeginCreate(text) => {
            registry::begin_create(sql, world.next_id(), &name(text), now)?;
            Ok(Outcome::Done)
        }
        Step::Activate(which) => summary(registry::activate(sql, world.id(which))),
        Step::Rename(which, text) => summary(registry::rename(sql, world.id(which), &name(text), now)),
        Step::BeginDelete(which) => registry::begin_delete(sql, world.id(which)).map(Outcome::Deletion),
        Step::FinishDelete(which) => {
            registry::finish_delete(sql, world.id(which))?;
            Ok(Outcome::Done)
        }
        Step::TurnStarted(which) => activity::turn_started(sql, world.id(which), now).map(Outcome::Activity),
        Step::TurnEnded(which, seen) => {
            activity::turn_ended(sql, world.id(which), now, seen).map(Outcome::Activity)
        }
        Step::MarkRead(which) => activity::mark_read(sql, world.id(which)).map(Outcome::Activity),
        Step::Owe(which) => {
            let id = world.id(which);
            // What reaches the agent too late is turned away at the registry, as in production.
            if registry::state(sql, id)?.is_some() {
                let lease = Lease {
                    owner: id.to_string(),
                    kind: "turn".to_owned(),
                    id: id.to_string(),
                    due_at: now,
                };
                lease::put(sql, &lease)?;
            }
            Ok(Outcome::Done)
        }
    }
}

/// What every start does: open, then finish what was interrupted.
fn start(sql: &Database) -> Result<(), SqlError> {
    open(sql, &IDENTITY, 0).map_err(|error| SqlError::Refused(error.to_string()))?;
    for id in registry::unfinished(sql)? {
        registry::begin_delete(sql, id)?;
        registry::finish_delete(sql, id)?;
    }
    Ok(())
}

/// The rows as they are stored.
fn observe(sql: &Database) -> Rows {
    let conversation = |row: &Row| {
        let id: ConversationId = row.text(0).unwrap().parse().unwrap();
        let conversation = Conversation {
            name: row.text(1).unwrap().to_owned(),
            created_at: row.integer(2).unwrap(),
            updated_at: row.integer(3).unwrap(),
            state: registry::state(sql, id).unwrap().unwrap(),
            last_activity_at: row.integer(4).unwrap(),
            running: row.integer(5).unwrap() == 1,
            unread: row.integer(6).unwrap() == 1,
        };
        (id, conversation)
    };
    let rows = sql
        .exec(
            "SELECT id, name, created_at, updated_at, last_activity_at, running, unread FROM flarebot_conversations",
            &[],
        )
        .unwrap();
    let owners = sql.exec("SELECT owner FROM lease", &[]).unwrap();
    Rows {
        conversations: rows.iter().map(conversation).collect(),
        owing: owners
            .iter()
            .map(|row| row.text(0).unwrap().parse().unwrap())
            .collect(),
    }
}

fn check(sql: &Database, world: &World) -> Result<(), TestCaseError> {
    prop_assert_eq!(&observe(sql), &world.rows);
    prop_assert_eq!(registry::list(sql).unwrap(), world.list());
    prop_assert_eq!(activity::activities(sql).unwrap(), world.activities());
    prop_assert_eq!(registry::unfinished(sql).unwrap(), world.unfinished());
    let counts = registry::counts(sql).unwrap();
    prop_assert_eq!(
        usize::try_from(counts.pending + counts.deleting).unwrap(),
        world.unfinished().len()
    );
    prop_assert_eq!(usize::try_from(counts.active).unwrap(), world.list().len());
    for id in &world.deleted {
        prop_assert!(matches!(
            registry::state(sql, *id).unwrap(),
            None | Some(State::Deleting)
        ));
    }
    Ok(())
}

/// Starts again and again, stopped after so many statements each time, and at last to the end.
fn restart(stopped: &Database, world: &mut World, stops: &[usize]) -> Result<Database, TestCaseError> {
    let mut sql = stopped.copy().unwrap();
    for &statements in stops {
        sql.fail_after(statements);
        // A start that is stopped is judged by what the next one makes of it.
        let _ = start(&sql);
        sql = sql.copy().unwrap();
        prop_assert_eq!(registry::list(&sql).unwrap(), world.list());
    }
    prop_assert!(start(&sql).is_ok());
    world.start();
    check(&sql, world)?;
    prop_assert_eq!(registry::unfinished(&sql).unwrap(), []);
    Ok(sql)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_was_acknowledged_holds_and_nothing_is_left_half_done(
        steps in steps(),
        stops in vec(0_usize..40, 0..3),
    ) {
        let mut world = World::default();
        let mut sql = agent();
        prop_assert!(start(&sql).is_ok());
        for (time, (step, stop)) in (1_i64..).zip(opening().chain(steps)) {
            if let Some(statements) = stop {
                sql.fail_after(statements);
            }
            let (after, outcome) = world.after(&step, time);
            match act(&sql, &world, &step, time) {
                Ok(actual) => {
                    prop_assert_eq!(actual, outcome);
                    world = after;
                }
                Err(_) => {
                    prop_assert!(stop.is_some(), "{step:?} failed without a stop");
                    let found = observe(&sql.copy().unwrap());
                    if found == after.rows {
                        world = after;
                    } else {
                        prop_assert_eq!(&found, &world.rows, "{:?} was left half done", step);
                    }
                }
            }
            if stop.is_some() {
                sql = restart(&sql, &mut world, &stops)?;
            }
            check(&sql, &world)?;
        }
        restart(&sql, &mut world, &stops)?;
    }
}
