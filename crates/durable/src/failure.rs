//! What kind of failure ended an attempt. The platform tells them apart by text alone, and each kind needs a different
//! answer: waiting for the new code, trying again, stepping back, or giving up.

/// How deep a chain of causes is followed.
const DEEPEST_CAUSE: usize = 8;

/// How much of an error's text is stored, in bytes.
pub const STORED_ERROR_BYTES: usize = 4_096;

/// As much of an error's text as is stored.
pub(crate) fn stored(text: &str) -> &str {
    let end = text.floor_char_boundary(STORED_ERROR_BYTES);
    text.get(..end).unwrap_or(text)
}

/// The four kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureClass {
    /// This process was replaced by newer code. It must not try again; the next process does, at no charge.
    Superseded,
    /// The platform failed for a moment. Tried again, then put off for as long as it takes.
    Transient,
    /// The process used too much memory. Twice the work is put off, the third time it is given up.
    MemoryLimit,
    /// The work itself failed. Tried again as its policy says, then given up.
    Application,
}

/// Whether trying again can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repetition {
    /// As the policy of the work allows.
    Allowed,
    /// It cannot help: an unknown callback, a payload that cannot be read.
    Pointless,
}

/// What the platform says about an error beside its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlatformHint {
    /// Nothing.
    #[default]
    None,
    /// The error is marked as retryable, and the object is not overloaded.
    Retryable,
}

/// A failed attempt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// Its kind.
    pub class: FailureClass,
    /// Whether trying again can help; looked at for [`FailureClass::Application`] alone.
    pub repetition: Repetition,
    /// What happened. It is shown, and stored up to [`STORED_ERROR_BYTES`], so it must hold no secret.
    pub message: String,
}

impl Failure {
    /// A failure of the work itself that another attempt may mend.
    pub fn application(message: impl Into<String>) -> Self {
        Self {
            class: FailureClass::Application,
            repetition: Repetition::Allowed,
            message: message.into(),
        }
    }

    /// A failure of the work itself that no other attempt can mend.
    pub fn pointless(message: impl Into<String>) -> Self {
        Self {
            repetition: Repetition::Pointless,
            ..Self::application(message)
        }
    }

    /// The failure that an error's texts describe: its own first, then those of its causes.
    ///
    /// ```
    /// use flarebot_durable::failure::{Failure, FailureClass, PlatformHint};
    ///
    /// let failure = Failure::from_texts(["could not save", "Network connection lost."], PlatformHint::None);
    /// assert_eq!(failure.class, FailureClass::Transient);
    /// assert_eq!(failure.message, "could not save");
    /// ```
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = &'a str>, hint: PlatformHint) -> Self {
        let texts: Vec<&str> = texts.into_iter().take(DEEPEST_CAUSE).collect();
        Self {
            class: classify(&texts, hint),
            repetition: Repetition::Allowed,
            message: texts.first().copied().unwrap_or_default().to_owned(),
        }
    }

    /// The failure that an error and its sources describe.
    pub fn from_error(error: &(dyn std::error::Error + 'static)) -> Self {
        let texts: Vec<String> = std::iter::successors(Some(error), |error| error.source())
            .take(DEEPEST_CAUSE)
            .map(ToString::to_string)
            .collect();
        Self::from_texts(texts.iter().map(String::as_str), PlatformHint::None)
    }
}

fn classify(texts: &[&str], hint: PlatformHint) -> FailureClass {
    let texts: Vec<String> = texts.iter().map(|text| without_prefix(text)).collect();
    let any = |matches: fn(&str) -> bool| texts.iter().any(|text| matches(text));
    if any(is_superseded) {
        FailureClass::Superseded
    } else if any(is_memory_limit) {
        FailureClass::MemoryLimit
    } else if any(is_transient) || hint == PlatformHint::Retryable {
        FailureClass::Transient
    } else {
        FailureClass::Application
    }
}

/// The text in lower case without the names of error types that stand before it.
fn without_prefix(text: &str) -> String {
    let text = text.trim().to_ascii_lowercase();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once(": ") {
        if before.contains(' ') || !before.ends_with("error") {
            break;
        }
        rest = after.trim_start();
    }
    rest.to_owned()
}

fn is_superseded(text: &str) -> bool {
    // The second is a sentence that people also write about, so it must begin the text.
    text.contains("reset because its code was updated") || text.starts_with("this script has been upgraded")
}

fn is_memory_limit(text: &str) -> bool {
    // The text reaches us cut short at times.
    text.contains("exceeded its memory")
}

fn is_transient(text: &str) -> bool {
    text.contains("network connection lost")
        || (text.contains("storage") && text.contains("caused object to be reset"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_apart_by_their_texts() {
        use FailureClass::{Application, MemoryLimit, Superseded, Transient};
        let cases: [(&[&str], FailureClass); 11] = [
            (
                &["Durable Object reset because its code was updated."],
                Superseded,
            ),
            (
                &[
                    "Error: This script has been upgraded. Please send a new request to connect to the new version.",
                ],
                Superseded,
            ),
            (&["I read that this script has been upgraded"], Application),
            (
                &["the tool failed", "TypeError: Network connection lost."],
                Transient,
            ),
            (
                &["Internal error in Durable Object storage caused object to be reset."],
                Transient,
            ),
            (&["internal error"], Application),
            (
                &["Durable Object's isolate exceeded its memory limit and was reset."],
                MemoryLimit,
            ),
            (&["isolate exceeded its memory lim"], MemoryLimit),
            (
                &[
                    "network connection lost",
                    "Durable Object reset because its code was updated.",
                ],
                Superseded,
            ),
            (&[], Application),
            (&["no such user"], Application),
        ];
        for (texts, class) in cases {
            let failure = Failure::from_texts(texts.iter().copied(), PlatformHint::None);
            assert_eq!(failure.class, class, "{texts:?}");
        }
    }

    #[test]
    fn an_error_that_the_platform_marks_as_retryable_is_transient() {
        assert_eq!(
            Failure::from_texts(["odd"], PlatformHint::Retryable).class,
            FailureClass::Transient
        );
    }

    #[test]
    fn a_cause_is_looked_for_eight_deep_and_no_deeper() {
        let mut texts = vec!["outer"; 7];
        texts.push("network connection lost");
        let class = |texts: &[&str]| Failure::from_texts(texts.iter().copied(), PlatformHint::None).class;
        assert_eq!(class(&texts), FailureClass::Transient);
        texts.insert(0, "outermost");
        assert_eq!(class(&texts), FailureClass::Application);
    }

    #[test]
    fn the_sources_of_an_error_are_its_causes() {
        #[derive(Debug, thiserror::Error)]
        #[error("the save failed")]
        struct Outer(#[source] std::io::Error);
        let error = Outer(std::io::Error::other("Network connection lost."));
        let failure = Failure::from_error(&error);
        assert_eq!(failure.class, FailureClass::Transient);
        assert_eq!(failure.to_string(), "the save failed");
    }
}
