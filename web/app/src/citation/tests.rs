use super::*;
use flarebot_protocol::MessageId;
use flarebot_protocol::message::ToolPart;
use proptest::prelude::*;
use serde_json::json;

const DOCS: &str = "https://docs.example/guide";
const PAIRED: &str = "https://wiki.example/Rust_(language)";

fn source(number: usize, url: &str) -> Source {
    Source {
        number,
        url: url.to_owned(),
        title: url.to_owned(),
    }
}

fn read() -> Vec<Source> {
    vec![
        source(1, DOCS),
        source(2, PAIRED),
        source(3, "https://bare.example/"),
    ]
}

/// The text with its citations as `{label|number}`.
fn marked(text: &str) -> String {
    let read = read();
    let pieces = pieces(text, &read).into_iter();
    let marked = pieces.map(|piece| match piece {
        Piece::Text(text) => text.to_owned(),
        Piece::Citation { label, source, .. } => format!("{{{label}|{}}}", source.number),
    });
    marked.collect()
}

fn output(tool: &str, output: Value, preliminary: Option<bool>) -> Part {
    let state = ToolState::OutputAvailable {
        input: json!({}),
        output,
        preliminary,
    };
    Part::Tool(ToolPart::new("call", tool, state))
}

fn answer(parts: Vec<Part>) -> Message {
    Message {
        id: MessageId::new("answer").unwrap(),
        role: Role::Assistant,
        parts,
        metadata: None,
    }
}

#[test]
fn a_link_to_a_page_that_was_read_is_a_citation() {
    assert_eq!(
        marked("See [the guide](https://docs.example/guide)."),
        "See {the guide|1}."
    );
    assert_eq!(
        marked("[a](https://docs.example/guide)[b](https://wiki.example/Rust_(language))"),
        "{a|1}{b|2}"
    );
    assert_eq!(
        marked("([x](<https://docs.example/guide> \"Its title\"))"),
        "({x|1})"
    );
    assert_eq!(marked("[[1]](https://docs.example/guide)"), "{[1]|1}");
    assert_eq!(marked("[bare](https://bare.example)"), "{bare|3}");
}

#[test]
fn every_other_link_stays_as_it_was_written() {
    for text in [
        "[x](https://elsewhere.example/)",
        "[x](https://docs.example/guide/more)",
        "[x](https://docs.example/guide#part)",
        "[x](https://docs.example/guide?q=secret)",
        "[x](javascript:alert(1))",
        "[x](HTTPS://docs.example/guide)",
        "![x](https://docs.example/guide)",
        "[![x](https://docs.example/guide)](https://docs.example/guide)",
        "[x] (https://docs.example/guide)",
        "x](https://docs.example/guide)",
        "[x](https://docs.example/guide",
        "[x](https://docs.example/guide and more)",
        "[x\n\ny](https://docs.example/guide)",
        "https://docs.example/guide",
        "<a href=\"https://docs.example/guide\">x</a>",
    ] {
        assert_eq!(marked(text), text);
    }
}

#[test]
fn pages_count_in_the_order_of_reading_and_each_once() {
    let page = |url: &str, title: &str| {
        let record = json!({ "id": "s1", "kind": "page", "finalUrl": url, "title": title, "content": "…" });
        output("read_url", record, None)
    };
    let message = answer(vec![
        page("https://one.example/", "One"),
        page("https://two.example/", " "),
        page("https://one.example/", "One again"),
    ]);
    let sources = sources(&message);
    let told: Vec<_> = sources
        .iter()
        .map(|source| (source.number, source.url.as_str(), source.title.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (1, "https://one.example/", "One"),
            (2, "https://two.example/", "https://two.example/"),
        ]
    );
}

#[test]
fn only_what_the_reading_tool_returned_is_a_source() {
    let url = json!({ "finalUrl": "https://one.example/" });
    let failed = Part::Tool(ToolPart::new(
        "call",
        "read_url",
        ToolState::OutputError {
            input: url.clone(),
            error_text: "https://one.example/".to_owned(),
        },
    ));
    for part in [
        failed,
        output("another_tool", url.clone(), None),
        output("read_url", url, Some(true)),
        output("read_url", json!({ "finalUrl": "javascript:alert(1)" }), None),
        output("read_url", json!({ "finalUrl": "https://" }), None),
        output("read_url", json!({ "finalUrl": "https://a.example/ b" }), None),
        output(
            "read_url",
            json!({ "requestedUrl": "https://one.example/" }),
            None,
        ),
        output("read_url", json!("https://one.example/"), None),
    ] {
        assert_eq!(sources(&answer(vec![part.clone()])), [], "{part:?}");
    }
    let mut theirs = answer(vec![output(
        "read_url",
        json!({ "finalUrl": "https://one.example/" }),
        None,
    )]);
    theirs.role = Role::User;
    assert_eq!(sources(&theirs), []);
}

#[test]
fn a_hostile_text_takes_no_longer_than_its_length() {
    let read = read();
    for unit in ["](", "[", "](<", "[](https://docs.example/guide \"", "](((("] {
        let text = unit.repeat(200_000 / unit.len());
        let _ = pieces(&text, &read);
    }
}

proptest! {
    /// Whatever is written, nothing of it is lost or invented, and a citation names a page that was read.
    #[test]
    fn the_pieces_are_the_text(
        parts in prop::collection::vec(
            prop_oneof![
                Just("[".to_owned()),
                Just("]".to_owned()),
                Just("](".to_owned()),
                Just(")".to_owned()),
                Just("!".to_owned()),
                Just("<".to_owned()),
                Just(">".to_owned()),
                Just(" \"t\"".to_owned()),
                Just("\n\n".to_owned()),
                Just(DOCS.to_owned()),
                Just(PAIRED.to_owned()),
                Just("https://bare.example".to_owned()),
                ".{0,4}",
            ],
            0..24,
        ),
    ) {
        let text = parts.concat();
        let read = read();
        let pieces = pieces(&text, &read);
        let mut together = String::new();
        for piece in &pieces {
            match piece {
                Piece::Text(text) => {
                    prop_assert!(!text.is_empty());
                    together.push_str(text);
                }
                Piece::Citation { label, source, written } => {
                    prop_assert!(read.contains(source));
                    prop_assert!(written.contains(label) && written.contains(source.url.trim_end_matches('/')));
                    together.push_str(written);
                }
            }
        }
        prop_assert_eq!(together, text);
    }
}
