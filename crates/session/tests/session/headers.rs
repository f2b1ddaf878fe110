//! What browsers are told.

use flarebot_session::headers::{page_headers, private_headers};

fn policy() -> Vec<(&'static str, Vec<&'static str>)> {
    let (_, policy) = page_headers()
        .iter()
        .find(|(name, _)| *name == "Content-Security-Policy")
        .unwrap();
    policy
        .split("; ")
        .map(|directive| {
            let mut words = directive.split(' ');
            (words.next().unwrap(), words.collect())
        })
        .collect()
}

#[test]
fn the_policy_allows_the_own_origin_and_webassembly_and_nothing_else() {
    for (directive, sources) in policy() {
        let expected: &[&str] = match directive {
            "default-src" | "base-uri" | "frame-ancestors" => &["'none'"],
            "script-src" => &["'self'", "'wasm-unsafe-eval'"],
            _ => &["'self'"],
        };
        assert_eq!(sources, expected, "{directive}");
    }
}

#[test]
fn directives_without_a_default_are_named() {
    for needed in ["default-src", "base-uri", "form-action", "frame-ancestors"] {
        assert!(
            policy().iter().any(|(directive, _)| *directive == needed),
            "{needed}"
        );
    }
}

#[test]
fn private_answers_are_stored_nowhere() {
    assert!(private_headers().contains(&("Cache-Control", "no-store")));
}

#[test]
fn no_header_contains_a_line_break_or_comes_twice() {
    for headers in [page_headers(), private_headers()] {
        let mut names: Vec<_> = headers
            .iter()
            .map(|(name, _)| name.to_ascii_lowercase())
            .collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), headers.len());
        for (name, value) in headers {
            assert!(!value.contains(['\r', '\n']) && !value.contains("  "), "{name}");
        }
    }
}
