//! The harness tested without the product: the provider plays what its scripts say, and the clients report what is sent.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "tests stop at the first surprise, and of many frames they pick one"
)]

use flarebot_tests::PATIENCE;
use flarebot_tests::client::http::{Request, Response};
use flarebot_tests::client::{Closed, Connection, Refused};
use flarebot_tests::provider::{
    Ending, ExchangeEnd, Form, LineEnd, PROVIDER_SECRET, Provider, SUMMARY, SUMMARY_LABEL, Script, WebPage,
    Writes,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread;
use tungstenite::protocol::CloseFrame;

fn request(message: &str) -> Request {
    Request::new("POST", "/v1/chat/completions").json(&json!({
        "model": "scripted",
        "stream": true,
        "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": message },
        ],
    }))
}

fn play(script: &Script) -> Response {
    let provider = Provider::start().unwrap();
    request(&script.to_string()).send(&provider.authority()).unwrap()
}

/// The events of a stream whose lines end in any of the three ways.
fn events(response: &Response) -> Vec<String> {
    let text = response.text().replace("\r\n", "\n").replace('\r', "\n");
    text.split("\n\n")
        .filter_map(|event| event.strip_prefix("data: ").map(str::to_owned))
        .collect()
}

fn text_of(response: &Response) -> String {
    let parsed = events(response)
        .into_iter()
        .filter_map(|event| serde_json::from_str::<Value>(&event).ok());
    parsed
        .filter_map(|event| {
            event["choices"][0]["delta"]["content"]
                .as_str()
                .map(str::to_owned)
        })
        .collect()
}

#[test]
fn an_answer_is_the_text_of_its_script_in_every_spelling() {
    for line_end in [LineEnd::Lf, LineEnd::CrLf, LineEnd::Cr] {
        for writes in [Writes::Events, Writes::Bytes] {
            let script = Script {
                text: Some("Grüße, 世界! 👋🏽".to_owned()),
                chunks: 5,
                line_end,
                writes,
                usage: Some((3, 5)),
                ..Script::default()
            };
            let response = play(&script);
            assert_eq!(response.status, 200);
            assert_eq!(text_of(&response), "Grüße, 世界! 👋🏽");
            let events = events(&response);
            assert_eq!(events.last().unwrap(), "[DONE]");
            assert!(events[events.len() - 2].contains("\"prompt_tokens\":3"));
        }
    }
}

#[test]
fn a_numbered_answer_has_the_size_that_was_asked_for() {
    let script = Script {
        chunks: 40,
        bytes: 30,
        ..Script::default()
    };
    assert_eq!(script.whole_text().len(), 1200);
    assert_eq!(text_of(&play(&script)), script.whole_text());
}

#[test]
fn a_document_and_an_error_are_no_streams() {
    let document = play(&Script {
        form: Form::Document,
        ..Script::default()
    });
    assert_eq!(
        document.json()["choices"][0]["message"]["content"],
        json!(Script::default().whole_text())
    );
    let error = play(&Script {
        status: 429,
        retry_after: Some("2".to_owned()),
        ..Script::default()
    });
    assert_eq!((error.status, error.header("retry-after")), (429, Some("2")));
    assert!(error.text().contains(PROVIDER_SECRET));
}

#[test]
fn an_error_tells_its_caller_s_key_in_every_protocol() {
    let key = "sk-of-the-caller";
    for path in ["/v1/chat/completions", "/v1/messages"] {
        for (status, form) in [
            (401, Form::EventStream),
            (200, Form::Page),
            (200, Form::EventStream),
        ] {
            let script = Script {
                status,
                form,
                ending: Ending::ErrorEvent,
                ..Script::default()
            };
            let block = json!({ "type": "text", "text": script.to_string() });
            let request = Request::new("POST", path)
                .header("x-api-key", key)
                .header("authorization", &format!("Bearer {key}"))
                .json(&json!({ "messages": [{ "role": "user", "content": [block] }] }));
            let provider = Provider::start().unwrap();
            let response = request.send(&provider.authority()).unwrap();
            assert!(response.text().contains(key), "{path} {status} {form:?}");
        }
    }
}

