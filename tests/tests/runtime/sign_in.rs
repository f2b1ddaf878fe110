//! Signing in by a link that works once, and signing out.

use flarebot_protocol::address;
use flarebot_protocol::call::GetStatus;
use flarebot_tests::client::Closed;
use flarebot_tests::client::http::{Request, Response};
use flarebot_tests::credentials::{Credentials, variables};
use flarebot_tests::{Installation, PATIENCE};
use serde_json::json;

fn post(installation: &Installation, assertion: &str) -> Response {
    let request = Request::new("POST", address::SIGN_IN)
        .header("origin", &installation.origin())
        .json(&json!({ "assertion": assertion }));
    installation.send(&request)
}

fn session_cookie(response: &Response) -> String {
    let cookie = response.header("set-cookie").expect("a cookie is set");
    cookie.split(';').next().unwrap().to_owned()
}

fn is_signed_in(installation: &Installation, cookie: &str) -> bool {
    let request = Request::new("GET", address::SESSION).header("cookie", cookie);
    installation.send(&request).status == 200
}

#[test]
fn a_link_signs_in_once_even_over_a_restart() {
    let mut installation = Installation::start();
    let assertion = installation.credentials.assertion();
    let first = post(&installation, &assertion);
    assert!((200..300).contains(&first.status), "{first:?}");
    assert_eq!(first.header("cache-control"), Some("no-store"));
    let set_cookie = first.header("set-cookie").unwrap();
    for attribute in ["__Host-", "Secure", "HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(
            set_cookie.contains(attribute),
            "{attribute} is missing in {set_cookie}"
        );
    }
    let cookie = session_cookie(&first);
    assert!(is_signed_in(&installation, &cookie));
    assert_refused(&post(&installation, &assertion), "used");
    installation.kill();
    installation.start_again();
    assert_refused(&post(&installation, &assertion), "used after a restart");
    assert!(is_signed_in(&installation, &cookie));
}

#[test]
fn of_two_browsers_that_open_one_link_at_once_only_one_is_signed_in() {
    let installation = Installation::start();
    let assertion = installation.credentials.assertion();
    let statuses = std::thread::scope(|scope| {
        let posts: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| post(&installation, &assertion)))
            .collect();
        let responses = posts.into_iter().map(|post| post.join().unwrap());
        responses
            .filter(|response| response.header("set-cookie").is_some())
            .count()
    });
    assert_eq!(statuses, 1);
}

#[test]
fn a_link_that_does_not_work_says_how_to_get_a_new_one() {
    let installation = Installation::start();
    let good = installation.credentials.assertion();
    let other = |variable: &str, value: &str| {
        let mut changed = variables(&installation.origin());
        changed.insert(variable.to_owned(), value.to_owned());
        Credentials::new(&changed).assertion()
    };
    let cookie = installation.credentials.cookie();
    for (what, assertion) in [
        ("expired", installation.credentials.expired_assertion()),
        ("forged", format!("{good}x")),
        ("rubbish", "rubbish".to_owned()),
        ("empty", String::new()),
        ("a session", cookie.split_once('=').unwrap().1.to_owned()),
        (
            "another secret",
            other(
                "FLAREBOT_SESSION_SECRET",
                "some-other-secret-of-at-least-32-bytes",
            ),
        ),
        (
            "another installation",
            other("FLAREBOT_INSTALLATION_ID", "another"),
        ),
        (
            "another owner",
            other("FLAREBOT_OWNER_SUBJECT", "somebody@example.com"),
        ),
        (
            "another origin",
            other("FLAREBOT_RUNTIME_ORIGIN", "https://other.example"),
        ),
    ] {
        assert_refused(&post(&installation, &assertion), what);
    }
    // None of that used up the good one.
    assert!(is_signed_in(
        &installation,
        &session_cookie(&post(&installation, &good))
    ));
}

#[test]
fn a_body_that_is_no_sign_in_is_refused() {
    let installation = Installation::start();
    for body in [
        "",
        "{}",
        "[]",
        "{\"assertion\":1}",
        "not json",
        &"x".repeat(100_000),
    ] {
        let request = Request::new("POST", address::SIGN_IN)
            .header("origin", &installation.origin())
            .header("content-type", "application/json")
            .body(body);
        let response = installation.send(&request);
        assert!((400..500).contains(&response.status), "{response:?}");
        assert_eq!(response.header("set-cookie"), None);
    }
}

#[test]
fn signing_out_clears_the_cookie_and_closes_every_socket() {
    let installation = Installation::start();
    let (id, mut conversation) = installation.new_conversation("Open");
    let mut second = installation.conversation(id);
    let mut agent = installation.agent();
    agent.call(&GetStatus {}).unwrap();
    second.expect_history();
    conversation.expect_history();
    let response = installation.send(&installation.owner_request("POST", address::SIGN_OUT));
    assert!((200..300).contains(&response.status), "{response:?}");
    assert_eq!(response.header("cache-control"), Some("no-store"));
    assert!(response.header("set-cookie").unwrap().contains("Max-Age=0"));
    let ended = Closed {
        code: 4001,
        reason: "Session ended".to_owned(),
    };
    assert_eq!(agent.expect_closed(PATIENCE), ended);
    assert_eq!(conversation.expect_closed(PATIENCE), ended);
    assert_eq!(second.expect_closed(PATIENCE), ended);
}

fn assert_refused(response: &Response, what: &str) {
    assert!((400..500).contains(&response.status), "{what}: {response:?}");
    assert_eq!(response.header("set-cookie"), None, "{what}");
    assert_eq!(response.header("cache-control"), Some("no-store"), "{what}");
    let sentence = response.json()["error"].as_str().unwrap_or_default().to_owned();
    assert!(sentence.contains("cargo xtask sign-in"), "{what}: {sentence:?}");
}
