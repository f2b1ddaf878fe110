//! The owner's instructions: kept exactly, within limits, and gone with a reset.
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop where it stands"
)]

mod support;

use flarebot_agent::instructions::{self, DEFAULTS, InstructionsRefused};
use flarebot_protocol::settings::MAXIMUM_INSTRUCTIONS;
use proptest::prelude::*;
use support::agent;

#[test]
fn without_a_text_of_the_owner_s_the_defaults_are_in_force() {
    let sql = agent();
    let settings = instructions::settings(&sql).unwrap();
    assert_eq!((settings.text.as_str(), settings.customized), (DEFAULTS, false));
    assert_eq!(settings.modified_at, None);
    assert_eq!(instructions::in_force(&sql).unwrap(), DEFAULTS);
    assert_eq!(instructions::check(DEFAULTS), Ok(()));
}

#[test]
fn a_saved_text_is_in_force_exactly_as_it_is_and_a_reset_brings_the_defaults_back() {
    let sql = agent();
    let text = "  Be brief.\r\n\tAlways.\n\n 😀 ";
    instructions::save(&sql, "Something before.", 1_000).unwrap();
    instructions::save(&sql, text, 1_796_029_500_042).unwrap();
    let settings = instructions::settings(&sql).unwrap();
    assert_eq!((settings.text.as_str(), settings.customized), (text, true));
    assert_eq!(settings.modified_at.as_deref(), Some("2026-11-30T09:05:00.042Z"));
    assert_eq!(settings.defaults, DEFAULTS);
    assert_eq!(instructions::in_force(&sql).unwrap(), text);

    instructions::reset(&sql).unwrap();
    instructions::reset(&sql).unwrap();
    assert!(!instructions::settings(&sql).unwrap().customized);
    assert_eq!(instructions::in_force(&sql).unwrap(), DEFAULTS);
}

#[test]
fn what_cannot_be_instructions_is_told_apart() {
    let longest = "x".repeat(MAXIMUM_INSTRUCTIONS);
    // Each of these takes two code units.
    let widest = "😀".repeat(MAXIMUM_INSTRUCTIONS / 2);
    for text in ["a", "tab\there", "lines\r\nand\nmore", &longest, &widest] {
        assert_eq!(instructions::check(text), Ok(()));
    }
    for (text, refused) in [
        ("", InstructionsRefused::Blank),
        (" \t\n ", InstructionsRefused::Blank),
        (&format!("{longest}x"), InstructionsRefused::TooLong),
        (&format!("{widest}😀"), InstructionsRefused::TooLong),
        ("bell\u{7}", InstructionsRefused::ControlCharacter),
        ("nothing\0", InstructionsRefused::ControlCharacter),
        ("next\u{85}line", InstructionsRefused::ControlCharacter),
        ("delete\u{7f}", InstructionsRefused::ControlCharacter),
    ] {
        assert_eq!(instructions::check(text), Err(refused), "{text:?}");
    }
}

proptest! {
    #[test]
    fn whatever_is_let_through_comes_back_unchanged(text in any::<String>()) {
        let sql = agent();
        if instructions::check(&text).is_ok() {
            instructions::save(&sql, &text, 5).unwrap();
            prop_assert_eq!(instructions::in_force(&sql).unwrap(), text);
        }
    }
}
