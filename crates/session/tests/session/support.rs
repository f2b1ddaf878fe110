//! One installation, and a signer that is written apart from the crate's own.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flarebot_session::ingress::Decision;
use flarebot_session::{Configuration, cookie};
use hmac::{Hmac, KeyInit, Mac};
use proptest::prelude::*;
use sha2::Sha256;

pub(crate) const SECRET: &str = "0123456789abcdef0123456789abcdef";
pub(crate) const OWNER: &str = "owner@example.com";
pub(crate) const INSTALLATION: &str = "home";
pub(crate) const ORIGIN: &str = "https://agent.example.com";
pub(crate) const NOW: i64 = 1_800_000_000_000;

/// The id of a conversation.
pub(crate) const CONVERSATION: &str = "6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b";

pub(crate) const SESSION_LABEL: &str = "flarebot-owner-session-1";
pub(crate) const SIGN_IN_LABEL: &str = "flarebot-sign-in-1";

/// The installation of these tests, with some of its variables set otherwise.
pub(crate) fn configuration_with(changes: &[(&str, &str)]) -> Configuration {
    Configuration::read(|name| {
        let changed = changes.iter().find(|(changed, _)| *changed == name);
        let usual = match name {
            "FLAREBOT_SESSION_SECRET" => SECRET,
            "FLAREBOT_OWNER_SUBJECT" => OWNER,
            "FLAREBOT_INSTALLATION_ID" => INSTALLATION,
            "FLAREBOT_RUNTIME_ORIGIN" => ORIGIN,
            _ => panic!("{name} is not a variable of the configuration"),
        };
        Some(changed.map_or(usual, |(_, value)| value).to_owned())
    })
    .unwrap()
}

pub(crate) fn configuration() -> Configuration {
    configuration_with(&[])
}

/// Signs any payload with the right secret.
pub(crate) fn sign(label: &str, payload: &str) -> String {
    let payload = URL_SAFE_NO_PAD.encode(payload);
    let mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes())
        .unwrap()
        .chain_update(format!("{label}\0{payload}"));
    format!(
        "{payload}.{}",
        URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
    )
}

/// The payload of a token with the given times.
pub(crate) fn payload(label: &str, issued_at: i64, expires_at: i64) -> String {
    format!("{label}\n{INSTALLATION}\n{OWNER}\n{ORIGIN}\n{issued_at}\n{expires_at}")
}

/// The `Cookie` header that a browser sends after `Set-Cookie`.
pub(crate) fn cookie_header(set_cookie: &str) -> String {
    set_cookie.split(';').next().unwrap().to_owned()
}

pub(crate) fn session_header(configuration: &Configuration, now: i64) -> String {
    cookie_header(&cookie::issue(configuration, now).set_cookie)
}

/// Every text that differs from `token` in one character, by replacing it, leaving it out or putting one before it.
pub(crate) fn tampered(token: String) -> impl Strategy<Value = String> {
    let length = token.len();
    (0..length, any::<char>(), 0..3_u8).prop_filter_map("unchanged", move |(position, character, kind)| {
        let (before, rest) = token.split_at(position);
        let changed = match kind {
            0 => format!("{before}{character}{}", &rest[1..]),
            1 => format!("{before}{}", &rest[1..]),
            _ => format!("{before}{character}{rest}"),
        };
        (changed != token).then_some(changed)
    })
}

/// Every replacement of one character by another of the token's alphabet.
pub(crate) fn replaced_once(token: &str) -> impl Iterator<Item = String> {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    (0..token.len()).flat_map(move |position| {
        ALPHABET
            .chars()
            .filter(move |character| !token[position..].starts_with(*character))
            .map(move |character| format!("{}{character}{}", &token[..position], &token[position + 1..]))
    })
}

/// The status of a request that reaches nothing, and 200 for any other.
pub(crate) const fn status(decision: Decision) -> u16 {
    match decision {
        Decision::NotFound => 404,
        Decision::Refuse(refusal) => refusal.status(),
        Decision::Shell(_)
        | Decision::Asset
        | Decision::SignIn
        | Decision::SignOut { .. }
        | Decision::Session { .. }
        | Decision::AgentSocket { .. }
        | Decision::AgentStatus { .. }
        | Decision::ConversationSocket { .. }
        | Decision::ConversationMessages { .. } => 200,
    }
}
