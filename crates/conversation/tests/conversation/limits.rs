//! Whatever is said, called and returned: every value that enters storage is within the limit of one value.

use crate::support::{accept, claim, context, database, message_id, request, request_id, text_delta};
use flarebot_conversation::action::{self, ActionResult, Claim};
use flarebot_conversation::ledger::{self, Acceptance, Settlement};
use flarebot_conversation::stream_log::LoggedStream;
use flarebot_conversation::transcript::{self, MODEL_READ_BYTES, NEWEST_BYTES};
use flarebot_conversation::turn::{Effect, Event, Turn, TurnContext};
use flarebot_conversation::{stream_log, turn};
use flarebot_model::{MAXIMUM_CALL_BYTES, MAXIMUM_CALLS, ModelEvent, ToolCall};
use flarebot_protocol::MAXIMUM_MESSAGE_BYTES;
use flarebot_protocol::chunk::{Chunk, FinishReason};
use flarebot_protocol::message::{Message, Metadata, Outcome, Part, Role, Usage};
use flarebot_protocol::tool_activity::ActivityKind;
use flarebot_sql::native::Database;
use flarebot_sql::{MAXIMUM_VALUE_BYTES, Sql};
use flarebot_tool::{ActivityDescriptor, Approval, Repetition, ToolDescriptor};
use proptest::prelude::*;
use serde_json::json;

/// Text that takes six times its length as JSON.
fn worst(length: usize) -> String {
    "\u{1}".repeat(length)
}

fn tools_context() -> TurnContext {
    TurnContext {
        tools: vec![ToolDescriptor {
            name: "look",
            description: "A tool.",
            parameters: json!({ "type": "object" }),
            repetition: Repetition::Harmless,
            approval: Approval::NotNeeded,
            deadline_milliseconds: 1_000,
            activity: ActivityDescriptor::new(ActivityKind::Other, "Test"),
        }],
        ..context()
    }
}

/// The largest stored value of a column.
fn largest(sql: &impl Sql, column: &str, table: &str) -> usize {
    let query = format!("SELECT coalesce(max(length(CAST({column} AS BLOB))), 0) FROM {table}");
    usize::try_from(sql.exec(&query, &[]).unwrap()[0].integer(0).unwrap()).unwrap()
}

/// What the calls of an answer are, and what comes of them.
#[derive(Debug, Clone)]
struct Sizes<'a> {
    names: &'a [&'a str],
    arguments: usize,
    output: usize,
    fails: bool,
    says: usize,
}

/// A turn whose every effect is stored.
struct Playing {
    database: Database,
    turn: Turn,
    calls: Vec<String>,
    ended: bool,
}

impl Playing {
    fn begin(context: TurnContext) -> Self {
        let database = database();
        accept(&database, "a");
        let turn = Turn::new(claim(&database), context);
        let mut playing = Self {
            database,
            turn,
            calls: Vec::new(),
            ended: false,
        };
        playing.hear(Event::Accepted);
        playing
    }

    fn hear(&mut self, event: Event) {
        let id = self.turn.request_id().clone();
        for effect in self.turn.handle(event, 50) {
            match effect {
                Effect::Checkpoint(state) => {
                    let stored = ledger::checkpoint(&self.database, &id, &state).unwrap();
                    assert_eq!(stored, Settlement::Applied);
                }
                Effect::Append { first_seq, chunks } => {
                    stream_log::append(&self.database, &id, first_seq, &chunks).unwrap();
                }
                Effect::Rewind(logged) => stream_log::rewind(&self.database, &id, &logged).unwrap(),
                Effect::RunTool { call, .. } => self.calls.push(call.id),
                Effect::Finish { outcome, message, .. } => {
                    ledger::settle(&self.database, &id, outcome, &message, 90).unwrap();
                    self.ended = true;
                }
                _ => {}
            }
        }
        assert!(largest(&self.database, "body", "message") <= MAXIMUM_VALUE_BYTES);
        assert!(largest(&self.database, "chunks", "stream_segment") < 2_000_000);
    }

