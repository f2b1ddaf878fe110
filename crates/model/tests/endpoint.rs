//! The deployment's endpoint: what is accepted, what is refused, and what the refusal says.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop where it finds something wrong"
)]

use flarebot_model::{CompatibleEndpoint, EndpointError, KeySlot, check_key};

fn url_of(base: &str) -> Result<String, EndpointError> {
    let endpoint = CompatibleEndpoint::read(Some(base), Some("small"))?.unwrap();
    Ok(endpoint.completions_url().to_owned())
}

fn models(list: &str) -> Result<CompatibleEndpoint, EndpointError> {
    Ok(CompatibleEndpoint::read(Some("http://127.0.0.1:8080/v1"), Some(list))?.unwrap())
}

#[test]
fn base_urls_lead_to_chat_completions() {
    for (base, url) in [
        (
            "http://127.0.0.1:8080/v1",
            "http://127.0.0.1:8080/v1/chat/completions",
        ),
        (
            "http://localhost:11434/v1/",
            "http://localhost:11434/v1/chat/completions",
        ),
        (
            "https://openrouter.ai/api/v1",
            "https://openrouter.ai/api/v1/chat/completions",
        ),
        ("https://example.com", "https://example.com/chat/completions"),
        (
            "  https://example.com/v1\n",
            "https://example.com/v1/chat/completions",
        ),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1/chat/completions"),
    ] {
        assert_eq!(url_of(base).as_deref(), Ok(url));
    }
}

#[test]
fn other_base_urls_are_refused() {
    for base in [
        "127.0.0.1:8080/v1",
        "localhost:8080",
        "/v1",
        "http:8080",
        "http://",
        "ftp://example.com/v1",
        "file:///etc/passwd",
        "https://user@example.com/v1",
        "https://user:word@example.com/v1",
        "https://:word@example.com/v1",
        "https://example.com/v1?key=word",
        "https://example.com/v1?",
        "https://example.com/v1#top",
        "https://exam ple.com/v1",
        "https://example.com/\tv1",
        "http://example.com:99999/v1",
        &format!("https://example.com/{}", "a".repeat(2048)),
    ] {
        assert_eq!(url_of(base), Err(EndpointError::BaseUrl), "{base}");
    }
}

#[test]
fn the_first_model_is_the_default() {
    let endpoint = models("qwen3:0.6b, openai/gpt-oss-20b:free ,@cf/meta/llama-3.3-70b").unwrap();
    assert_eq!(endpoint.default_model(), "qwen3:0.6b");
    assert_eq!(
        endpoint.models(),
        ["qwen3:0.6b", "openai/gpt-oss-20b:free", "@cf/meta/llama-3.3-70b"]
    );
}

#[test]
fn lists_of_models_have_limits() {
    let list = |count: usize| (0..count).map(|n| format!("m{n}")).collect::<Vec<_>>().join(",");
    assert_eq!(models(&list(32)).unwrap().models().len(), 32);
    assert_eq!(models(&list(33)), Err(EndpointError::ModelCount));
    assert!(models(&"m".repeat(128)).is_ok());
    for names in ["a,,b", "a,", ",", "a b", "gemüse", "a\u{7f}", &"m".repeat(129)] {
        assert_eq!(models(names), Err(EndpointError::ModelName), "{names}");
    }
    assert_eq!(models("a,b, a"), Err(EndpointError::ModelRepeated));
}

#[test]
fn both_variables_belong_together() {
    let base = Some("http://127.0.0.1:8080/v1");
    for absent in [None, Some(""), Some("  ")] {
        assert_eq!(CompatibleEndpoint::read(absent, absent), Ok(None));
        assert_eq!(
            CompatibleEndpoint::read(base, absent),
            Err(EndpointError::ModelsMissing)
        );
        assert_eq!(
            CompatibleEndpoint::read(absent, Some("a")),
            Err(EndpointError::BaseUrlMissing)
        );
    }
}

#[test]
fn a_refusal_names_its_variable_and_no_value() {
    for (error, variable) in [
        (
            url_of("https://me:hush@example.com").unwrap_err(),
            "FLAREBOT_COMPATIBLE_BASE_URL",
        ),
        (models("hush hush").unwrap_err(), "FLAREBOT_COMPATIBLE_MODELS"),
        (check_key("hush hush").unwrap_err(), "FLAREBOT_COMPATIBLE_KEY"),
    ] {
        let text = error.to_string();
        assert!(text.starts_with(variable), "{text}");
        assert!(!text.contains("hush"), "{text}");
    }
}

#[test]
fn keys_are_printable_words() {
    assert_eq!(check_key("sk-or-v1-0123456789abcdef~!"), Ok(()));
    assert_eq!(check_key(&"k".repeat(512)), Ok(()));
    for key in ["", " ", "a b", "a\n", "schlüssel", &"k".repeat(513)] {
        assert_eq!(check_key(key), Err(EndpointError::Key));
    }
}

#[test]
fn only_a_configured_key_is_named() {
    let endpoint = models("a").unwrap();
    assert_eq!(endpoint.key(), None);
    assert_eq!(endpoint.with_key().key(), Some(KeySlot::Compatible));
    assert_eq!(
        KeySlot::Compatible.header("k"),
        ("authorization", "Bearer k".to_owned())
    );
}
