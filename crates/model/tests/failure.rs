//! What the owner reads when a model fails, and what is stored of it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop where it finds something wrong"
)]

use flarebot_model::{FailureKind, ModelFailure, Provider};

#[test]
fn every_kind_has_a_sentence_and_a_stored_form() {
    let failures = FailureKind::ALL.map(|kind| {
        let failure = ModelFailure {
            status: Some(402),
            retry_after_seconds: Some(30),
            ..ModelFailure::new(kind)
        };
        let stored = serde_json::to_string(&failure).unwrap();
        assert_eq!(serde_json::from_str::<ModelFailure>(&stored).unwrap(), failure);
        let mut said = vec![stored, failure.sentence()];
        for provider in Provider::ALL {
            said.push(format!(
                "{}: {}",
                provider.id(),
                ModelFailure::new(kind).of(provider).sentence()
            ));
        }
        for sentence in &said[1..] {
            assert!(
                sentence.len() <= ModelFailure::MAXIMUM_SENTENCE_BYTES,
                "{sentence}"
            );
        }
        said.join("\n  ")
    });
    insta::assert_snapshot!("sentences", failures.join("\n"));
}

#[test]
fn a_failure_of_a_known_kind_alone_is_read() {
    let stored = r#"{"kind":"context-too-long"}"#;
    assert_eq!(
        serde_json::from_str::<ModelFailure>(stored).unwrap(),
        ModelFailure::new(FailureKind::ContextTooLong)
    );
}

#[test]
fn waits_are_said_in_words() {
    for (seconds, words) in [
        (0, "Try again in a few minutes."),
        (1, "Try again in a second."),
        (90, "Try again in 90 seconds."),
        (91, "Try again in 2 minutes."),
        (7200, "Try again in 120 minutes."),
        (7201, "Try again in 3 hours."),
        (u64::MAX, "hours."),
    ] {
        let failure = ModelFailure {
            retry_after_seconds: Some(seconds),
            ..ModelFailure::new(FailureKind::RateLimited)
        };
        assert!(failure.sentence().ends_with(words), "{}", failure.sentence());
    }
}