#[test]
fn an_answer_can_end_in_every_wrong_way() {
    let play_ending = |ending| {
        play(&Script {
            ending,
            ..Script::default()
        })
    };
    let no_done = events(&play_ending(Ending::NoDone));
    assert!(no_done.last().unwrap().contains("\"finish_reason\":\"stop\""));
    let no_finish = events(&play_ending(Ending::NoFinish));
    assert!(no_finish.iter().all(|event| !event.contains("stop")));
    let error = events(&play_ending(Ending::ErrorEvent));
    assert!(error.last().unwrap().contains(PROVIDER_SECRET));
    let provider = Provider::start().unwrap();
    let script = Script {
        ending: Ending::Cut,
        ..Script::default()
    };
    // The chunked body never ends, so it cannot be read to its end.
    request(&script.to_string())
        .send(&provider.authority())
        .unwrap_err();
}

#[test]
fn a_conversation_can_be_refused_as_too_long_and_summarised() {
    let refused = play(&Script {
        chunks: 0,
        ending: Ending::TooLong,
        ..Script::default()
    });
    assert_eq!(refused.status, 400);
    assert!(refused.text().contains("context_length_exceeded"));
    let in_the_stream = events(&play(&Script {
        ending: Ending::TooLong,
        ..Script::default()
    }));
    assert!(in_the_stream.last().unwrap().contains("context_length_exceeded"));

    let provider = Provider::start().unwrap();
    let asked = Request::new("POST", "/v1/chat/completions").json(&json!({
        "messages": [
            { "role": "system", "content": "You write the summary." },
            { "role": "user", "content": "[Owner]\nscript" },
        ],
    }));
    assert_eq!(text_of(&asked.send(&provider.authority()).unwrap()), SUMMARY);
    assert_eq!(provider.labelled(SUMMARY_LABEL).len(), 1);
}

#[test]
fn a_malformed_event_is_slipped_in_where_the_script_says() {
    let response = play(&Script {
        malformed_after: Some(1),
        ..Script::default()
    });
    let broken = events(&response)
        .iter()
        .filter(|event| *event != "[DONE]" && serde_json::from_str::<Value>(event).is_err())
        .count();
    assert_eq!(broken, 1);
    assert_eq!(text_of(&response), Script::default().whole_text());
}

#[test]
fn a_gate_holds_the_answer_until_it_is_released() {
    let provider = Provider::start().unwrap();
    let script = Script {
        gate_after: Some(2),
        ..Script::labelled("gated")
    };
    let authority = provider.authority();
    let asking = thread::spawn(move || request(&script.to_string()).send(&authority).unwrap());
    let held = provider.wait_for("gated", PATIENCE, |exchange| exchange.pieces == 2);
    assert_eq!(held.end, None);
    provider.release("gated");
    assert_eq!(text_of(&asking.join().unwrap()), Script::default().whole_text());
    assert_eq!(provider.wait_for_end("gated", PATIENCE), ExchangeEnd::Played);
}

