//! What the model is going to say, what the owner is, and when the process dies.

use flarebot_conversation::turn::Event;
use flarebot_model::{ModelEvent, ModelMessage, ModelRequest, ToolCall, ToolChoice};
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::Decision;
use serde_json::json;

/// What a model does when it is asked to go on.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Continuation {
    Continues,
    StartsOver,
    Overlaps,
}

/// What the model is going to say.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// For each step with tools, how often it calls each of them.
    pub(crate) tools: Vec<Calls>,
    /// What the owner says when asked, again and again from the beginning; so is whether the process dies right after.
    pub(crate) owner: Vec<(Decision, bool)>,
    /// How many numbered marks the text of every step has.
    pub(crate) marks: usize,
    pub(crate) continuation: Continuation,
    /// After how many effects the process dies, each time.
    pub(crate) lives: Vec<usize>,
    /// After how many marks the connection breaks, for the first calls of the model.
    pub(crate) cuts: Vec<usize>,
}

/// How often a step calls the tool that acts, the one that looks, and the one that the owner has to allow.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Calls {
    pub(crate) acts: usize,
    pub(crate) looks: usize,
    pub(crate) signs: usize,
}

impl Calls {
    pub(crate) fn count(self) -> usize {
        self.acts + self.looks + self.signs
    }
}

pub(crate) fn step_text(step: usize, marks: usize) -> String {
    (0..marks)
        .map(|number| format!("[{step}.{number:04} some words]"))
        .collect()
}

impl Plan {
    /// What the model answers to a request, from what the request holds alone.
    pub(crate) fn answer(&self, request: &ModelRequest, cut: Option<usize>) -> Vec<Event> {
        let calls = |message: &ModelMessage| matches!(message, ModelMessage::Assistant { calls, .. } if !calls.is_empty());
        let step = request.messages.iter().filter(|message| calls(message)).count();
        let whole = step_text(step, self.marks);
        let partial = match request.messages.as_slice() {
            [
                ..,
                ModelMessage::Assistant { text, calls, .. },
                ModelMessage::User { .. },
            ] if calls.is_empty() && goes_on(request) => text.as_str(),
            _ => "",
        };
        assert!(
            whole.starts_with(partial),
            "{partial:?} is what the model has said"
        );
        let from = match self.continuation {
            Continuation::Continues => partial.len(),
            Continuation::StartsOver => 0,
            Continuation::Overlaps => partial.len().saturating_sub(40),
        };
        let rest: Vec<char> = whole[from..].chars().collect();
        let mut events: Vec<Event> = rest
            .chunks(17)
            .map(|piece| Event::Model(ModelEvent::Text(piece.iter().collect())))
            .collect();
        if let Some(cut) = cut {
            events.truncate(cut);
            events.push(Event::ModelClosed);
            return events;
        }
        let reason = match self.tools.get(step) {
            Some(calls) if request.tool_choice == ToolChoice::Automatic && calls.count() > 0 => {
                let names = [("act", calls.acts), ("look", calls.looks), ("sign", calls.signs)];
                let all = names
                    .into_iter()
                    .flat_map(|(name, count)| (0..count).map(move |number| (name, number)));
                for (name, number) in all {
                    let id = format!("call-{name}-{number}");
                    let started = ModelEvent::ToolCallStarted {
                        id: id.clone(),
                        name: name.to_owned(),
                    };
                    let call = ToolCall {
                        id,
                        name: name.to_owned(),
                        arguments: json!({ "step": step }),
                    };
                    events.extend([started, ModelEvent::ToolCall(call)].map(Event::Model));
                }
                FinishReason::ToolCalls
            }
            _ => FinishReason::Stop,
        };
        events.push(Event::Model(ModelEvent::Finished(reason)));
        events
    }
}

/// Whether a model is asked to go on with what it was saying.
fn goes_on(request: &ModelRequest) -> bool {
    matches!(request.messages.last(), Some(ModelMessage::User { text }) if text.contains("cut off"))
}
