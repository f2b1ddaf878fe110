//! The tools that every conversation has.

mod current_time;
mod rename_conversation;

use crate::Toolbox;
use current_time::CurrentTime;
use rename_conversation::RenameConversation;

/// All of them.
#[must_use]
pub fn builtin() -> Toolbox {
    Toolbox::default().with(CurrentTime).with(RenameConversation)
}
