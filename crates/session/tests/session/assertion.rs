//! The sign-in link: what is issued, and everything that is not taken for it.

use crate::support::{
    NOW, SESSION_LABEL, SIGN_IN_LABEL, configuration, configuration_with, payload, replaced_once,
    session_header, sign, tampered,
};
use flarebot_session::assertion::{self, Assertion, AssertionRefusal, LIFETIME, MAXIMUM_BODY_BYTES};
use flarebot_session::cookie;
use proptest::prelude::*;
use uuid::Uuid;

const ID: Uuid = Uuid::from_u128(0x6f1c_2a34_5b6d_4e7f_8a9b_0c1d_2e3f_4a5b);

/// Computed with another implementation of HMAC-SHA256.
const GOLDEN: &str = "ZmxhcmVib3Qtc2lnbi1pbi0xCmhvbWUKb3duZXJAZXhhbXBsZS5jb20KaHR0cHM6Ly9hZ2VudC5leGFtcGxlLmNvbQoxODAwMDAwMDAwMDAwCjE4MDAwMDAzMDAwMDAKNmYxYzJhMzQtNWI2ZC00ZTdmLThhOWItMGMxZDJlM2Y0YTVi.lDPMrNK4u2FrImGWlQlDoQLiaieq-be96ejMG_7D03A";

fn verify(text: &str, now: i64) -> Result<Assertion, AssertionRefusal> {
    assertion::verify(&configuration(), text, now)
}

#[test]
fn the_assertion_is_exactly_this() {
    assert_eq!(assertion::issue(&configuration(), ID, NOW), GOLDEN);
    assert_eq!(
        verify(GOLDEN, NOW),
        Ok(Assertion {
            id: ID,
            expires_at: NOW + 5 * 60_000
        })
    );
}

#[test]
fn the_link_carries_the_assertion_in_its_fragment() {
    let link = assertion::link(&configuration(), GOLDEN);
    assert_eq!(link, format!("https://agent.example.com/sign-in#{GOLDEN}"));
    assert_eq!(url::Url::parse(&link).unwrap().fragment(), Some(GOLDEN));
}

#[test]
fn times_are_exact_at_their_edges() {
    assert!(verify(GOLDEN, NOW + LIFETIME - 1).is_ok());
    assert_eq!(verify(GOLDEN, NOW + LIFETIME), Err(AssertionRefusal::Expired));
    assert!(verify(GOLDEN, NOW - 60_000).is_ok());
    assert_eq!(verify(GOLDEN, NOW - 60_001), Err(AssertionRefusal::NotYetIssued));
}

#[test]
fn no_assertion_lives_longer_than_five_minutes() {
    let with_lifetime = |lifetime| {
        let payload = format!("{}\n{ID}", payload(SIGN_IN_LABEL, NOW, NOW + lifetime));
        verify(&sign(SIGN_IN_LABEL, &payload), NOW)
    };
    assert!(with_lifetime(LIFETIME).is_ok());
    assert_eq!(with_lifetime(LIFETIME + 1), Err(AssertionRefusal::Forged));
    assert_eq!(with_lifetime(0), Err(AssertionRefusal::Forged));
}

#[test]
fn an_assertion_without_an_id_is_refused() {
    let text = sign(SIGN_IN_LABEL, &payload(SIGN_IN_LABEL, NOW, NOW + LIFETIME));
    assert_eq!(verify(&text, NOW), Err(AssertionRefusal::Forged));
}

#[test]
fn an_assertion_of_another_owner_installation_origin_or_secret_is_refused() {
    for (variable, value, expected) in [
        ("FLAREBOT_OWNER_SUBJECT", "other", AssertionRefusal::Foreign),
        ("FLAREBOT_INSTALLATION_ID", "other", AssertionRefusal::Foreign),
        (
            "FLAREBOT_RUNTIME_ORIGIN",
            "http://localhost:8787",
            AssertionRefusal::Foreign,
        ),
        (
            "FLAREBOT_SESSION_SECRET",
            "fedcba9876543210fedcba9876543210",
            AssertionRefusal::Forged,
        ),
    ] {
        let text = assertion::issue(&configuration_with(&[(variable, value)]), ID, NOW);
        assert_eq!(verify(&text, NOW), Err(expected), "{variable}");
    }
}

