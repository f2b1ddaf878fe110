//! The faults of each provider, in the forms that they document or that their servers were seen to send. `KEY` stands for
//! the key, and `SAID` marks the provider's words.

use super::{Fault, Row};
use Fault::{Caller, Endless, Page, Status, Stream, Throws, Wait};
use flarebot_model::FailureKind;

/// See <https://platform.claude.com/docs/en/api/errors>.
pub(super) fn anthropic() -> Vec<Row> {
    vec![
        ("no key is kept", Caller(FailureKind::MissingKey)),
        (
            "401 authentication_error",
            Status(
                401,
                r#"{"type":"error","error":{"type":"authentication_error","message":"SAID invalid x-api-key KEY"},"request_id":"req_1"}"#,
            ),
        ),
        (
            "403 permission_error",
            Status(
                403,
                r#"{"type":"error","error":{"type":"permission_error","message":"SAID KEY may not"}}"#,
            ),
        ),
        (
            "402 billing_error",
            Status(
                402,
                r#"{"type":"error","error":{"type":"billing_error","message":"SAID KEY"}}"#,
            ),
        ),
        (
            "403 billing_error",
            Status(
                403,
                r#"{"type":"error","error":{"type":"billing_error","message":"SAID KEY"}}"#,
            ),
        ),
        (
            "400 with a word about the credit balance",
            Status(
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"SAID Your credit balance is too low. KEY"}}"#,
            ),
        ),
        (
            "429 rate_limit_error, to wait for 17 seconds",
            Wait(
                429,
                r#"{"type":"error","error":{"type":"rate_limit_error","message":"SAID KEY"}}"#,
                "17",
            ),
        ),
        (
            "429 rate_limit_error, no wait named",
            Status(
                429,
                r#"{"type":"error","error":{"type":"rate_limit_error","message":"SAID KEY"}}"#,
            ),
        ),
        (
            "529 overloaded_error",
            Status(
                529,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"SAID Overloaded KEY"}}"#,
            ),
        ),
        (
            "overloaded_error inside a 200",
            Stream(
                "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"SAID KEY\"}}\n\n",
            ),
        ),
        (
            "404 not_found_error",
            Status(
                404,
                r#"{"type":"error","error":{"type":"not_found_error","message":"SAID model: KEY"}}"#,
            ),
        ),
        (
            "400 prompt is too long",
            Status(
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"SAID prompt is too long: 210000 tokens KEY"}}"#,
            ),
        ),
        (
            "413 request_too_large",
            Status(
                413,
                r#"{"type":"error","error":{"type":"request_too_large","message":"SAID KEY"}}"#,
            ),
        ),
        (
            "400 output blocked by content filter",
            Status(
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"SAID Output blocked by content filtering policy KEY"}}"#,
            ),
        ),
        (
            "a refusal inside an answer",
            Stream(
                "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\"}}\n\n",
            ),
        ),
        (
            "400 invalid_request_error",
            Status(
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"SAID messages.1: KEY"}}"#,
            ),
        ),
        (
            "500 api_error",
            Status(
                500,
                r#"{"type":"error","error":{"type":"api_error","message":"SAID KEY"}}"#,
            ),
        ),
        (
            "504 timeout_error",
            Status(
                504,
                r#"{"type":"error","error":{"type":"timeout_error","message":"SAID KEY"}}"#,
            ),
        ),
        ("502 of a proxy", Status(502, "<html>SAID KEY")),
        (
            "api_error inside a 200",
            Stream(
                "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"SAID KEY\"}}\n\n",
            ),
        ),
        ("no connection", Caller(FailureKind::Unreachable)),
        ("silence", Caller(FailureKind::Silent)),
        (
            "the stream ends before its stop reason",
            Stream("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n"),
        ),
        ("an empty stream", Stream("")),
        ("a web page", Page),
        ("a redirect", Status(307, "SAID KEY")),
        (
            "an event that is no JSON",
            Stream("event: content_block_delta\ndata: {SAID KEY\n\n"),
        ),
        ("JSON of another kind", Stream(r#"{"SAID":"KEY"}"#)),
        ("an event without end", Endless),
    ]
}

