//! Reads one command's options. A reader of forty lines keeps the start-up at seconds: an argument library would cost more
//! to build than the rest of this crate.

use crate::failure::{Failure, Result};

/// The words behind a command's name, taken out one option at a time.
pub(crate) struct Arguments {
    words: Vec<String>,
}

impl Arguments {
    pub(crate) fn new(words: impl Iterator<Item = String>) -> Self {
        Self {
            words: words.collect(),
        }
    }

    /// Prints `text` and answers true if the words ask for help.
    pub(crate) fn wants_help(&self, text: &str) -> bool {
        let wanted = self.words.iter().any(|word| word == "--help" || word == "-h");
        if wanted {
            println!("{text}");
        }
        wanted
    }

    /// Takes an option without a value.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() < before
    }

    /// Takes an option with a value, written `--name value` or `--name=value`.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>> {
        let joined = format!("{name}=");
        if let Some(at) = self.words.iter().position(|word| word.starts_with(&joined)) {
            return Ok(self.words.remove(at).strip_prefix(&joined).map(str::to_owned));
        }
        let Some(at) = self.words.iter().position(|word| word == name) else {
            return Ok(None);
        };
        self.words.remove(at);
        match self.words.get(at) {
            Some(value) if !value.starts_with("--") => Ok(Some(self.words.remove(at))),
            _ => Err(Failure::new(
                format!("`{name}` needs a value"),
                "write it as `--name value` or `--name=value`",
            )),
        }
    }

    /// What is left once every option was taken: plain words only.
    pub(crate) fn rest(self) -> Result<Vec<String>> {
        match self.words.iter().find(|word| word.starts_with('-')) {
            Some(unknown) => Err(Failure::new(
                format!("unknown option `{unknown}`"),
                "run the command with `--help` for its options",
            )),
            None => Ok(self.words),
        }
    }

    /// For a command that takes no plain words.
    pub(crate) fn finish(self) -> Result<()> {
        match self.rest()?.first() {
            Some(word) => Err(Failure::new(
                format!("unexpected `{word}`"),
                "run the command with `--help` for its options",
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Arguments;

    fn arguments(line: &str) -> Arguments {
        Arguments::new(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_read_in_both_spellings_and_plain_words_stay() {
        let mut read = arguments("native --port 9000 --model=http://localhost:1/v1 --fresh browser");
        assert_eq!(read.value("--port").unwrap().as_deref(), Some("9000"));
        assert_eq!(
            read.value("--model").unwrap().as_deref(),
            Some("http://localhost:1/v1")
        );
        assert!(read.flag("--fresh") && !read.flag("--watch"));
        assert_eq!(read.rest().unwrap(), ["native", "browser"]);
    }

    #[test]
    fn a_missing_value_and_an_unknown_option_are_refused() {
        assert!(arguments("--port --fresh").value("--port").is_err());
        assert!(arguments("--port").value("--port").is_err());
        assert!(arguments("--prot 1").rest().is_err());
        assert!(arguments("surprise").finish().is_err());
    }
}
