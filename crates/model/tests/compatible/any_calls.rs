//! What holds of calls however a server marks and cuts them, and of pieces that make no sense.

use super::calls::{complete, stream};
use super::{STOP, answer, events_of, is_terminal, streamed};
use flarebot_model::ModelEvent;
use flarebot_model::compatible::Decoder;
use proptest::prelude::*;
use serde_json::{Value, json};

/// How a server marks the pieces of its calls.
#[derive(Debug, Clone, Copy)]
struct Marks {
    index: Option<Index>,
    ids: bool,
    name_with_every_piece: bool,
    in_turns: bool,
}

#[derive(Debug, Clone, Copy)]
enum Index {
    OfTheCall,
    Zero,
}

fn marks() -> impl Strategy<Value = Marks> {
    let index = prop::option::of(prop_oneof![Just(Index::OfTheCall), Just(Index::Zero)]);
    (index, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(index, ids, names, in_turns)| Marks {
        index,
        ids,
        name_with_every_piece: names,
        in_turns: in_turns && matches!(index, Some(Index::OfTheCall)),
    })
}

fn arguments() -> impl Strategy<Value = Value> {
    let value = prop_oneof![
        "\\PC{0,6}".prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(json!({ "}": "{\"" })),
        Just(json!([null, {}])),
    ];
    prop::collection::btree_map("[a-z}\"]{1,3}", value, 0..4)
        .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into())
}

/// The text in pieces that are not empty.
fn split(text: &str, cuts: &[prop::sample::Index]) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(characters.len())).collect();
    places.extend([0, characters.len()]);
    places.sort_unstable();
    places.dedup();
    places
        .windows(2)
        .map(|pair| characters[pair[0]..pair[1]].iter().collect())
        .collect()
}

proptest! {
    #[test]
    fn calls_arrive_whole_however_they_are_marked_and_cut(
        calls in prop::collection::vec(
            ("[a-z_]{1,12}", arguments(), prop::collection::vec(any::<prop::sample::Index>(), 0..5)),
            1..6,
        ),
        marks in marks(),
        chunk in 1_usize..200,
    ) {
        let mut queues: Vec<Vec<Value>> = Vec::new();
        for (number, (name, arguments, cuts)) in calls.iter().enumerate() {
            let pieces = split(&arguments.to_string(), cuts).into_iter().enumerate().map(|(part, text)| {
                let mut piece = json!({ "function": { "arguments": text } });
                if part == 0 || marks.name_with_every_piece {
                    piece["function"]["name"] = name.as_str().into();
                }
                if part == 0 && marks.ids {
                    piece["id"] = format!("id{number}").into();
                }
                match marks.index {
                    Some(Index::OfTheCall) => piece["index"] = number.into(),
                    Some(Index::Zero) => piece["index"] = 0.into(),
                    None => {}
                }
                json!([piece])
            });
            queues.push(pieces.collect());
        }
        let events: Vec<Value> = if marks.in_turns {
            let longest = queues.iter().map(Vec::len).max().unwrap_or_default();
            (0..longest).flat_map(|part| queues.iter().filter_map(move |queue| queue.get(part).cloned())).collect()
        } else {
            queues.concat()
        };

        let ids: Vec<String> = (0..calls.len())
            .map(|number| if marks.ids { format!("id{number}") } else { format!("call_{}", number + 1) })
            .collect();
        let expected: Vec<(&str, &str, Value)> = ids.iter().zip(&calls)
            .map(|(id, (name, arguments, _))| (id.as_str(), name.as_str(), arguments.clone()))
            .collect();
        let bytes = stream(&events) + &events_of(&[STOP]);
        let decoder = Decoder::new(200, Some("text/event-stream"), None);
        prop_assert_eq!(answer(decoder, bytes.as_bytes().chunks(chunk)), complete(&expected));
    }

    #[test]
    fn any_pieces_give_objects_with_different_ids_and_each_call_is_announced_before(
        events in prop::collection::vec(
            (
                prop::option::of(0_u64..3),
                prop::option::of(prop::sample::select(vec!["", "a", "b", "call_1", "call_2"])),
                prop::option::of(prop::sample::select(vec!["", "f", "g"])),
                prop::option::of(prop::sample::select(vec!["", "{", "}", "{}", "null", "\"a\":1"])),
            )
                .prop_map(|(index, id, name, arguments)| {
                    json!([{ "index": index, "id": id, "function": { "name": name, "arguments": arguments } }])
                }),
            0..24,
        ),
    ) {
        let events = streamed(&(stream(&events) + &events_of(&[STOP])));
        let mut announced: Vec<&str> = Vec::new();
        let mut called: Vec<&str> = Vec::new();
        for event in &events {
            if let ModelEvent::ToolCallStarted { id, .. } = event {
                prop_assert!(called.is_empty() && !announced.contains(&id.as_str()));
                announced.push(id);
            } else if let ModelEvent::ToolCall(call) = event {
                prop_assert!(call.arguments.is_object());
                prop_assert!(announced.contains(&call.id.as_str()) && !called.contains(&call.id.as_str()));
                called.push(&call.id);
            }
        }
        prop_assert!(events.last().is_some_and(is_terminal));
        prop_assert_eq!(events.len(), announced.len() + called.len() + 1);
        let failed = matches!(events.last(), Some(ModelEvent::Failed(_)));
        prop_assert_eq!(called.len(), if failed { 0 } else { announced.len() });
    }
}
