//! Fibers under a process that dies after any statement: none is lost, none that has ended is revived.

use crate::common::{Dice, database};
use flarebot_durable::fiber::{
    self, Fiber, FiberEnd, FiberError, FiberStatus, ListFibers, NewFiber, Orphan, RecoveryLimits, Resolution,
};
use flarebot_sql::native::Database;
use flarebot_sql::{Sql, SqlError};

/// Lives through one fiber: `work` rows are what its body wrote with its end, `recovered` rows what its hook did.
fn live(sql: &Database, is_managed: bool, instance: &str) -> Result<(), FiberError> {
    let id = "a";
    if is_managed {
        fiber::accept(sql, &NewFiber::new("work").with_key("key"), id, instance, 1)?;
        if !fiber::begin(sql, id, instance, 2)? {
            return Ok(());
        }
    } else {
        fiber::register(sql, id, "work", instance, 1)?;
    }
    fiber::stash(sql, id, "one")?;
    fiber::stash(sql, id, "two")?;
    sql.transaction(|| {
        sql.exec("INSERT INTO work (id) VALUES ('a')", &[])?;
        let first = if is_managed {
            fiber::settle(sql, id, &FiberEnd::Completed, 3)?
        } else {
            fiber::finish(sql, id, 3)?
        };
        assert!(first);
        Ok::<(), SqlError>(())
    })?;
    fiber::clear(sql, id)?;
    Ok(())
}

/// What a later process does about it.
fn recover(sql: &Database, instance: &str, now: i64) -> Result<(), FiberError> {
    fiber::find_lost(sql, instance, now)?;
    while let Some(orphan) = fiber::take_orphan(sql, instance, &RecoveryLimits::default(), now)? {
        if let Orphan::Recover(recovery) = orphan {
            sql.transaction(|| {
                sql.exec(
                    "INSERT INTO recovered (id) VALUES (?)",
                    &[recovery.id.as_str().into()],
                )?;
                let resolution = Resolution::Completed {
                    snapshot: None,
                    metadata: None,
                };
                fiber::recovered(sql, &recovery.id, Some(&resolution), now)
            })?;
        }
    }
    Ok(())
}

fn count(sql: &Database, table: &str) -> usize {
    sql.exec(&format!("SELECT 1 FROM {table}"), &[]).unwrap().len()
}

fn world() -> Database {
    let sql = database();
    sql.exec(
        "CREATE TABLE work (id TEXT PRIMARY KEY) STRICT; CREATE TABLE recovered (id TEXT PRIMARY KEY) STRICT",
        &[],
    )
    .unwrap();
    sql
}

#[test]
fn a_process_may_die_after_any_statement_and_after_any_of_the_recovery() {
    for is_managed in [false, true] {
        let mut crashes = 0;
        for first in 0.. {
            let sql = world();
            sql.fail_after(first);
            let whole = live(&sql, is_managed, "process 1").is_ok();
            let after_first = sql.copy().unwrap();
            let began = count(&after_first, if is_managed { "fiber" } else { "fiber_run" }) > 0
                || count(&after_first, "work") > 0;
            for second in 0.. {
                let sql = after_first.copy().unwrap();
                sql.fail_after(second);
                let recovered = recover(&sql, "process 2", 10).is_ok();
                let sql = sql.copy().unwrap();
                recover(&sql, "process 3", 20).unwrap();
                let ends = count(&sql, "work") + count(&sql, "recovered");
                assert_eq!(
                    ends,
                    usize::from(began),
                    "managed {is_managed}, {first}, {second}"
                );
                assert_eq!(count(&sql, "fiber_run"), 0);
                assert_eq!(fiber::next_orphan_due(&sql, "process 3").unwrap(), None);
                let fibers = fiber::list(&sql, &ListFibers::default()).unwrap();
                assert_eq!(fibers.len(), usize::from(is_managed && began));
                assert!(fibers.iter().all(|fiber| fiber.status == FiberStatus::Completed));
                crashes += 1;
                if recovered {
                    break;
                }
            }
            if whole {
                break;
            }
        }
        assert!(crashes > 20, "the test must crash to mean anything");
    }
}

/// Many processes, each with fibers of its own, each dying somewhere; afterwards every accepted fiber has one end, or three
/// processes died in its recovery.
#[test]
fn many_fibers_over_many_crashes_have_one_end_each() {
    for seed in 0..40 {
        let mut dice = Dice::new(seed);
        let mut sql = world();
        let mut accepted: Vec<String> = Vec::new();
        for process in 0..12_i64 {
            let instance = format!("process {process}");
            sql.fail_after(usize::try_from(5 + dice.below(60)).unwrap());
            let mut step = || -> Result<(), FiberError> {
                recover(&sql, &instance, process * 10)?;
                for number in 0..3 {
                    let id = format!("{process}-{number}");
                    fiber::accept(&sql, &NewFiber::new("work"), &id, &instance, process * 10)?;
                    accepted.push(id.clone());
                    fiber::begin(&sql, &id, &instance, process * 10)?;
                    fiber::stash(&sql, &id, &id)?;
                    if dice.one_in(2) {
                        sql.transaction(|| {
                            sql.exec("INSERT INTO work (id) VALUES (?)", &[id.as_str().into()])?;
                            fiber::settle(&sql, &id, &FiberEnd::Completed, process * 10)?;
                            Ok::<(), SqlError>(())
                        })?;
                        fiber::clear(&sql, &id)?;
                    }
                }
                Ok(())
            };
            let _ = step();
            sql = sql.copy().unwrap();
        }
        recover(&sql, "the last", 1_000).unwrap();
        for id in accepted {
            let record: Fiber = fiber::inspect(&sql, &id).unwrap().unwrap();
            let given_up = record
                .error
                .is_some_and(|error| error.starts_with("the process ended in each of 3"));
            let expected = if given_up {
                FiberStatus::Interrupted
            } else {
                FiberStatus::Completed
            };
            assert_eq!(record.status, expected, "{id}");
            let ends = sql
                .exec(
                    "SELECT 1 FROM work WHERE id = ? UNION ALL SELECT 2 FROM recovered WHERE id = ?",
                    &[id.as_str().into(), id.as_str().into()],
                )
                .unwrap();
            assert_eq!(ends.len(), usize::from(!given_up), "{id}");
        }
        assert_eq!(count(&sql, "fiber_run"), 0);
    }
}