    /// Goes on in another instance.
    fn die(&mut self, context: TurnContext) {
        let lost = ledger::take_over(&self.database, 40).unwrap().unwrap();
        let logged = stream_log::read(&self.database, &lost.turn.request_id).unwrap();
        self.turn = Turn::resume(lost.turn, context, lost.state, logged);
        self.calls.clear();
        self.hear(Event::Resumed);
    }
}

/// Plays an answer whose tools are called with, tell and return whatever it may be, and that is taken over in its middle.
fn play(sizes: &Sizes<'_>) {
    let mut playing = Playing::begin(tools_context());
    for step in 0..turn::MAXIMUM_STEPS {
        if playing.ended {
            break;
        }
        playing.hear(Event::Model(ModelEvent::Text(worst(sizes.says))));
        for number in 0..MAXIMUM_CALLS {
            playing.hear(Event::Model(ModelEvent::ToolCall(ToolCall {
                id: format!("call-{step}-{number}"),
                name: sizes.names[number % sizes.names.len()].to_owned(),
                arguments: json!({ "key": worst(sizes.arguments) }),
            })));
        }
        playing.hear(Event::Model(ModelEvent::Finished(FinishReason::ToolCalls)));
        for call_id in playing.calls.clone() {
            let progress = json!(worst(sizes.output));
            playing.hear(Event::ToolProgress { call_id, progress });
        }
        if step == 1 && !playing.ended {
            playing.die(tools_context());
        }
        for call_id in std::mem::take(&mut playing.calls) {
            let output = worst(sizes.output);
            let result = if sizes.fails {
                Err(output)
            } else {
                Ok(json!(output))
            };
            playing.hear(Event::ToolFinished { call_id, result });
        }
    }
    playing.hear(Event::Cancel);
    assert!(playing.ended);
    let stored = transcript::newest(&playing.database).unwrap();
    assert_eq!(stored.last().unwrap().role, Role::Assistant);
}

