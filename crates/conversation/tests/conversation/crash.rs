//! The machine and the storage together, with a process that dies after any effect and one that takes over.

use crate::support::{accept, claim, complete, context, database, delta_text, transcript_ids};
use crate::turn_properties;
use flarebot_conversation::ledger::{self, Settlement};
use flarebot_conversation::turn::{Effect, Event, Turn};
use flarebot_conversation::{stream_log, transcript};
use flarebot_model::ModelEvent;
use flarebot_protocol::chunk::{Chunk, FinishReason};
use flarebot_protocol::message::{Message, Outcome, Part};
use flarebot_sql::native::Database;
use proptest::prelude::*;

/// What the world saw of a turn until its process died.
#[derive(Default)]
struct World {
    sent: Vec<Chunk>,
    logged: usize,
    settled: Option<Message>,
    effects: usize,
}

impl World {
    /// Carries out effects until `crash_after` of them were; says whether the process still lives.
    fn carry_out(
        &mut self,
        database: &Database,
        turn: &Turn,
        effects: Vec<Effect>,
        crash_after: usize,
    ) -> bool {
        for effect in effects {
            if self.effects == crash_after {
                return false;
            }
            self.effects += 1;
            match effect {
                Effect::Checkpoint(state) => {
                    let settlement = ledger::checkpoint(database, turn.request_id(), &state).unwrap();
                    assert_eq!(settlement, Settlement::Applied);
                }
                Effect::CallModel(_) | Effect::StopModel => {}
                Effect::Append { first_seq, chunks } => {
                    stream_log::append(database, turn.request_id(), first_seq, &chunks).unwrap();
                    self.logged += chunks.len();
                }
                Effect::Send { chunk, .. } => self.sent.push(chunk),
                Effect::Finish { outcome, message, .. } => {
                    let settlement =
                        ledger::settle(database, turn.request_id(), outcome, &message, 100).unwrap();
                    assert_eq!(settlement, Settlement::Applied);
                    assert!(self.settled.is_none(), "a turn is settled once");
                    self.settled = Some(message);
                }
            }
        }
        true
    }
}

/// Runs a turn whose process dies after `crash_after` effects; then a later one takes over. `None` when the turn has
/// fewer effects than that.
fn crash_and_resume(events: Vec<(Event, i64)>, crash_after: usize) -> Option<()> {
    let database = database();
    accept(&database, "a");
    let claimed = claim(&database);
    let mut turn = Turn::new(
        claimed.request_id.clone(),
        claimed.assistant_message_id.clone(),
        context(),
    );
    let mut before = World::default();
    let mut steps = Vec::new();
    turn_properties::run(&mut turn, events, |_, effects| steps.push(effects));
    let alive = steps
        .into_iter()
        .all(|effects| before.carry_out(&database, &turn, effects, crash_after));
    if alive {
        return None;
    }
    assert!(before.settled.is_none(), "the end is the last effect");

    let restarted = database.copy().unwrap();
    assert_eq!(ledger::claim_next(&restarted, "instance-2", 200), Ok(None));
    let lost = ledger::lost(&restarted, "instance-2")
        .unwrap()
        .expect("the turn is lost");
    let logged = stream_log::read(&restarted, &lost.turn.request_id).unwrap();
    assert_eq!(logged.next_seq, before.logged as u64);
    let durable = delta_text(&logged.chunks);
    let sent = delta_text(&before.sent);
    assert!(
        sent.starts_with(&durable) || durable.starts_with(&sent),
        "the log and the sockets have the same text"
    );
    assert!(
        sent.len() < durable.len() + 1024,
        "too much text was sent and is lost"
    );

    let mut turn = Turn::resume(lost.state, logged);
    let mut after = World::default();
    let effects = turn.handle(Event::Resumed, 300);
    assert!(after.carry_out(&restarted, &turn, effects, usize::MAX));
    let message = after.settled.expect("the turn ends");
    assert!(after.sent.is_empty(), "no number may mean two texts");
    assert_eq!(content(&message), durable, "exactly what was durable is kept");

    let kept = transcript::all(&restarted).unwrap();
    let answers: Vec<&Message> = kept.iter().filter(|kept| kept.id == message.id).collect();
    assert_eq!(answers, [&message]);
    assert_eq!(ledger::lost(&restarted, "instance-3"), Ok(None));
    complete(&restarted, "b", "hello");
    assert_eq!(
        transcript_ids(&restarted),
        ["user-a", "answer-a", "user-b", "answer-b"]
    );
    Some(())
}

fn content(message: &Message) -> String {
    let texts = message.parts.iter().map(|part| match part {
        Part::Text { text, .. } | Part::Reasoning { text, .. } => text.as_str(),
        Part::StepStart | Part::Tool(_) => "",
    });
    texts.collect()
}

#[test]
fn after_a_crash_at_any_effect_the_durable_text_is_kept_once_and_the_turn_ends() {
    let text = |text: &str| Event::Model(ModelEvent::Text(text.to_owned()));
    let script = || {
        vec![
            (Event::Model(ModelEvent::Reasoning("Hm.".to_owned())), 10),
            (text("one "), 10),
            (text("two "), 10),
            (text(&"three ".repeat(200)), 300),
            (text("four"), 10),
            (Event::Model(ModelEvent::Finished(FinishReason::Stop)), 10),
        ]
    };
    let crashes = (0..).take_while(|crash_after| crash_and_resume(script(), *crash_after).is_some());
    assert!(crashes.count() > 15);
}

#[test]
fn a_stopped_answer_beats_the_model_that_ended_it_later() {
    let database = database();
    accept(&database, "a");
    let claimed = claim(&database);
    let mut turn = Turn::new(claimed.request_id, claimed.assistant_message_id, context());
    let mut world = World::default();
    for event in [
        Event::Accepted,
        Event::Model(ModelEvent::Text("Half".to_owned())),
        Event::Cancel,
        Event::Model(ModelEvent::Text(" and more".to_owned())),
        Event::Model(ModelEvent::Finished(FinishReason::Stop)),
    ] {
        let effects = turn.handle(event, 50);
        world.carry_out(&database, &turn, effects, usize::MAX);
    }
    let stored = transcript::all(&database).unwrap();
    assert_eq!(stored[1].text(), "Half");
    let metadata = stored[1].metadata.as_ref().unwrap();
    assert_eq!(metadata.outcome, Some(Outcome::Aborted));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_crash_in_any_turn_loses_nothing_durable(
        events in turn_properties::events(),
        crash_after in 0..200_usize,
    ) {
        crash_and_resume(events, crash_after);
    }
}
