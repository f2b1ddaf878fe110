//! A server in miniature and clients behind a network that breaks: whatever happens, every page ends up with the
//! server's transcript.

mod server;

use crate::support::{chat, text_delta, text_start};
use flarebot_protocol::RequestId;
use flarebot_protocol::client::{Change, ClientSession, EntryState, Output, SessionEvent, TranscriptView};
use flarebot_protocol::frame::{ClientFrame, ServerFrame};
use flarebot_protocol::message::{Message, Outcome};
use proptest::prelude::*;
use server::Server;
use std::collections::{BTreeSet, VecDeque};

/// How many questions may be without their answer, or without a tab's knowing of it.
const UNANSWERED: usize = 3;

/// The page size of this server: enough to show what became of all that was on its way when a connection broke. Questions
/// overtake each other, so these may be twice as many.
const PAGE: usize = 4 * UNANSWERED;

/// How many pages look at the conversation.
const TABS: usize = 2;

/// A page with its session and its view.
struct Page {
    tab: usize,
    session: ClientSession,
    view: TranscriptView,
    to_server: VecDeque<String>,
    now: i64,
}

impl Page {
    fn new(tab: usize) -> Self {
        let mut session = ClientSession::new();
        session.start(0);
        Self {
            tab,
            session,
            view: TranscriptView::new(),
            to_server: VecDeque::new(),
            now: 0,
        }
    }

    fn submit(&mut self, number: usize) {
        let request = chat(&number.to_string(), "Hello?");
        let _ = self.view.submit(&request);
        self.session.submit(request, self.now);
    }

    fn cancel(&mut self) {
        let running = self.view.entries().iter().find_map(|entry| match entry.state() {
            EntryState::Running(id) => Some(id.clone()),
            _ => None,
        });
        if let Some(id) = running {
            self.session.cancel(&id);
        }
    }

    fn cancel_next(&mut self) {
        let next = self.waiting().next();
        if let Some(id) = next {
            self.session.cancel(&id);
        }
    }

    /// The number of the first request that the server may have without this tab's knowing.
    fn unconfirmed(&self) -> Option<usize> {
        let numbers = self.uncertain();
        numbers.filter_map(|id| id.as_str().parse().ok()).min()
    }

    /// What the server may have without this tab's knowing.
    fn uncertain(&self) -> impl Iterator<Item = RequestId> {
        let entries = self.view.entries().iter();
        entries.filter_map(|entry| match entry.state() {
            EntryState::Unconfirmed(id, _) => Some(id.clone()),
            _ => None,
        })
    }

    fn waiting(&self) -> impl Iterator<Item = RequestId> {
        let entries = self.view.entries().iter();
        entries.filter_map(|entry| match entry.state() {
            EntryState::Queued(id) => Some(id.clone()),
            _ => None,
        })
    }

    /// Does what the session says. Gaps never come on a network that keeps the order.
    fn pump(&mut self, server: &mut Server) {
        while let Some(output) = self.session.poll_output() {
            match output {
                Output::Connect => {
                    self.to_server.clear();
                    server.connect(self.tab);
                }
                Output::Disconnect => server.disconnect(self.tab),
                Output::Transmit(text) => self.to_server.push_back(text),
                Output::Event(SessionEvent::Frame(frame)) => {
                    assert_ne!(self.view.apply(*frame), Change::Resynchronise);
                }
                Output::Event(SessionEvent::Submission { id, state }) => {
                    let _ = self.view.apply_submission(&id, &state);
                }
                Output::Event(_) => {}
            }
            self.check();
        }
    }

    fn check(&self) {
        let entries = self.view.entries();
        let ids: BTreeSet<_> = entries.iter().map(|entry| &entry.message().id).collect();
        assert_eq!(ids.len(), entries.len(), "no message is there twice");
        let is_running = |state: EntryState<'_>| matches!(state, EntryState::Running(_));
        let running = entries.iter().filter(|entry| is_running(entry.state())).count();
        assert!(running <= 1);
    }

    fn break_connection(&mut self, server: &mut Server) {
        server.disconnect(self.tab);
        self.to_server.clear();
        self.session.handle_closed(1006, self.now, 0.5);
    }

    /// Reads one frame from the server, some more than once.
    fn read(&mut self, server: &mut Server, times: usize) -> bool {
        let Some(frame) = server.lines[self.tab].outbox.pop_front() else {
            return false;
        };
        let times = if matches!(frame, ServerFrame::History(_)) {
            1
        } else {
            times
        };
        for _ in 0..times {
            let text = serde_json::to_string(&frame).unwrap();
            self.session.handle_text(&text, self.now);
        }
        true
    }

