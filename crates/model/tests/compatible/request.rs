//! What is sent.

use flarebot_model::compatible::encode;
use flarebot_model::{
    CompatibleEndpoint, KeySlot, MAXIMUM_OUTPUT_TOKENS, ModelMessage, ModelRequest, ToolChoice,
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
