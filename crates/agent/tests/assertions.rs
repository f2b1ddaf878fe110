//! An assertion signs in once, whatever happens in between.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop where it stands"
)]

mod support;

use flarebot_agent::assertions::{Consumption, consume};
use flarebot_sql::Sql;
use flarebot_sql::native::Database;
use support::agent;

fn remembered(sql: &Database) -> usize {
    sql.exec("SELECT 1 FROM sign_in_assertion", &[]).unwrap().len()
}

#[test]
fn an_assertion_works_once_also_after_a_restart() {
    let sql = agent();
    assert_eq!(consume(&sql, "one", 100, 10).unwrap(), Consumption::First);
    assert_eq!(consume(&sql, "one", 100, 11).unwrap(), Consumption::Used);
    let restarted = sql.copy().unwrap();
    assert_eq!(consume(&restarted, "one", 100, 99).unwrap(), Consumption::Used);
    assert_eq!(consume(&restarted, "two", 100, 99).unwrap(), Consumption::First);
}

#[test]
fn an_expired_assertion_never_works_and_is_forgotten() {
    let sql = agent();
    assert_eq!(consume(&sql, "late", 100, 100).unwrap(), Consumption::Used);
    assert_eq!(consume(&sql, "used", 100, 99).unwrap(), Consumption::First);
    assert_eq!(remembered(&sql), 1);
    assert_eq!(consume(&sql, "used", 100, 100).unwrap(), Consumption::Used);
    assert_eq!(consume(&sql, "other", 200, 100).unwrap(), Consumption::First);
    assert_eq!(remembered(&sql), 1);
}

#[test]
fn an_assertion_is_used_up_exactly_when_that_was_acknowledged() {
    for statements in 0.. {
        let sql = agent();
        sql.fail_after(statements);
        let result = consume(&sql, "one", 100, 10);
        let again = consume(&sql.copy().unwrap(), "one", 100, 11).unwrap();
        if result.is_ok() {
            assert_eq!(again, Consumption::Used);
            break;
        }
        assert_eq!(again, Consumption::First);
    }
}
