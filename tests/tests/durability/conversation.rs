//! One conversation through all rounds: what its owner said, and which pages are open on it.

use crate::plan::Turn;
use flarebot_protocol::message::{Message, Role};
use flarebot_protocol::{ConversationId, RequestId};
use flarebot_tests::client::{Arrival, Page};
use flarebot_tests::provider::Exchange;
use flarebot_tests::{Installation, eventually};
use std::time::{Duration, Instant};

/// How long a turn may take to its end after the process came back, at the latest by the agent's own alarm.
const RECOVERED: Duration = Duration::from_mins(1);

pub(crate) struct Conversation {
    pub(crate) id: ConversationId,
    /// What the owner said, in order.
    pub(crate) said: Vec<String>,
    pub(crate) pages: Vec<Page>,
    pub(crate) turn: Option<RunningTurn>,
}

/// The turn of this round.
pub(crate) struct RunningTurn {
    pub(crate) plan: Turn,
    pub(crate) request: RequestId,
    /// When the owner's pages come back after the kill.
    pub(crate) return_of_pages: ReturnOfPages,
    /// What was known when the process was killed, if it was still running then.
    pub(crate) interruption: Option<Interruption>,
}

/// When the owner's pages come back after a kill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReturnOfPages {
    AtOnce,
    After(Duration),
    Never,
}

/// A turn that was cut off.
pub(crate) struct Interruption {
    pub(crate) at: Instant,
    /// The same instant on the provider's clock.
    pub(crate) micros: u64,
    /// What the pages had shown of it by then.
    pub(crate) arrivals: Vec<Arrival>,
}

impl Conversation {
    pub(crate) fn new(installation: &Installation, number: u32) -> Self {
        Self {
            id: installation.create(&format!("Conversation {number}")).id,
            said: Vec::new(),
            pages: Vec::new(),
            turn: None,
        }
    }

    /// Begins a turn on the first page.
    pub(crate) fn ask(&mut self, plan: Turn) {
        let message = plan.script.to_string();
        let request = self.pages[0].say(&message);
        self.said.push(message);
        self.turn = Some(RunningTurn {
            plan,
            request,
            return_of_pages: ReturnOfPages::AtOnce,
            interruption: None,
        });
    }

    pub(crate) fn turn(&self) -> &RunningTurn {
        self.turn.as_ref().unwrap()
    }

    pub(crate) fn turn_mut(&mut self) -> &mut RunningTurn {
        self.turn.as_mut().unwrap()
    }

    /// Whether the server is known to have the question of this round.
    pub(crate) fn is_accepted(&self) -> bool {
        self.pages[0].is_accepted(&self.turn().request)
    }

    /// Waits until the turn has ended, without connecting to a conversation that nobody comes back to: then its own
    /// recovery has to make the provider speak again.
    pub(crate) fn wait_for_end(&self, installation: &Installation) -> Vec<Message> {
        let turn = self.turn();
        let label = turn.plan.label();
        if let (ReturnOfPages::Never, Some(interruption)) = (turn.return_of_pages, &turn.interruption) {
            eventually(
                &format!("{label} goes on although nobody comes back"),
                RECOVERED,
                || {
                    let exchanges = installation.provider.labelled(label);
                    let is_over = |exchange: &Exchange| {
                        exchange.received_at > interruption.micros
                            && exchange.end.is_some()
                            && exchange.standing.step == last_step(&turn.plan, exchange)
                    };
                    exchanges.iter().any(is_over).then_some(())
                },
            );
        }
        eventually(&format!("{label} ends"), RECOVERED, || {
            let messages = installation.messages(self.id);
            let answers = messages.iter().filter(|message| is_ended(message)).count();
            (answers >= self.said.len()).then_some(messages)
        })
    }

    /// Waits until every open page shows what is stored.
    pub(crate) fn wait_for_pages(&self, stored: &[Message]) -> Result<(), String> {
        let deadline = Instant::now() + flarebot_tests::PATIENCE;
        for (number, page) in self.pages.iter().enumerate() {
            while !shows(page, stored) {
                if Instant::now() > deadline {
                    let shown = page.messages();
                    let newest = (shown.last(), stored.last());
                    return Err(format!(
                        "page {number} of {} does not converge: {newest:#?}",
                        self.id
                    ));
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        Ok(())
    }
}

/// The step of calls after which there is only text; a caller without tools gets the text at once.
pub(crate) fn last_step(plan: &Turn, exchange: &Exchange) -> usize {
    if exchange.offered.is_empty() {
        0
    } else {
        plan.script.tools.len()
    }
}

fn is_ended(message: &Message) -> bool {
    let metadata = message.metadata.as_ref();
    message.role == Role::Assistant && metadata.is_some_and(|metadata| metadata.outcome.is_some())
}

/// A page holds the newest messages, and shows nothing that is not stored.
fn shows(page: &Page, stored: &[Message]) -> bool {
    let shown = page.messages();
    page.is_settled() && !shown.is_empty() && stored.ends_with(&shown)
}
