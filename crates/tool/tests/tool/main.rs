//! The contract of tools, and what the built-in ones do.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop where it finds something wrong"
)]

mod address;
mod builtin;
mod output;
mod page;
mod read_url;
mod toolbox;
mod verdict;
mod web;

use flarebot_tool::{
    ConversationQuestion, FetchFailure, FetchRequest, Fetched, Host, HostFuture, Question as _,
};
use serde_json::Value;
use std::cell::RefCell;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// A world that stands still, remembers what it was asked for and answers at once.
struct FakeHost {
    now: i64,
    renamed: RefCell<Vec<String>>,
    /// What renaming comes to, in place of the trimmed name.
    refusal: Option<&'static str>,
}

impl FakeHost {
    fn at(now: i64) -> Self {
        Self {
            now,
            renamed: RefCell::default(),
            refusal: None,
        }
    }
}

impl Host for FakeHost {
    fn now(&self) -> i64 {
        self.now
    }

    fn progress(&self, progress: Value) {
        panic!("unexpected progress: {progress}");
    }

    fn ask_agent<'a>(
        &'a self,
        feature: &'static str,
        question: Value,
    ) -> HostFuture<'a, Result<Value, String>> {
        assert_eq!(feature, ConversationQuestion::FEATURE);
        let ConversationQuestion::Rename(name) = serde_json::from_value(question).unwrap();
        Box::pin(async move {
            self.renamed.borrow_mut().push(name.clone());
            match self.refusal {
                Some(sentence) => Err(sentence.to_owned()),
                None => Ok(name.trim().into()),
            }
        })
    }

    fn fetch<'a>(&'a self, request: FetchRequest) -> HostFuture<'a, Result<Fetched, FetchFailure>> {
        panic!("unexpected request: {request:?}");
    }
}

/// The output of a future that waits for nothing.
fn finished<Output>(future: impl Future<Output = Output>) -> Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits for something"),
    }
}
