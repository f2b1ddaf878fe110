//! What a provider wants to see again of a model's thinking while the same answer goes on after calls of tools. It is
//! kept with the turn's state, goes to nobody but the model that thought it, and is gone when the turn ends.

use flarebot_model::{MAXIMUM_THOUGHT_BYTES, ModelMessage, Thought};
use serde::{Deserialize, Serialize};

/// The thoughts of an answer's steps, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Thinking(Vec<Step>);

/// What was thought before the calls of one step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Step {
    /// The first of the calls, whose id is unique within the answer.
    first_call: String,
    thoughts: Vec<Thought>,
}

impl Thinking {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keeps what was thought in a step whose first call is `first_call`. Of all steps together no more than one answer
    /// may bring is kept, so that the state stays below the limit of one stored value; the oldest give way.
    pub(super) fn keep(&mut self, first_call: &str, thoughts: Vec<Thought>) {
        self.0.push(Step {
            first_call: first_call.to_owned(),
            thoughts,
        });
        let mut bytes = 0_usize;
        let kept = self.0.iter().rev().take_while(|step| {
            bytes = bytes.saturating_add(step.bytes());
            bytes <= MAXIMUM_THOUGHT_BYTES
        });
        let dropped = self.0.len().saturating_sub(kept.count());
        self.0.drain(..dropped);
    }

    /// Puts the thoughts where they belong in the answer so far.
    pub(super) fn give_back(&self, answer: &mut [ModelMessage]) {
        for message in answer {
            let ModelMessage::Assistant { calls, thoughts, .. } = message else {
                continue;
            };
            let first = calls.first().map(|call| call.id.as_str());
            let step = self.0.iter().find(|step| Some(step.first_call.as_str()) == first);
            if let Some(step) = step {
                thoughts.clone_from(&step.thoughts);
            }
        }
    }
}

impl Step {
    fn bytes(&self) -> usize {
        self.thoughts.iter().map(Thought::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flarebot_model::{ThoughtContent, ToolCall};
    use serde_json::json;

    fn thought(data: &str) -> Thought {
        Thought {
            model: "model".to_owned(),
            content: ThoughtContent::Redacted {
                data: data.to_owned(),
            },
            text_before: 0,
            calls_before: 0,
        }
    }

    fn step(calls: &[&str]) -> ModelMessage {
        let calls = calls.iter().map(|id| ToolCall {
            id: (*id).to_owned(),
            name: "look".to_owned(),
            arguments: json!({}),
        });
        ModelMessage::Assistant {
            text: String::new(),
            calls: calls.collect(),
            thoughts: Vec::new(),
        }
    }

    fn given_back(thinking: &Thinking, mut answer: Vec<ModelMessage>) -> Vec<Vec<Thought>> {
        thinking.give_back(&mut answer);
        let thoughts = answer.into_iter().map(|message| match message {
            ModelMessage::Assistant { thoughts, .. } => thoughts,
            ModelMessage::User { .. } | ModelMessage::Tool { .. } => Vec::new(),
        });
        thoughts.collect()
    }

    #[test]
    fn each_step_gets_its_own_thoughts_back_and_nothing_else_does() {
        let mut thinking = Thinking::default();
        thinking.keep("a", vec![thought("one"), thought("two")]);
        thinking.keep("c", vec![thought("three")]);
        let answer = vec![step(&["a", "b"]), step(&["other"]), step(&["c"]), step(&[])];
        assert_eq!(
            given_back(&thinking, answer),
            [
                vec![thought("one"), thought("two")],
                vec![],
                vec![thought("three")],
                vec![]
            ]
        );
    }

    #[test]
    fn the_oldest_give_way_when_there_are_too_many() {
        let mut thinking = Thinking::default();
        let half = "x".repeat(MAXIMUM_THOUGHT_BYTES / 2);
        for call in ["a", "b", "c"] {
            thinking.keep(call, vec![thought(&half)]);
        }
        let answer = vec![step(&["a"]), step(&["b"]), step(&["c"])];
        assert_eq!(
            given_back(&thinking, answer),
            [vec![], vec![thought(&half)], vec![thought(&half)]]
        );
    }
}
