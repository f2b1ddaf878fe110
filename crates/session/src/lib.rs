//! Who may come in, and how far: the owner's session cookie, the one-time sign-in link, and the decision that every
//! request meets before anything else looks at it. And the vault, in which the owner's keys are kept.
//!
//! Pure: time, random ids and nonces are arguments, and nothing here reads an environment or opens a connection. What the
//! Worker does with a [`ingress::Decision`] is its own business; that nothing else reaches an object is decided here.

pub mod assertion;
mod configuration;
pub mod cookie;
pub mod headers;
pub mod ingress;
mod secret;
mod token;
pub mod vault;

pub use configuration::{Configuration, ConfigurationError, MINIMUM_SECRET_BYTES, Variable};
pub use secret::Secret;
pub use token::{CLOCK_TOLERANCE, TokenRefusal};
