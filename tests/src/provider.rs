//! A model provider that speaks the protocols of all providers and does, on command, what providers do wrong.
//!
//! One thread a connection and no runtime. A [`Script`] says how one answer goes; every request is remembered as an
//! [`Exchange`], with the moment when the caller hung up, so that a test sees whether a stop reached the provider.
//!
//! It is also the world outside for the tools of the fixture: each of their calls is told here when it begins and when it
//! ends, so that one that ran twice is seen. And it is the web for the tools that read it: a test puts pages there.

mod events;
mod exchange;
mod passage;
mod play;
mod protocol;
mod request;
mod script;
mod site;
mod tool;

pub use exchange::{Exchange, ExchangeEnd, SentMessage, Standing};
pub use protocol::Protocol;
pub use script::{Call, Continuation, Ending, Faults, Form, LineEnd, SUMMARY, SUMMARY_LABEL, Script, Writes};
pub use site::{Visit, WebPage};
pub use tool::{ToolMoment, ToolReport};

use passage::Asked;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

/// What an error of the provider contains and no client must ever see. The key of its caller stands there too.
pub const PROVIDER_SECRET: &str = "sk-provider-internal-detail";

/// The clock of stamped pieces, the same for everything in this process.
#[derive(Debug, Clone, Copy)]
pub struct Clock;

impl Clock {
    /// Microseconds since the clock was first read.
    #[must_use]
    pub fn micros() -> u64 {
        static START: OnceLock<Instant> = OnceLock::new();
        u64::try_from(START.get_or_init(Instant::now).elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// A running provider. It stops accepting when it is dropped.
#[derive(Debug)]
pub struct Provider {
    address: SocketAddr,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    book: Mutex<Book>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Book {
    exchanges: Vec<Exchange>,
    reports: Vec<ToolReport>,
    pages: BTreeMap<String, WebPage>,
    visits: Vec<Visit>,
    released: BTreeSet<String>,
    otherwise: Option<Script>,
    /// After how many pieces a summary waits for its gate.
    summary_gate_after: Option<u32>,
    stopped: bool,
}

impl State {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap()
    }

    fn change<T>(&self, change: impl FnOnce(&mut Book) -> T) -> T {
        let result = change(&mut self.book());
        self.changed.notify_all();
        result
    }

    /// Waits until `ask` has an answer, or for `patience`.
    fn wait<T>(&self, patience: Duration, mut ask: impl FnMut(&Book) -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + patience;
        let mut book = self.book();
        loop {
            if let Some(answer) = ask(&book) {
                return Some(answer);
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            book = self.changed.wait_timeout(book, left).unwrap().0;
        }
    }
}

impl Provider {
    /// Starts a provider on a free port of the loopback interface.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start() -> io::Result<Self> {
        Self::start_on(0)
    }

    /// Starts a provider on `port` of the loopback interface; 0 means any free one.
    ///
    /// # Errors
    /// When the port is taken.
    pub fn start_on(port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::default());
        let accepting = Arc::clone(&state);
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                if accepting.book().stopped {
                    return;
                }
                let state = Arc::clone(&accepting);
                // A broken connection is the caller's choice, and the exchange has already been marked as closed.
                std::thread::spawn(move || drop(serve(&connection, &state)));
            }
        });
        Ok(Self { address, state })
    }

    /// `host:port`.
    #[must_use]
    pub fn authority(&self) -> String {
        self.address.to_string()
    }

    /// The base URL for the deployment's configuration.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Every request so far, oldest first.
    #[must_use]
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.state.book().exchanges.clone()
    }

    /// The requests of one script, oldest first.
    #[must_use]
    pub fn labelled(&self, label: &str) -> Vec<Exchange> {
        let book = self.state.book();
        let exchanges = book.exchanges.iter().filter(|exchange| exchange.label == label);
        exchanges.cloned().collect()
    }

    /// Waits for a request of the script `label` of which `condition` holds.
    ///
    /// # Panics
    /// When there is none within `patience`.
    pub fn wait_for(
        &self,
        label: &str,
        patience: Duration,
        condition: impl Fn(&Exchange) -> bool,
    ) -> Exchange {
        let found = self.state.wait(patience, |book| {
            let mut exchanges = book.exchanges.iter();
            exchanges
                .find(|exchange| exchange.label == label && condition(exchange))
                .cloned()
        });
        found.unwrap_or_else(|| {
            let seen = self.labelled(label);
            panic!("no request of {label:?} is as expected within {patience:?}; there are {seen:#?}")
        })
    }

    /// Waits for the first request of the script `label`.
    ///
    /// # Panics
    /// When there is none within `patience`.
    pub fn wait_for_request(&self, label: &str, patience: Duration) -> Exchange {
        self.wait_for(label, patience, |_| true)
    }

    /// Waits until the request of the script `label` is over.
    ///
    /// # Panics
    /// When it is not within `patience`.
    #[must_use]
    pub fn wait_for_end(&self, label: &str, patience: Duration) -> ExchangeEnd {
        let ended = self.wait_for(label, patience, |exchange| exchange.end.is_some());
        ended.end.unwrap()
    }

    /// Where a tool tells what it does in the call that a test knows as `call`; the tool adds the moment.
    #[must_use]
    pub fn report_url(&self, label: &str, call: &str) -> String {
        format!("http://{}{}{label}/{call}", self.address, tool::PATH)
    }

    /// What the tools of the script `label` have told, oldest first.
    #[must_use]
    pub fn reports(&self, label: &str) -> Vec<ToolReport> {
        let book = self.state.book();
        let reports = book.reports.iter().filter(|report| report.label == label);
        reports.cloned().collect()
    }

    /// Waits until a tool told of this moment of a call.
    ///
    /// # Panics
    /// When none does within `patience`.
    pub fn wait_for_report(&self, label: &str, call: &str, moment: ToolMoment, patience: Duration) {
        let wanted = ToolReport::new(label, call, moment);
        let found = self
            .state
            .wait(patience, |book| book.reports.contains(&wanted).then_some(()));
        assert!(
            found.is_some(),
            "no {wanted:?} within {patience:?}, but {:?}",
            self.reports(label)
        );
    }

    /// Opens the gate of the script `label`, now and for later requests.
    pub fn release(&self, label: &str) {
        self.state.change(|book| book.released.insert(label.to_owned()));
    }

    /// Lets summaries wait after their first piece until [`Self::release`] is given [`SUMMARY_LABEL`].
    pub fn hold_summaries(&self) {
        self.state.change(|book| book.summary_gate_after = Some(1));
    }

    /// Says how messages are answered that are no scripts, from now on; `None` brings the ordinary answer back.
    pub fn answer_otherwise(&self, script: Option<Script>) {
        self.state.change(|book| book.otherwise = script);
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.state.change(|book| book.stopped = true);
        // The accepting thread learns of it with its next connection.
        drop(TcpStream::connect(self.address));
    }
}

