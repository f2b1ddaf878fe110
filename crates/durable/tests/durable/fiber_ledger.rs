//! The life of a managed fiber in its ledger.

use crate::common::database;
use flarebot_durable::Acceptance;
use flarebot_durable::fiber::{
    self, DeleteFibers, Fiber, FiberEnd, FiberError, FiberStatus, ListFibers, MAXIMUM_METADATA_BYTES,
    NewFiber, Receipt, Resolution,
};
use flarebot_sql::MAXIMUM_VALUE_BYTES;
use flarebot_sql::native::Database;
use proptest::collection::vec;
use proptest::prelude::*;

const HERE: &str = "process 1";
const LATER: &str = "process 2";

fn accept(sql: &Database, fiber: &NewFiber) -> Receipt {
    fiber::accept(sql, fiber, "fresh", HERE, 10).unwrap()
}

fn status(sql: &Database, id: &str) -> FiberStatus {
    fiber::inspect(sql, id).unwrap().unwrap().status
}

fn completed() -> Resolution {
    Resolution::Completed {
        snapshot: None,
        metadata: None,
    }
}

/// A fiber in the given status, under the id `a`.
fn fiber_in(sql: &Database, wanted: FiberStatus) {
    let fiber = NewFiber {
        id: Some("a".to_owned()),
        ..NewFiber::new("work")
    };
    accept(sql, &fiber);
    if wanted != FiberStatus::Pending {
        assert!(fiber::begin(sql, "a", HERE, 11).unwrap());
    }
    match wanted {
        FiberStatus::Pending | FiberStatus::Running => {}
        FiberStatus::Completed => assert!(fiber::settle(sql, "a", &FiberEnd::Completed, 12).unwrap()),
        FiberStatus::Error => {
            assert!(fiber::settle(sql, "a", &FiberEnd::Error("it broke".to_owned()), 12).unwrap());
        }
        FiberStatus::Aborted => assert!(fiber::cancel(sql, "a", Some("not needed"), 12).unwrap()),
        FiberStatus::Interrupted => {
            fiber::find_lost(sql, LATER, 12).unwrap();
            let orphan = fiber::take_orphan(sql, LATER, &Default::default(), 12).unwrap();
            assert!(matches!(orphan, Some(fiber::Orphan::Recover(_))));
            fiber::recovered(sql, "a", None, 12).unwrap();
        }
    }
    assert_eq!(status(sql, "a"), wanted);
}

const STATUSES: [FiberStatus; 6] = [
    FiberStatus::Pending,
    FiberStatus::Running,
    FiberStatus::Completed,
    FiberStatus::Error,
    FiberStatus::Aborted,
    FiberStatus::Interrupted,
];

#[test]
fn a_fiber_is_accepted_once_whatever_its_starter_repeats() {
    let sql = database();
    let webhook = NewFiber {
        metadata: Some("thread 7".to_owned()),
        ..NewFiber::new("reply").with_key("webhook:1")
    };
    let first = accept(&sql, &webhook);
    assert_eq!(first.acceptance, Acceptance::Accepted);
    let expected = Fiber {
        id: "fresh".to_owned(),
        name: "reply".to_owned(),
        idempotency_key: Some("webhook:1".to_owned()),
        status: FiberStatus::Pending,
        snapshot: None,
        error: None,
        metadata: Some("thread 7".to_owned()),
        created_at: 10,
        started_at: None,
        settled_at: None,
    };
    assert_eq!(first.fiber, expected);
    let second = fiber::accept(&sql, &webhook, "another", LATER, 20).unwrap();
    assert_eq!(
        (second.acceptance, second.fiber),
        (Acceptance::Existing, expected.clone())
    );
    assert_eq!(fiber::inspect_by_key(&sql, "webhook:1").unwrap(), Some(expected));
    assert_eq!(fiber::inspect_by_key(&sql, "webhook:2").unwrap(), None);
}

