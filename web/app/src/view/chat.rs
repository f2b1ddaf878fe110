//! The chat: a header with the conversation's name, the transcript, the composer.

use super::composer::Composer;
use super::frame::{Drawer, HeadingFocus, PageHeader};
use super::remembering::MemorySwitch;
use super::spending::ConversationSpending;
use super::transcript::Transcript;
use crate::store::{Phase, Store};
use flarebot_protocol::address::Page;
use leptos::prelude::*;

#[component]
pub(super) fn Chat(store: Store, drawer: Drawer) -> impl IntoView {
    let title = Signal::derive(move || match store.page.get() {
        Page::Conversation(id) => store.name_of(id).unwrap_or_else(|| "Conversation".to_owned()),
        Page::Home | Page::Settings | Page::Tasks | Page::SignIn => "New chat".to_owned(),
    });
    let can_write = Memo::new(move |_| store.conversation.phase.get() != Phase::Gone);
    view! {
        <div class="chat">
            <PageHeader
                store
                drawer
                title
                focus=HeadingFocus::Never
                aside=view! {
                    <MemorySwitch store />
                    <ConversationSpending store />
                }
            />
            <Transcript store />
            {move || can_write.get().then(|| view! { <Composer store /> })}
        </div>
    }
}
