//! The vault: what is sealed, what opens it, and what does not.

use crate::support::{INSTALLATION, OWNER, SECRET, configuration, configuration_with};
use flarebot_session::vault::{
    self, KeyChange, KeyRefusal, MAXIMUM_KEY_CHARACTERS, MINIMUM_KEY_CHARACTERS, NONCE_BYTES, ProviderKey,
    VaultError,
};
use proptest::prelude::*;

const SLOT: &str = "anthropic";

fn provider_key(text: &str) -> ProviderKey {
    ProviderKey::read(text.to_owned()).unwrap()
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    (0..hexadecimal.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hexadecimal[at..at + 2], 16).unwrap())
        .collect()
}

fn key_text() -> String {
    format!("sk-ant-api03-{}", "A".repeat(20))
}

fn sealed() -> Vec<u8> {
    vault::seal(
        &configuration(),
        SLOT,
        &provider_key(&key_text()),
        [7; NONCE_BYTES],
    )
    .unwrap()
}

fn refused(result: Result<ProviderKey, VaultError>) -> VaultError {
    result.err().unwrap()
}

/// Computed with `cryptography` 48 for Python: HKDF-SHA256 and AES-256-GCM, written apart from this crate.
#[test]
fn what_is_sealed_is_what_another_implementation_seals() {
    let mut nonce = [0; NONCE_BYTES];
    for (value, byte) in (0..).zip(&mut nonce) {
        *byte = value;
    }
    let expected = "01000102030405060708090a0b0721173f3e4503c5582af6d1333933e5120cfe801010eaa95a111b1da00261d4d7209479665b\
                    bd43468a5ebb25260954ec";
    let key = provider_key(&key_text());
    assert_eq!(
        vault::seal(&configuration(), SLOT, &key, nonce).unwrap(),
        bytes(expected)
    );
    assert_eq!(
        vault::open(&configuration(), SLOT, &bytes(expected))
            .unwrap()
            .expose(),
        key_text()
    );

    let other = configuration_with(&[
        (
            "FLAREBOT_SESSION_SECRET",
            "another secret of forty characters, here",
        ),
        ("FLAREBOT_OWNER_SUBJECT", "someone"),
        ("FLAREBOT_INSTALLATION_ID", "cabin"),
    ]);
    let every_character: String = ('!'..='~').collect();
    let expected = "01ffffffffffffffffffffffffd36ba68909278f536d81b0186c58196915339d379162184f0d553fbbf1edf021e4fb9dc67f26\
                    e33ce5f14fee4eaddd71f0a0da528a70e2f592b460cd44e3be9d609e896bbe7b7c72d9c13770b0ef8d5391bd978fa4ae366a34\
                    af1b59b02546ac420bb485e44ec92bdd18c345f280";
    let key = provider_key(&every_character);
    assert_eq!(
        vault::seal(&other, "another", &key, [255; NONCE_BYTES]).unwrap(),
        bytes(expected)
    );
}

#[test]
fn a_key_is_bound_to_secret_installation_owner_and_slot() {
    let changes: [&[(&str, &str)]; 3] = [
        &[("FLAREBOT_SESSION_SECRET", "fedcba9876543210fedcba9876543210")],
        &[("FLAREBOT_INSTALLATION_ID", "house")],
        &[("FLAREBOT_OWNER_SUBJECT", "other@example.com")],
    ];
    for changed in changes {
        let opened = vault::open(&configuration_with(changed), SLOT, &sealed());
        assert_eq!(refused(opened), VaultError::Decryption, "{changed:?}");
    }
    for slot in ["", "anthropi", "anthropic ", "Anthropic", "another"] {
        let opened = vault::open(&configuration(), slot, &sealed());
        assert_eq!(refused(opened), VaultError::Decryption, "{slot:?}");
    }
    // Where a key is used plays no part in it: an installation may move.
    let moved = configuration_with(&[("FLAREBOT_RUNTIME_ORIGIN", "https://other.example.com")]);
    assert_eq!(vault::open(&moved, SLOT, &sealed()).unwrap().expose(), key_text());
}

#[test]
fn names_cannot_be_moved_across_their_borders() {
    let left = configuration_with(&[
        ("FLAREBOT_INSTALLATION_ID", "ab"),
        ("FLAREBOT_OWNER_SUBJECT", "c"),
    ]);
    let right = configuration_with(&[
        ("FLAREBOT_INSTALLATION_ID", "a"),
        ("FLAREBOT_OWNER_SUBJECT", "bc"),
    ]);
    let sealed = vault::seal(&left, SLOT, &provider_key(&key_text()), [1; NONCE_BYTES]).unwrap();
    assert_eq!(
        refused(vault::open(&right, SLOT, &sealed)),
        VaultError::Decryption
    );
}

#[test]
fn a_change_of_any_bit_is_noticed() {
    let sealed = sealed();
    for position in 0..sealed.len() {
        for bit in 0..8 {
            let mut changed = sealed.clone();
            changed[position] ^= 1 << bit;
            let expected = if position == 0 {
                VaultError::UnknownForm
            } else {
                VaultError::Decryption
            };
            let opened = vault::open(&configuration(), SLOT, &changed);
            assert_eq!(refused(opened), expected, "bit {bit} of byte {position}");
        }
    }
}

