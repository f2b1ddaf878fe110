//! The tools that every conversation has.

mod current_time;
mod read_url;
mod rename_conversation;
mod visit;

pub use read_url::WEB_INSTRUCTIONS;

use crate::Toolbox;
use current_time::CurrentTime;
use read_url::ReadUrl;
use rename_conversation::RenameConversation;

/// All of them.
#[must_use]
pub fn builtin() -> Toolbox {
    Toolbox::default()
        .with(CurrentTime)
        .with(RenameConversation)
        .with(ReadUrl)
}
