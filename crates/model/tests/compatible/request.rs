//! What is sent.

use super::answer;
use flarebot_model::compatible::{Answer, Decoder, encode};
use flarebot_model::{
    AnswerHead, CompatibleEndpoint, KeySlot, MAXIMUM_OUTPUT_TOKENS, ModelEvent, ModelMessage, ModelRequest,
    Thought, ThoughtContent, ToolCall, ToolChoice, ToolDefinition,
};
use serde_json::{Value, json};

fn endpoint() -> CompatibleEndpoint {
    CompatibleEndpoint::read(Some("http://127.0.0.1:8080/v1"), Some("small"))
        .unwrap()
        .unwrap()
}

fn request(system: Option<&str>) -> ModelRequest {
    ModelRequest {
        model: "small".to_owned(),
        system: system.map(str::to_owned),
        messages: vec![
            ModelMessage::User {
                text: "Hi".to_owned(),
            },
            ModelMessage::User {
                text: "\"Grüezi\"\n".to_owned(),
            },
            ModelMessage::Assistant {
                text: "Hello".to_owned(),
                calls: Vec::new(),
                thoughts: Vec::new(),
            },
        ],
        max_output_tokens: MAXIMUM_OUTPUT_TOKENS,
        tools: Vec::new(),
        tool_choice: ToolChoice::Automatic,
    }
}

#[test]
fn a_request_asks_for_a_stream_with_counted_tokens() {
    let http = encode(&endpoint(), &request(Some("Be brief.")));
    assert_eq!(http.url, "http://127.0.0.1:8080/v1/chat/completions");
    assert_eq!(
        http.headers,
        [
            ("content-type", "application/json".to_owned()),
            ("accept", "text/event-stream".to_owned())
        ]
    );
    assert_eq!(
        serde_json::from_str::<Value>(&http.body).unwrap(),
        json!({
            "model": "small",
            "messages": [
                { "role": "system", "content": "Be brief." },
                { "role": "user", "content": "Hi" },
                { "role": "user", "content": "\"Grüezi\"\n" },
                { "role": "assistant", "content": "Hello" },
            ],
            "stream": true,
            "stream_options": { "include_usage": true },
            "max_tokens": 4096,
        })
    );
}

#[test]
fn a_request_without_instructions_has_no_system_message() {
    let body: Value = serde_json::from_str(&encode(&endpoint(), &request(None)).body).unwrap();
    assert_eq!(body["messages"][0]["role"], "user");
}

#[test]
fn a_request_names_a_key_only_where_one_is_configured() {
    assert_eq!(encode(&endpoint(), &request(None)).key, None);
    assert_eq!(
        encode(&endpoint().with_key(), &request(None)).key,
        Some(KeySlot::Compatible)
    );
}

fn body_of(request: &ModelRequest) -> Value {
    serde_json::from_str(&encode(&endpoint(), request).body).unwrap()
}

fn with_tools(tool_choice: ToolChoice) -> ModelRequest {
    ModelRequest {
        tools: vec![ToolDefinition {
            name: "current_time".to_owned(),
            description: "Tells the time.".to_owned(),
            parameters: json!({ "type": "object", "properties": {} }),
        }],
        tool_choice,
        ..request(None)
    }
}

#[test]
fn tools_are_offered_with_their_schemas() {
    let body = body_of(&with_tools(ToolChoice::Automatic));
    assert_eq!(
        body["tools"],
        json!([{
            "type": "function",
            "function": {
                "name": "current_time",
                "description": "Tells the time.",
                "parameters": { "type": "object", "properties": {} },
            },
        }])
    );
    assert_eq!(body.get("tool_choice"), None);
}

#[test]
fn a_model_that_must_not_call_still_knows_the_tools() {
    let body = body_of(&with_tools(ToolChoice::None));
    assert_eq!(body["tool_choice"], "none");
    assert_eq!(body["tools"][0]["function"]["name"], "current_time");
}

#[test]
fn without_tools_nothing_is_said_of_them() {
    let body = body_of(&ModelRequest {
        tool_choice: ToolChoice::None,
        ..request(None)
    });
    assert_eq!((body.get("tools"), body.get("tool_choice")), (None, None));
}

