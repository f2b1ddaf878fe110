//! How much of an output is kept.

use flarebot_tool::{OUTPUT_CHARACTERS, bounded};
use proptest::prelude::*;
use serde_json::{Value, json};

fn characters(output: &Value) -> usize {
    output.to_string().chars().count()
}

#[test]
fn an_output_as_long_as_the_bound_is_untouched_and_a_longer_one_is_cut() {
    // Two characters are the quotation marks.
    let longest = json!("ü".repeat(OUTPUT_CHARACTERS - 2));
    assert_eq!(bounded(longest.clone()), longest);
    let cut = bounded(json!("ü".repeat(OUTPUT_CHARACTERS - 1)));
    assert_eq!(characters(&cut), OUTPUT_CHARACTERS);
    assert!(
        cut.as_str()
            .unwrap()
            .ends_with("ü\n[Cut here. The whole text has 19999 characters.]")
    );
}

#[test]
fn a_long_structure_is_told_by_its_beginning() {
    let rows: Vec<Value> = (0..5_000).map(|row| json!({ "row": row })).collect();
    let output = json!(rows);
    let cut = bounded(output.clone());
    assert!(characters(&cut) <= OUTPUT_CHARACTERS);
    assert_eq!(
        cut["cut"],
        format!(
            "This is the beginning of an output of {} characters.",
            characters(&output)
        )
    );
    let beginning = cut["beginning"].as_str().unwrap();
    assert!(output.to_string().starts_with(beginning));
    assert!(beginning.starts_with("[{\"row\":0},"));
}

fn output() -> impl Strategy<Value = Value> {
    // Pieces of all escaped lengths, often enough to come to either side of the bound.
    let piece = prop::sample::select(vec![
        "a", "ü", "🌧️", "\"", "\\", "\n", "\u{1}", "\u{7f}", "\u{2028}",
    ]);
    let text = (prop::collection::vec(piece, 1..6), 1_usize..9_000)
        .prop_map(|(pieces, times)| pieces.concat().repeat(times));
    let leaf = prop_oneof![
        text.prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(Value::Null)
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("\\PC{0,8}", inner, 0..3)
                .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_kept_fits_is_json_and_short_output_is_untouched(output in output()) {
        let kept = bounded(output.clone());
        prop_assert!(characters(&kept) <= OUTPUT_CHARACTERS);
        prop_assert_eq!(&serde_json::from_str::<Value>(&kept.to_string()).unwrap(), &kept);
        prop_assert_eq!(&bounded(kept.clone()), &kept);
        if characters(&output) <= OUTPUT_CHARACTERS {
            prop_assert_eq!(kept, output);
        } else {
            // No more is cut than has to be: one character takes six at most.
            prop_assert!(characters(&kept) > OUTPUT_CHARACTERS - 6);
            match output.as_str() {
                Some(text) => {
                    let beginning = kept.as_str().unwrap().rsplit_once("\n[Cut here.").unwrap().0;
                    prop_assert!(text.starts_with(beginning));
                }
                None => {
                    prop_assert!(output.to_string().starts_with(kept["beginning"].as_str().unwrap()));
                }
            }
        }
    }
}
