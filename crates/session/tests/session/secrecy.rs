//! Nothing that is printed for a developer shows what opens an installation.

use crate::support::{NOW, SECRET, configuration, session_header};
use flarebot_session::ingress::{self, RequestHead, Upgrade};
use flarebot_session::{Configuration, Secret, assertion, cookie};
use std::fmt::Debug;
use uuid::Uuid;

/// The signature is what makes a token worth stealing; the secret's bytes might be printed in several forms.
fn assert_hides(value: &dyn Debug, hidden: &[&str]) {
    let secret_bytes = format!("{:?}", SECRET.as_bytes());
    let secret_bytes = secret_bytes.trim_matches(['[', ']']);
    for printed in [format!("{value:?}"), format!("{value:#?}")] {
        for hidden in hidden.iter().chain(&[SECRET, secret_bytes]) {
            assert!(!printed.contains(hidden), "{printed}");
        }
    }
}

#[test]
fn debug_shows_no_secret_and_no_token() {
    let configuration = configuration();
    let header = session_header(&configuration, NOW);
    let (_, cookie_signature) = header.split_once('.').unwrap();
    let text = assertion::issue(&configuration, Uuid::from_u128(7), NOW);
    let (_, text_signature) = text.split_once('.').unwrap();
    let hidden = [cookie_signature, text_signature];

    let head = RequestHead {
        method: "GET",
        path: "/api/session",
        query: None,
        address_origin: configuration.origin(),
        origin: None,
        cookie: Some(&header),
        upgrade: Upgrade::None,
    };
    assert_hides(&configuration, &hidden);
    assert_hides(&Secret::new(SECRET.to_owned()), &hidden);
    assert_hides(&cookie::issue(&configuration, NOW), &hidden);
    assert_hides(&cookie::verify(&configuration, Some(&header), NOW), &hidden);
    assert_hides(&assertion::verify(&configuration, &text, NOW), &hidden);
    assert_hides(&head, &hidden);
    assert_hides(&ingress::decide(&configuration, &head, NOW), &hidden);
}

#[test]
fn refusals_repeat_nothing_of_what_was_sent() {
    let configuration = configuration();
    let marked = "marked-value";
    let cookie = format!("{}={marked}.{marked}", cookie::NAME);
    let session = cookie::verify(&configuration, Some(&cookie), NOW).unwrap_err();
    let sign_in = assertion::verify(&configuration, marked, NOW).unwrap_err();
    let short = Configuration::read(|_| Some(marked.to_owned())).unwrap_err();
    for printed in [
        format!("{session} {session:?}"),
        format!("{sign_in} {sign_in:?} {}", sign_in.sentence()),
        format!("{short} {short:?}"),
    ] {
        assert!(!printed.contains(marked), "{printed}");
    }
}
