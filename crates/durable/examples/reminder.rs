//! A reminder and a piece of research on one alarm, and a process that ends in the middle of both.
//!
//! Run it with `cargo run -p flarebot-durable --example reminder`.

use flarebot_durable::driver::{Application, Clock, Driver, Settings};
use flarebot_durable::failure::Failure;
use flarebot_durable::fiber::{Recovery, Resolution};
use flarebot_durable::job::{JobRun, NewJob, Outcome, When};
use flarebot_durable::simulation::Simulation;
use flarebot_durable::{COMPONENT, MIGRATIONS};
use flarebot_sql::migrate;
use flarebot_sql::native::Database;
use std::error::Error;

struct Assistant;

impl Application for Assistant {
    type Database = Database;
    type Platform = Simulation;

    async fn run_job(&self, driver: &Driver<Self>, run: JobRun) -> Result<Outcome, Failure> {
        match run.job.callback.as_str() {
            "remind" => {
                println!("{:>6} ms  remember: {}", driver.platform().now(), run.job.payload);
                Ok(Outcome::Completed)
            }
            other => Err(Failure::pointless(format!("nobody knows the callback {other:?}"))),
        }
    }

    async fn fiber_recovered(
        &self,
        driver: &Driver<Self>,
        recovery: Recovery,
    ) -> Result<Option<Resolution>, String> {
        println!(
            "{:>6} ms  going on with {} after {:?}",
            driver.platform().now(),
            recovery.name,
            recovery.snapshot
        );
        Ok(None)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let database = Database::in_memory()?;
    migrate(&database, COMPONENT, MIGRATIONS, 0)?;
    let platform = Simulation::new(0);
    let first = Driver::new(database.copy()?, platform.clone(), Assistant, Settings::default());

    platform.run(first.wake()).ok_or("the first wake hangs")??;
    let reminder = NewJob {
        payload: "water the plants".to_owned(),
        ..NewJob::new("remind", When::After(60_000))
    };
    platform
        .run(first.schedule(&reminder))
        .ok_or("scheduling hangs")??;
    let research = first.run("research", {
        let platform = platform.clone();
        move |fiber| async move {
            fiber.stash("the first source")?;
            platform.sleep(3_600_000).await;
            Ok::<(), Box<dyn Error>>(())
        }
    });
    assert!(
        platform.run(research).is_none(),
        "it waits for an hour that this process does not have"
    );
    println!("{:>6} ms  the process ends", platform.now());
    let database = first.database().copy()?;
    platform.end_process();

    // The alarm of the first process starts the second one.
    let second = Driver::new(database, platform.clone(), Assistant, Settings::default());
    while let Some(instant) = platform.alarm() {
        platform.advance_to(instant);
        if platform.take_due_alarm() {
            platform.run(second.wake()).ok_or("a wake hangs")??;
        }
        platform.run_until_idle();
    }
    println!("{:>6} ms  nothing is owed, so there is no alarm", platform.now());
    Ok(())
}
