//! The two soaks: any owner with tools, and an owner whose pages are back before anything else is.

use crate::conversation::Conversation;
use crate::plan::Extent;
use crate::round::{self, Habits, Kills};
use crate::tally::Tally;
use flarebot_tests::chance::Chance;
use flarebot_tests::{Entry, Installation, PATIENCE, eventually};

/// Cuts off `turns` turns, or a fifth of them, in so many conversations at once.
fn soak(conversations: u32, turns: u32, habits: impl Fn(u32) -> Habits) -> Tally {
    let whole = std::env::var_os("FLAREBOT_SOAK").is_some();
    let turns = if whole { turns } else { turns / 5 };
    let mut installation = Installation::start_entry(Entry::Fixture);
    let mut open: Vec<Conversation> = (0..conversations)
        .map(|number| Conversation::new(&installation, number))
        .collect();
    let mut chance = Chance::of_this_run();
    let mut tally = Tally::default();
    // A turn that was faster than the kill does not count.
    while tally.interrupted < turns && tally.broken.is_empty() {
        let number = tally.turns / conversations;
        assert!(
            number < 2 * turns / conversations,
            "too few turns are interrupted: {tally}"
        );
        round::run(
            &mut installation,
            &mut open,
            number,
            habits(number),
            &mut chance,
            &mut tally,
        );
    }
    println!("{tally}");
    assert_eq!(tally.broken, Vec::<String>::new());
    eventually("an agent that owes nothing has no alarm", PATIENCE, || {
        (installation.alarms() == 0).then_some(())
    });
    tally
}

#[test]
fn interrupted_turns_end_as_they_would_have_ended() {
    let tally = soak(10, 300, |number| Habits {
        extent: Extent {
            steps: 2,
            duration: 1300,
        },
        pages: 3,
        later: 20,
        // The agent's own alarm takes its time, so that not every round waits for it.
        never: if number % 3 == 1 { 50 } else { 0 },
        kill_before: 1000,
        kills: match number % 5 {
            2 => Kills::Early,
            3 => Kills::Twice,
            _ => Kills::Once,
        },
    });
    assert!(tally.calls > 0, "no tool was called");
}

#[test]
fn clients_before_the_recovery_lose_no_turn() {
    soak(20, 1000, |_| Habits {
        extent: Extent {
            steps: 0,
            duration: 1200,
        },
        pages: 1,
        later: 0,
        never: 0,
        kill_before: 500,
        kills: Kills::Once,
    });
}
