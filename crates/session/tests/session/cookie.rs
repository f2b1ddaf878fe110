//! The session cookie: what is issued, and everything that is not taken for it.

use crate::support::{
    INSTALLATION, NOW, OWNER, SESSION_LABEL, SIGN_IN_LABEL, configuration, configuration_with, payload,
    replaced_once, session_header, sign, tampered,
};
use flarebot_session::cookie::{self, LIFETIME, NAME, OwnerSession, SessionRefusal};
use flarebot_session::{CLOCK_TOLERANCE, TokenRefusal, assertion};
use proptest::prelude::*;
use uuid::Uuid;

/// Computed with another implementation of HMAC-SHA256.
const GOLDEN: &str = "ZmxhcmVib3Qtb3duZXItc2Vzc2lvbi0xCmhvbWUKb3duZXJAZXhhbXBsZS5jb20KaHR0cHM6Ly9hZ2VudC5leGFtcGxlLmNvbQoxODAwMDAwMDAwMDAwCjE4MDAwMjg4MDAwMDA.nB9nnMpJZzQJkONNT6KCaXzfDueI18amhad1GnJgK5I";

fn verify(token: &str, now: i64) -> Result<OwnerSession, SessionRefusal> {
    cookie::verify(&configuration(), Some(&format!("{NAME}={token}")), now)
}

fn refusal(token: &str, now: i64) -> TokenRefusal {
    match verify(token, now) {
        Err(SessionRefusal::Invalid(refusal)) => refusal,
        other => panic!("expected a refused token, got {other:?}"),
    }
}

#[test]
fn the_cookie_is_exactly_this() {
    let issued = cookie::issue(&configuration(), NOW);
    assert_eq!(
        issued.set_cookie,
        format!("__Host-flarebot-session={GOLDEN}; Max-Age=28800; Path=/; Secure; HttpOnly; SameSite=Lax")
    );
    assert_eq!(issued.expires_at, NOW + 8 * 3_600_000);
}

#[test]
fn an_issued_cookie_is_a_session_among_other_cookies() {
    let configuration = configuration();
    let session = OwnerSession {
        expires_at: NOW + LIFETIME,
    };
    let header = session_header(&configuration, NOW);
    for header in [
        header.clone(),
        format!("theme=dark; {header}"),
        format!("{header}; theme=dark"),
        format!("a=1;{header};b=2;"),
        format!("flagged; {header}"),
        format!("{header}; x{NAME}=other; {NAME}x=other"),
    ] {
        assert_eq!(
            cookie::verify(&configuration, Some(&header), NOW),
            Ok(session),
            "{header}"
        );
    }
}

#[test]
fn the_longest_configuration_makes_a_cookie_that_is_read() {
    let name = "\"".repeat(128);
    let origin = format!("https://{}.example", "a.".repeat(119));
    let configuration = configuration_with(&[
        ("FLAREBOT_OWNER_SUBJECT", &name),
        ("FLAREBOT_INSTALLATION_ID", &name),
        ("FLAREBOT_RUNTIME_ORIGIN", &origin),
    ]);
    assert!(origin.len() >= 250);
    assert!(cookie::verify(&configuration, Some(&session_header(&configuration, NOW)), NOW).is_ok());
    let text = assertion::issue(&configuration, Uuid::from_u128(7), NOW);
    assert!(assertion::verify(&configuration, &text, NOW).is_ok());
}

#[test]
fn no_cookie_is_no_session() {
    let configuration = configuration();
    for header in [
        None,
        Some(""),
        Some(";;"),
        Some("theme=dark"),
        Some("__host-flarebot-session=x"),
    ] {
        assert_eq!(
            cookie::verify(&configuration, header, NOW),
            Err(SessionRefusal::Missing),
            "{header:?}"
        );
    }
}

#[test]
fn two_session_cookies_are_refused_even_when_both_are_valid() {
    let configuration = configuration();
    let header = session_header(&configuration, NOW);
    for header in [
        format!("{header}; {header}"),
        format!("{header}; {NAME}=other"),
        format!("{NAME}=other; {header}"),
        format!("{NAME}; {header}"),
        format!("{header}; theme=dark;{NAME} ="),
    ] {
        assert_eq!(
            cookie::verify(&configuration, Some(&header), NOW),
            Err(SessionRefusal::Duplicate),
            "{header}"
        );
    }
}

#[test]
fn anything_that_is_not_a_token_is_refused() {
    for (token, expected) in [
        ("", TokenRefusal::Malformed),
        ("no-dot", TokenRefusal::Malformed),
        ("a.b", TokenRefusal::Malformed),
        (".", TokenRefusal::Forged),
        ("a.", TokenRefusal::Forged),
        ("\"quoted\"", TokenRefusal::Malformed),
    ] {
        assert_eq!(refusal(token, NOW), expected, "{token:?}");
    }
    let (payload, signature) = GOLDEN.split_once('.').unwrap();
    assert_eq!(
        refusal(&format!("{payload}.{}", &signature[..20]), NOW),
        TokenRefusal::Forged
    );
    assert_eq!(refusal(&format!("{GOLDEN}="), NOW), TokenRefusal::Malformed);
    assert_eq!(
        refusal(&format!("{GOLDEN}.{signature}"), NOW),
        TokenRefusal::Malformed
    );
    assert_eq!(refusal(&"A".repeat(1025), NOW), TokenRefusal::TooLarge);
    assert_eq!(refusal(&"A".repeat(1024), NOW), TokenRefusal::Malformed);
}