/// See <https://developers.cloudflare.com/workers-ai/platform/errors/>.
pub(super) fn workers_ai() -> Vec<Row> {
    vec![
        ("no binding", Caller(FailureKind::MissingKey)),
        (
            "10000 authentication",
            Throws("10000: SAID Authentication error KEY"),
        ),
        (
            "5018 account not allowed",
            Throws("5018: SAID The account is not allowed to access this model KEY"),
        ),
        (
            "5016 terms of the model",
            Throws("5016: SAID User has not agreed to the model terms KEY"),
        ),
        (
            "3023 account blocked",
            Throws("3023: SAID Service unavailable for account KEY"),
        ),
        (
            "3036 free allocation used up",
            Throws("3036: SAID You have used up your daily free allocation of 10,000 neurons. KEY"),
        ),
        (
            "4006 free allocation used up",
            Throws("AiError: 4006: SAID you have used up your daily free allocation KEY"),
        ),
        ("too many requests", Throws("SAID Too many requests KEY")),
        (
            "3040 out of capacity",
            Throws("InferenceUpstreamError: 3040: SAID Capacity temporarily exceeded KEY"),
        ),
        (
            "3040 inside a stream",
            Stream("data: {\"errors\":[{\"code\":3040,\"message\":\"SAID KEY\"}],\"success\":false}\n\n"),
        ),
        (
            "5007 no such model",
            Throws("5007: SAID No such model KEY or task"),
        ),
        (
            "3042 invalid model",
            Throws("3042: SAID The model name is invalid KEY"),
        ),
        (
            "3006 request too large",
            Throws("3006: SAID Request is too large KEY"),
        ),
        (
            "5021 context window",
            Throws("5021: SAID exceeded this model context window limit KEY"),
        ),
        ("content filter", Throws("AiError: SAID content_filter KEY")),
        (
            "5006 input against the schema",
            Throws("AiError: 5006: SAID oneOf at '/' not met KEY"),
        ),
        ("5004 invalid data", Throws("5004: SAID Invalid data type KEY")),
        ("3007 timeout", Throws("3007: SAID Request timeout KEY")),
        (
            "an error without a number",
            Throws("AiError: SAID something broke KEY"),
        ),
        (
            "an error inside a stream",
            Stream("data: {\"error\":\"SAID KEY\"}\n\n"),
        ),
        ("connection lost", Throws("SAID Network connection lost. KEY")),
        ("silence", Caller(FailureKind::Silent)),
        (
            "the stream ends before its mark",
            Stream("data: {\"response\":\"SAID KEY\"}\n\n"),
        ),
        ("a web page", Page),
        (
            "events that are no JSON",
            Stream("data: {SAID\n\ndata: {KEY\n\ndata: {\n\ndata: {\n\n"),
        ),
        ("an event without end", Endless),
    ]
}