#[test]
fn calls_and_their_results_are_told_in_the_providers_words() {
    let call = |id: &str, arguments: Value| ToolCall {
        id: id.to_owned(),
        name: "current_time".to_owned(),
        arguments,
    };
    let body = body_of(&ModelRequest {
        messages: vec![
            ModelMessage::Assistant {
                text: String::new(),
                calls: vec![call("a", json!({})), call("b", json!({ "place": "\"Zürich\"" }))],
                thoughts: Vec::new(),
            },
            ModelMessage::Tool {
                call_id: "a".to_owned(),
                name: "current_time".to_owned(),
                output: r#"{"utc":"now"}"#.to_owned(),
            },
            ModelMessage::Assistant {
                text: "So".to_owned(),
                calls: vec![call("c", json!({}))],
                thoughts: Vec::new(),
            },
        ],
        ..with_tools(ToolChoice::Automatic)
    });
    let function = |arguments: &str| json!({ "name": "current_time", "arguments": arguments });
    assert_eq!(
        body["messages"],
        json!([
            {
                "role": "assistant",
                "content": null,
                "tool_calls": [
                    { "id": "a", "type": "function", "function": function("{}") },
                    { "id": "b", "type": "function", "function": function(r#"{"place":"\"Zürich\""}"#) },
                ],
            },
            { "role": "tool", "tool_call_id": "a", "content": r#"{"utc":"now"}"# },
            {
                "role": "assistant",
                "content": "So",
                "tool_calls": [{ "id": "c", "type": "function", "function": function("{}") }],
            },
        ])
    );
}

#[test]
fn openai_itself_is_told_the_limit_under_the_name_that_its_new_models_demand() {
    for (base, name, other) in [
        ("https://api.openai.com/v1", "max_completion_tokens", "max_tokens"),
        (
            "https://home.openai.azure.com/openai/v1",
            "max_completion_tokens",
            "max_tokens",
        ),
        (
            "https://openrouter.ai/api/v1",
            "max_tokens",
            "max_completion_tokens",
        ),
        (
            "https://api.openai.com.example.com/v1",
            "max_tokens",
            "max_completion_tokens",
        ),
    ] {
        let endpoint = CompatibleEndpoint::read(Some(base), Some("small"))
            .unwrap()
            .unwrap();
        let body: Value = serde_json::from_str(&encode(&endpoint, &request(None)).body).unwrap();
        assert_eq!((&body[name], body.get(other)), (&json!(4096), None), "{base}");
    }
}

#[test]
fn the_proof_behind_a_call_goes_back_with_it_to_the_same_model() {
    let call = |id: &str| ToolCall {
        id: id.to_owned(),
        name: "f".to_owned(),
        arguments: json!({}),
    };
    let thought = |model: &str, calls_before: usize| Thought {
        model: model.to_owned(),
        content: ThoughtContent::CallSignature {
            signature: format!("proof {calls_before}"),
        },
        text_before: 0,
        calls_before,
    };
    let body = body_of(&ModelRequest {
        messages: vec![ModelMessage::Assistant {
            text: String::new(),
            calls: vec![call("a"), call("b")],
            thoughts: vec![thought("large", 0), thought("small", 1)],
        }],
        ..request(None)
    });
    let calls = &body["messages"][0]["tool_calls"];
    assert_eq!(calls[0].get("extra_content"), None);
    assert_eq!(
        calls[1]["extra_content"]["google"]["thought_signature"],
        "proof 1"
    );
}

#[test]
fn the_proof_behind_a_call_is_handed_over_where_the_model_is_known() {
    let stream = include_str!("streams/gemini-calls.txt");
    let proofs = |decoder: Decoder| {
        let mut proofs = answer(decoder, [stream.as_bytes()]);
        proofs.retain(|event| matches!(event, ModelEvent::Thought(_)));
        proofs
    };
    let known = Decoder::of(Answer::of("gemini".to_owned()), AnswerHead::STREAM);
    let expected = Thought {
        model: "gemini".to_owned(),
        content: ThoughtContent::CallSignature {
            signature: "CiQB0e2Kb".to_owned(),
        },
        text_before: 0,
        calls_before: 0,
    };
    assert_eq!(proofs(known), [ModelEvent::Thought(expected)]);
    assert_eq!(proofs(Decoder::new(200, None, None)), []);
}
