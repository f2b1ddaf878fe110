//! How much of a tool's output is kept: the same for what is stored, shown and sent to the model.

use serde_json::{Value, json};

/// The most characters that an output takes as JSON text.
pub const OUTPUT_CHARACTERS: usize = 20_000;

/// The output as it may be kept. One of at most [`OUTPUT_CHARACTERS`] stays as it is. A longer text keeps its beginning
/// and says that it was cut; anything else that is longer becomes an object that says so and holds the beginning of its
/// JSON text.
#[must_use]
pub fn bounded(output: Value) -> Value {
    let json = output.to_string();
    let characters = json.chars().count();
    if characters <= OUTPUT_CHARACTERS {
        output
    } else if let Value::String(text) = &output {
        let mark = format!(
            "\n[Cut here. The whole text has {} characters.]",
            text.chars().count()
        );
        let beginning = beginning(text, room_beside(&json!(mark)));
        format!("{beginning}{mark}").into()
    } else {
        let cut = format!("This is the beginning of an output of {characters} characters.");
        let beginning = beginning(&json, room_beside(&json!({ "cut": cut, "beginning": "" })));
        json!({ "cut": cut, "beginning": beginning })
    }
}

fn room_beside(rest: &Value) -> usize {
    OUTPUT_CHARACTERS.saturating_sub(rest.to_string().chars().count())
}

/// As much of the text as takes at most `room` characters inside a JSON string.
fn beginning(text: &str, room: usize) -> &str {
    within(text, room, escaped_length)
}

/// As much of the text as measures at most `room`, in whatever its characters are measured.
pub(crate) fn within(text: &str, room: usize, measure: impl Fn(char) -> usize) -> &str {
    let mut taken = 0;
    let end = text.char_indices().find(|(_, character)| {
        taken += measure(*character);
        taken > room
    });
    end.and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// What a character takes inside a JSON string.
pub(crate) fn escaped_length(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => 1,
    }
}