#[test]
fn starts_that_contradict_the_ledger_are_refused() {
    let sql = database();
    let fiber = |id: Option<&str>, key: Option<&str>| NewFiber {
        id: id.map(str::to_owned),
        idempotency_key: key.map(str::to_owned),
        ..NewFiber::new("work")
    };
    accept(&sql, &fiber(Some("a"), Some("key a")));
    accept(&sql, &fiber(Some("b"), None));
    let cases = [
        (fiber(Some("b"), Some("key a")), FiberError::Conflict),
        (fiber(Some("a"), Some("key c")), FiberError::Conflict),
        (fiber(Some("b"), Some("key b")), FiberError::Conflict),
        (fiber(Some(" "), None), FiberError::Blank("id")),
        (fiber(None, Some("")), FiberError::Blank("key")),
        (NewFiber::new(""), FiberError::Blank("name")),
        (
            NewFiber {
                metadata: Some("x".repeat(MAXIMUM_METADATA_BYTES + 1)),
                ..NewFiber::new("work")
            },
            FiberError::TooLarge {
                what: "metadata",
                maximum: MAXIMUM_METADATA_BYTES,
            },
        ),
    ];
    for (new, expected) in cases {
        assert_eq!(
            fiber::accept(&sql, &new, "fresh", HERE, 20).unwrap_err(),
            expected,
            "{new:?}"
        );
    }
    assert_eq!(fiber::list(&sql, &ListFibers::default()).unwrap().len(), 2);
    let found = accept(&sql, &fiber(Some("unused"), Some("key a")));
    assert_eq!(found.fiber.id, "a", "the key alone decides");
    assert_eq!(accept(&sql, &fiber(Some("a"), None)).fiber.id, "a");
}

#[test]
fn each_step_is_taken_from_the_right_status_alone() {
    use FiberStatus::{Aborted, Completed, Error, Interrupted, Pending, Running};
    type Step = fn(&Database) -> bool;
    let steps: [(&str, Step, &[FiberStatus], FiberStatus); 4] = [
        (
            "begin",
            |sql| fiber::begin(sql, "a", HERE, 20).unwrap(),
            &[Pending],
            Running,
        ),
        (
            "settle",
            |sql| fiber::settle(sql, "a", &FiberEnd::Error("late".to_owned()), 20).unwrap(),
            &[Pending, Running],
            Error,
        ),
        (
            "cancel",
            |sql| fiber::cancel(sql, "a", None, 20).unwrap(),
            &[Pending, Running],
            Aborted,
        ),
        (
            "resolve",
            |sql| fiber::resolve(sql, "a", &completed(), 20).unwrap(),
            &[Interrupted],
            Completed,
        ),
    ];
    for (name, step, from, to) in steps {
        for before in STATUSES {
            let sql = database();
            fiber_in(&sql, before);
            let record = fiber::inspect(&sql, "a").unwrap();
            let taken = step(&sql);
            assert_eq!(taken, from.contains(&before), "{name} from {before:?}");
            if taken {
                assert_eq!(status(&sql, "a"), to);
            } else {
                assert_eq!(
                    fiber::inspect(&sql, "a").unwrap(),
                    record,
                    "{name} from {before:?}"
                );
            }
        }
        assert!(!step(&database()), "{name} of an unknown fiber");
    }
}

#[test]
fn an_end_records_its_reason_and_its_instant() {
    let sql = database();
    fiber_in(&sql, FiberStatus::Aborted);
    let record = fiber::inspect(&sql, "a").unwrap().unwrap();
    assert_eq!(record.error.as_deref(), Some("not needed"));
    assert_eq!((record.started_at, record.settled_at), (Some(11), Some(12)));
    let sql = database();
    fiber_in(&sql, FiberStatus::Running);
    let error = "é".repeat(5_000);
    fiber::settle(&sql, "a", &FiberEnd::Error(error), 12).unwrap();
    let stored = fiber::inspect(&sql, "a").unwrap().unwrap().error.unwrap();
    assert_eq!(stored.len(), 4_096, "an error is cut where it enters");
}

