//! What a model may be told of a conversation, message by stored message: a border is drawn between messages only, so that
//! a call of a tool and its result stay on the same side of it.

use flarebot_model::ModelMessage;

/// How much of the newest messages stays when the older ones are summarised, in estimated tokens. Less, if the model
/// refused less than twice as much: half of what was too much is the most that is known to fit.
pub const KEPT_TOKENS: usize = 20_000;

/// How many of the newest messages stay whatever their size: the one that is answered, and the two before it.
pub const KEPT_MESSAGES: usize = 3;

/// Stands for messages that a model is not told of.
const LEFT_OUT: &str = "[Older messages of this conversation are left out here.]";

/// A conversation up to the message that is answered, as far as a model is told of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// What stands for the oldest messages, if they were summarised.
    pub summary: Option<Summary>,
    /// Whether all of what follows is told.
    pub coverage: Coverage,
    /// The messages that follow, oldest first. Each of them says something.
    pub said: Vec<Said>,
}

/// Whether messages are missing between the summary, or the beginning, and those that are told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Coverage {
    /// None is.
    #[default]
    Whole,
    /// The older ones are.
    Newest,
}

/// What stands for all messages up to one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The position of the last message that it stands for.
    pub through: i64,
    /// What a model wrote of them.
    pub text: String,
}

/// One stored message, in the steps that a model sees.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// Its position in the transcript.
    pub position: i64,
    /// At least one step.
    pub messages: Vec<ModelMessage>,
}

impl History {
    /// All of it, as a model gets it.
    #[must_use]
    pub fn messages(&self) -> Vec<ModelMessage> {
        let summary = self.summary.as_ref().map(Summary::message);
        let mark = (self.coverage == Coverage::Newest).then(|| user(LEFT_OUT));
        let said = self.said.iter().flat_map(|said| said.messages.iter().cloned());
        summary.into_iter().chain(mark).chain(said).collect()
    }

    /// What it takes of a model's context, estimated.
    pub(crate) fn tokens(&self) -> usize {
        tokens(&self.messages())
    }

    /// The position of the last message that may be summarised or left out, in favour of an answer that takes
    /// `answer_tokens` so far. `None` when all of it has to stay.
    pub(crate) fn border(&self, answer_tokens: usize) -> Option<i64> {
        let half = self.tokens().saturating_add(answer_tokens) / 2;
        let room = KEPT_TOKENS.min(half).saturating_sub(answer_tokens);
        let mut kept_tokens = 0_usize;
        let kept = self.said.iter().rev().enumerate().take_while(|(place, said)| {
            kept_tokens = kept_tokens.saturating_add(tokens(&said.messages));
            *place < KEPT_MESSAGES || kept_tokens <= room
        });
        let older = self.said.len().saturating_sub(kept.count());
        let last = older.checked_sub(1)?;
        self.said.get(last).map(|said| said.position)
    }

    /// The messages up to the position `through`, with the summary before them, and nothing after.
    pub(crate) fn older(&self, through: i64) -> Self {
        let mut older = self.clone();
        older.said.retain(|said| said.position <= through);
        older
    }

    /// What is left with a summary in place of what it stands for.
    pub(crate) fn summarised(&self, summary: Summary) -> Self {
        Self {
            coverage: Coverage::Whole,
            said: self.after(summary.through),
            summary: Some(summary),
        }
    }

    /// What is left without the messages up to the position `through`.
    pub(crate) fn shortened(&self, through: i64) -> Self {
        Self {
            coverage: Coverage::Newest,
            said: self.after(through),
            summary: self.summary.clone(),
        }
    }

    fn after(&self, through: i64) -> Vec<Said> {
        let newer = self.said.iter().filter(|said| said.position > through);
        newer.cloned().collect()
    }
}

impl Summary {
    fn message(&self) -> ModelMessage {
        user(&format!(
            "[Summary of the older messages of this conversation, which are not repeated. A model wrote it.]\n{}\n\
             [End of the summary]",
            self.text
        ))
    }
}

/// What messages take of a model's context, estimated from their text and from what tools were given and returned. No
/// provider's count is known before a call.
pub(crate) fn tokens(messages: &[ModelMessage]) -> usize {
    messages.iter().map(message_tokens).sum()
}

