//! A value that must not leak by accident: not by a log line, not by serialising, not by memory that is used again.

use std::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A secret value. Its `Debug` shows nothing of it, it is wiped when dropped, and it is read through
/// [`Secret::expose`] alone, so that every place that opens one can be found by that name.
///
/// It cannot be printed:
/// ```compile_fail
/// println!("{}", flarebot_session::Secret::new(String::from("key")));
/// ```
/// It cannot be serialised:
/// ```compile_fail
/// serde_json::to_string(&flarebot_session::Secret::new(String::from("key")));
/// ```
/// It cannot be copied without being exposed:
/// ```compile_fail
/// let _ = flarebot_session::Secret::new(String::from("key")).clone();
/// ```
pub struct Secret<T: Zeroize>(T);

impl<T: Zeroize> Secret<T> {
    /// Takes a value into custody.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// Opens the secret for the one who uses it.
    pub const fn expose(&self) -> &T {
        &self.0
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(hidden)")
    }
}

impl<T: Zeroize> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Zeroize> ZeroizeOnDrop for Secret<T> {}

#[cfg(test)]
mod tests {
    use super::Secret;
    use std::cell::Cell;
    use zeroize::Zeroize;

    struct Witness<'a>(&'a Cell<bool>);

    impl Zeroize for Witness<'_> {
        fn zeroize(&mut self) {
            self.0.set(true);
        }
    }

    #[test]
    fn a_dropped_secret_is_wiped() {
        let wiped = Cell::new(false);
        let secret = Secret::new(Witness(&wiped));
        assert!(!wiped.get());
        drop(secret);
        assert!(wiped.get());
    }

    #[test]
    fn only_expose_shows_the_value() {
        let secret = Secret::new(String::from("correct horse"));
        assert_eq!(secret.expose(), "correct horse");
        assert_eq!(format!("{secret:?} {secret:#?}"), "Secret(hidden) Secret(hidden)");
    }
}
