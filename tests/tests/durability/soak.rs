//! The two soaks: any owner with tools, and an owner whose pages are back before anything else is.

use crate::conversation::Conversation;
use crate::plan::Extent;
use crate::round::{self, Habits};
use crate::tally::Tally;
use flarebot_tests::chance::Chance;
use flarebot_tests::{Entry, Installation, PATIENCE, eventually};

/// How many kills there are in a whole soak, or in a fifth of it.
fn kills(whole: u32) -> u32 {
    if std::env::var_os("FLAREBOT_SOAK").is_some() {
        whole
    } else {
        whole / 5
    }
}

fn soak(conversations: usize, rounds: u32, habits: impl Fn(u32) -> Habits) -> Tally {
    let mut installation = Installation::start_entry(Entry::Fixture);
    let conversations = 0..conversations;
    let mut conversations: Vec<Conversation> = conversations
        .map(|number| Conversation::new(&installation, number))
        .collect();
    let mut chance = Chance::of_this_run();
    let mut tally = Tally::default();
    for number in 0..rounds {
        round::run(
            &mut installation,
            &mut conversations,
            number,
            habits(number),
            &mut chance,
            &mut tally,
        );
        if !tally.broken.is_empty() {
            break;
        }
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
    let tally = soak(10, kills(30), |number| Habits {
        extent: Extent {
            steps: 2,
            duration: 1300,
        },
        pages: 3,
        later: 20,
        // The agent's own alarm takes its time, so that not every round waits for it.
        never: if number % 3 == 1 { 50 } else { 0 },
        kill_before: 1200,
        kills_twice: number % 5 == 3,
    });
    assert!(tally.calls > 0, "no tool was called");
    assert!(
        tally.interrupted * 10 > tally.turns * 8,
        "too many turns were not interrupted"
    );
}

#[test]
fn clients_before_the_recovery_lose_no_turn() {
    let tally = soak(20, kills(50), |_| Habits {
        extent: Extent {
            steps: 0,
            duration: 1500,
        },
        pages: 1,
        later: 0,
        never: 0,
        kill_before: 600,
        kills_twice: false,
    });
    assert!(
        tally.interrupted * 10 > tally.turns * 8,
        "too many turns were not interrupted"
    );
}
