//! Whether the owner is signed in: by a link, by the cookie that the browser holds, until the session ends.

use super::{Connection, Phase, Sidebar, Store, drafts};
use crate::platform::{Request, Response, Timer};
use flarebot_protocol::address::{Page, SESSION, SIGN_IN, SIGN_OUT};
use leptos::prelude::*;
use serde::Deserialize;
use serde_json::json;

/// How long to wait before asking again when no answer came, in milliseconds.
const ASK_AGAIN_AFTER: i64 = 3_000;

/// Whether the owner is signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Not known yet.
    Unknown,
    /// The browser holds a valid session.
    Granted,
    /// It does not.
    SignedOut,
}

/// How signing in by a link goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignIn {
    /// The server is being asked.
    Checking,
    /// The address holds no link.
    NoLink,
    /// It failed.
    Failed {
        /// Why, and what to do next.
        sentence: String,
    },
}

/// The question to the server whether the session is valid.
#[derive(Default)]
pub(super) enum AccessCheck {
    /// Nobody is asking.
    #[default]
    Idle,
    /// An answer is awaited.
    Asking,
    /// No answer came; it is asked again when the timer fires.
    Waiting(#[expect(dead_code, reason = "held, because dropping it would stop it")] Box<dyn Timer>),
}

impl Store {
    /// Ends the session of this browser and forgets what it kept.
    pub fn sign_out(self) {
        self.sign_out_trouble.set(None);
        let done = move |response: Option<Response>| match response {
            Some(Response {
                status: 200..=299 | 401,
                ..
            }) => {
                self.platform().forget(drafts::PREFIX);
                self.lose_access();
            }
            response => self
                .sign_out_trouble
                .set(Some(sentence(response, "Signing out failed. Try again."))),
        };
        self.platform()
            .request(Request::Post(SIGN_OUT, None), Box::new(done));
    }

    /// Takes the assertion out of the address, so that it stays in no history, and hands it to the server.
    pub(super) fn begin_sign_in(self) {
        let platform = self.platform();
        let assertion = platform.address().fragment;
        platform.replace_address(SIGN_IN);
        if assertion.is_empty() {
            self.sign_in.set(SignIn::NoLink);
            return;
        }
        self.sign_in.set(SignIn::Checking);
        let body = json!({ "assertion": assertion }).to_string();
        let done = move |response: Option<Response>| match response {
            Some(Response {
                status: 200..=299, ..
            }) => {
                self.platform().replace_address(&Page::Home.path());
                self.show(Page::Home);
                self.check_access();
            }
            response => self.sign_in.set(SignIn::Failed {
                sentence: sentence(response, "Signing in failed. Get a new link and open it."),
            }),
        };
        platform.request(Request::Post(SIGN_IN, Some(body)), Box::new(done));
    }

    /// Asks the server whether the session is valid, unless an answer is awaited already.
    pub(super) fn check_access(self) {
        let runtime = self.runtime();
        if matches!(*runtime.access_check.borrow(), AccessCheck::Asking) {
            return;
        }
        runtime.access_check.replace(AccessCheck::Asking);
        let done = move |response: Option<Response>| {
            self.runtime().access_check.replace(AccessCheck::Idle);
            match response {
                Some(Response {
                    status: 200..=299, ..
                }) => self.gain_access(),
                Some(Response {
                    status: 401 | 403, ..
                }) => self.lose_access(),
                Some(_) | None => self.ask_again(),
            }
        };
        self.platform().request(Request::Get(SESSION), Box::new(done));
    }

    pub(super) fn access_is_uncertain(self) -> bool {
        self.access.get_untracked() == Access::Unknown
    }

    /// Forgets everything private and shows how to sign in.
    pub(super) fn lose_access(self) {
        let runtime = self.runtime();
        drop(runtime.agent.take());
        self.leave_conversation();
        self.conversation.phase.set(Phase::Loading);
        self.sidebar.set(Sidebar::default());
        self.deletion.set(None);
        self.forget_settings();
        self.agent_connection.set(Connection::Quiet);
        self.access.set(Access::SignedOut);
    }

    fn gain_access(self) {
        let page = self.page.get_untracked();
        if page == Page::SignIn {
            return;
        }
        let before = self.access.get_untracked();
        self.access.set(Access::Granted);
        self.connect_agent();
        if before != Access::Granted {
            self.agent_connection.set(Connection::Quiet);
            self.show(page);
        }
    }

    /// Without an answer nothing is known, so what is shown stays; while nothing is connected, only this asks again.
    fn ask_again(self) {
        if !self.access_is_uncertain() {
            return;
        }
        self.agent_connection.set(Connection::Reconnecting);
        let timer = self
            .platform()
            .set_timer(ASK_AGAIN_AFTER, Box::new(move || self.check_access()));
        self.runtime().access_check.replace(AccessCheck::Waiting(timer));
    }
}

/// The one sentence of an answer that says no.
fn sentence(response: Option<Response>, otherwise: &str) -> String {
    #[derive(Deserialize)]
    struct Refusal {
        error: String,
    }
    match response {
        None => "The server could not be reached. Check the connection and try again.".to_owned(),
        Some(response) => match serde_json::from_str(&response.body) {
            Ok(Refusal { error }) => error,
            Err(_) => otherwise.to_owned(),
        },
    }
}