fn message_tokens(message: &ModelMessage) -> usize {
    let measured = match message {
        ModelMessage::User { text } => measure(text),
        ModelMessage::Assistant { text, calls, .. } => calls.iter().fold(measure(text), |measured, call| {
            measured
                .and(measure(&call.name))
                .and(measure(&call.arguments.to_string()))
        }),
        ModelMessage::Tool { output, .. } => measure(output),
    };
    measured.tokens()
}

#[derive(Clone, Copy)]
struct Measure {
    characters: usize,
    words: usize,
}

fn measure(text: &str) -> Measure {
    Measure {
        characters: text.chars().count(),
        words: text.split_whitespace().count(),
    }
}

impl Measure {
    fn and(self, other: Self) -> Self {
        Self {
            characters: self.characters.saturating_add(other.characters),
            words: self.words.saturating_add(other.words),
        }
    }

    fn tokens(self) -> usize {
        let by_words = self.words.saturating_mul(13) / 10;
        (self.characters / 4).max(by_words).saturating_add(4)
    }
}

fn user(text: &str) -> ModelMessage {
    ModelMessage::User {
        text: text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flarebot_model::ToolCall;
    use serde_json::json;

    fn said(position: i64, tokens: usize) -> Said {
        Said {
            position,
            messages: vec![user(&"x".repeat((tokens - 4) * 4))],
        }
    }

    fn history(sizes: &[usize]) -> History {
        History {
            said: (1..)
                .zip(sizes)
                .map(|(position, size)| said(position, *size))
                .collect(),
            ..History::default()
        }
    }

    #[test]
    fn letters_words_and_what_tools_say_are_counted() {
        assert_eq!(tokens(&[user("")]), 4);
        assert_eq!(tokens(&[user("characters count here")]), 9);
        assert_eq!(tokens(&[user("a b c d e f g h i j")]), 17);
        let called = ModelMessage::Assistant {
            text: String::new(),
            calls: vec![ToolCall {
                id: "call".to_owned(),
                name: "look".to_owned(),
                arguments: json!({ "key": "x".repeat(386) }),
            }],
            thoughts: Vec::new(),
        };
        let returned = ModelMessage::Tool {
            call_id: "call".to_owned(),
            name: "look".to_owned(),
            output: "x".repeat(400),
        };
        assert_eq!(tokens(&[called, returned]), 104 + 104);
    }

    #[test]
    fn the_newest_messages_within_the_estimate_stay() {
        assert_eq!(
            history(&[30_000, 9_000, 5_000, 5_000, 5_000, 5_000]).border(0),
            Some(2)
        );
        assert_eq!(history(&[30_000, 5_000, 5_000, 5_000, 5_000]).border(0), Some(1));
    }

    #[test]
    fn half_of_what_was_too_much_stays_at_the_most() {
        assert_eq!(history(&[1_000; 10]).border(0), Some(5));
        assert_eq!(
            history(&[1_000; 10]).border(2_000),
            Some(6),
            "the answer takes its part"
        );
    }

    #[test]
    fn the_message_that_is_answered_stays_with_the_two_before_it_whatever_their_size() {
        assert_eq!(history(&[100, 50_000, 50_000, 50_000]).border(9_000), Some(1));
        assert_eq!(history(&[50_000, 50_000, 50_000]).border(0), None);
        assert_eq!(history(&[]).border(0), None);
    }

    #[test]
    fn what_stands_for_older_messages_comes_first() {
        let history = history(&[10, 10, 10, 10, 10]);
        let summary = Summary {
            through: 2,
            text: "They spoke.".to_owned(),
        };
        let summarised = history.summarised(summary);
        let messages = summarised.messages();
        assert!(matches!(&messages[0], ModelMessage::User { text } if text.contains("\nThey spoke.\n")));
        assert_eq!(messages[1..], history.messages()[2..]);
        let shortened = summarised.shortened(4).messages();
        assert_eq!(shortened[0], messages[0], "an earlier summary stays");
        assert_eq!(shortened[1..], [user(LEFT_OUT), history.messages()[4].clone()]);
    }
}