#[test]
fn a_session_cookie_is_not_an_assertion() {
    let header = session_header(&configuration(), NOW);
    let (_, token) = header.split_once('=').unwrap();
    assert_eq!(verify(token, NOW), Err(AssertionRefusal::Forged));
    let sign_in_signed_as_session = sign(
        SESSION_LABEL,
        &format!("{}\n{ID}", payload(SIGN_IN_LABEL, NOW, NOW + LIFETIME)),
    );
    assert_eq!(
        verify(&sign_in_signed_as_session, NOW),
        Err(AssertionRefusal::Forged)
    );
}

#[test]
fn the_body_of_a_sign_in_request_is_an_object_with_the_assertion_alone() {
    let verify_body = |body: &str| assertion::verify_body(&configuration(), body.as_bytes(), NOW);
    assert!(verify_body(&format!(r#"{{"assertion":"{GOLDEN}"}}"#)).is_ok());
    assert!(verify_body(&format!(" {{ \"assertion\" : \"{GOLDEN}\" }}\n")).is_ok());
    let padding = " ".repeat(MAXIMUM_BODY_BYTES);
    for body in [
        String::new(),
        GOLDEN.to_owned(),
        format!("\"{GOLDEN}\""),
        "{}".to_owned(),
        r#"{"assertion":7}"#.to_owned(),
        format!(r#"{{"assertion":"{GOLDEN}","more":1}}"#),
        format!(r#"{{"assertion":"{GOLDEN}","assertion":"{GOLDEN}"}}"#),
        format!(r#"{{"assertion":"{GOLDEN} "}}"#),
        format!(r#"{{"assertion":"{GOLDEN}"}}{padding}"#),
    ] {
        assert_eq!(verify_body(&body), Err(AssertionRefusal::Forged), "{body}");
    }
    assert_eq!(
        assertion::verify_body(&configuration(), &[0xff, 0xfe], NOW),
        Err(AssertionRefusal::Forged)
    );
    let expired = format!(r#"{{"assertion":"{GOLDEN}"}}"#);
    assert_eq!(
        assertion::verify_body(&configuration(), expired.as_bytes(), NOW + LIFETIME),
        Err(AssertionRefusal::Expired)
    );
}

#[test]
fn every_refusal_says_how_to_get_a_new_link_in_its_own_words() {
    let refusals = [
        AssertionRefusal::Expired,
        AssertionRefusal::Foreign,
        AssertionRefusal::Forged,
        AssertionRefusal::NotYetIssued,
        AssertionRefusal::Used,
    ];
    let mut sentences: Vec<_> = refusals.iter().map(|refusal| refusal.sentence()).collect();
    assert!(
        sentences
            .iter()
            .all(|sentence| sentence.contains("`cargo xtask sign-in`"))
    );
    sentences.sort_unstable();
    sentences.dedup();
    assert_eq!(sentences.len(), refusals.len());
}

#[test]
fn every_replaced_character_is_refused() {
    for changed in replaced_once(GOLDEN) {
        assert!(verify(&changed, NOW).is_err(), "{changed}");
    }
}

proptest! {
    #[test]
    fn any_changed_character_is_refused(changed in tampered(GOLDEN.to_owned())) {
        prop_assert!(verify(&changed, NOW).is_err());
    }

    #[test]
    fn no_text_is_an_assertion_by_chance(text in ".*", body in any::<Vec<u8>>()) {
        prop_assert!(verify(&text, NOW).is_err());
        prop_assert!(assertion::verify_body(&configuration(), &body, NOW).is_err());
    }

    #[test]
    fn an_assertion_comes_back_and_is_safe_in_a_fragment(id in any::<u128>(), issued_at in 0..2 * NOW) {
        let configuration = configuration();
        let id = Uuid::from_u128(id);
        let text = assertion::issue(&configuration, id, issued_at);
        prop_assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)));
        let expected = Assertion { id, expires_at: issued_at + LIFETIME };
        prop_assert_eq!(assertion::verify(&configuration, &text, issued_at), Ok(expected));
        let as_cookie = format!("{}={text}", cookie::NAME);
        prop_assert!(cookie::verify(&configuration, Some(&as_cookie), issued_at).is_err());
    }
}
