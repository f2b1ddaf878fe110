//! Jobs under a process that dies after any statement: no occurrence is settled twice, none is lost.

use crate::common::{Dice, calendar, database};
use flarebot_durable::alarm;
use flarebot_durable::failure::{Failure, FailureClass};
use flarebot_durable::job::{
    self, Claim, Idempotency, JobFilter, JobState, NewJob, Outcome, Settlement, When,
};
use flarebot_sql::native::Database;
use flarebot_sql::{Sql, SqlError};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A process after the other on one database. What a job does is a row, written with its settlement.
struct World {
    sql: Database,
    process: u32,
    now: i64,
    tokens: u64,
    dice: Dice,
    /// Attempts that began, by occurrence.
    attempts: BTreeMap<String, u32>,
    crashes: u32,
}

impl World {
    fn new(seed: u64) -> Self {
        let sql = database();
        sql.exec(
            "CREATE TABLE effect (occurrence TEXT PRIMARY KEY, job TEXT NOT NULL, due_at INTEGER NOT NULL, at INTEGER NOT NULL) STRICT",
            &[],
        )
        .unwrap();
        Self {
            sql,
            process: 0,
            now: 0,
            tokens: 0,
            dice: Dice::new(seed),
            attempts: BTreeMap::new(),
            crashes: 0,
        }
    }

    fn instance(&self) -> String {
        format!("process {}", self.process)
    }

    /// What survives the process, and the start of the next one.
    fn crash(&mut self) {
        self.sql = self.sql.copy().unwrap();
        self.process += 1;
        self.crashes += 1;
        job::release_lost(&self.sql, &self.instance(), self.now).unwrap();
    }

    /// One ring of the alarm: takes what is due, runs it, settles it.
    fn ring(&mut self) -> Result<(), SqlError> {
        let instance = self.instance();
        let tokens = &mut self.tokens;
        let token = || {
            *tokens += 1;
            format!("run {tokens}")
        };
        let limit = 1 + u32::try_from(self.dice.below(4)).unwrap();
        let claims = job::claim_due(&self.sql, &instance, self.now, limit, token, &calendar)?;
        for claim in claims.taken {
            self.run(&claim)?;
        }
        Ok(())
    }

    fn run(&mut self, claim: &Claim) -> Result<(), SqlError> {
        let run = job::begin(&self.sql, claim)?.unwrap();
        let occurrence = run.occurrence();
        let begun = *self
            .attempts
            .entry(occurrence.clone())
            .and_modify(|begun| *begun += 1)
            .or_insert(1);
        let done = self
            .sql
            .exec(
                "SELECT 1 FROM effect WHERE occurrence = ?",
                &[occurrence.as_str().into()],
            )?
            .len();
        assert_eq!(done, 0, "{occurrence} runs again after it was settled");
        if run.job.callback == "once" {
            assert_eq!((begun, run.attempt), (1, 1), "{occurrence} may be tried once");
        }
        let result = match self.dice.below(20) {
            0 => Err(FailureClass::Application),
            // A platform failure that a run reports is never charged, so it would be tried again.
            _ if run.job.callback == "once" => Ok(Outcome::Completed),
            1 => Err(FailureClass::Transient),
            2 => Err(FailureClass::Superseded),
            3 => Err(FailureClass::MemoryLimit),
            _ => Ok(Outcome::Completed),
        };
        let result = result.map_err(|class| Failure {
            class,
            ..Failure::application("it broke")
        });
        self.now += i64::try_from(self.dice.below(30)).unwrap();
        self.sql.transaction(|| {
            let settlement = job::settle(&self.sql, claim, &result, self.now, 0.5, &calendar)?;
            assert_ne!(settlement, Settlement::Overtaken, "nobody else may have it");
            if settlement == Settlement::Completed {
                self.sql.exec(
                    "INSERT INTO effect (occurrence, job, due_at, at) VALUES (?, ?, ?, ?)",
                    &[
                        occurrence.into(),
                        run.job.id.as_str().into(),
                        run.job.due_at.into(),
                        self.now.into(),
                    ],
                )?;
            }
            Ok(())
        })
    }

    /// Reads, in the next process if this one dies at that very moment.
    fn look<T>(&mut self, read: impl Fn(&Database) -> Result<T, SqlError>) -> T {
        loop {
            match read(&self.sql) {
                Ok(value) => return value,
                Err(_) => self.crash(),
            }
        }
    }

    /// Goes on until the alarm; `false` when nothing is owed.
    fn sleep(&mut self) -> bool {
        let wake = self.look(job::next_wake);
        match alarm::next([wake], self.now) {
            Some(at) => {
                self.now = at;
                true
            }
            None => false,
        }
    }

    fn effects(&self) -> Vec<(String, i64, i64)> {
        let rows = self
            .sql
            .exec("SELECT job, due_at, at FROM effect ORDER BY due_at", &[])
            .unwrap();
        rows.iter()
            .map(|row| {
                (
                    row.text(0).unwrap().to_owned(),
                    row.integer(1).unwrap(),
                    row.integer(2).unwrap(),
                )
            })
            .collect()
    }
}

struct Counts {
    settled: usize,
    given_up: usize,
    crashes: u32,
    attempts: u32,
}