#[test]
fn an_answer_of_the_largest_calls_and_results_is_stored_in_every_form_of_it() {
    let long_name = worst(MAXIMUM_CALL_BYTES / MAXIMUM_CALLS);
    let known = ["look"];
    let unknown = [long_name.as_str()];
    let both = ["look", long_name.as_str()];
    let sizes = |names, arguments, output, fails, says| Sizes {
        names,
        arguments,
        output,
        fails,
        says,
    };
    for fails in [false, true] {
        for sizes in [
            sizes(&known[..], 0, 0, fails, 0),
            sizes(&known, 0, 30_000, fails, 0),
            sizes(&known, 0, 100_000, fails, 0),
            sizes(&known, MAXIMUM_CALL_BYTES / MAXIMUM_CALLS, 1_000, fails, 0),
            sizes(&unknown, 0, 10, fails, 0),
            sizes(&both, 100, 30_000, fails, 150_000),
        ] {
            play(&sizes);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn whatever_an_answer_holds_fits(
        arguments in 0..16_000_usize,
        output in 0..60_000_usize,
        fails: bool,
        says in 0..200_000_usize,
    ) {
        play(&Sizes { names: &["look", "unknown"], arguments, output, fails, says });
    }
}

#[test]
fn what_is_logged_before_a_death_is_logged_again_whatever_its_size() {
    let database = database();
    accept(&database, "a");
    let turn = claim(&database);
    let chunks: Vec<Chunk> = (0..40)
        .flat_map(|number| {
            let id = format!("text-{number}");
            [
                Chunk::TextStart { id: id.clone() },
                Chunk::TextDelta {
                    id: id.clone(),
                    delta: worst(50_000),
                },
                Chunk::TextEnd { id },
            ]
        })
        .collect();
    let logged = LoggedStream {
        chunks,
        next_seq: 400,
    };
    stream_log::rewind(&database, &turn.request_id, &logged).unwrap();
    assert!(largest(&database, "chunks", "stream_segment") < MAXIMUM_VALUE_BYTES);
    assert_eq!(stream_log::read(&database, &turn.request_id).unwrap(), logged);

    stream_log::append(&database, &turn.request_id, 400, &[text_delta("more")]).unwrap();
    let longer = stream_log::read(&database, &turn.request_id).unwrap();
    assert_eq!((longer.chunks.len(), longer.next_seq), (121, 401));
}

#[test]
fn the_result_of_an_action_is_cut_where_it_enters_and_is_the_same_later() {
    let database = database();
    accept(&database, "a");
    let id = claim(&database).request_id;
    for (call, result) in [
        ("one", ActionResult::Returned(json!({ "text": worst(400_000) }))),
        ("two", ActionResult::Failed(worst(400_000))),
    ] {
        assert_eq!(action::claim(&database, &id, call, "act", 5).unwrap(), Claim::Run);
        action::settle(&database, &id, call, &result).unwrap();
        let again = action::claim(&database, &id, call, "act", 6).unwrap();
        let bounded = result.bounded();
        assert_eq!(again, Claim::Settled(bounded.clone()));
        assert_eq!(
            bounded.clone().bounded(),
            bounded,
            "what was cut is not cut again"
        );
    }
    assert!(largest(&database, "result", "action") < 200_000);
}

#[test]
fn the_longest_message_that_is_taken_is_stored_also_when_it_is_changed() {
    let database = database();
    let longest = worst(MAXIMUM_MESSAGE_BYTES);
    let accepted = ledger::accept(&database, &request("a", &longest), &message_id("answer-a"), 10).unwrap();
    assert!(matches!(accepted, Acceptance::New { .. }));
    let changed = ledger::queue::edit(&database, &request_id("request-a"), &longest).unwrap();
    assert!(changed.is_ok());
    assert!(largest(&database, "body", "message") < MAXIMUM_VALUE_BYTES);
}

#[test]
fn a_checkpoint_stays_small() {
    let mut playing = Playing::begin(context());
    for _ in 0..turn::MAXIMUM_MODEL_CALLS - 1 {
        let usage = Usage {
            input_tokens: u64::MAX,
            output_tokens: u64::MAX,
            ..Usage::default()
        };
        playing.hear(Event::Model(ModelEvent::Usage(usage)));
        playing.hear(Event::Model(ModelEvent::Text(worst(500))));
        playing.hear(Event::ModelClosed);
    }
    let bytes = largest(&playing.database, "state", "turn");
    assert!((100..1_000).contains(&bytes), "{bytes}");
}

/// Stores an answer whose reasoning takes so many bytes.
fn reason(sql: &impl Sql, name: &str, bytes: usize) {
    accept(sql, name);
    let turn = claim(sql);
    let message = Message {
        id: turn.assistant_message_id,
        role: Role::Assistant,
        parts: vec![
            Part::Reasoning {
                text: "x".repeat(bytes),
                state: None,
            },
            Part::Text {
                text: format!("answer {name}"),
                state: None,
            },
        ],
        metadata: Some(Metadata::default()),
    };
    ledger::settle(sql, &turn.request_id, Outcome::Completed, &message, 30).unwrap();
}

#[test]
fn clients_without_pages_get_the_newest_messages_and_at_least_four_of_the_largest() {
    let database = database();
    for number in 0..8 {
        reason(&database, &number.to_string(), MAXIMUM_VALUE_BYTES - 1_000);
    }
    let newest = transcript::newest(&database).unwrap();
    assert_eq!(newest.len(), 8, "four answers with their questions");
    assert_eq!(newest.last().unwrap().text(), "answer 7");
    assert!(serde_json::to_string(&newest).unwrap().len() < NEWEST_BYTES + 10_000);
}

#[test]
fn no_more_is_read_for_a_model_than_is_allowed_whatever_little_it_is_told_of_that() {
    let database = database();
    for number in 0..8 {
        reason(&database, &number.to_string(), 1_000_000);
    }
    accept(&database, "last");
    let history = transcript::for_model(&database, &message_id("user-last"))
        .unwrap()
        .unwrap();
    assert_eq!(history.coverage, flarebot_conversation::history::Coverage::Newest);
    let answers = MODEL_READ_BYTES / 1_000_000;
    assert!(
        !format!("{history:?}").contains("xxx"),
        "reasoning is no model's business"
    );
    assert_eq!(
        history.said.len(),
        2 * answers + 1,
        "whole pairs and the question"
    );
}
