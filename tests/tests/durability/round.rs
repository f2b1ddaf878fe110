//! One round: every conversation gets a turn, the process is killed in the middle of them and started again, and all of
//! them are watched to their ends.

use crate::conversation::{Conversation, Interruption, ReturnOfPages, last_step};
use crate::plan::{Extent, Turn};
use crate::promises;
use crate::tally::Tally;
use flarebot_tests::chance::Chance;
use flarebot_tests::client::Page;
use flarebot_tests::provider::{Clock, ExchangeEnd};
use flarebot_tests::{Installation, PATIENCE, eventually};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How the owner and the machine behave in a round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Habits {
    pub(crate) extent: Extent,
    /// The most pages on one conversation.
    pub(crate) pages: u64,
    /// How many in a hundred conversations their owner comes back to only later, and how many never.
    pub(crate) later: u64,
    pub(crate) never: u64,
    /// When the process is killed at the latest, in milliseconds after the questions were accepted.
    pub(crate) kill_before: u64,
    pub(crate) kills: Kills,
}

/// How the process is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kills {
    /// After all questions were accepted.
    Once,
    /// Perhaps before.
    Early,
    /// Again shortly after it came back.
    Twice,
}

/// How long what a killed process has sent may take to be read.
const UNREAD: Duration = Duration::from_millis(60);

pub(crate) fn run(
    installation: &mut Installation,
    conversations: &mut [Conversation],
    number: u32,
    habits: Habits,
    chance: &mut Chance,
    tally: &mut Tally,
) {
    ask(installation, conversations, number, habits, chance);
    let running = conversations
        .iter()
        .map(|conversation| is_running(installation, conversation));
    let running: Vec<bool> = running.collect();
    let (at, micros) = (Instant::now(), Clock::micros());
    installation.host().kill_now();
    sleep(UNREAD);
    for (conversation, is_running) in conversations.iter_mut().zip(running) {
        leave(conversation, habits, chance);
        let pages = conversation.pages.iter();
        let arrivals = pages.flat_map(Page::arrivals).collect();
        if conversation.turn().return_of_pages != ReturnOfPages::AtOnce {
            conversation.pages.clear();
        }
        let interruption = Interruption { at, micros, arrivals };
        conversation.turn_mut().interruption = is_running.then_some(interruption);
    }
    tally.kills += 1;
    installation.start_again();
    if habits.kills == Kills::Twice {
        sleep(Duration::from_millis(chance.within(100..1200)));
        installation.host().kill_now();
        tally.kills += 1;
        installation.start_again();
    }
    let ready = Clock::micros();
    come_back(installation, conversations);
    for conversation in conversations.iter_mut() {
        let stored = conversation.wait_for_end(installation);
        if conversation.turn().return_of_pages == ReturnOfPages::Never {
            // Somebody who opens the conversation long after sees the same.
            conversation.pages.push(installation.page(conversation.id));
        }
        let mut broken = promises::broken(installation, conversation, &stored, tally);
        broken.extend(conversation.wait_for_pages(&stored).err());
        tally.count(installation, conversation, &stored, ready, broken);
        conversation.pages.clear();
    }
}

/// Gives every conversation its pages and its turn, and waits for the moment of the kill.
fn ask(
    installation: &Installation,
    conversations: &mut [Conversation],
    number: u32,
    habits: Habits,
    chance: &mut Chance,
) {
    let mut late = Vec::new();
    for (place, conversation) in conversations.iter_mut().enumerate() {
        conversation.pages.push(installation.page(conversation.id));
        for _ in 1..chance.within(1..habits.pages + 1) {
            if chance.percent(50) {
                conversation.pages.push(installation.page(conversation.id));
            } else {
                late.push((chance.below(habits.kill_before), place));
            }
        }
        let label = format!("round-{number}-{place}");
        let turn = Turn::plan(chance, &installation.provider, &label, habits.extent);
        conversation.ask(turn);
    }
    late.sort_unstable();
    // Nearly all of them in some rounds, so that a kill also meets messages that are on their way.
    let enough = match habits.kills {
        Kills::Early => conversations.len() - conversations.len() / 10,
        Kills::Once | Kills::Twice => conversations.len(),
    };
    eventually("the questions are accepted", PATIENCE, || {
        let accepted = conversations.iter().filter(|asked| asked.is_accepted()).count();
        (accepted >= enough).then_some(())
    });
    let began = Instant::now();
    let kill_at = began + Duration::from_millis(chance.below(habits.kill_before));
    for (after, place) in late {
        let at = began + Duration::from_millis(after);
        if at < kill_at {
            sleep(at.saturating_duration_since(Instant::now()));
            let conversation = &mut conversations[place];
            conversation.pages.push(installation.page(conversation.id));
        }
    }
    sleep(kill_at.saturating_duration_since(Instant::now()));
}

/// Whether a turn was accepted and has not ended, as far as can be seen from outside.
fn is_running(installation: &Installation, conversation: &Conversation) -> bool {
    let plan = &conversation.turn().plan;
    match installation.provider.labelled(plan.label()).last() {
        None => conversation.is_accepted(),
        Some(newest) => {
            newest.end != Some(ExchangeEnd::Played) || newest.standing.step < last_step(plan, newest)
        }
    }
}

/// Decides when the owner comes back. A page that does not know whether the server has its message never gives it up.
fn leave(conversation: &mut Conversation, habits: Habits, chance: &mut Chance) {
    let decision = chance.below(100);
    let delay = Duration::from_millis(chance.within(200..3000));
    conversation.turn_mut().return_of_pages = if !conversation.is_accepted() {
        ReturnOfPages::AtOnce
    } else if decision < habits.never {
        ReturnOfPages::Never
    } else if decision < habits.never + habits.later {
        ReturnOfPages::After(delay)
    } else {
        ReturnOfPages::AtOnce
    };
}

/// Brings back the owner's pages, each in its time.
fn come_back(installation: &Installation, conversations: &mut [Conversation]) {
    let began = Instant::now();
    let mut later = Vec::new();
    for (place, conversation) in conversations.iter().enumerate() {
        match conversation.turn().return_of_pages {
            ReturnOfPages::AtOnce => conversation.pages.iter().for_each(Page::wake),
            ReturnOfPages::After(delay) => later.push((delay, place)),
            ReturnOfPages::Never => {}
        }
    }
    later.sort_unstable();
    for (delay, place) in later {
        sleep((began + delay).saturating_duration_since(Instant::now()));
        let conversation = &mut conversations[place];
        conversation.pages.push(installation.page(conversation.id));
    }
}
