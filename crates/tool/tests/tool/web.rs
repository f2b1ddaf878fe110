//! A web of a few scripted addresses, as the tools see it.

use super::finished;
use flarebot_tool::{FetchFailure, FetchRequest, Fetched, Host, HostFuture, ToolFailure, builtin};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// Monday, 30 November 2026, 23:05:07.042 UTC.
pub(super) const NOW: i64 = 1_796_079_907_042;

/// What an address answers.
pub(super) type Answer = Result<Fetched, FetchFailure>;

/// Addresses and their answers. Whoever asks for another one finds nobody there.
#[derive(Default)]
pub(super) struct FakeWeb {
    answers: BTreeMap<String, Answer>,
    requests: RefCell<Vec<FetchRequest>>,
    /// How long each request takes.
    milliseconds: i64,
    passed: Cell<i64>,
}

/// Makes answers.
pub(super) trait Makes {
    /// A body of this type.
    fn page(content_type: &str, body: impl AsRef<[u8]>) -> Answer;
    /// A status without a body.
    fn status(status: u16) -> Answer;
    /// A redirect.
    fn redirect(status: u16, location: &str) -> Answer;
}

impl Makes for Answer {
    fn page(content_type: &str, body: impl AsRef<[u8]>) -> Answer {
        Ok(Fetched {
            status: 200,
            content_type: Some(content_type.to_owned()).filter(|value| !value.is_empty()),
            location: None,
            body: body.as_ref().to_vec(),
            body_goes_on: false,
        })
    }

    fn status(status: u16) -> Answer {
        Ok(Fetched {
            status,
            content_type: Some("text/html".to_owned()),
            location: None,
            body: Vec::new(),
            body_goes_on: false,
        })
    }

    fn redirect(status: u16, location: &str) -> Answer {
        Self::status(status).map(|fetched| Fetched {
            location: Some(location.to_owned()),
            ..fetched
        })
    }
}

impl FakeWeb {
    pub(super) fn with(mut self, url: &str, answer: Answer) -> Self {
        self.answers.insert(url.to_owned(), answer);
        self
    }

    pub(super) fn slow(mut self, milliseconds: i64) -> Self {
        self.milliseconds = milliseconds;
        self
    }

    /// Calls `read_url`.
    pub(super) fn read(&self, url: &str) -> Result<Value, ToolFailure> {
        let tool = builtin().find("read_url").unwrap();
        finished(tool.run(json!({ "url": url }), self))
    }

    /// The addresses that were asked for, in order.
    pub(super) fn asked(&self) -> Vec<String> {
        self.requests()
            .into_iter()
            .map(|request| request.address.as_str().to_owned())
            .collect()
    }

    pub(super) fn requests(&self) -> Vec<FetchRequest> {
        self.requests.borrow().clone()
    }
}

impl Host for FakeWeb {
    fn now(&self) -> i64 {
        NOW + self.passed.get()
    }

    fn progress(&self, progress: Value) {
        panic!("unexpected progress: {progress}");
    }

    fn ask_agent<'a>(&'a self, feature: &'static str, _: Value) -> HostFuture<'a, Result<Value, String>> {
        panic!("unexpected question about {feature}");
    }

    fn fetch<'a>(&'a self, request: FetchRequest) -> HostFuture<'a, Answer> {
        self.passed.set(self.passed.get() + self.milliseconds);
        let answer = match self.answers.get(request.address.as_str()) {
            _ if self.now() > request.deadline => Err(FetchFailure::TimedOut),
            Some(answer) => answer.clone(),
            None => Err(FetchFailure::Unreachable),
        };
        self.requests.borrow_mut().push(request);
        Box::pin(std::future::ready(answer))
    }
}