#[test]
fn a_checkpoint_replaces_the_one_before() {
    let sql = database();
    fiber_in(&sql, FiberStatus::Running);
    fiber::register(&sql, "b", "other", HERE, 10).unwrap();
    fiber::stash(&sql, "a", "one").unwrap();
    fiber::stash(&sql, "b", "other").unwrap();
    fiber::stash(&sql, "a", "two").unwrap();
    assert_eq!(fiber::snapshot(&sql, "a").unwrap().as_deref(), Some("two"));
    assert_eq!(fiber::snapshot(&sql, "b").unwrap().as_deref(), Some("other"));
    let record = fiber::inspect(&sql, "a").unwrap().unwrap();
    assert_eq!(record.snapshot.as_deref(), Some("two"));
    let large = "x".repeat(MAXIMUM_VALUE_BYTES + 1);
    assert!(matches!(
        fiber::stash(&sql, "a", &large),
        Err(FiberError::TooLarge { .. })
    ));
    assert_eq!(fiber::stash(&sql, "nobody", "x"), Err(FiberError::NotRunning));
    fiber::cancel(&sql, "a", None, 20).unwrap();
    assert_eq!(fiber::stash(&sql, "a", "late"), Err(FiberError::NotRunning));
    assert_eq!(
        fiber::snapshot(&sql, "a").unwrap().as_deref(),
        Some("two"),
        "a refused checkpoint leaves no half"
    );
    fiber::finish(&sql, "b", 20).unwrap();
    assert_eq!(fiber::stash(&sql, "b", "late"), Err(FiberError::NotRunning));
}

#[test]
fn the_largest_checkpoint_and_metadata_fit_in_one_row() {
    let sql = database();
    let fiber = NewFiber {
        id: Some("a".to_owned()),
        metadata: Some("m".repeat(MAXIMUM_METADATA_BYTES)),
        ..NewFiber::new("work")
    };
    accept(&sql, &fiber);
    fiber::begin(&sql, "a", HERE, 11).unwrap();
    fiber::stash(&sql, "a", &"x".repeat(MAXIMUM_VALUE_BYTES)).unwrap();
    fiber::settle(&sql, "a", &FiberEnd::Error("e".repeat(100_000)), 12).unwrap();
}

#[test]
fn a_resolution_says_what_becomes_of_an_interrupted_fiber() {
    let snapshot = || Some("new".to_owned());
    let cases = [
        (
            Resolution::Completed {
                snapshot: snapshot(),
                metadata: Some("seen".to_owned()),
            },
            FiberStatus::Completed,
            None,
            Some("seen"),
        ),
        (
            Resolution::Error {
                error: "gone".to_owned(),
                snapshot: snapshot(),
            },
            FiberStatus::Error,
            Some("gone"),
            None,
        ),
        (
            Resolution::Aborted {
                reason: Some("late".to_owned()),
                snapshot: snapshot(),
            },
            FiberStatus::Aborted,
            Some("late"),
            None,
        ),
        (
            Resolution::Interrupted {
                error: Some("unclear".to_owned()),
                snapshot: snapshot(),
            },
            FiberStatus::Interrupted,
            Some("unclear"),
            None,
        ),
    ];
    for (resolution, status, error, metadata) in cases {
        let sql = database();
        fiber_in(&sql, FiberStatus::Interrupted);
        assert!(fiber::resolve(&sql, "a", &resolution, 30).unwrap());
        let record = fiber::inspect(&sql, "a").unwrap().unwrap();
        assert_eq!(record.status, status);
        assert_eq!(record.error.as_deref(), error);
        assert_eq!(record.metadata.as_deref(), metadata);
        assert_eq!(record.snapshot.as_deref(), Some("new"));
        assert_eq!(record.settled_at, status.is_terminal().then_some(30));
    }
}

