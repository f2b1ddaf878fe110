//! What the provider is told to do, and how it is told: a test sends the script as the owner's message.
//!
//! A script therefore travels through the whole system, needs no side channel, and works for every client, be it in
//! Rust, in Node or in a browser. A message that is no script gets a short, ordinary answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::ops::Range;

pub(super) const PREFIX: &str = "script ";

/// What the provider answers when it is asked for a summary of a conversation.
pub const SUMMARY: &str = "A summary: they tried several scripts.";

/// The label of the requests for a summary.
pub const SUMMARY_LABEL: &str = "summary";

/// The course of one answer. Everything has a default, so a script says only what is special.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Script {
    /// The test's name for this request; also the name of its gate.
    pub label: String,
    /// The HTTP status. Anything but 200 answers with an error body at once; 0 hangs up without a word.
    pub status: u16,
    /// The header `Retry-After` of an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<String>,
    /// How long the response headers take, in milliseconds.
    pub headers_after: u64,
    /// How long the first text takes after the headers, in milliseconds.
    pub first_text_after: u64,
    /// The answer's text, cut into `chunks` pieces; without it, each chunk is a numbered mark of `bytes` bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Reasoning that comes before the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The calls of tools that come before the answer's last step, step by step. A caller that offers no tools gets none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Vec<Call>>,
    /// How many pieces of the text come before the calls of each step; the rest follows the last results.
    pub spoken: u32,
    /// How the answer goes on when the caller shows what it has of it and asks for the rest.
    pub continuation: Continuation,
    /// How the first requests under the label fail, before one is played as it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<Faults>,
    /// How many pieces of text there are.
    pub chunks: u32,
    /// How long a numbered mark is, in bytes.
    pub bytes: usize,
    /// The time between two pieces, in milliseconds.
    pub gap: u64,
    /// Whether a numbered mark carries the time at which it was written; see [`super::Clock`].
    pub stamped: bool,
    /// After how many pieces the answer waits for [`super::Provider::release`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate_after: Option<u32>,
    /// After how many pieces one event that is not JSON is slipped in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub malformed_after: Option<u32>,
    /// Whether the answer is an event stream.
    pub form: Form,
    /// How lines of the event stream end.
    pub line_end: LineEnd,
    /// How bytes are handed to the network.
    pub writes: Writes,
    /// How the answer ends after its last piece.
    pub ending: Ending,
    /// The finish reason of a proper end.
    pub finish_reason: String,
    /// Prompt and completion tokens of a proper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<(u64, u64)>,
}

/// One call of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The tool.
    pub name: String,
    /// What it is called with.
    pub arguments: Value,
}

/// How an answer goes on after what the caller has of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Continuation {
    /// Right after it.
    #[default]
    Continues,
    /// From the beginning of the step.
    StartsOver,
    /// With so many bytes of its end once more, or a little less, so that no character is cut.
    Overlaps(usize),
}

/// How the first requests under a label fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Faults {
    /// How many of them do.
    pub requests: u32,
    /// Which piece of the whole answer none of them gets to, nor to any call of a tool that comes after it.
    pub before_piece: u32,
    /// How they end instead.
    pub ending: Ending,
}

/// Whether an answer is an event stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Server-sent events.
    EventStream,
    /// One JSON document, from a provider that ignores `"stream": true`.
    Document,
    /// A web page, of whatever stands between the caller and the provider.
    Page,
}

/// How lines of an event stream end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineEnd {
    /// Line feed.
    Lf,
    /// Carriage return and line feed.
    CrLf,
    /// Carriage return alone.
    Cr,
}

/// How bytes are handed to the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Writes {
    /// One write an event.
    Events,
    /// One write a byte, which splits lines, keywords and characters anywhere.
    Bytes,
}

