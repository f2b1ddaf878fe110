//! The provider's part in answers of several steps, tested without the product: it calls tools, and it goes on with an
//! answer that was broken off in the ways in which models do.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests stop at the first surprise"
)]

use flarebot_tests::PATIENCE;
use flarebot_tests::client::http::{Request, Response};
use flarebot_tests::provider::{
    Call, Continuation, Ending, Exchange, Faults, Form, Provider, Script, ToolMoment,
};
use serde_json::{Value, json};
use std::io;

const GO_ON: &str =
    "Your answer was cut off. Continue exactly where it stopped, without repeating any of it.";

/// What a caller that knows tools sends.
struct Conversation {
    messages: Vec<Value>,
}

impl Conversation {
    fn about(script: &Script) -> Self {
        Self {
            messages: vec![json!({ "role": "user", "content": script.to_string() })],
        }
    }

    fn with(mut self, message: Value) -> Self {
        self.messages.push(message);
        self
    }

    fn with_partial(self, text: &str) -> Self {
        self.with(json!({ "role": "assistant", "content": text }))
            .with(json!({ "role": "user", "content": GO_ON }))
    }

    fn try_ask(&self, provider: &Provider) -> io::Result<Response> {
        let tool = json!({ "type": "function", "function": { "name": "count", "parameters": {} } });
        Request::new("POST", "/v1/chat/completions")
            .json(&json!({ "stream": true, "messages": self.messages, "tools": [tool] }))
            .send(&provider.authority())
    }

    fn ask(&self, provider: &Provider) -> Step {
        Step::read(&self.try_ask(provider).unwrap())
    }
}

/// What one answer of the model says.
#[derive(Debug, Default, PartialEq)]
struct Step {
    text: String,
    /// Id, name and arguments.
    calls: Vec<(String, String, String)>,
    finish_reason: String,
}

impl Step {
    fn read(response: &Response) -> Self {
        let text = response.text();
        let events = text
            .split("\n\n")
            .filter_map(|event| event.strip_prefix("data: "));
        let mut step = Self::default();
        for event in events.filter_map(|event| serde_json::from_str::<Value>(event).ok()) {
            let choice = &event["choices"][0];
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            step.text.push_str(&text(&choice["delta"]["content"]));
            step.finish_reason.push_str(&text(&choice["finish_reason"]));
            for call in choice["delta"]["tool_calls"].as_array().into_iter().flatten() {
                let place = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
                if place == step.calls.len() {
                    step.calls.push(Default::default());
                }
                let (id, name, arguments) = &mut step.calls[place];
                id.push_str(&text(&call["id"]));
                name.push_str(&text(&call["function"]["name"]));
                arguments.push_str(&text(&call["function"]["arguments"]));
            }
        }
        step
    }

    /// The messages that show this step and its results.
    fn told(&self, conversation: Conversation) -> Conversation {
        let calls: Vec<Value> = self
            .calls
            .iter()
            .map(|(id, name, arguments)| {
                json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } })
            })
            .collect();
        let content = (!self.text.is_empty()).then_some(&self.text);
        let conversation =
            conversation.with(json!({ "role": "assistant", "content": content, "tool_calls": calls }));
        self.calls.iter().fold(conversation, |conversation, (id, ..)| {
            conversation.with(json!({ "role": "tool", "tool_call_id": id, "content": "done" }))
        })
    }
}

fn call(name: &str) -> Call {
    Call {
        name: name.to_owned(),
        arguments: json!({ "of": name, "list": [1, 2, 3] }),
    }
}

fn two_steps(label: &str) -> Script {
    Script {
        tools: vec![vec![call("count"), call("look")], vec![call("count")]],
        spoken: 2,
        chunks: 6,
        ..Script::labelled(label)
    }
}

fn newest(provider: &Provider, label: &str) -> Exchange {
    provider.labelled(label).pop().unwrap()
}

#[test]
fn a_script_s_steps_come_one_after_the_other_and_say_its_text_once() {
    let provider = Provider::start().unwrap();
    let script = two_steps("steps");
    let first = Conversation::about(&script).ask(&provider);
    assert_eq!(first.finish_reason, "tool_calls");
    let names: Vec<&str> = first.calls.iter().map(|(_, name, _)| name.as_str()).collect();
    assert_eq!(names, ["count", "look"]);
    let arguments: Value = serde_json::from_str(&first.calls[1].2).unwrap();
    assert_eq!(arguments, call("look").arguments);
    let conversation = first.told(Conversation::about(&script));
    let second = conversation.ask(&provider);
    assert_eq!(second.calls.len(), 1);
    assert_ne!(second.calls[0].0, first.calls[0].0, "ids are unique");
    let last = second.told(conversation).ask(&provider);
    assert_eq!((last.finish_reason.as_str(), last.calls.len()), ("stop", 0));
    assert_eq!(
        format!("{}{}{}", first.text, second.text, last.text),
        script.whole_text()
    );
    let exchange = newest(&provider, "steps");
    assert_eq!((exchange.standing.step, exchange.standing.results.len()), (2, 3));
    assert_eq!(exchange.offered, ["count"]);
}

