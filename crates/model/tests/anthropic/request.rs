//! What is sent.

use super::MODEL;
use flarebot_model::anthropic::{ENDPOINT, encode};
use flarebot_model::{
    KeySlot, MAXIMUM_OUTPUT_TOKENS, ModelMessage, ModelRequest, Thought, ThoughtContent, ToolCall,
    ToolChoice, ToolDefinition,
};
use serde_json::{Value, json};

fn user(text: &str) -> ModelMessage {
    ModelMessage::User {
        text: text.to_owned(),
    }
}

fn assistant(text: &str, calls: Vec<ToolCall>, thoughts: Vec<Thought>) -> ModelMessage {
    ModelMessage::Assistant {
        text: text.to_owned(),
        calls,
        thoughts,
    }
}

fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
    ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments,
    }
}

fn result(call_id: &str, output: &str) -> ModelMessage {
    ModelMessage::Tool {
        call_id: call_id.to_owned(),
        name: "f".to_owned(),
        output: output.to_owned(),
    }
}

fn thought(text: &str, text_before: usize, calls_before: usize) -> Thought {
    Thought {
        model: MODEL.to_owned(),
        content: ThoughtContent::Thinking {
            text: text.to_owned(),
            signature: format!("signed {text}"),
        },
        text_before,
        calls_before,
    }
}

fn request(messages: Vec<ModelMessage>) -> ModelRequest {
    ModelRequest {
        model: MODEL.to_owned(),
        system: Some("Be brief.".to_owned()),
        messages,
        max_output_tokens: MAXIMUM_OUTPUT_TOKENS,
        tools: ["first", "last"]
            .map(|name| ToolDefinition {
                name: name.to_owned(),
                description: format!("The {name}."),
                parameters: json!({ "type": "object", "properties": {} }),
            })
            .into(),
        tool_choice: ToolChoice::Automatic,
    }
}

fn body_of(request: &ModelRequest) -> Value {
    serde_json::from_str(&encode(request).body).unwrap()
}

fn messages_of(messages: Vec<ModelMessage>) -> Value {
    body_of(&request(messages))["messages"].take()
}

#[test]
fn a_request_goes_to_the_one_address_and_names_the_owners_key() {
    let http = encode(&request(vec![user("Hi")]));
    assert_eq!(
        (http.url.as_str(), http.key),
        (ENDPOINT, Some(KeySlot::Anthropic))
    );
    assert_eq!(ENDPOINT, "https://api.anthropic.com/v1/messages");
    assert_eq!(
        http.headers,
        [
            ("content-type", "application/json".to_owned()),
            ("accept", "text/event-stream".to_owned()),
            ("anthropic-version", "2023-06-01".to_owned())
        ]
    );
    assert_eq!(KeySlot::Anthropic.header("key"), ("x-api-key", "key".to_owned()));
}

#[test]
fn a_whole_request_has_this_form() {
    let body = body_of(&request(vec![user("Hi")]));
    insta::assert_json_snapshot!("request", body);
}

#[test]
fn a_model_that_must_not_call_still_knows_the_tools() {
    let body = body_of(&ModelRequest {
        tool_choice: ToolChoice::None,
        ..request(vec![user("Hi")])
    });
    assert_eq!(body["tool_choice"], json!({ "type": "none" }));
    assert_eq!(body["tools"][1]["name"], "last");
}

#[test]
fn what_is_not_there_is_not_mentioned() {
    let body = body_of(&ModelRequest {
        model: "claude-haiku-4-5-20251001".to_owned(),
        system: None,
        tools: Vec::new(),
        tool_choice: ToolChoice::None,
        ..request(vec![user("Hi")])
    });
    assert_eq!(
        body,
        json!({
            "model": "claude-haiku-4-5-20251001",
            "max_tokens": 4096,
            "stream": true,
            "messages": [{ "role": "user", "content": [{ "type": "text", "text": "Hi" }] }],
        })
    );
}

#[test]
fn neighbours_of_one_role_become_one_message_and_empty_words_none() {
    let text = |text: &str| json!({ "type": "text", "text": text });
    assert_eq!(
        messages_of(vec![
            user("a"),
            user(" \n"),
            assistant("", Vec::new(), Vec::new()),
            user("b"),
            assistant("c", Vec::new(), Vec::new()),
            assistant("  ", vec![call("x", "f", json!({}))], Vec::new()),
            result("x", ""),
            user("d"),
        ]),
        json!([
            { "role": "user", "content": [text("a"), text("b")] },
            { "role": "assistant", "content": [
                text("c"),
                { "type": "tool_use", "id": "x", "name": "f", "input": {} },
            ] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "x" }, text("d")] },
        ])
    );
}

#[test]
fn thoughts_go_back_where_they_stood() {
    let calls = vec![call("x", "f", json!({})), call("y", "f", json!({}))];
    let thoughts = vec![thought("one", 0, 0), thought("two", 3, 0), thought("three", 5, 1)];
    let content = messages_of(vec![user("a"), assistant("Grüezi", calls, thoughts)])[1]["content"].take();
    let kinds: Vec<&str> = content
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        [
            "thinking", "text", "thinking", "text", "tool_use", "thinking", "text", "tool_use"
        ]
    );
    assert_eq!(
        content[0],
        json!({ "type": "thinking", "thinking": "one", "signature": "signed one" })
    );
    // The third byte is inside a letter: the text is cut before it.
    assert_eq!(
        (&content[1]["text"], &content[3]["text"]),
        (&json!("Gr"), &json!("üe"))
    );
    assert_eq!(
        (&content[4]["id"], &content[6]["text"], &content[7]["id"]),
        (&json!("x"), &json!("zi"), &json!("y"))
    );
}

#[test]
fn thoughts_of_another_model_stay_away() {
    let other = Thought {
        model: "claude-opus-5".to_owned(),
        ..thought("secret", 0, 0)
    };
    let foreign = Thought {
        content: ThoughtContent::CallSignature {
            signature: "secret".to_owned(),
        },
        ..thought("", 0, 0)
    };
    let unproven = Thought {
        content: ThoughtContent::Thinking {
            text: "secret".to_owned(),
            signature: String::new(),
        },
        ..thought("", 0, 0)
    };
    let redacted = Thought {
        content: ThoughtContent::Redacted {
            data: "sealed".to_owned(),
        },
        ..thought("", 0, 0)
    };
    let thoughts = vec![other, foreign, unproven, redacted];
    let message = assistant("b", Vec::new(), thoughts);
    assert_eq!(
        messages_of(vec![user("a"), message])[1]["content"],
        json!([{ "type": "redacted_thinking", "data": "sealed" }, { "type": "text", "text": "b" }])
    );
}

#[test]
fn ids_and_names_of_other_providers_are_spelled_out_the_same_way_everywhere() {
    let message = assistant("", vec![call("functions.f:0", "ä b", json!({}))], Vec::new());
    let messages = messages_of(vec![user("a"), message, result("functions.f:0", "done")]);
    assert_eq!(messages[1]["content"][0]["id"], "functions-2e-f-3a-0");
    assert_eq!(messages[1]["content"][0]["name"], "-e4--20-b");
    assert_eq!(messages[2]["content"][0]["tool_use_id"], "functions-2e-f-3a-0");
    assert_eq!(messages[2]["content"][0]["content"], "done");
}
