//! Chat requests: no message is lost, none is doubled.

use super::{
    ABNORMAL, Driver, cancel_text, history, history_running, identity, queued, running, submissions,
    transmitted,
};
use crate::support::{activities, chat, empty_answer, ended, request_id, start};
use flarebot_protocol::client::{Output, SubmissionState};
use flarebot_protocol::frame::{
    AgentKind, ChatRequest, ChatResponse, ClientFrame, HistoryFrame, QueueFrame, ServerFrame,
};
use flarebot_protocol::message::Outcome;
use proptest::prelude::*;
use std::collections::VecDeque;

fn text(request: &ChatRequest) -> String {
    ClientFrame::Chat(request.clone()).text()
}

/// A driver that has sent `request` on a connection without messages.
fn sent(request: &ChatRequest) -> Driver {
    let mut driver = Driver::ready();
    driver.session.submit(request.clone(), driver.now);
    let outputs = driver.outputs();
    assert_eq!(transmitted(&outputs), [text(request)]);
    assert_eq!(submissions(&outputs), [("r", SubmissionState::Sent)]);
    driver
}

#[test]
fn every_sign_that_the_server_has_it_confirms_it() {
    let request = chat("r", "Hello?");
    let id = || request.id.clone();
    let signs = [
        ServerFrame::Message {
            message: request.message.clone(),
        },
        ServerFrame::Queued(queued(&request)),
        ServerFrame::Queue(QueueFrame {
            queued: vec![queued(&request)],
            deleted: Vec::new(),
        }),
        ServerFrame::Queue(QueueFrame {
            queued: Vec::new(),
            deleted: vec![queued(&request)],
        }),
        ServerFrame::ChatResponse(ChatResponse::chunk(id(), 0, &start("answer"))),
        ServerFrame::ChatResponse(ChatResponse::failed(id(), "Busy.".to_owned())),
        ServerFrame::ChatResponse(ChatResponse::ended(id(), Outcome::Error, Vec::new())),
        ServerFrame::ChatResponse(ChatResponse::ended(id().continued(2), Outcome::Error, Vec::new())),
        ServerFrame::Running(running(id().continued(2))),
        history(vec![request.message.clone()]),
        history_running(&request),
        ServerFrame::History(HistoryFrame {
            messages: Vec::new(),
            has_more: false,
            running: None,
            queued: vec![queued(&request)],
        }),
    ];
    for sign in signs {
        let mut driver = sent(&request);
        driver.receive(&sign);
        assert_eq!(
            submissions(&driver.outputs()),
            [("r", SubmissionState::Accepted)],
            "{sign:?}"
        );
        driver.receive(&sign);
        assert_eq!(submissions(&driver.outputs()), []);
        driver.reconnect();
        driver.receive(&history(Vec::new()));
        assert_eq!(
            transmitted(&driver.outputs()),
            [] as [&str; 0],
            "it is not sent again"
        );
    }
}

#[test]
fn what_belongs_to_another_request_confirms_nothing() {
    let mut driver = sent(&chat("r", "Hello?"));
    let other = chat("other", "Hello?");
    driver.receive(&ServerFrame::Message {
        message: other.message.clone(),
    });
    driver.receive(&ServerFrame::Queued(queued(&other)));
    driver.receive(&history_running(&other));
    assert_eq!(submissions(&driver.outputs()), []);
}

#[test]
fn a_refusal_says_why() {
    let mut driver = sent(&chat("r", "Hello?"));
    let sentence = "The conversation is being deleted.".to_owned();
    let refusal = ChatResponse::refused(request_id("r"), sentence.clone());
    driver.receive(&ServerFrame::ChatResponse(refusal));
    assert_eq!(
        submissions(&driver.outputs()),
        [("r", SubmissionState::Refused { sentence })]
    );
}

#[test]
fn a_request_waits_for_a_connection() {
    let mut driver = Driver::connected();
    let requests = [chat("1", "One."), chat("2", "Two.")];
    for request in &requests {
        driver.session.submit(request.clone(), driver.now);
    }
    driver.introduce_conversation();
    assert_eq!(transmitted(&driver.outputs()), [] as [&str; 0]);
    driver.receive(&history(Vec::new()));
    assert_eq!(
        transmitted(&driver.outputs()),
        requests.map(|request| text(&request))
    );
}

#[test]
fn what_the_next_connection_does_not_know_is_sent_again_as_it_was() {
    let request = chat("r", "Hello?");
    let mut driver = sent(&request);
    driver.session.handle_closed(ABNORMAL, driver.now, 0.5);
    assert_eq!(
        submissions(&driver.outputs()),
        [("r", SubmissionState::Uncertain)]
    );
    let later = chat("later", "And?");
    driver.session.submit(later.clone(), driver.now);
    driver.reconnect();
    assert_eq!(transmitted(&driver.outputs()), [] as [&str; 0]);
    driver.receive(&history(Vec::new()));
    assert_eq!(transmitted(&driver.outputs()), [text(&request), text(&later)]);
}

