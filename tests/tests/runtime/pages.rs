//! Pages: shells without content, their headers, and static files.

use flarebot_tests::Installation;
use flarebot_tests::client::http::{Request, Response};

fn get(installation: &Installation, path: &str) -> Response {
    installation.send(&Request::new("GET", path))
}

#[test]
fn every_page_carries_the_security_headers() {
    let installation = Installation::start();
    for path in [
        "/",
        "/settings",
        "/tasks",
        "/sign-in",
        "/c/0191e7a0-5b1c-7cc0-8000-000000000001",
    ] {
        let page = get(&installation, path);
        assert_eq!(page.status, 200, "{path}");
        assert!(
            page.header("content-type").unwrap().starts_with("text/html"),
            "{path}"
        );
        let policy = page.header("content-security-policy").unwrap();
        for directive in [
            "frame-ancestors 'none'",
            "'wasm-unsafe-eval'",
            "base-uri 'none'",
            "default-src 'none'",
        ] {
            assert!(policy.contains(directive), "{directive} is missing in {policy}");
        }
        assert!(
            !policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"),
            "{policy}"
        );
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(page.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert!(page.header("permissions-policy").is_some(), "{path}");
        assert_eq!(page.header("set-cookie"), None, "{path}");
    }
}

#[test]
fn a_page_says_nothing_about_what_exists() {
    let installation = Installation::start();
    let existing = installation.create("A name that only the owner may read");
    let first = get(&installation, &format!("/c/{}", existing.id));
    let second = get(&installation, "/c/0191e7a0-5b1c-7cc0-8000-000000000001");
    assert_eq!(first.body, second.body);
    let as_owner = installation.send(&installation.owner_request("GET", &format!("/c/{}", existing.id)));
    assert_eq!(as_owner.body, first.body);
    assert!(!first.text().contains("A name that only"));
    assert!(!first.text().contains(&existing.id.to_string()));
}

#[test]
fn what_is_no_page_is_not_found() {
    let installation = Installation::start();
    for path in [
        "/c/",
        "/c/not-a-uuid",
        "/c",
        "/unknown",
        "/assets/unknown.js",
        "/index.html",
        "/.dev.vars",
        "/C/x",
    ] {
        assert_eq!(get(&installation, path).status, 404, "{path}");
    }
}

#[test]
fn every_file_that_a_page_names_is_served() {
    let installation = Installation::start();
    let page = get(&installation, "/").text();
    let names: Vec<&str> = page
        .split(['"', '\''])
        .filter(|word| word.starts_with("/assets/"))
        .collect();
    assert!(names.len() >= 2, "a script and a style sheet at least: {names:?}");
    for name in names {
        let file = get(&installation, name);
        assert_eq!(file.status, 200, "{name}");
        let content_type = file.header("content-type").unwrap_or_default();
        assert!(!content_type.starts_with("text/html"), "{name} is {content_type}");
    }
}

#[test]
fn a_head_request_has_the_headers_and_no_body() {
    let installation = Installation::start();
    let response = installation.send(&Request::new("HEAD", "/"));
    assert_eq!(response.status, 200);
    assert!(response.body.is_empty());
    assert!(response.header("content-security-policy").is_some());
}