#[test]
fn fibers_are_listed_newest_first_and_within_bounds() {
    let sql = database();
    for number in 0..120 {
        let name = if number % 2 == 0 { "even" } else { "odd" };
        let id = format!("{number:03}");
        fiber::accept(&sql, &NewFiber::new(name), &id, HERE, number).unwrap();
    }
    let list = |options: ListFibers| fiber::list(&sql, &options).unwrap();
    assert_eq!(list(ListFibers::default()).len(), 50);
    let everything = list(ListFibers {
        limit: 1_000,
        ..ListFibers::default()
    });
    assert_eq!((everything.len(), everything[0].id.as_str()), (100, "119"));
    let even = list(ListFibers {
        name: Some("even".to_owned()),
        status: Some(FiberStatus::Pending),
        limit: 1,
    });
    assert_eq!(even[0].id, "118");
    let running = ListFibers {
        status: Some(FiberStatus::Running),
        ..ListFibers::default()
    };
    assert_eq!(list(running), []);
}

#[test]
fn deleting_spares_what_is_active_and_by_default_what_is_interrupted() {
    for before in STATUSES {
        let default = match before {
            FiberStatus::Completed | FiberStatus::Error | FiberStatus::Aborted => 1,
            FiberStatus::Pending | FiberStatus::Running | FiberStatus::Interrupted => 0,
        };
        let sql = database();
        fiber_in(&sql, before);
        assert_eq!(
            fiber::delete(&sql, &DeleteFibers::default()).unwrap(),
            default,
            "{before:?}"
        );
        let sql = database();
        fiber_in(&sql, before);
        let everything = DeleteFibers {
            statuses: STATUSES.to_vec(),
            ..DeleteFibers::default()
        };
        let expected = usize::from(!before.is_active());
        assert_eq!(fiber::delete(&sql, &everything).unwrap(), expected, "{before:?}");
    }
}

#[test]
fn the_oldest_are_deleted_first() {
    let sql = database();
    for number in 0..4 {
        let id = format!("{number}");
        fiber::accept(&sql, &NewFiber::new("work"), &id, HERE, 0).unwrap();
        fiber::cancel(&sql, &id, None, 10 - number).unwrap();
    }
    let options = DeleteFibers {
        settled_before: Some(10),
        limit: 2,
        ..DeleteFibers::default()
    };
    assert_eq!(fiber::delete(&sql, &options).unwrap(), 2);
    let left = fiber::list(&sql, &ListFibers::default()).unwrap();
    assert_eq!(
        left.iter().map(|fiber| fiber.id.as_str()).collect::<Vec<_>>(),
        ["1", "0"]
    );
}

proptest! {
    /// Whatever order steps come in, what was terminal stays as it was, and a body runs at most once.
    #[test]
    fn a_terminal_status_is_final(steps in vec(0_u8..6, 0..12)) {
        let sql = database();
        let fiber = NewFiber { id: Some("a".to_owned()), ..NewFiber::new("work") };
        accept(&sql, &fiber);
        let mut begun = 0;
        let mut terminal: Option<Fiber> = None;
        for (at, step) in (20..).zip(steps) {
            match step {
                0 => begun += u32::from(fiber::begin(&sql, "a", HERE, at).unwrap()),
                1 => drop(fiber::settle(&sql, "a", &FiberEnd::Completed, at).unwrap()),
                2 => drop(fiber::cancel(&sql, "a", None, at).unwrap()),
                3 => drop(fiber::resolve(&sql, "a", &completed(), at).unwrap()),
                4 => drop(fiber::stash(&sql, "a", "late")),
                _ => {
                    fiber::find_lost(&sql, LATER, at).unwrap();
                    if let Some(fiber::Orphan::Recover(_)) = fiber::take_orphan(&sql, LATER, &Default::default(), at).unwrap() {
                        fiber::recovered(&sql, "a", None, at).unwrap();
                    }
                }
            }
            let record = fiber::inspect(&sql, "a").unwrap().unwrap();
            if let Some(terminal) = &terminal {
                prop_assert_eq!(&record, terminal);
            } else if record.status.is_terminal() {
                terminal = Some(record);
            }
        }
        prop_assert!(begun <= 1);
    }
}