#[test]
fn what_the_next_connection_knows_is_not_sent_again() {
    let request = chat("r", "Hello?");
    let mut driver = sent(&request);
    driver.reconnect();
    driver.receive(&history(vec![request.message.clone()]));
    let outputs = driver.outputs();
    assert_eq!(submissions(&outputs), [("r", SubmissionState::Accepted)]);
    assert_eq!(transmitted(&outputs), [] as [&str; 0]);
}

#[test]
fn a_request_on_a_dead_connection_is_sent_again_after_30_seconds() {
    let request = chat("r", "Hello?");
    let mut driver = sent(&request);
    let begun = driver.now;
    driver.wait();
    assert_eq!(driver.now, begun + 30_000);
    let outputs = driver.outputs();
    assert_eq!(outputs.first(), Some(&Output::Disconnect));
    assert_eq!(submissions(&outputs), [("r", SubmissionState::Uncertain)]);
}

#[test]
fn submitting_twice_sends_once() {
    let request = chat("r", "Hello?");
    let mut driver = sent(&request);
    driver.session.submit(request, driver.now);
    assert_eq!(driver.outputs(), []);
}

#[test]
fn a_withdrawn_request_is_not_sent_again() {
    let request = chat("r", "Hello?");
    let mut driver = sent(&request);
    driver.session.handle_closed(ABNORMAL, driver.now, 0.5);
    assert_eq!(driver.session.withdraw(&request.id), Some(request.clone()));
    assert_eq!(driver.session.withdraw(&request.id), None);
    driver.reconnect();
    driver.receive(&history(Vec::new()));
    assert_eq!(transmitted(&driver.outputs()), [] as [&str; 0]);
}

#[test]
fn the_end_of_the_session_gives_back_what_is_not_confirmed() {
    let request = chat("r", "Hello?");
    assert_eq!(sent(&request).session.stop(), std::slice::from_ref(&request));
    let mut driver = sent(&request);
    driver.session.handle_closed(4001, driver.now, 0.5);
    assert_eq!(
        submissions(&driver.outputs()),
        [("r", SubmissionState::Undelivered)]
    );
}

#[test]
fn a_cancel_goes_out_at_once() {
    let mut driver = Driver::ready();
    driver.session.cancel(&request_id("r"));
    assert_eq!(transmitted(&driver.outputs()), [cancel_text("r")]);
}

#[test]
fn a_cancelled_request_that_never_left_is_undelivered() {
    let mut driver = Driver::connected();
    driver.session.submit(chat("r", "Hello?"), driver.now);
    driver.session.cancel(&request_id("r"));
    assert_eq!(
        submissions(&driver.outputs()),
        [("r", SubmissionState::Undelivered)]
    );
    driver.introduce_conversation();
    driver.receive(&history(Vec::new()));
    assert_eq!(transmitted(&driver.outputs()), [] as [&str; 0]);
}

#[test]
fn a_cancelled_request_that_was_lost_is_not_sent_again() {
    let mut driver = sent(&chat("r", "Hello?"));
    driver.session.cancel(&request_id("r"));
    driver.reconnect();
    driver.receive(&history(Vec::new()));
    let outputs = driver.outputs();
    assert_eq!(submissions(&outputs), [("r", SubmissionState::Undelivered)]);
    assert_eq!(transmitted(&outputs), [] as [&str; 0]);
}

#[test]
fn a_cancel_reaches_an_answer_that_still_runs_after_a_lost_connection() {
    let request = chat("r", "Hello?");
    let mut driver = sent(&request);
    driver.session.handle_closed(ABNORMAL, driver.now, 0.5);
    driver.session.cancel(&request.id);
    driver.reconnect();
    driver.receive(&history_running(&request));
    assert_eq!(transmitted(&driver.outputs()), [cancel_text("r")]);
    let end = ChatResponse::ended(request.id.clone(), Outcome::Aborted, Vec::new());
    driver.receive(&ServerFrame::ChatResponse(end));
    driver.reconnect();
    driver.receive(&history_running(&request));
    assert_eq!(
        transmitted(&driver.outputs()),
        [] as [&str; 0],
        "it was seen to end"
    );
}

