//! What the owner has done by hand, by a word with a slash in the composer: nothing of it reaches the model.
//!
//! A command is one line of [`COMMANDS`]. While its name is written it is offered; what begins with no command's name is an
//! ordinary message.

mod undoing;

pub use undoing::{Deed, Done};

use super::settings::{Work, fact_fault};
use super::{Store, drafts};
use flarebot_protocol::ConversationId;
use flarebot_protocol::call::{AddMemory, CallFailure, DeleteMemory, ListMemories, SearchMemories};
use flarebot_protocol::memory::Fact;
use leptos::prelude::*;

/// How many facts are offered at a time.
const MAXIMUM_CHOICES: usize = 8;

/// Something that the owner can have done by hand.
pub struct Command {
    /// Its name, without the slash.
    pub name: &'static str,
    /// What is written behind it.
    pub argument: &'static str,
    /// What it does.
    pub about: &'static str,
    run: fn(Store, Order),
}

/// All commands, in the order in which they are offered.
#[rustfmt::skip]
static COMMANDS: [Command; 2] = [
    Command { name: "remember", argument: "text", about: "Remember a fact for every conversation", run: Store::remember },
    Command { name: "forget", argument: "words", about: "Find a remembered fact and forget it", run: Store::find_to_forget },
];

/// What is shown of commands.
#[derive(Clone, Copy)]
pub struct Commands {
    /// What there is to choose from.
    pub menu: RwSignal<Option<Menu>>,
    /// How the command goes that was given last. Why it failed is told like all trouble of the conversation.
    pub work: RwSignal<Work>,
    /// What was done last.
    pub done: RwSignal<Option<Done>>,
}

/// What there is to choose from.
#[derive(Clone, PartialEq)]
pub struct Menu {
    /// Never empty.
    pub choices: Choices,
    /// The place of the one that is marked.
    pub marked: usize,
}

/// What a menu offers.
#[derive(Clone)]
pub enum Choices {
    /// Commands, to be completed.
    Commands(Vec<&'static Command>),
    /// Facts, one to be forgotten.
    Facts(Vec<Fact>),
}

/// A command as the owner gave it, and where.
struct Order {
    argument: String,
    place: Place,
}

/// The draft in which a command was written. What comes of the command is shown there alone.
#[derive(Clone)]
struct Place {
    number: u64,
    conversation: Option<ConversationId>,
    draft: String,
}

impl PartialEq for Choices {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Commands(these), Self::Commands(those)) => {
                let names = |commands: &[&'static Command]| -> Vec<_> {
                    commands.iter().map(|command| command.name).collect()
                };
                names(these) == names(those)
            }
            (Self::Facts(these), Self::Facts(those)) => these == those,
            (Self::Commands(_), Self::Facts(_)) | (Self::Facts(_), Self::Commands(_)) => false,
        }
    }
}

impl Menu {
    fn of(choices: Choices) -> Option<Self> {
        let menu = Self { choices, marked: 0 };
        (menu.len() > 0).then_some(menu)
    }

    fn len(&self) -> usize {
        match &self.choices {
            Choices::Commands(commands) => commands.len(),
            Choices::Facts(facts) => facts.len(),
        }
    }
}

impl Commands {
    pub(super) fn new() -> Self {
        Self {
            menu: RwSignal::new(None),
            work: RwSignal::new(Work::Idle),
            done: RwSignal::new(None),
        }
    }
}

impl Store {
    /// Marks the next choice, or the one before; behind the last comes the first.
    pub fn mark_choice(self, direction: Direction) {
        self.commands.menu.update(|menu| {
            if let Some(menu) = menu {
                let last = menu.len().saturating_sub(1);
                menu.marked = match direction {
                    Direction::Next if menu.marked >= last => 0,
                    Direction::Next => menu.marked.saturating_add(1),
                    Direction::Previous => menu.marked.checked_sub(1).unwrap_or(last),
                };
            }
        });
    }

    /// Takes a choice; the marked one without a place.
    pub fn choose(self, place: Option<usize>) {
        let Some(menu) = self.commands.menu.get_untracked() else {
            return;
        };
        let place = place.unwrap_or(menu.marked);
        match &menu.choices {
            Choices::Commands(commands) => {
                if let Some(command) = commands.get(place) {
                    self.write(format!("/{} ", command.name));
                }
            }
            Choices::Facts(facts) => {
                if let Some(fact) = facts.get(place) {
                    self.forget_choice(fact.clone());
                }
            }
        }
    }

    /// Closes the menu; the draft stays.
    pub fn dismiss_menu(self) {
        self.commands.menu.set(None);
    }

    /// Offers the commands whose name is being written.
    pub(super) fn offer_commands(self, draft: &str) {
        let menu = Menu::of(Choices::Commands(completions(draft)));
        if self.commands.menu.with_untracked(|before| *before != menu) {
            self.commands.menu.set(menu);
        }
    }

    /// Does what the draft commands, if it does.
    pub(super) fn obey(self, draft: &str) -> bool {
        let Some((command, argument)) = parse(draft) else {
            return false;
        };
        if self.commands.work.get_untracked() != Work::Working {
            self.dismiss_menu();
            self.dismiss_done();
            self.conversation.trouble.set(None);
            let place = self.begin_command(draft.to_owned());
            let argument = argument.to_owned();
            (command.run)(self, Order { argument, place });
        }
        true
    }

