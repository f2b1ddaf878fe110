//! Leases against a plain set of what is owed.

use crate::common::database;
use flarebot_durable::alarm;
use flarebot_durable::lease::{self, Lease};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const OWNERS: [&str; 3] = ["agent", "first", "second"];
const KINDS: [&str; 2] = ["socket", "turn"];
const IDS: [&str; 2] = ["a", "b"];

#[derive(Debug, Clone)]
enum Step {
    Put(Lease),
    Remove(&'static str, &'static str, &'static str),
    RemoveKind(&'static str, &'static str),
    RemoveOwner(&'static str),
}

fn step() -> impl Strategy<Value = Step> {
    let key = || {
        (
            prop::sample::select(&OWNERS[..]),
            prop::sample::select(&KINDS[..]),
            prop::sample::select(&IDS[..]),
        )
    };
    prop_oneof![
        4 => (key(), 0_i64..1_000).prop_map(|((owner, kind, id), due_at)| Step::Put(Lease {
            owner: owner.to_owned(),
            kind: kind.to_owned(),
            id: id.to_owned(),
            due_at,
        })),
        2 => key().prop_map(|(owner, kind, id)| Step::Remove(owner, kind, id)),
        1 => key().prop_map(|(owner, kind, _)| Step::RemoveKind(owner, kind)),
        1 => prop::sample::select(&OWNERS[..]).prop_map(Step::RemoveOwner),
    ]
}

proptest! {
    #[test]
    fn the_alarm_rings_for_the_earliest_of_what_is_owed(steps in vec(step(), 0..30), now in 0_i64..1_000, limit in 0_u32..6) {
        let sql = database();
        let mut owed: BTreeMap<(String, String, String), i64> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Put(lease) => {
                    lease::put(&sql, &lease).unwrap();
                    owed.insert((lease.owner, lease.kind, lease.id), lease.due_at);
                }
                Step::Remove(owner, kind, id) => {
                    lease::remove(&sql, owner, kind, id).unwrap();
                    owed.remove(&(owner.to_owned(), kind.to_owned(), id.to_owned()));
                }
                Step::RemoveKind(owner, kind) => {
                    lease::remove_kind(&sql, owner, kind).unwrap();
                    owed.retain(|(of, what, _), _| of != owner || what != kind);
                }
                Step::RemoveOwner(owner) => {
                    lease::remove_owner(&sql, owner).unwrap();
                    owed.retain(|(of, _, _), _| of != owner);
                }
            }
        }
        for kind in KINDS {
            let owners: BTreeSet<&String> = owed.keys().filter(|(_, what, _)| what == kind).map(|(owner, _, _)| owner).collect();
            let found = lease::owners(&sql, kind).unwrap();
            prop_assert_eq!(found.iter().collect::<Vec<_>>(), owners.into_iter().collect::<Vec<_>>());
        }
        let earliest = owed.values().min().copied();
        prop_assert_eq!(lease::next_due(&sql).unwrap(), earliest);
        let alarm = alarm::next([lease::next_due(&sql).unwrap(), None], now);
        prop_assert_eq!(alarm, earliest.map(|due_at| if due_at > now { due_at } else { now + 1 }));
        let mut expected: Vec<Lease> = owed
            .into_iter()
            .filter(|(_, due_at)| *due_at <= now)
            .map(|((owner, kind, id), due_at)| Lease { owner, kind, id, due_at })
            .collect();
        expected.sort_by_key(|lease| (lease.due_at, lease.owner.clone(), lease.kind.clone(), lease.id.clone()));
        expected.truncate(usize::try_from(limit).unwrap());
        prop_assert_eq!(lease::due(&sql, now, limit).unwrap(), expected);
    }

    #[test]
    fn an_alarm_is_always_in_the_future_and_never_without_a_reason(
        contributions in vec(prop::option::of(any::<i64>()), 0..6),
        now in any::<i64>(),
    ) {
        let alarm = alarm::next(contributions.clone(), now);
        prop_assert_eq!(alarm.is_some(), contributions.iter().any(Option::is_some));
        if let Some(alarm) = alarm {
            prop_assert!(alarm > now || now == i64::MAX);
        }
    }
}

#[test]
fn a_lease_written_again_moves() {
    let sql = database();
    let mut lease = Lease {
        owner: "first".to_owned(),
        kind: "turn".to_owned(),
        id: "a".to_owned(),
        due_at: 10,
    };
    lease::put(&sql, &lease).unwrap();
    lease.due_at = 20;
    lease::put(&sql, &lease).unwrap();
    assert_eq!(lease::due(&sql, 15, 10).unwrap(), []);
    assert_eq!(lease::due(&sql, 20, 10).unwrap(), [lease]);
}

#[test]
fn a_lease_that_was_written_again_while_somebody_dealt_with_it_stays() {
    let lease = |id: &str, due_at| Lease {
        owner: "first".to_owned(),
        kind: "turn".to_owned(),
        id: id.to_owned(),
        due_at,
    };
    let sql = database();
    for id in [
        "done",
        "moved",
        "same instant",
        "later",
        "removed",
        "removed and back",
    ] {
        lease::put(&sql, &lease(id, 10)).unwrap();
    }
    let mut tokens = 0;
    let token = || {
        tokens += 1;
        format!("token {tokens}")
    };
    let taken = lease::take_due(&sql, 10, 10, 500, token).unwrap();
    assert_eq!(
        lease::next_due(&sql).unwrap(),
        Some(500),
        "it comes again if nobody ends it"
    );
    lease::put(&sql, &lease("moved", 70)).unwrap();
    lease::put(&sql, &lease("same instant", 500)).unwrap();
    for id in ["removed", "removed and back"] {
        lease::remove(&sql, "first", "turn", id).unwrap();
    }
    lease::put(&sql, &lease("removed and back", 600)).unwrap();
    for taken in &taken {
        match taken.lease.id.as_str() {
            "later" | "removed" => lease::postpone(&sql, taken, 90).unwrap(),
            _ => lease::settle(&sql, taken).unwrap(),
        }
    }
    assert_eq!(
        lease::due(&sql, 1_000, 10).unwrap(),
        [
            lease("moved", 70),
            lease("later", 90),
            lease("same instant", 500),
            lease("removed and back", 600)
        ]
    );
}

#[test]
fn who_is_late_with_a_lease_that_somebody_else_has_taken_changes_nothing() {
    let sql = database();
    let lease = Lease {
        owner: "first".to_owned(),
        kind: "turn".to_owned(),
        id: "a".to_owned(),
        due_at: 10,
    };
    lease::put(&sql, &lease).unwrap();
    let first = lease::take_due(&sql, 10, 10, 20, || "one".to_owned()).unwrap();
    let second = lease::take_due(&sql, 20, 10, 30, || "two".to_owned()).unwrap();
    lease::settle(&sql, &first[0]).unwrap();
    lease::postpone(&sql, &first[0], 99).unwrap();
    assert_eq!(lease::next_due(&sql).unwrap(), Some(30));
    lease::settle(&sql, &second[0]).unwrap();
    assert_eq!(lease::next_due(&sql).unwrap(), None);
}