#[test]
fn a_cancel_reaches_the_instance_that_goes_on_with_the_answer() {
    for connection_holds in [true, false] {
        let mut driver = Driver::ready();
        driver.session.cancel(&request_id("r"));
        let next = request_id("r").continued(2);
        let told = running(next.clone());
        if connection_holds {
            driver.outputs();
            driver.receive(&ServerFrame::Running(told));
            assert_eq!(transmitted(&driver.outputs()), [cancel_text("r~2")]);
        } else {
            driver.reconnect();
            driver.receive(&ServerFrame::History(HistoryFrame {
                messages: Vec::new(),
                has_more: false,
                running: Some(told),
                queued: Vec::new(),
            }));
            assert_eq!(transmitted(&driver.outputs()), [cancel_text("r")]);
        }
        let end = ChatResponse::ended(next, Outcome::Aborted, Vec::new());
        driver.receive(&ServerFrame::ChatResponse(end));
        driver.receive(&ServerFrame::Running(running(request_id("r").continued(3))));
        assert_eq!(
            transmitted(&driver.outputs()),
            [] as [&str; 0],
            "it was seen to end"
        );
    }
}

#[test]
fn a_cancel_of_an_answer_that_has_ended_meanwhile_is_forgotten() {
    let request = chat("r", "Hello?");
    let mut driver = Driver::ready();
    driver.session.cancel(&request.id);
    driver.reconnect();
    let answer = ended(empty_answer("answer"), Outcome::Completed);
    driver.receive(&history(vec![request.message, answer]));
    assert_eq!(transmitted(&driver.outputs()), [] as [&str; 0]);
}

/// A network that loses whatever is on its way when the connection breaks, and a server that takes each request once.
#[derive(Default)]
struct Network {
    to_server: VecDeque<String>,
    to_client: VecDeque<String>,
    taken: Vec<ChatRequest>,
}

impl Network {
    fn take_outputs(&mut self, driver: &mut Driver, accepted: &mut Vec<String>) {
        for output in driver.outputs() {
            if let Some((id, SubmissionState::Accepted)) = submissions(std::slice::from_ref(&output)).first()
            {
                accepted.push((*id).to_owned());
            }
            match output {
                Output::Connect => {
                    self.break_connection();
                    let taken = self.taken.iter();
                    let messages = taken.map(|request| request.message.clone()).collect();
                    self.send(&identity(AgentKind::Conversation, true));
                    self.send(&activities(&[]));
                    self.send(&history(messages));
                }
                Output::Transmit(text) => self.to_server.push_back(text),
                Output::Disconnect => self.break_connection(),
                Output::Event(_) => {}
            }
        }
    }

    fn break_connection(&mut self) {
        self.to_server.clear();
        self.to_client.clear();
    }

    fn send(&mut self, frame: &ServerFrame) {
        self.to_client.push_back(serde_json::to_string(frame).unwrap());
    }

    /// Lets the server read one frame.
    fn serve(&mut self) -> bool {
        let Some(text) = self.to_server.pop_front() else {
            return false;
        };
        let Ok(ClientFrame::Chat(request)) = ClientFrame::parse(&text) else {
            panic!("{text}");
        };
        if self.taken.iter().all(|taken| taken.id != request.id) {
            self.taken.push(request.clone());
        }
        self.send(&ServerFrame::Message {
            message: request.message,
        });
        true
    }

    /// Lets the client read one frame.
    fn deliver(&mut self, driver: &mut Driver) -> bool {
        let Some(text) = self.to_client.pop_front() else {
            return false;
        };
        driver.session.handle_text(&text, driver.now);
        true
    }
}

proptest! {
    #[test]
    fn every_message_arrives_once_and_in_order(events in prop::collection::vec((0..8_u8, 0..8_000_i64), 0..80)) {
        let mut driver = Driver::new();
        let mut network = Network::default();
        let mut submitted = Vec::new();
        let mut accepted = Vec::new();
        driver.session.start(driver.now);
        for (event, pause) in events {
            match event {
                0 | 1 => {
                    let request = chat(&submitted.len().to_string(), "Hello?");
                    submitted.push(request.clone());
                    driver.session.submit(request, driver.now);
                }
                2 | 3 => { network.serve(); }
                4 | 5 => { network.deliver(&mut driver); }
                6 => {
                    network.break_connection();
                    driver.session.handle_closed(ABNORMAL, driver.now, 0.3);
                }
                _ => {
                    driver.now += pause;
                    driver.session.handle_timeout(driver.now, 0.7);
                }
            }
            network.take_outputs(&mut driver, &mut accepted);
        }
        for _ in 0..4 {
            driver.session.handle_online(driver.now);
            network.take_outputs(&mut driver, &mut accepted);
            while network.serve() | network.deliver(&mut driver) {
                network.take_outputs(&mut driver, &mut accepted);
            }
            if accepted.len() < submitted.len() {
                driver.wait();
                network.take_outputs(&mut driver, &mut accepted);
            }
        }
        prop_assert_eq!(&network.taken, &submitted);
        let ids: Vec<String> = submitted.iter().map(|request| request.id.to_string()).collect();
        prop_assert_eq!(accepted, ids);
    }
}
