//! Scheduled tasks, of which this version has none.

use super::frame::{Drawer, HeadingFocus, PageHeader};
use crate::store::Store;
use leptos::prelude::*;

#[component]
pub(super) fn Tasks(store: Store, drawer: Drawer) -> impl IntoView {
    view! {
        <div class="document">
            <PageHeader store drawer title="Tasks".to_owned() focus=HeadingFocus::OnArrival aside=() />
            <div class="document-body column">
                <p>"There are no tasks: this version cannot schedule any yet."</p>
            </div>
        </div>
    }
}
