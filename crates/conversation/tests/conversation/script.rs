//! Scripts for the turn machine: events in order, and what came of them.

use crate::support::new_turn;
use flarebot_conversation::turn::{Effect, Event, Turn};
use flarebot_model::ModelEvent;
use flarebot_protocol::chunk::{Chunk, FinishReason};
use flarebot_protocol::message::{Message, Outcome};

pub(crate) fn text(text: &str) -> Event {
    Event::Model(ModelEvent::Text(text.to_owned()))
}

pub(crate) fn reasoning(text: &str) -> Event {
    Event::Model(ModelEvent::Reasoning(text.to_owned()))
}

pub(crate) fn finished(reason: FinishReason) -> Event {
    Event::Model(ModelEvent::Finished(reason))
}

/// Feeds the events, one millisecond apart, and collects all effects.
pub(crate) fn run(turn: &mut Turn, events: impl IntoIterator<Item = Event>) -> Vec<Effect> {
    let events = events.into_iter().zip(0..);
    events.flat_map(|(event, now)| turn.handle(event, now)).collect()
}

pub(crate) fn answer_to(
    events: impl IntoIterator<Item = Event>,
) -> (Vec<Effect>, Outcome, Message, Option<String>) {
    let mut turn = new_turn();
    let mut effects = run(&mut turn, std::iter::once(Event::Accepted).chain(events));
    assert!(turn.is_finished());
    match effects.pop() {
        Some(Effect::Finish {
            outcome,
            message,
            notice,
        }) => {
            assert_eq!(message.metadata.as_ref().unwrap().notice, notice);
            (effects, outcome, message, notice)
        }
        other => panic!("the last effect is {other:?}"),
    }
}

pub(crate) fn sent(effects: &[Effect]) -> Vec<Chunk> {
    let mut sent = Vec::new();
    for effect in effects {
        if let Effect::Send { seq, chunk } = effect {
            assert_eq!(*seq, sent.len() as u64);
            sent.push(chunk.clone());
        }
    }
    sent
}