    /// The conversation is left: what comes of its commands is not shown in another.
    pub(super) fn forget_commands(self) {
        let _ = self.runtime().commands.borrow_mut().next();
        self.dismiss_menu();
        self.dismiss_done();
        self.commands.work.set(Work::Idle);
    }

    fn remember(self, order: Order) {
        let content = order.argument;
        let fault = match content.is_empty() {
            true => Some("Write what to remember behind /remember."),
            false => fact_fault(&content),
        };
        if let Some(fault) = fault {
            self.fail_command(&order.place, fault.to_owned());
            return;
        }
        self.call_agent(&AddMemory { content }, move |reply| match reply {
            Ok(fact) => self.finish_command(&order.place, Deed::Remembered, fact),
            Err(failure) => self.fail_command(&order.place, failure.message),
        });
    }

    fn find_to_forget(self, order: Order) {
        let Order { argument, place } = order;
        let nothing = match argument.is_empty() {
            true => "Nothing is remembered.".to_owned(),
            false => format!("Nothing remembered was found for “{argument}”."),
        };
        let offer = move |reply: Result<Vec<Fact>, CallFailure>| match reply {
            Ok(mut facts) => {
                facts.truncate(MAXIMUM_CHOICES);
                match Menu::of(Choices::Facts(facts)) {
                    Some(menu) if self.is_current(&place) => {
                        self.commands.work.set(Work::Idle);
                        self.commands.menu.set(Some(menu));
                    }
                    Some(_) => {}
                    None => self.fail_command(&place, nothing),
                }
            }
            Err(failure) => self.fail_command(&place, failure.message),
        };
        if argument.is_empty() {
            self.call_agent(&ListMemories {}, offer);
        } else {
            self.call_agent(&SearchMemories { query: argument }, offer);
        }
    }

    fn forget_choice(self, fact: Fact) {
        self.dismiss_menu();
        let place = self.begin_command(self.conversation.draft.get_untracked());
        let call = DeleteMemory {
            id: fact.id.clone(),
            version: fact.version,
        };
        self.call_agent(&call, move |reply| match reply {
            Ok(()) => self.finish_command(&place, Deed::Forgotten, fact),
            Err(failure) => self.fail_command(&place, failure.message),
        });
    }

    fn begin_command(self, draft: String) -> Place {
        self.commands.work.set(Work::Working);
        Place {
            number: self.runtime().commands.borrow_mut().next(),
            conversation: self.open_id(),
            draft,
        }
    }

    fn is_current(self, place: &Place) -> bool {
        self.runtime().commands.borrow().is_latest(place.number)
    }

    /// A command was carried out: its draft is done with, wherever the owner is now.
    fn finish_command(self, place: &Place, deed: Deed, fact: Fact) {
        let platform = self.platform();
        if !self.is_current(place) {
            if drafts::draft(platform.as_ref(), place.conversation) == place.draft {
                drafts::keep_draft(platform.as_ref(), place.conversation, "");
            }
            return;
        }
        if self
            .conversation
            .draft
            .with_untracked(|draft| *draft == place.draft)
        {
            self.write(String::new());
        }
        self.commands.work.set(Work::Done);
        self.announcement.set(match deed {
            Deed::Remembered => "Remembered",
            Deed::Forgotten => "Forgotten",
        });
        let undoing = Work::Idle;
        self.commands.done.set(Some(Done { deed, fact, undoing }));
    }

    /// A command was not carried out: its draft stays, with the reason.
    fn fail_command(self, place: &Place, sentence: String) {
        if self.is_current(place) {
            self.commands.work.set(Work::Idle);
            self.conversation.trouble.set(Some(sentence));
        }
    }
}

/// Where the mark goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the next choice.
    Next,
    /// To the one before.
    Previous,
}

/// The command that a draft gives, with what is written behind its name.
fn parse(draft: &str) -> Option<(&'static Command, &str)> {
    let rest = draft.strip_prefix('/')?;
    let (name, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let command = COMMANDS.iter().find(|command| command.name == name)?;
    Some((command, argument.trim()))
}

/// The commands whose name a draft begins to write.
fn completions(draft: &str) -> Vec<&'static Command> {
    match draft.strip_prefix('/') {
        Some(begun) => COMMANDS
            .iter()
            .filter(|command| command.name.starts_with(begun))
            .collect(),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(draft: &str) -> Option<(&'static str, &str)> {
        parse(draft).map(|(command, argument)| (command.name, argument))
    }

    #[test]
    fn a_command_is_a_known_word_behind_a_slash_at_the_very_beginning() {
        assert_eq!(
            parsed("/remember  I like tea \n"),
            Some(("remember", "I like tea"))
        );
        assert_eq!(parsed("/forget\ttea"), Some(("forget", "tea")));
        assert_eq!(parsed("/forget"), Some(("forget", "")));
        for text in [
            "/remembering tea",
            "/tea",
            "/",
            "// remember",
            " /remember tea",
            "remember tea",
            "/Remember x",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    #[test]
    fn commands_are_offered_while_their_name_is_written() {
        let offered = |draft| -> Vec<_> { completions(draft).iter().map(|command| command.name).collect() };
        assert_eq!(offered("/"), ["remember", "forget"]);
        assert_eq!(offered("/for"), ["forget"]);
        for draft in ["", "/x", "/forget ", "/forget tea", "f"] {
            assert!(offered(draft).is_empty(), "{draft}");
        }
    }
}