#[test]
fn a_stored_key_that_was_cut_or_extended_is_noticed() {
    let sealed = sealed();
    for length in 0..sealed.len() {
        let expected = if length <= NONCE_BYTES {
            VaultError::UnknownForm
        } else {
            VaultError::Decryption
        };
        let opened = vault::open(&configuration(), SLOT, &sealed[..length]);
        assert_eq!(refused(opened), expected, "{length}");
    }
    let longer = [sealed.as_slice(), &[0]].concat();
    assert_eq!(
        refused(vault::open(&configuration(), SLOT, &longer)),
        VaultError::Decryption
    );
}

#[test]
fn the_same_key_under_another_nonce_looks_wholly_different() {
    let key = provider_key(&key_text());
    let seal = |nonce| vault::seal(&configuration(), SLOT, &key, nonce).unwrap();
    let (first, second) = (seal([1; NONCE_BYTES]), seal([2; NONCE_BYTES]));
    let same = first
        .iter()
        .zip(&second)
        .skip(1 + NONCE_BYTES)
        .filter(|(a, b)| a == b)
        .count();
    assert!(
        same < first.len() / 4,
        "{same} of {} bytes are the same",
        first.len()
    );
    assert!(
        !first
            .windows(6)
            .any(|window| key.expose().as_bytes().windows(6).any(|part| part == window))
    );
}

#[test]
fn only_whole_printable_words_are_keys() {
    let x = |count: usize| "x".repeat(count);
    for good in [
        x(MINIMUM_KEY_CHARACTERS),
        x(MAXIMUM_KEY_CHARACTERS),
        ('!'..='~').collect(),
    ] {
        assert_eq!(ProviderKey::read(good.clone()).unwrap().expose(), good);
    }
    let long = x(30);
    for bad in [
        String::new(),
        x(MINIMUM_KEY_CHARACTERS - 1),
        x(MAXIMUM_KEY_CHARACTERS + 1),
        " ".repeat(30),
        format!(" {long}"),
        format!("{long} "),
        format!("{long}\n"),
        format!("{long}\t{long}"),
        format!("{long}\0"),
        format!("{long}\u{7f}"),
        format!("{long}\u{a0}"),
        "ü".repeat(20),
    ] {
        assert_eq!(ProviderKey::read(bad.clone()).err(), Some(KeyRefusal), "{bad:?}");
    }
}

#[test]
fn a_key_is_replaced_or_removed_but_never_by_accident() {
    assert!(matches!(KeyChange::read(None), Ok(KeyChange::Remove)));
    assert!(matches!(
        KeyChange::read(Some(key_text())),
        Ok(KeyChange::Replace(key)) if key.expose() == key_text()
    ));
    for text in ["", "null", " "] {
        assert!(KeyChange::read(Some(text.to_owned())).is_err(), "{text:?}");
    }
}

#[test]
fn nothing_of_a_key_is_printed() {
    let key = provider_key(&key_text());
    let change = KeyChange::read(Some(key_text())).unwrap();
    let refusal = ProviderKey::read(format!("{} {}", key_text(), key_text())).unwrap_err();
    let opened = vault::open(&configuration(), SLOT, &sealed());
    let printed = format!(
        "{key:?} {key:#?} {change:?} {opened:?} {refusal} {refusal:?} {:?}",
        configuration()
    );
    for hidden in [&key_text(), "sk-ant", "AAAA", SECRET] {
        assert!(!printed.contains(hidden), "{printed}");
    }
}

#[test]
fn what_cannot_be_opened_says_what_to_do() {
    for error in [VaultError::UnknownForm, VaultError::Decryption] {
        assert!(
            error
                .sentence()
                .contains("Enter it again in Settings under Models, or remove it.")
        );
        for hidden in [INSTALLATION, OWNER, SECRET] {
            assert!(!error.sentence().contains(hidden) && !error.to_string().contains(hidden));
        }
    }
    assert!(
        VaultError::Decryption
            .sentence()
            .contains("session secret was changed")
    );
}

proptest! {
    #[test]
    fn every_key_comes_back_as_it_was(
        text in "[!-~]{20,512}",
        nonce in any::<[u8; NONCE_BYTES]>(),
        slot in "[a-z-]{1,20}",
    ) {
        let sealed = vault::seal(&configuration(), &slot, &provider_key(&text), nonce).unwrap();
        prop_assert_eq!(sealed.len(), 1 + NONCE_BYTES + text.len() + 16);
        let opened = vault::open(&configuration(), &slot, &sealed).unwrap();
        prop_assert_eq!(opened.expose(), text);
    }

    #[test]
    fn no_bytes_make_the_vault_panic_or_open(sealed in prop::collection::vec(any::<u8>(), 0..80)) {
        prop_assert!(vault::open(&configuration(), SLOT, &sealed).is_err());
    }
}
