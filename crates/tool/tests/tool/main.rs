//! The contract of tools, and what the built-in ones do.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop where it finds something wrong"
)]

mod builtin;
mod output;
mod toolbox;

use flarebot_tool::{Host, HostFuture};
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

    fn rename_conversation<'a>(&'a self, name: &'a str) -> HostFuture<'a, Result<String, String>> {
        Box::pin(async move {
            self.renamed.borrow_mut().push(name.to_owned());
            match self.refusal {
                Some(sentence) => Err(sentence.to_owned()),
                None => Ok(name.trim().to_owned()),
            }
        })
    }
}

/// The output of a future that waits for nothing.
fn finished<Output>(future: impl Future<Output = Output>) -> Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits for something"),
    }
}
