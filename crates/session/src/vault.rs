//! The vault: how an owner's keys for providers are kept.
//!
//! A key comes in, is sealed, and never goes out again but to its provider. It is encrypted with AES-256-GCM under a key
//! that HKDF-SHA256 derives from the session secret, with the installation's id as salt and with a label of its own, so
//! that what signs sessions never encrypts. Installation, owner and slot are authenticated with it: what is sealed for
//! one cannot be opened as another's. What is stored is one byte of version, the nonce, and the ciphertext with its tag.

use crate::{Configuration, Secret};
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes256Gcm, KeyInit};
use hkdf::Hkdf;
use sha2::Sha256;
use std::fmt;
use zeroize::Zeroize;

/// The length of a nonce, in bytes. Every sealing takes a new one, from a good source of randomness.
pub const NONCE_BYTES: usize = 12;

/// The fewest characters of a provider's key.
pub const MINIMUM_KEY_CHARACTERS: usize = 20;

/// The most characters of a provider's key.
pub const MAXIMUM_KEY_CHARACTERS: usize = 512;

/// What the derived key is for. It is authenticated with every key too.
const LABEL: &str = "flarebot-provider-keys-1";

/// The form of what is stored.
const VERSION: u8 = 1;

/// A key as a provider gave it to the owner. It is wiped when dropped.
///
/// It cannot be printed:
/// ```compile_fail
/// println!("{}", flarebot_session::vault::ProviderKey::read("x".repeat(20)).unwrap());
/// ```
/// It cannot be serialised:
/// ```compile_fail
/// serde_json::to_string(&flarebot_session::vault::ProviderKey::read("x".repeat(20)).unwrap());
/// ```
/// It cannot be copied:
/// ```compile_fail
/// let _ = flarebot_session::vault::ProviderKey::read("x".repeat(20)).unwrap().clone();
/// ```
#[derive(Debug)]
pub struct ProviderKey(Secret<String>);

/// A text that is no key. What it was is not repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a key must have 20 to 512 printable ASCII characters without spaces")]
pub struct KeyRefusal;

/// What the owner wants to happen to a stored key.
#[derive(Debug)]
pub enum KeyChange {
    /// This one is kept from now on, instead of any other.
    Replace(ProviderKey),
    /// None is kept.
    Remove,
}

/// Why a key cannot be sealed or opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// It could not be encrypted.
    #[error("the key cannot be encrypted")]
    Encryption,
    /// What is stored has no form that this version knows.
    #[error("the stored key has an unknown form")]
    UnknownForm,
    /// It was sealed under another secret, for another installation, owner or slot, or it was changed since.
    #[error("the stored key cannot be decrypted")]
    Decryption,
}

impl ProviderKey {
    /// Takes a key into custody: 20 to 512 printable ASCII characters without whitespace. A refused text is wiped.
    ///
    /// # Errors
    /// When the text is anything else.
    pub fn read(text: String) -> Result<Self, KeyRefusal> {
        let text = Secret::new(text);
        let length = text.expose().len();
        let has_length = (MINIMUM_KEY_CHARACTERS..=MAXIMUM_KEY_CHARACTERS).contains(&length);
        if has_length && text.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
            Ok(Self(text))
        } else {
            Err(KeyRefusal)
        }
    }

    /// Opens it for the request that it is sent with.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose()
    }
}

impl KeyChange {
    /// Reads what the owner sent: a key, or nothing to remove the one that is kept.
    ///
    /// # Errors
    /// When it is no key.
    pub fn read(text: Option<String>) -> Result<Self, KeyRefusal> {
        text.map_or(Ok(Self::Remove), |text| {
            ProviderKey::read(text).map(Self::Replace)
        })
    }
}

impl KeyRefusal {
    /// What the owner reads.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        "This is not a key: it must have 20 to 512 letters, digits and signs without spaces. Copy it again from the \
         provider. Nothing was changed."
    }
}

impl VaultError {
    /// What the owner reads.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Encryption => "The key could not be kept. Nothing was changed. Try again.",
            Self::UnknownForm => {
                "The stored key was written by another version of Flarebot. Enter it again in Settings under Models, \
                 or remove it."
            }
            Self::Decryption => {
                "The stored key can no longer be read, perhaps because the session secret was changed. Enter it again \
                 in Settings under Models, or remove it."
            }
        }
    }
}

/// Seals a key for a slot of this installation. The nonce must never have been used before.
///
/// # Errors
/// When it cannot be encrypted, which no key that was read is known to cause.
pub fn seal(
    configuration: &Configuration,
    slot: &str,
    key: &ProviderKey,
    nonce: [u8; NONCE_BYTES],
) -> Result<Vec<u8>, VaultError> {
    let authenticated = authenticated(configuration, slot);
    let payload = Payload {
        msg: key.expose().as_bytes(),
        aad: authenticated.as_bytes(),
    };
    let cipher = configuration.vault_key().cipher();
    let ciphertext = cipher
        .encrypt(&nonce.into(), payload)
        .map_err(|_| VaultError::Encryption)?;
    let mut sealed = Vec::with_capacity(1 + NONCE_BYTES + ciphertext.len());
    sealed.push(VERSION);
    sealed.extend(nonce);
    sealed.extend(ciphertext);
    Ok(sealed)
}

/// Opens what [`seal`] made for the same slot of the same installation and owner.
///
/// # Errors
/// When it has another form, was sealed otherwise, or was changed.
pub fn open(configuration: &Configuration, slot: &str, sealed: &[u8]) -> Result<ProviderKey, VaultError> {
    let (&version, rest) = sealed.split_first().ok_or(VaultError::UnknownForm)?;
    if version != VERSION {
        return Err(VaultError::UnknownForm);
    }
    let (&nonce, ciphertext) = rest
        .split_first_chunk::<NONCE_BYTES>()
        .ok_or(VaultError::UnknownForm)?;
    let authenticated = authenticated(configuration, slot);
    let payload = Payload {
        msg: ciphertext,
        aad: authenticated.as_bytes(),
    };
    let plain = configuration
        .vault_key()
        .cipher()
        .decrypt(&nonce.into(), payload)
        .map_err(|_| VaultError::Decryption)?;
    let text = String::from_utf8(plain).map_err(|error| {
        error.into_bytes().zeroize();
        VaultError::UnknownForm
    })?;
    ProviderKey::read(text).map_err(|KeyRefusal| VaultError::UnknownForm)
}

/// What a sealed key is bound to. Only the slot, at the end, could hold a line break.
fn authenticated(configuration: &Configuration, slot: &str) -> String {
    let (installation, owner) = (configuration.installation_id(), configuration.owner_subject());
    format!("{LABEL}\n{installation}\n{owner}\n{slot}")
}

/// The key that encrypts. Its `Debug` shows nothing of it.
pub(crate) struct VaultKey(Secret<[u8; 32]>);

impl VaultKey {
    pub(crate) fn derive(secret: &str, installation_id: &str) -> Option<Self> {
        let mut key = [0; 32];
        let derived = Hkdf::<Sha256>::new(Some(installation_id.as_bytes()), secret.as_bytes())
            .expand(LABEL.as_bytes(), &mut key);
        let secret = Secret::new(key);
        key.zeroize();
        derived.ok().map(|()| Self(secret))
    }

    fn cipher(&self) -> Aes256Gcm {
        Aes256Gcm::new(self.0.expose().into())
    }
}

impl fmt::Debug for VaultKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("VaultKey(hidden)")
    }
}
