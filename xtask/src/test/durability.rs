//! Answers that survive kills of the process, with the fixture bundle, whose tools tell what they did.

use super::{Counts, Ground, Suite, native};
use crate::arguments::Arguments;
use crate::failure::{Failure, Result};

/// Which course the kills take, and how many of them there are.
pub(super) struct Course {
    seed: Option<u64>,
    is_whole: bool,
}

impl Course {
    pub(super) fn read(arguments: &mut Arguments) -> Result<Self> {
        let seed = arguments.value("--seed")?.map(|seed| {
            seed.parse().map_err(|_| {
                Failure::new(
                    format!("`{seed}` is no seed"),
                    "give a whole number, such as the one that an earlier run printed",
                )
            })
        });
        Ok(Self {
            seed: seed.transpose()?,
            is_whole: arguments.flag("--soak"),
        })
    }

    /// Refuses options that would change nothing.
    pub(super) fn is_for(&self, suites: &[Suite]) -> Result<()> {
        if (self.seed.is_some() || self.is_whole) && !suites.contains(&Suite::Durability) {
            return Err(Failure::new(
                "`--seed` and `--soak` are for the suite `durability`",
                "name it as well, or leave them out",
            ));
        }
        Ok(())
    }
}

pub(super) fn run(ground: &Ground, course: &Course) -> Result<Counts> {
    let toolchain = &ground.setup.toolchain;
    let mut cargo = toolchain.cargo(["test", "--package", "flarebot-tests", "--features", "runtime"]);
    // One after the other, since each of them keeps the machine busy; and with what they print, which is their result.
    cargo.args(["--no-fail-fast", "--test", "durability", "--"]);
    cargo.args(["--test-threads", "1", "--nocapture"]);
    if let Some(seed) = course.seed {
        cargo.env("FLAREBOT_SEED", seed.to_string());
    }
    if course.is_whole {
        cargo.env("FLAREBOT_SOAK", "1");
    }
    native::run_cargo("durability", ground.describe(&mut cargo))
}