#[test]
fn a_caller_that_hangs_up_is_noticed() {
    for label in ["silent", "gated"] {
        let provider = Provider::start().unwrap();
        let script = Script {
            ending: Ending::Silence,
            gate_after: (label == "gated").then_some(0),
            ..Script::labelled(label)
        };
        let body = json!({ "messages": [{ "role": "user", "content": script.to_string() }] }).to_string();
        let mut caller = TcpStream::connect(provider.authority()).unwrap();
        let length = body.len();
        write!(
            caller,
            "POST /v1/chat/completions HTTP/1.1\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        provider.wait_for_request(label, PATIENCE);
        drop(caller);
        assert_eq!(
            provider.wait_for_end(label, PATIENCE),
            ExchangeEnd::ClosedByCaller
        );
    }
}

#[test]
fn an_exchange_remembers_what_the_model_was_sent() {
    let provider = Provider::start().unwrap();
    let answer = request("Hello?")
        .header("authorization", "Bearer key")
        .send(&provider.authority());
    assert_eq!(text_of(&answer.unwrap()), "You said: Hello?");
    let exchange = provider.wait_for_request("Hello?", PATIENCE);
    assert_eq!(exchange.conversation(), [('u', "Hello?")]);
    assert_eq!(exchange.header("authorization"), Some("Bearer key"));
}

proptest! {
    #[test]
    fn a_script_survives_its_way_as_a_message(chunks in 0..9_000_u32, gap: u64, text: Option<String>) {
        let script = Script { chunks, gap, text, writes: Writes::Bytes, ..Script::labelled("any") };
        prop_assert_eq!(Script::read(&script.to_string()).unwrap(), script);
    }
}

#[test]
fn a_misspelt_script_is_an_error() {
    Script::read("script {\"chunk\":1}").unwrap_err();
}

/// Serves one socket with `serve`, and tells how to connect to it.
fn served(serve: impl FnOnce(tungstenite::WebSocket<TcpStream>) + Send + 'static) -> Connection {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    thread::spawn(move || serve(tungstenite::accept(listener.accept().unwrap().0).unwrap()));
    Connection {
        authority,
        target: "/".to_owned(),
        cookie: None,
        origin: None,
        record: None,
    }
}

#[test]
fn a_socket_keeps_the_frames_that_nobody_has_asked_for() {
    let connection = served(|mut socket| {
        for error in ["first", "second", "third"] {
            let frame = json!({ "type": "cf_agent_state_error", "error": error });
            socket.send(frame.to_string().into()).unwrap();
        }
        socket
            .close(Some(CloseFrame {
                code: 4004.into(),
                reason: "Conversation deleted".into(),
            }))
            .unwrap();
        while socket.read().is_ok() {}
    });
    let mut socket = connection.open().unwrap();
    let pick = |wanted: &'static str| {
        move |frame: &_| match frame {
            flarebot_protocol::frame::ServerFrame::StateError { error } if error == wanted => Some(()),
            _ => None,
        }
    };
    socket.expect("the second", pick("second"));
    socket.expect("the first", pick("first"));
    assert_eq!(
        socket.expect_closed(PATIENCE),
        Closed {
            code: 4004,
            reason: "Conversation deleted".to_owned()
        }
    );
    socket.expect("the third", pick("third"));
}

#[test]
fn a_connection_that_breaks_is_closed_with_1006() {
    let mut socket = served(drop).open().unwrap();
    assert_eq!(socket.expect_closed(PATIENCE).code, 1006);
}

#[test]
fn a_refused_handshake_tells_its_status() {
    let provider = Provider::start().unwrap();
    let connection = Connection {
        authority: provider.authority(),
        target: "/elsewhere".to_owned(),
        cookie: None,
        origin: None,
        record: None,
    };
    assert_eq!(connection.open().unwrap_err(), Refused { status: 404 });
}

#[test]
fn a_page_of_the_web_is_served_and_whoever_asks_is_remembered() {
    let provider = Provider::start().unwrap();
    provider.put_page("page.example/a?b", WebPage::redirect("/c"));
    let visit = |host: &str, target: &str| {
        let request = Request::new("GET", target).header("host", host);
        request.send(&provider.authority()).unwrap()
    };
    let found = visit("page.example", "/a?b");
    assert_eq!((found.status, found.header("location")), (302, Some("/c")));
    assert_eq!(visit("page.example", "/a").status, 404);
    assert_eq!(visit("other.example", "/a?b").status, 404);
    let visits = provider.visits();
    let addresses: Vec<&str> = visits.iter().map(|visit| visit.address.as_str()).collect();
    assert_eq!(
        addresses,
        ["page.example/a?b", "page.example/a", "other.example/a?b"]
    );
    assert!(visits.iter().all(|visit| visit.header("host").is_some()));
}

#[test]
fn a_page_that_stalls_ends_with_its_caller() {
    let provider = Provider::start().unwrap();
    provider.put_page("page.example/", WebPage::html("<p>Beginning").stalling());
    let mut connection = TcpStream::connect(provider.authority()).unwrap();
    connection
        .write_all(b"GET / HTTP/1.1\r\nhost: page.example\r\n\r\n")
        .unwrap();
    provider.wait_for_visit(PATIENCE, |visit| visit.end.is_none());
    drop(connection);
    let visit = provider.wait_for_visit(PATIENCE, |visit| visit.end.is_some());
    assert_eq!(visit.end, Some(ExchangeEnd::ClosedByCaller));
}