fn serve(connection: &TcpStream, state: &Arc<State>) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let request = request::read(connection)?;
    if let Some(address) = site::address(&request) {
        return site::serve(connection, state, address, request);
    }
    if let Some(report) = ToolReport::read(&request.path) {
        state.change(|book| book.reports.push(report));
        return play::reply(connection, 200, &serde_json::json!({}));
    }
    let Some(protocol) = Protocol::of(&request.path) else {
        return play::refuse(connection, 404, "there is no such path");
    };
    let messages = protocol.sent_messages(&request.body);
    let standing = Standing::of(&messages);
    let read = if exchange::asks_for_a_summary(&messages) {
        Ok(Script::summary(state.book().summary_gate_after))
    } else {
        match state.book().otherwise.clone() {
            Some(script) if !Script::is_in(&standing.question) => Ok(script),
            _ => Script::read(&standing.question),
        }
    };
    let script = match read {
        Ok(script) => script,
        Err(error) => return play::refuse(connection, 400, &format!("misspelt script: {error}")),
    };
    let offered = protocol.offered_tools(&request.body);
    let asked = Asked {
        protocol,
        standing: &standing,
        may_call: !offered.is_empty(),
        model: request.body["model"].as_str().unwrap_or_default().to_owned(),
        complaint: format!("{PROVIDER_SECRET} {}", protocol.key(&request)),
    };
    let (number, passage) = state.change(|book| {
        let number = book.exchanges.len();
        let earlier = book.exchanges.iter();
        let earlier = earlier.filter(|exchange| exchange.label == script.label).count();
        let passage = passage::Passage::of(&script, asked, number, earlier);
        book.exchanges.push(Exchange {
            label: script.label.clone(),
            protocol,
            path: request.path,
            headers: request.headers,
            body: request.body,
            messages,
            standing: standing.clone(),
            offered,
            proof: passage.proof(),
            received_at: Clock::micros(),
            first_piece_at: None,
            pieces: 0,
            end: None,
        });
        (number, passage)
    });
    let caller = play::Caller::watch(connection, Arc::clone(state), number)?;
    let played = play::play(&passage, &caller);
    caller.finish(&played);
    played
}
