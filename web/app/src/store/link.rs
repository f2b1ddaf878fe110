//! One socket of the page: drives a client session with what the platform reports, and does what the session asks.

use crate::platform::{Platform, Socket, SocketEvent, Timer};
use flarebot_protocol::address::{CLIENT_PARAMETER, FLAREBOT_CLIENT};
use flarebot_protocol::call::{Call, CallFailure};
use flarebot_protocol::client::{ClientSession, Output, SessionEvent, Settlement};
use flarebot_protocol::frame::ChatRequest;
use flarebot_protocol::{CallId, RequestId};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

/// A connection that keeps itself alive until it is dropped.
pub(super) struct Link {
    driver: Rc<Driver>,
}

struct Driver {
    platform: Rc<dyn Platform>,
    path: String,
    session: RefCell<ClientSession>,
    socket: RefCell<Option<Box<dyn Socket>>>,
    /// Which socket is the present one, so that what an older one reports is late. `None` once the link is dropped.
    present: Cell<Option<u64>>,
    timer: RefCell<Option<Box<dyn Timer>>>,
    /// When the timer fires. An early one does no harm, so it is only ever replaced by an earlier one.
    armed: Cell<Option<i64>>,
    replies: RefCell<BTreeMap<CallId, Reply>>,
    listener: Box<dyn Fn(SessionEvent)>,
    this: Weak<Driver>,
}

type Reply = Box<dyn FnOnce(Settlement)>;

impl Link {
    /// Connects to a path and tells `listener` everything but the settlement of calls.
    pub(super) fn open(
        platform: Rc<dyn Platform>,
        path: &str,
        listener: impl Fn(SessionEvent) + 'static,
    ) -> Self {
        let driver = Rc::new_cyclic(|this| Driver {
            platform,
            path: format!("{path}?{CLIENT_PARAMETER}={FLAREBOT_CLIENT}"),
            session: RefCell::new(ClientSession::new()),
            socket: RefCell::new(None),
            present: Cell::new(Some(0)),
            timer: RefCell::new(None),
            armed: Cell::new(None),
            replies: RefCell::new(BTreeMap::new()),
            listener: Box::new(listener),
            this: Weak::clone(this),
        });
        driver.with(ClientSession::start);
        Self { driver }
    }

    /// Makes a call and hands its reply to `done`, exactly once.
    pub(super) fn call<C: Call + 'static>(
        &self,
        call: &C,
        done: impl FnOnce(Result<C::Reply, CallFailure>) + 'static,
    ) {
        let id = CallId::from_uuid(self.driver.platform.uuid());
        let reply: Reply = Box::new(|settlement| done(settlement.reply::<C>()));
        self.driver.replies.borrow_mut().insert(id.clone(), reply);
        self.driver.with(|session, now| session.call(call, id, now));
    }

    /// Sends a chat request, again and again until the server has it.
    pub(super) fn submit(&self, request: ChatRequest) {
        self.driver.with(|session, now| session.submit(request, now));
    }

    /// Stops the answer to a request.
    pub(super) fn cancel(&self, id: &RequestId) {
        self.driver.with(|session, _| session.cancel(id));
    }

    /// Fetches the history anew.
    pub(super) fn resynchronise(&self) {
        let jitter = self.driver.platform.jitter();
        self.driver
            .with(|session, now| session.resynchronise(now, jitter));
    }

    /// Ends a wait for the next attempt.
    pub(super) fn wake(&self) {
        self.driver.with(ClientSession::handle_online);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // Whoever drops a link no longer wants to hear of it, nor of the calls that it will not make.
        self.driver.present.set(None);
        self.driver.replies.borrow_mut().clear();
        *self.driver.timer.borrow_mut() = None;
        *self.driver.socket.borrow_mut() = None;
    }
}

impl Driver {
    /// Changes the session, then does what it asks for.
    fn with(&self, change: impl FnOnce(&mut ClientSession, i64)) {
        change(&mut self.session.borrow_mut(), self.platform.now());
        loop {
            let output = self.session.borrow_mut().poll_output();
            let Some(output) = output else { break };
            self.perform(output);
        }
        self.arm();
    }

    fn perform(&self, output: Output) {
        match output {
            Output::Connect => self.connect(),
            Output::Transmit(text) => {
                if let Some(socket) = self.socket.borrow().as_ref() {
                    socket.send(&text);
                }
            }
            Output::Disconnect => {
                let _ = self.next_generation();
                *self.socket.borrow_mut() = None;
            }
            Output::Event(SessionEvent::CallSettled(settlement)) => {
                let reply = self.replies.borrow_mut().remove(&settlement.id);
                if let Some(reply) = reply {
                    reply(settlement);
                }
            }
            Output::Event(event) => {
                if self.present.get().is_some() {
                    (self.listener)(event);
                }
            }
        }
    }

    fn connect(&self) {
        let Some(generation) = self.next_generation() else {
            return;
        };
        let this = Weak::clone(&self.this);
        let events = Rc::new(move |event| {
            if let Some(driver) = this.upgrade()
                && driver.present.get() == Some(generation)
            {
                driver.report(event);
            }
        });
        *self.socket.borrow_mut() = None;
        let socket = self.platform.open_socket(&self.path, events);
        *self.socket.borrow_mut() = Some(socket);
    }

    /// From now on, what the present socket reports is late.
    fn next_generation(&self) -> Option<u64> {
        let next = self.present.get()?.saturating_add(1);
        self.present.set(Some(next));
        Some(next)
    }

    fn report(&self, event: SocketEvent) {
        let jitter = self.platform.jitter();
        self.with(|session, now| match event {
            SocketEvent::Opened => session.handle_opened(now),
            SocketEvent::Text(text) => session.handle_text(&text, now),
            SocketEvent::Closed(code) => session.handle_closed(code, now, jitter),
        });
    }

    fn arm(&self) {
        let Some(at) = self.session.borrow().poll_timeout() else {
            return;
        };
        if self.present.get().is_none() || self.armed.get().is_some_and(|armed| armed <= at) {
            return;
        }
        self.armed.set(Some(at));
        let this = Weak::clone(&self.this);
        let delay = at.saturating_sub(self.platform.now()).max(0);
        let wake = Box::new(move || {
            if let Some(driver) = this.upgrade() {
                driver.armed.set(None);
                let jitter = driver.platform.jitter();
                driver.with(|session, now| session.handle_timeout(now, jitter));
            }
        });
        let timer = self.platform.set_timer(delay, wake);
        *self.timer.borrow_mut() = Some(timer);
    }
}