/// How an answer ends after its last piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// A finish reason, then `[DONE]`.
    Done,
    /// A finish reason, but no `[DONE]`.
    NoDone,
    /// The body ends properly, without finish reason and `[DONE]`.
    NoFinish,
    /// An error event inside the running answer.
    ErrorEvent,
    /// The conversation is refused as too long for the model: with a status of its own before the first piece, and with an
    /// error event after it.
    TooLong,
    /// The connection is cut.
    Cut,
    /// Nothing more ever comes, and the connection stays open.
    Silence,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            label: String::new(),
            status: 200,
            retry_after: None,
            headers_after: 0,
            first_text_after: 0,
            text: None,
            reasoning: None,
            tools: Vec::new(),
            spoken: 0,
            continuation: Continuation::Continues,
            faults: None,
            chunks: 3,
            bytes: 12,
            gap: 0,
            stamped: false,
            gate_after: None,
            malformed_after: None,
            form: Form::EventStream,
            line_end: LineEnd::Lf,
            writes: Writes::Events,
            ending: Ending::Done,
            finish_reason: "stop".to_owned(),
            usage: None,
        }
    }
}

impl Script {
    /// A script whose request the provider remembers under `label`.
    #[must_use]
    pub fn labelled(label: &str) -> Self {
        Self {
            label: label.to_owned(),
            ..Self::default()
        }
    }

    /// Reads the script in an owner's message; a message that is none gets an ordinary answer.
    ///
    /// # Errors
    /// A script that is misspelt, so that no test runs with another one than it wrote.
    pub fn read(message: &str) -> Result<Self, serde_json::Error> {
        match message.strip_prefix(PREFIX) {
            Some(script) => serde_json::from_str(script),
            None => Ok(Self {
                label: message.to_owned(),
                text: Some(format!("You said: {message}")),
                chunks: 4,
                ..Self::default()
            }),
        }
    }

    /// Whether an owner's message is a script.
    pub(super) fn is_in(message: &str) -> bool {
        message.starts_with(PREFIX)
    }

    /// The answer to a request for a summary, which is the runtime's own and holds no script of its own.
    pub(super) fn summary(gate_after: Option<u32>) -> Self {
        Self {
            text: Some(SUMMARY.to_owned()),
            gate_after,
            ..Self::labelled(SUMMARY_LABEL)
        }
    }

    /// Piece number `index` of the answer. `micros` is the time of writing, which a stamped piece carries.
    #[must_use]
    pub fn piece(&self, index: u32, micros: u64) -> String {
        match &self.text {
            Some(text) => {
                let characters: Vec<char> = text.chars().collect();
                let border = |index: u32| {
                    let pieces = usize::try_from(self.chunks.max(1)).unwrap();
                    usize::try_from(index).unwrap() * characters.len() / pieces
                };
                characters[border(index)..border(index + 1)].iter().collect()
            }
            None if self.stamped => pad(&format!("#{index:06}@{micros}"), self.bytes),
            None => pad(&format!("#{index:06}"), self.bytes),
        }
    }

    /// The pieces and the calls of the step number `step`, counted from 0.
    pub(super) fn step(&self, step: usize, may_call: bool) -> (Range<u32>, &[Call]) {
        let border = |step: usize| {
            let pieces = u32::try_from(step).unwrap().saturating_mul(self.spoken);
            pieces.min(self.chunks)
        };
        match self.tools.get(step) {
            Some(calls) if may_call => (border(step)..border(step + 1), calls),
            Some(_) | None => (border(step.min(self.tools.len()))..self.chunks, &[]),
        }
    }

    /// The text of the first `pieces` pieces of an unstamped answer.
    #[must_use]
    pub fn text_of(&self, pieces: u32) -> String {
        assert!(!self.stamped, "the text of a stamped script depends on time");
        (0..pieces).map(|index| self.piece(index, 0)).collect()
    }

    /// The whole text of an unstamped answer.
    #[must_use]
    pub fn whole_text(&self) -> String {
        self.text_of(self.chunks)
    }
}

impl fmt::Display for Script {
    /// The message that an owner sends to have this script played.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let script = serde_json::to_string(self).map_err(|_| fmt::Error)?;
        write!(formatter, "{PREFIX}{script}")
    }
}

/// A mark of exactly so many bytes. (A format's width ends at 65,535.)
fn pad(mark: &str, bytes: usize) -> String {
    let dots = bytes.saturating_sub(mark.len() + 1);
    format!("{mark}{};", ".".repeat(dots))
}