/// See <https://platform.openai.com/docs/guides/error-codes>; the other forms are those of llama.cpp, Ollama, vLLM,
/// OpenRouter and Azure.
pub(super) fn compatible() -> Vec<Row> {
    vec![
        ("no key is configured", Caller(FailureKind::MissingKey)),
        (
            "401 invalid_api_key",
            Status(
                401,
                r#"{"error":{"message":"SAID Incorrect API key provided: KEY","type":"invalid_request_error","code":"invalid_api_key"}}"#,
            ),
        ),
        (
            "403 with a word about the key",
            Status(403, r#"{"error":{"message":"SAID API key expired KEY"}}"#),
        ),
        ("403", Status(403, r#"{"error":{"message":"SAID KEY"}}"#)),
        (
            "invalid_api_key inside a 200",
            Stream(r#"{"error":{"code":"invalid_api_key","message":"SAID KEY"}}"#),
        ),
        (
            "400 with a word about the key",
            Status(
                400,
                r#"[{"error":{"code":400,"message":"SAID API key not valid. KEY","status":"INVALID_ARGUMENT"}}]"#,
            ),
        ),
        (
            "403 model_access_denied",
            Status(
                403,
                r#"{"error":{"code":"model_access_denied","message":"SAID KEY"}}"#,
            ),
        ),
        (
            "402 of a router",
            Status(
                402,
                r#"{"error":{"code":402,"message":"SAID Insufficient credits KEY"}}"#,
            ),
        ),
        (
            "429 insufficient_quota",
            Status(
                429,
                r#"{"error":{"message":"SAID KEY","type":"insufficient_quota","code":"insufficient_quota"}}"#,
            ),
        ),
        (
            "429, to wait for 30 seconds",
            Wait(429, r#"{"error":{"message":"SAID KEY"}}"#, "30"),
        ),
        (
            "429, to wait for ten minutes",
            Wait(429, r#"{"error":{"message":"SAID KEY"}}"#, "600"),
        ),
        (
            "429, a date named",
            Wait(
                429,
                r#"{"error":{"message":"SAID KEY"}}"#,
                "Wed, 21 Oct 2026 07:28:00 GMT",
            ),
        ),
        (
            "429 inside a 200",
            Stream("data: {\"error\":{\"code\":429,\"message\":\"SAID KEY\"}}\n\n"),
        ),
        (
            "503 overloaded",
            Status(
                503,
                r#"{"error":{"message":"SAID The engine is currently overloaded KEY"}}"#,
            ),
        ),
        (
            "404 model",
            Status(404, r#"{"error":{"message":"SAID model 'KEY' not found"}}"#),
        ),
        ("a redirect", Status(302, "SAID KEY")),
        (
            "400 context_length_exceeded",
            Status(
                400,
                r#"{"error":{"message":"SAID KEY","code":"context_length_exceeded"}}"#,
            ),
        ),
        (
            "500 with a word about the context",
            Status(
                500,
                r#"{"error":"SAID the request exceeds the available context size KEY"}"#,
            ),
        ),
        ("413", Status(413, "SAID KEY")),
        (
            "400 content_filter",
            Status(400, r#"{"error":{"message":"SAID KEY","code":"content_filter"}}"#),
        ),
        (
            "403 moderation",
            Status(
                403,
                r#"{"error":{"code":403,"message":"SAID flagged by moderation KEY"}}"#,
            ),
        ),
        (
            "content_filter inside an answer",
            Stream(
                "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"content_filter\"}]}\n\ndata: [DONE]\n\n",
            ),
        ),
        ("400", Status(400, r#"{"error":{"message":"SAID KEY"}}"#)),
        ("422", Status(422, r#"{"detail":"SAID KEY"}"#)),
        ("500", Status(500, "SAID KEY")),
        ("408", Status(408, "SAID KEY")),
        (
            "an error inside a 200",
            Stream("data: {\"error\":{\"message\":\"SAID KEY\",\"type\":\"server_error\"}}\n\n"),
        ),
        (
            "a bare text as an error",
            Stream("data: {\"error\":\"SAID model runner has stopped KEY\"}\n\n"),
        ),
        ("no connection", Caller(FailureKind::Unreachable)),
        ("silence", Caller(FailureKind::Silent)),
        (
            "the stream ends before its reason",
            Stream("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"),
        ),
        ("a web page", Page),
        (
            "events that are no JSON",
            Stream("data: {SAID\n\ndata: {KEY\n\ndata: {\n\ndata: {\n\n"),
        ),
        ("JSON of another kind", Stream(r#"{"SAID":"KEY"}"#)),
        ("204", Status(204, "")),
        ("an event without end", Endless),
    ]
}
