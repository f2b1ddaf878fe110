//! The pages of messages before those that are shown.

use super::{Older, Store};
use flarebot_protocol::call::GetHistory;
use leptos::prelude::*;

impl Store {
    /// Fetches the page of messages before those shown.
    pub fn load_older(self) {
        let runtime = self.runtime();
        let before = runtime.transcript.borrow().view.oldest().cloned();
        let link = runtime.conversation.borrow().clone();
        let (Some(before), Some(link)) = (before, link) else {
            return;
        };
        if self.conversation.older.get_untracked() != Older::Available {
            return;
        }
        self.conversation.older.set(Older::Loading);
        let call = GetHistory {
            before: Some(before.clone()),
        };
        link.call(&call, move |reply| {
            self.conversation.older.set(Older::Available);
            match reply {
                Ok(page) => self.change(|view| view.prepend(page, &before)),
                Err(failure) => self.conversation.trouble.set(Some(failure.message)),
            }
            self.publish_older();
        });
    }
}
