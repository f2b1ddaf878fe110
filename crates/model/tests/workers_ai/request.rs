//! What the binding is given.

use flarebot_model::workers_ai::encode;
use flarebot_model::{
    MAXIMUM_OUTPUT_TOKENS, ModelMessage, ModelRequest, ToolCall, ToolChoice, ToolDefinition,
};
use serde_json::json;

fn request(tools: Vec<ToolDefinition>, tool_choice: ToolChoice) -> ModelRequest {
    ModelRequest {
        model: "@cf/meta/llama-3.3-70b-instruct-fp8-fast".to_owned(),
        system: Some("Be brief.".to_owned()),
        messages: vec![
            ModelMessage::User {
                text: "Hi".to_owned(),
            },
            ModelMessage::Assistant {
                text: String::new(),
                calls: vec![ToolCall {
                    id: "x".to_owned(),
                    name: "f".to_owned(),
                    arguments: json!({ "a": "ü" }),
                }],
                thoughts: Vec::new(),
            },
            ModelMessage::Tool {
                call_id: "x".to_owned(),
                name: "f".to_owned(),
                output: String::new(),
            },
            ModelMessage::Assistant {
                text: "Done.".to_owned(),
                calls: Vec::new(),
                thoughts: Vec::new(),
            },
        ],
        max_output_tokens: MAXIMUM_OUTPUT_TOKENS,
        tools,
        tool_choice,
    }
}

fn tool() -> ToolDefinition {
    ToolDefinition {
        name: "f".to_owned(),
        description: "Does it.".to_owned(),
        parameters: json!({ "type": "object", "properties": {} }),
    }
}

#[test]
fn a_whole_input_has_this_form() {
    let run = encode(&request(vec![tool()], ToolChoice::Automatic));
    assert_eq!(run.model, "@cf/meta/llama-3.3-70b-instruct-fp8-fast");
    insta::assert_json_snapshot!("input", run.input);
}

#[test]
fn every_content_is_a_text() {
    let run = encode(&request(Vec::new(), ToolChoice::Automatic));
    for message in run.input["messages"].as_array().unwrap() {
        assert!(message["content"].is_string(), "{message}");
    }
}

#[test]
fn tools_are_mentioned_where_there_are_some() {
    let forbidden = encode(&request(vec![tool()], ToolChoice::None));
    assert_eq!(forbidden.input["tool_choice"], "none");
    let none = encode(&request(Vec::new(), ToolChoice::None));
    assert_eq!(
        (none.input.get("tools"), none.input.get("tool_choice")),
        (None, None)
    );
}