    fn write(&mut self, server: &mut Server) -> bool {
        let Some(text) = self.to_server.pop_front() else {
            return false;
        };
        server.receive(ClientFrame::parse(&text).unwrap());
        true
    }

    /// Connects if it is not connected.
    fn attach(&mut self, server: &mut Server) {
        self.pump(server);
        if !server.lines[self.tab].connected {
            self.session.handle_closed(1006, self.now, 0.5);
        }
        self.session.handle_online(self.now);
        self.pump(server);
    }

    /// The page shows the end of the server's transcript, as much as it has.
    fn assert_shows(&self, server: &Server) {
        let expected = server.shown();
        let shown: Vec<Message> = self
            .view
            .entries()
            .iter()
            .map(|entry| entry.message().clone())
            .collect();
        assert!(shown.len() <= expected.len() && shown.len() >= expected.len().min(PAGE));
        assert_eq!(shown, expected[expected.len() - shown.len()..]);
        if !self.view.has_more() {
            assert_eq!(shown.len(), expected.len());
        }
        let waiting = server.queued().into_iter().map(|queued| queued.request_id);
        assert!(
            self.waiting().eq(waiting),
            "what waits at the server waits on the page"
        );
        let stoppable = server.running_turn().map(|running| running.request_id);
        assert_eq!(self.view.active(), stoppable.as_ref());
    }
}

/// Gets through everything that is on its way, on connections that hold.
fn settle(pages: &mut [Page], server: &mut Server) {
    for page in &mut *pages {
        page.attach(server);
    }
    let mut moved = true;
    while moved {
        moved = false;
        for page in &mut *pages {
            moved |= page.write(server) | page.read(server, 1);
            page.pump(server);
        }
    }
    for page in pages {
        page.assert_shows(server);
    }
}

/// The instance is gone, and its sockets with it.
fn break_all(pages: &mut [Page], server: &mut Server) {
    for page in pages {
        page.break_connection(server);
    }
}

proptest! {
    #[test]
    fn every_page_ends_up_with_the_servers_transcript(
        events in prop::collection::vec((0..TABS, 0..36_u8, 0..5_usize), 0..120),
    ) {
        let mut server = Server::default();
        let mut pages: Vec<Page> = (0..TABS).map(Page::new).collect();
        let mut submitted = 0;
        for (tab, event, number) in events {
            let uncertain: BTreeSet<RequestId> = pages.iter().flat_map(Page::uncertain).collect();
            let oldest = pages.iter().filter_map(Page::unconfirmed).min().unwrap_or(submitted);
            let page = &mut pages[tab];
            match event {
                0..=2 => {
                    if submitted < oldest.min(server.first_unanswered()) + UNANSWERED {
                        page.submit(submitted);
                        submitted += 1;
                    }
                }
                3 => page.cancel(),
                4 => page.cancel_next(),
                5..=7 => { page.write(&mut server); }
                8..=12 => { page.read(&mut server, 1); }
                13 => { page.read(&mut server, 3); }
                14 => server.say(&text_start("t")),
                15..=19 => server.say(&text_delta("t", &event.to_string())),
                20 | 21 => server.finish(Outcome::Completed),
                22 => page.break_connection(&mut server),
                23 => {
                    break_all(&mut pages, &mut server);
                    server.seal();
                }
                24 => server.seal(),
                25 => {
                    break_all(&mut pages, &mut server);
                    server.continue_elsewhere(number);
                }
                26..=28 => server.continue_elsewhere(number),
                30 | 31 => server.edit(number),
                32 | 33 => server.delete(number, |request| uncertain.contains(request)),
                34 => server.send_now(number),
                29 => page.session.handle_online(page.now),
                _ => settle(&mut pages, &mut server),
            }
            for page in &mut pages {
                page.pump(&mut server);
            }
        }
        settle(&mut pages, &mut server);
        prop_assert_eq!(server.turns.len(), submitted, "no message is lost, none is doubled");
        while server.running.is_some() {
            server.finish(Outcome::Completed);
            settle(&mut pages, &mut server);
        }
        for page in &pages {
            prop_assert!(page.view.entries().iter().all(|entry| entry.state() == EntryState::Settled));
            prop_assert_eq!(page.view.active(), None);
        }
    }
}