/// Runs `once` jobs that run once among two that recur, with a crash in about one ring of `calm`, and checks that each of
/// them is accounted for exactly once.
fn simulate(seed: u64, once: u32, calm: u64) -> Counts {
    let mut world = World::new(seed);
    let recurring = [
        ("interval", When::Every(70)),
        ("cron", When::Cron("every 100".to_owned())),
    ];
    for (id, when) in &recurring {
        job::schedule(&world.sql, id, &NewJob::new(*id, when.clone()), 0, &calendar).unwrap();
    }
    let mut owed = BTreeSet::new();
    let mut scheduled = 0;
    loop {
        if world.dice.one_in(calm) {
            let statements = usize::try_from(world.dice.below(40)).unwrap();
            world.sql.fail_after(statements);
        }
        let schedules_again = world.dice.one_in(8);
        let mut step = || {
            for (id, when) in recurring.iter().filter(|_| schedules_again) {
                job::schedule(
                    &world.sql,
                    id,
                    &NewJob::new(*id, when.clone()),
                    world.now,
                    &calendar,
                )?;
            }
            if scheduled < once {
                let id = format!("once {scheduled}");
                let callback = if scheduled % 7 == 0 { "once" } else { "work" };
                let job = NewJob {
                    idempotency: Idempotency::Never,
                    retry: if callback == "once" {
                        flarebot_durable::retry::RetryPolicy::once()
                    } else {
                        flarebot_durable::retry::RetryPolicy::default()
                    },
                    ..NewJob::new(callback, When::At(world.now + i64::from(scheduled % 90)))
                };
                job::schedule(&world.sql, &id, &job, world.now, &calendar)?;
                owed.insert(id);
                scheduled += 1;
            }
            Ok::<(), job::JobError>(())
        };
        let outcome = step().and_then(|()| Ok(world.ring()?));
        assert!(outcome.is_ok() || world.sql.has_stopped(), "{outcome:?}");
        if world.sql.has_stopped() {
            world.crash();
            // A caller whose call failed cannot know whether it was written; it looks.
            let next = format!("once {scheduled}");
            if job::get(&world.sql, "", &next).unwrap().is_some() {
                owed.insert(next);
                scheduled += 1;
            }
        }
        assert!(world.sleep(), "the recurring jobs are always owed");
        if scheduled == once {
            let open = world.look(|sql| job::list(sql, &JobFilter::default(), 1_000_000));
            if open
                .iter()
                .all(|job| job.state == JobState::GivenUp || !owed.contains(&job.id))
            {
                break;
            }
        }
    }
    check(&mut world, &owed, &["interval", "cron"])
}

fn check(world: &mut World, owed: &BTreeSet<String>, recurring: &[&str]) -> Counts {
    world.sql = world.sql.copy().unwrap();
    let effects = world.effects();
    let done: BTreeSet<&String> = effects.iter().map(|(id, _, _)| id).collect();
    let kept = job::list(&world.sql, &JobFilter::default(), 1_000_000).unwrap();
    let given_up: BTreeSet<&String> = kept
        .iter()
        .filter(|job| job.state == JobState::GivenUp)
        .map(|job| &job.id)
        .collect();
    let mut given_up_count = 0;
    for id in owed {
        let tried = world
            .attempts
            .iter()
            .any(|(occurrence, _)| occurrence.rsplit_once('@').is_some_and(|(job, _)| job == id));
        if done.contains(id) {
            assert!(!given_up.contains(id), "{id} was done and given up");
        } else {
            assert!(tried, "{id} was given up without being tried");
            given_up_count += 1;
        }
    }
    for recurring in recurring {
        assert!(
            kept.iter()
                .any(|job| job.id == *recurring && job.state != JobState::GivenUp),
            "{recurring} is gone"
        );
        let mut earlier_end = i64::MIN;
        for (_, due_at, at) in effects.iter().filter(|(id, _, _)| id == recurring) {
            assert!(*due_at > earlier_end, "{recurring} overlapped itself at {due_at}");
            assert!(*recurring != "cron" || due_at % 100 == 0);
            earlier_end = *at;
        }
    }
    Counts {
        settled: effects.len(),
        given_up: given_up_count,
        crashes: world.crashes,
        attempts: world.attempts.values().sum(),
    }
}

#[test]
fn ten_thousand_occurrences_with_crashes_are_settled_once_each() {
    let mut total = Counts {
        settled: 0,
        given_up: 0,
        crashes: 0,
        attempts: 0,
    };
    let mut seed = 0;
    while total.settled < 10_000 {
        let counts = simulate(seed, 60, 4);
        total.settled += counts.settled;
        total.given_up += counts.given_up;
        total.crashes += counts.crashes;
        total.attempts += counts.attempts;
        seed += 1;
    }
    println!(
        "{} occurrences settled in {} attempts over {} crashes, {} given up after their attempts",
        total.settled, total.attempts, total.crashes, total.given_up
    );
    assert!(total.crashes > 500, "the test must crash to mean anything");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn whatever_happens_each_job_is_accounted_for(seed in any::<u64>(), once in 1_u32..12, calm in 1_u64..6) {
        simulate(seed, once, calm);
    }
}

#[test]
fn a_crash_after_any_statement_of_one_ring_loses_and_doubles_nothing() {
    for statements in 0.. {
        let mut world = World::new(1);
        for id in ["a", "b"] {
            job::schedule(&world.sql, id, &NewJob::new("work", When::After(0)), 0, &calendar).unwrap();
        }
        world.sql.fail_after(statements);
        let mut finished = true;
        for _ in 0..4 {
            if world.ring().is_err() {
                finished = false;
                break;
            }
        }
        if finished {
            assert!(statements > 8, "a ring has several statements");
            return;
        }
        world.crash();
        while world.sleep() {
            world.ring().unwrap();
        }
        check(&mut world, &BTreeSet::from(["a".to_owned(), "b".to_owned()]), &[]);
    }
}