#[test]
fn a_caller_without_tools_gets_the_text_alone() {
    for script in [
        two_steps("plain"),
        Script {
            form: Form::Document,
            ..two_steps("document")
        },
    ] {
        let provider = Provider::start().unwrap();
        let request = Request::new("POST", "/v1/chat/completions")
            .json(&json!({ "messages": [{ "role": "user", "content": script.to_string() }] }));
        let response = request.send(&provider.authority()).unwrap();
        let text = if script.form == Form::Document {
            let document = response.json();
            document["choices"][0]["message"]["content"]
                .as_str()
                .unwrap()
                .to_owned()
        } else {
            Step::read(&response).text
        };
        assert_eq!(text, script.whole_text());
    }
}

#[test]
fn a_model_goes_on_in_each_of_the_three_ways() {
    for pieces in [1, 3, 6] {
        for (continuation, repeated) in [
            (Continuation::Continues, 0),
            (Continuation::StartsOver, 1000),
            (Continuation::Overlaps(20), 20),
        ] {
            let provider = Provider::start().unwrap();
            let script = Script {
                chunks: 6,
                continuation,
                ..Script::labelled("rest")
            };
            let partial = script.text_of(pieces)[3..].len();
            let partial = &script.whole_text()[..partial];
            let rest = Conversation::about(&script)
                .with_partial(partial)
                .ask(&provider)
                .text;
            let from = partial.len().saturating_sub(repeated);
            assert_eq!(rest, script.whole_text()[from..], "{continuation:?}");
            let standing = newest(&provider, "rest").standing;
            assert_eq!(standing.partial.as_deref(), Some(partial));
            assert_eq!(standing.question, script.to_string());
        }
    }
}

#[test]
fn the_rest_of_a_later_step_follows_its_own_beginning() {
    let provider = Provider::start().unwrap();
    let script = two_steps("later");
    let first = Conversation::about(&script).ask(&provider);
    let conversation = first.told(Conversation::about(&script));
    let partial = &script.whole_text()[first.text.len()..first.text.len() + 15];
    let rest = conversation.with_partial(partial).ask(&provider);
    assert_eq!(rest.calls.len(), 1);
    assert_eq!(
        format!("{partial}{}", rest.text),
        script.text_of(4)[first.text.len()..]
    );
}

#[test]
fn an_answer_that_was_stopped_is_no_partial_of_the_next_one() {
    let provider = Provider::start().unwrap();
    let script = Script::labelled("stopped");
    let next = Conversation::about(&script)
        .with(json!({ "role": "assistant", "content": script.text_of(1) }))
        .with(json!({ "role": "user", "content": "And now?" }))
        .ask(&provider);
    assert_eq!(next.text, "You said: And now?");
}

#[test]
fn the_first_requests_fail_as_the_script_says_and_the_next_is_played() {
    let provider = Provider::start().unwrap();
    let script = Script {
        faults: Some(Faults {
            requests: 2,
            before_piece: 1,
            ending: Ending::Cut,
        }),
        ..Script::labelled("faults")
    };
    let conversation = Conversation::about(&script);
    for asked in 1..=2 {
        conversation.try_ask(&provider).unwrap_err();
        assert_eq!(newest(&provider, "faults").pieces, 1);
        assert_eq!(provider.labelled("faults").len(), asked);
    }
    assert_eq!(conversation.ask(&provider).text, script.whole_text());
}

#[test]
fn what_tools_report_is_remembered() {
    let provider = Provider::start().unwrap();
    let url = provider.report_url("reports", "first");
    let path = url
        .strip_prefix(&format!("http://{}", provider.authority()))
        .unwrap();
    for moment in ["begun", "ended"] {
        let response = Request::new("POST", &format!("{path}/{moment}")).send(&provider.authority());
        assert_eq!(response.unwrap().status, 200);
    }
    provider.wait_for_report("reports", "first", ToolMoment::Ended, PATIENCE);
    let moments: Vec<ToolMoment> = provider
        .reports("reports")
        .iter()
        .map(|report| report.moment)
        .collect();
    assert_eq!(moments, [ToolMoment::Begun, ToolMoment::Ended]);
    assert!(provider.exchanges().is_empty());
}