#[test]
fn a_signed_payload_of_another_shape_is_refused() {
    let good = payload(SESSION_LABEL, NOW, NOW + LIFETIME);
    assert!(verify(&sign(SESSION_LABEL, &good), NOW).is_ok());
    for bad in [
        String::new(),
        SESSION_LABEL.to_owned(),
        format!("{good}\n"),
        format!("{good}\nnot-an-id"),
        format!("{good}\n{}\nmore", Uuid::from_u128(7)),
        good.replace(SESSION_LABEL, SIGN_IN_LABEL),
        good.replace(SESSION_LABEL, "flarebot-owner-session-2"),
        good.replace(&NOW.to_string(), "soon"),
        good.replace(&NOW.to_string(), "99999999999999999999"),
    ] {
        assert_eq!(
            refusal(&sign(SESSION_LABEL, &bad), NOW),
            TokenRefusal::Malformed,
            "{bad}"
        );
    }
}

#[test]
fn a_cookie_of_another_owner_installation_origin_or_secret_is_refused() {
    for (variable, value, expected) in [
        ("FLAREBOT_OWNER_SUBJECT", "other", TokenRefusal::OtherOwner),
        (
            "FLAREBOT_OWNER_SUBJECT",
            "Owner@example.com",
            TokenRefusal::OtherOwner,
        ),
        (
            "FLAREBOT_INSTALLATION_ID",
            "other",
            TokenRefusal::OtherInstallation,
        ),
        (
            "FLAREBOT_RUNTIME_ORIGIN",
            "https://agent.example.com:8443",
            TokenRefusal::OtherAudience,
        ),
        (
            "FLAREBOT_SESSION_SECRET",
            "fedcba9876543210fedcba9876543210",
            TokenRefusal::Forged,
        ),
    ] {
        let header = session_header(&configuration_with(&[(variable, value)]), NOW);
        assert_eq!(
            cookie::verify(&configuration(), Some(&header), NOW),
            Err(SessionRefusal::Invalid(expected)),
            "{variable}"
        );
    }
}

#[test]
fn fields_cannot_be_moved_into_each_other() {
    let header = session_header(
        &configuration_with(&[
            ("FLAREBOT_OWNER_SUBJECT", INSTALLATION),
            ("FLAREBOT_INSTALLATION_ID", OWNER),
        ]),
        NOW,
    );
    assert!(cookie::verify(&configuration(), Some(&header), NOW).is_err());
}

#[test]
fn times_are_exact_at_their_edges() {
    assert_eq!(CLOCK_TOLERANCE, 60_000);
    let end = NOW + LIFETIME;
    assert!(verify(GOLDEN, NOW).is_ok());
    assert!(verify(GOLDEN, end - 1).is_ok());
    assert_eq!(refusal(GOLDEN, end), TokenRefusal::Expired);
    assert_eq!(refusal(GOLDEN, i64::MAX), TokenRefusal::Expired);
    assert!(verify(GOLDEN, NOW - 60_000).is_ok());
    assert_eq!(refusal(GOLDEN, NOW - 60_001), TokenRefusal::NotYetIssued);
    assert_eq!(refusal(GOLDEN, i64::MIN), TokenRefusal::NotYetIssued);
}

#[test]
fn no_session_lives_longer_than_eight_hours() {
    let with_times = |issued_at, expires_at| {
        let token = sign(SESSION_LABEL, &payload(SESSION_LABEL, issued_at, expires_at));
        verify(&token, NOW)
    };
    let refused = Err(SessionRefusal::Invalid(TokenRefusal::Lifetime));
    assert!(with_times(NOW, NOW + LIFETIME).is_ok());
    assert!(with_times(NOW, NOW + 1).is_ok());
    assert_eq!(with_times(NOW, NOW + LIFETIME + 1), refused);
    assert_eq!(with_times(NOW, NOW), refused);
    assert_eq!(with_times(NOW, NOW - 1), refused);
    assert_eq!(with_times(i64::MIN, i64::MAX), refused);
    assert_eq!(with_times(i64::MAX, i64::MIN), refused);
}

#[test]
fn a_sign_in_assertion_is_not_a_session() {
    let text = assertion::issue(&configuration(), Uuid::from_u128(7), NOW);
    assert_eq!(refusal(&text, NOW), TokenRefusal::Forged);
    let session_signed_as_sign_in = sign(SIGN_IN_LABEL, &payload(SESSION_LABEL, NOW, NOW + LIFETIME));
    assert_eq!(refusal(&session_signed_as_sign_in, NOW), TokenRefusal::Forged);
}

#[test]
fn a_cleared_cookie_replaces_the_session() {
    assert_eq!(
        cookie::clear(),
        "__Host-flarebot-session=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Lax"
    );
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
        // Space around a cookie's value is the header's, not the value's.
        prop_assume!(changed.trim() != GOLDEN);
        // What follows a semicolon is another cookie.
        prop_assume!(changed.split(';').next() != Some(GOLDEN));
        prop_assert!(verify(&changed, NOW).is_err());
    }

    #[test]
    fn no_header_is_a_session_by_chance(header in ".*") {
        prop_assert!(cookie::verify(&configuration(), Some(&header), NOW).is_err());
        prop_assert!(verify(&header, NOW).is_err());
    }

    #[test]
    fn a_session_is_valid_exactly_while_it_lives(issued_at in 0..2 * NOW, offset in -2 * LIFETIME..2 * LIFETIME) {
        let configuration = configuration();
        let header = session_header(&configuration, issued_at);
        let valid = cookie::verify(&configuration, Some(&header), issued_at + offset).is_ok();
        prop_assert_eq!(valid, (-CLOCK_TOLERANCE..LIFETIME).contains(&offset));
    }
}
