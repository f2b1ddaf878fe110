//! What answers have used, without a browser.

#![cfg(feature = "ssr")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use flarebot_app::store::{Cost, Store, TotalCost, grouped};
use flarebot_protocol::address::Page;
use flarebot_protocol::frame::ServerFrame;
use flarebot_protocol::message::{Message, Usage};
use flarebot_protocol::settings::ModelList;
use leptos::prelude::*;
use serde_json::json;
use support::{Fake, FakeSocket, Storage, conversation, message, summary, with_page};

fn list() -> ModelList {
    serde_json::from_value(json!({
        "models": [
            { "choice": { "provider": "anthropic", "model": "claude" }, "title": "Claude", "contextTokens": null,
              "prices": { "input": 3000, "output": 15_000, "cacheRead": 300, "cacheWrite": 3750 } },
            { "choice": { "provider": "workers-ai", "model": "scout" }, "title": "Scout", "contextTokens": null,
              "prices": null },
        ],
        "pricesTakenOn": "2026-11-01",
    }))
    .unwrap()
}

fn answer(id: &str, model: &str, input: u64, output: u64) -> Message {
    serde_json::from_value(json!({
        "id": id,
        "role": "assistant",
        "parts": [{ "type": "text", "text": "Yes.", "state": "done" }],
        "metadata": {
            "outcome": "completed",
            "model": model,
            "usage": { "inputTokens": input, "outputTokens": output },
        },
    }))
    .unwrap()
}

fn with_conversation(messages: Vec<Message>, test: impl FnOnce(Store, &FakeSocket)) {
    with_page(|| {
        let browser = Fake::at(&Page::Conversation(conversation(1)).path(), &Storage::default());
        let store = browser.open();
        browser.let_in(&[summary(1, "One")], &[]);
        let socket = browser.load(conversation(1), messages);
        test(store, &socket);
    });
}

fn usage(input_tokens: u64, output_tokens: u64) -> Usage {
    serde_json::from_value(json!({ "inputTokens": input_tokens, "outputTokens": output_tokens })).unwrap()
}

fn cost(input_tokens: u64, output_tokens: u64) -> Cost {
    Cost::of(Some(&list()), Some("claude"), usage(input_tokens, output_tokens)).unwrap()
}

#[test]
fn the_answers_of_a_conversation_are_added_up() {
    let messages = vec![
        message("q1", "Yes?"),
        answer("a1", "claude", 100, 10),
        message("q2", "Really?"),
        answer("a2", "claude", 200, 20),
    ];
    with_conversation(messages, |store, socket| {
        let spent = || store.conversation.spent.get_untracked();
        assert_eq!(spent().total().answers, 2);
        assert_eq!(spent().total().usage, usage(300, 30));
        assert_eq!(spent().cost(Some(&list())), TotalCost::Known(cost(300, 30)));
        assert_eq!(spent().cost(None), TotalCost::Unknown);
        socket.receive(&ServerFrame::Message {
            message: answer("a3", "scout", 1_000, 1),
        });
        assert_eq!(spent().total().usage, usage(1_300, 31));
        assert_eq!(spent().cost(Some(&list())), TotalCost::AtLeast(cost(300, 30)));
        assert_eq!(spent().models.len(), 2);
    });
}

#[test]
fn another_conversation_begins_at_nothing() {
    with_conversation(vec![answer("a1", "claude", 100, 10)], |store, _| {
        store.navigate(Page::Conversation(conversation(2)));
        assert_eq!(store.conversation.spent.get_untracked().total().answers, 0);
    });
}

#[test]
fn tokens_cost_what_the_list_says() {
    assert_eq!(cost(1_000_000, 0).to_string(), "$3.00");
    assert_eq!(cost(0, 1_000_000).to_string(), "$15.00");
    assert_eq!(cost(1_234, 567).to_string(), "$0.012");
    let unknown = |model| Cost::of(Some(&list()), model, usage(1, 1));
    assert_eq!(
        [unknown(Some("scout")), unknown(Some("other")), unknown(None)],
        [None; 3]
    );
}

#[test]
fn a_name_that_two_providers_use_has_no_price() {
    let mut list = list();
    let mut other = list.models[0].clone();
    other.choice.provider = flarebot_protocol::settings::ModelProvider::Compatible;
    list.models.push(other);
    assert_eq!(Cost::of(Some(&list), Some("claude"), usage(1, 1)), None);
}

#[test]
fn a_cost_is_as_exact_as_is_of_interest() {
    for (thousandths, words) in [
        (0, "$0.00"),
        (75, "$0.075"),
        (80, "$0.08"),
        (1_000, "$1.00"),
        (2_999, "$3.00"),
        (1_234_567, "$1234.57"),
        (3, "$0.0030"),
    ] {
        assert_eq!(Cost::of_thousandths(thousandths).to_string(), words);
    }
    assert_eq!(cost(1, 0).to_string(), "less than $0.0001");
}

#[test]
fn thousands_stand_apart() {
    for (number, words) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
        assert_eq!(grouped(number), words);
    }
}
