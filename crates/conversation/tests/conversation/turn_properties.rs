//! What holds for a turn whatever happens to it and whenever.

use crate::support::new_turn;
use flarebot_conversation::turn::{Effect, Event, MAXIMUM_INTERRUPTIONS, Turn};
use flarebot_model::{FailureKind, ModelEvent, ModelFailure};
use flarebot_protocol::chunk::{Chunk, FinishReason};
use flarebot_protocol::message::{Message, Role, Usage};
use flarebot_protocol::reduce;
use proptest::prelude::*;
use proptest::sample::select;

/// Events with the milliseconds before each. Endings are rare, so that most sequences grow long.
pub(crate) fn events() -> impl Strategy<Value = Vec<(Event, i64)>> {
    let long = (900..3000_usize).prop_map(|length| "long\n".repeat(length / 5));
    let text = prop_oneof![8 => ".{0,12}", 2 => long];
    let ending = select(vec![
        Event::Cancel,
        Event::ModelClosed,
        Event::Failed {
            sentence: "It failed.".to_owned(),
        },
        Event::Model(ModelEvent::Finished(FinishReason::Stop)),
        Event::Model(ModelEvent::Finished(FinishReason::Length)),
        Event::Model(ModelEvent::Failed(ModelFailure::new(FailureKind::Malformed))),
    ]);
    let noise = select(vec![
        Event::Accepted,
        Event::Resumed,
        Event::Decided,
        Event::Tick,
        Event::ModelActive,
        Event::Model(ModelEvent::Usage(Usage {
            input_tokens: 1,
            output_tokens: 2,
            ..Usage::default()
        })),
    ]);
    let event = prop_oneof![
        12 => text.clone().prop_map(|text| Event::Model(ModelEvent::Text(text))),
        3 => text.prop_map(|text| Event::Model(ModelEvent::Reasoning(text))),
        3 => noise,
        1 => ending,
    ];
    let wait = prop_oneof![10 => 0..60_i64, 4 => 60..400_i64, 1 => 400..70_000_i64];
    prop::collection::vec((event, wait), 0..60)
}

/// Runs a turn with an honest clock, which reports every deadline when it comes, until it ends. Calls `look` with the
/// effects of each event and its time.
pub(crate) fn run(turn: &mut Turn, events: Vec<(Event, i64)>, mut look: impl FnMut(i64, Vec<Effect>)) {
    let mut now = 1000;
    look(now, turn.handle(Event::Accepted, now));
    for (event, wait) in events {
        let then = now + wait;
        while let Some(deadline) = turn.deadline().filter(|deadline| *deadline <= then) {
            look(deadline, turn.handle(Event::Tick, deadline));
        }
        now = then;
        look(now, turn.handle(event, now));
    }
    // Each minute of silence is followed by another attempt, until none is left.
    for _ in 0..20 {
        if let Some(deadline) = turn.deadline() {
            look(deadline, turn.handle(Event::Tick, deadline));
        }
    }
}

/// What an observer of all effects knows, with the rules that hold after each of them.
#[derive(Default)]
struct Observer {
    sent: Vec<(i64, Chunk)>,
    logged: Vec<Chunk>,
    checkpoints: usize,
    calls: usize,
    stops: usize,
    finished: Option<Message>,
}

impl Observer {
    fn see(&mut self, now: i64, effect: Effect) {
        assert!(self.finished.is_none(), "after the end came {effect:?}");
        match effect {
            Effect::Checkpoint(_) => self.checkpoints += 1,
            Effect::CallModel(_) => {
                self.calls += 1;
                // The first one follows from the turn's claim.
                assert_eq!(
                    self.checkpoints + 1,
                    self.calls,
                    "a checkpoint precedes each further call"
                );
            }
            Effect::StopModel => {
                self.stops += 1;
                assert!(self.stops <= self.calls, "only what was begun is stopped");
            }
            Effect::RunTool { .. }
            | Effect::StopTool { .. }
            | Effect::Rewind(_)
            | Effect::Compact { .. }
            | Effect::Pause { .. } => {
                panic!("there are no tools, nobody died, and nothing is too long: {effect:?}")
            }
            Effect::Append { first_seq, chunks } => {
                assert_eq!(first_seq, self.logged.len() as u64, "the log has no gaps");
                assert!(!chunks.is_empty());
                self.logged.extend(chunks);
            }
            Effect::Send { seq, chunk } => {
                assert_eq!(seq, self.sent.len() as u64, "numbers have no gaps");
                self.sent.push((now, chunk));
                let unlogged: usize = self.unlogged().map(|(_, chunk)| chunk.payload_bytes()).sum();
                assert!(unlogged < 1024, "{unlogged} bytes were sent and are not logged");
            }
            Effect::Finish {
                outcome,
                message,
                notice,
            } => {
                let sent: Vec<Chunk> = self.sent.iter().map(|(_, chunk)| chunk.clone()).collect();
                assert!(sent.starts_with(&self.logged), "the log is what was sent");
                let metadata = message.metadata.as_ref().unwrap();
                assert_eq!(metadata.outcome, Some(outcome));
                assert_eq!(metadata.notice, notice);
                let empty = Message {
                    id: message.id.clone(),
                    role: Role::Assistant,
                    parts: Vec::new(),
                    metadata: None,
                };
                let reduced = reduce(empty, &sent);
                assert_eq!(
                    reduced.parts, message.parts,
                    "what was sent reduces to the message"
                );
                self.finished = Some(message);
            }
        }
    }

    fn unlogged(&self) -> impl Iterator<Item = &(i64, Chunk)> {
        self.sent.iter().skip(self.logged.len())
    }
}

proptest! {
    #[test]
    fn every_turn_keeps_its_rules_and_ends(events in events()) {
        let progress = events.len();
        let mut turn = new_turn();
        let mut observer = Observer::default();
        run(&mut turn, events, |now, effects| {
            for effect in effects {
                observer.see(now, effect);
            }
            // The end is stored with the whole message.
            let unlogged = observer.unlogged().filter(|_| observer.finished.is_none());
            for (sent_at, chunk) in unlogged {
                assert!(now - sent_at < 250, "{chunk:?} waits for {} ms", now - sent_at);
            }
        });
        prop_assert!(turn.is_finished());
        prop_assert!(observer.finished.is_some());
        prop_assert!(observer.calls <= 1 + MAXIMUM_INTERRUPTIONS as usize * (1 + progress));
    }

    #[test]
    fn no_sequence_without_a_beginning_calls_the_model(events in events()) {
        let mut turn = new_turn();
        for (event, now) in events {
            if event == Event::Accepted {
                continue;
            }
            let effects = turn.handle(event, now);
            let called = effects.iter().any(|effect| matches!(effect, Effect::CallModel(_)));
            prop_assert!(!called);
        }
    }
}
