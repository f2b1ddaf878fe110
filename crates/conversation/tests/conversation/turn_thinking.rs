//! What a model thought before it called tools.

use crate::script::{finished, text};
use crate::support::claimed;
use crate::turn_tools::{call, context_with_tools, requests, returned, turn};
use flarebot_conversation::ledger::ClaimedTurn;
use flarebot_conversation::stream_log::LoggedStream;
use flarebot_conversation::turn::{Effect, Event, Turn};
use flarebot_model::{ModelEvent, ModelMessage, ModelRequest, Thought, ThoughtContent};
use flarebot_protocol::chunk::FinishReason;
use serde_json::json;

fn thought(data: &str) -> Thought {
    Thought {
        model: "small".to_owned(),
        content: ThoughtContent::Redacted {
            data: data.to_owned(),
        },
        text_before: 0,
        calls_before: 0,
    }
}

fn thoughts(request: &ModelRequest) -> Vec<Vec<Thought>> {
    let answers = request.messages.iter().filter_map(|message| match message {
        ModelMessage::Assistant { thoughts, .. } => Some(thoughts.clone()),
        _ => None,
    });
    answers.collect()
}

#[test]
fn what_the_model_thought_before_a_call_is_given_back_with_the_result_and_is_durable_before_the_call() {
    let mut turn = turn();
    turn.handle(Event::Accepted, 0);
    turn.handle(Event::Model(ModelEvent::Thought(thought("why"))), 5);
    turn.handle(call("a", "look"), 10);
    let finished = turn.handle(finished(FinishReason::ToolCalls), 20);
    let checkpoint = finished
        .iter()
        .position(|effect| matches!(effect, Effect::Checkpoint(_)));
    let logged = finished
        .iter()
        .position(|effect| matches!(effect, Effect::Append { .. }));
    assert!(checkpoint.unwrap() < logged.unwrap());
    let Effect::Checkpoint(state) = &finished[checkpoint.unwrap()] else {
        panic!("it is one");
    };

    let effects = turn.handle(returned("a", json!("seen")), 30);
    assert_eq!(thoughts(requests(&effects)[0]), [vec![thought("why")]]);

    // The same after the instance was lost.
    let mut chunks = Vec::new();
    for effect in &finished {
        if let Effect::Append { chunks: more, .. } = effect {
            chunks.extend(more.iter().cloned());
        }
    }
    let next_seq = chunks.len() as u64;
    let mut resumed = Turn::resume(
        ClaimedTurn {
            attempts: 2,
            ..claimed()
        },
        context_with_tools(),
        state.clone(),
        LoggedStream { chunks, next_seq },
    );
    resumed.handle(Event::Resumed, 100);
    let effects = resumed.handle(returned("a", json!("seen")), 110);
    assert_eq!(thoughts(requests(&effects)[0]), [vec![thought("why")]]);
}

#[test]
fn what_the_model_thought_is_in_no_message_and_no_checkpoint_without_calls() {
    let mut turn = turn();
    turn.handle(Event::Accepted, 0);
    let secret = "thought-for-nobody-else";
    turn.handle(Event::Model(ModelEvent::Thought(thought(secret))), 5);
    turn.handle(text("Answer."), 10);
    let effects = turn.handle(finished(FinishReason::Stop), 20);
    assert!(!format!("{effects:?}").contains(secret));
}
