//! What is known of the calls of tools in the open conversation: the live ones as they change, and older ones once a card
//! wants to say more than its answer does.

use super::{ShownState, Store};
use crate::platform::Timer;
use flarebot_protocol::MessageId;
use flarebot_protocol::call::ListToolActivities;
use flarebot_protocol::tool_activity::{ActivityStatus, LIVE_ACTIVITIES, ToolActivity};
use leptos::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// How often the time that a tool has taken is told anew, in milliseconds.
const TICK: i64 = 1_000;

/// How many pages of older activities are asked for while a conversation is open. What lies beyond is shown as the answer
/// alone tells it.
const MAXIMUM_PAGES: u32 = 20;

/// A call: its answer, and its id there.
type CallName = (MessageId, String);

/// What is known of the calls of tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activities {
    known: BTreeMap<CallName, ToolActivity>,
}

/// What is known of asking for older activities, and the clock while there is one.
#[derive(Default)]
pub(super) struct Asking {
    window: Window,
    step: Step,
    pages: u32,
    before: Option<u64>,
    wanted: BTreeSet<CallName>,
    clock: Option<Box<dyn Timer>>,
}

/// Whether the live window may have left something out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Window {
    /// It has not come, or it holds all that there is.
    #[default]
    Whole,
    /// It is full.
    Full,
}

/// How far asking is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Step {
    #[default]
    Idle,
    Asked,
    /// There are no older ones.
    Finished,
}

impl Activities {
    /// What is known of a call.
    #[must_use]
    pub fn of(&self, message: &MessageId, call: &str) -> Option<&ToolActivity> {
        self.known.get(&(message.clone(), call.to_owned()))
    }

    /// Takes over the live window. What had not ended and is not in it any more has ended unseen, so nothing is known of it.
    pub(crate) fn observe(&mut self, live: &[ToolActivity]) {
        self.known.retain(|_, activity| has_ended(activity));
        for activity in live {
            self.known.insert(name(activity), activity.clone());
        }
    }

    /// Takes over older ones. What is known of one already is at least as new.
    fn complete(&mut self, older: Vec<ToolActivity>) {
        for activity in older {
            self.known.entry(name(&activity)).or_insert(activity);
        }
    }

    fn has_running(&self) -> bool {
        let mut all = self.known.values();
        all.any(|activity| activity.status == ActivityStatus::Running)
    }
}

impl Store {
    /// A card has nothing but the answer to go by: asks for what is known of the call, if there may be more. A call that
    /// is still made is told by itself.
    pub fn want_activity(self, message: &MessageId, call: &str, state: ShownState) {
        let is_known = self
            .conversation
            .activities
            .with_untracked(|known| known.of(message, call).is_some());
        if state != ShownState::Settled || is_known {
            return;
        }
        let name = (message.clone(), call.to_owned());
        self.runtime().transcript.borrow_mut().asking.wanted.insert(name);
        self.ask_for_activities();
    }

    /// Takes over the live window.
    pub(super) fn hear_activities(self, live: &[ToolActivity]) {
        let is_full = live.len() >= LIVE_ACTIVITIES;
        self.runtime().transcript.borrow_mut().asking.window =
            if is_full { Window::Full } else { Window::Whole };
        self.conversation
            .activities
            .update(|activities| activities.observe(live));
        self.tick();
        self.ask_for_activities();
    }

    /// The transcript was erased.
    pub(super) fn forget_activities(self) {
        self.runtime().transcript.borrow_mut().asking = Asking::default();
        self.conversation.activities.set(Activities::default());
    }

    /// Asks for the next page, as long as something is wanted that may be in it. The reply comes over the connection of
    /// this conversation and goes with it.
    fn ask_for_activities(self) {
        let runtime = self.runtime();
        let Some(link) = runtime.conversation.borrow().clone() else {
            return;
        };
        let before = {
            let asking = &mut runtime.transcript.borrow_mut().asking;
            let may_help = asking.window == Window::Full && asking.pages < MAXIMUM_PAGES;
            if asking.step != Step::Idle || !may_help || asking.wanted.is_empty() {
                return;
            }
            asking.step = Step::Asked;
            asking.pages = asking.pages.saturating_add(1);
            asking.before
        };
        link.call(&ListToolActivities { before }, move |reply| {
            let runtime = self.runtime();
            // Without a page, the next live window asks again.
            let Ok(page) = reply else {
                runtime.transcript.borrow_mut().asking.step = Step::Idle;
                return;
            };
            self.conversation
                .activities
                .update(|activities| activities.complete(page.activities));
            {
                let asking = &mut runtime.transcript.borrow_mut().asking;
                asking.before = page.next_cursor;
                asking.step = page.next_cursor.map_or(Step::Finished, |_| Step::Idle);
                self.conversation.activities.with_untracked(|known| {
                    asking
                        .wanted
                        .retain(|(message, call)| known.of(message, call).is_none());
                });
            }
            self.ask_for_activities();
        });
    }

    /// Tells the time while a tool runs.
    fn tick(self) {
        let runtime = self.runtime();
        let runs = self
            .conversation
            .activities
            .with_untracked(Activities::has_running);
        if !runs {
            runtime.transcript.borrow_mut().asking.clock = None;
            return;
        }
        let platform = self.platform();
        self.conversation.clock.set(platform.now());
        if runtime.transcript.borrow().asking.clock.is_none() {
            let wake = move || {
                self.runtime().transcript.borrow_mut().asking.clock = None;
                self.tick();
            };
            let clock = platform.set_timer(TICK, Box::new(wake));
            runtime.transcript.borrow_mut().asking.clock = Some(clock);
        }
    }
}

fn name(activity: &ToolActivity) -> CallName {
    (activity.message_id.clone(), activity.tool_call_id.clone())
}

fn has_ended(activity: &ToolActivity) -> bool {
    match activity.status {
        ActivityStatus::Pending | ActivityStatus::Running => false,
        ActivityStatus::Succeeded | ActivityStatus::Failed | ActivityStatus::Cancelled => true,
    }
}
