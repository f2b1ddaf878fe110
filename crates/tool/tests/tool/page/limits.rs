//! Whatever a page is, its text is bounded, and reading it neither fails nor takes long.

use super::{ENDLESS, html};
use flarebot_tool::page::{CONTENT_UNITS, PAGE_BYTES, read_page};
use proptest::prelude::*;
use serde_json::json;

const MARK: &str = "\n[Cut here: the page goes on.]";

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

#[test]
fn a_text_as_long_as_the_bound_is_whole_and_a_longer_one_is_cut() {
    for letter in ["a", "ü", "雨", "🌧"] {
        let fitting = letter.repeat(CONTENT_UNITS / units(letter));
        for kind in ["text/html", "text/plain"] {
            let read = |text: &str| {
                let page = read_page(Some(kind), text.as_bytes(), false).unwrap();
                page.content.fit(ENDLESS)
            };
            assert_eq!(read(&fitting), (fitting.clone(), false), "{kind} {letter}");
            let (cut, truncated) = read(&format!("{fitting}{letter}"));
            assert!(truncated && units(&cut) <= CONTENT_UNITS, "{kind} {letter}");
            assert!(units(&cut) > CONTENT_UNITS - 2, "{kind} {letter}");
            let beginning = cut.strip_suffix(MARK).unwrap();
            assert!(fitting.starts_with(beginning));
        }
    }
}

#[test]
fn a_text_takes_only_the_room_that_it_is_given() {
    let content = html(&"\"a\\\" ".repeat(2_000)).content;
    let characters = |text: &str| json!(text).to_string().chars().count() - 2;
    let (whole, truncated) = content.fit(ENDLESS);
    assert!(!truncated);
    assert_eq!(content.fit(characters(&whole)), (whole.clone(), false));
    for room in [characters(&whole) - 1, 5_000, 100, 33] {
        let (text, truncated) = content.fit(room);
        assert!(truncated && text.ends_with(MARK));
        assert!(
            characters(&text) <= room && characters(&text) + 5 > room,
            "{room}"
        );
    }
}

#[test]
fn more_of_a_body_than_is_downloaded_is_not_looked_at() {
    let mut body = vec![b' '; PAGE_BYTES];
    body.extend_from_slice(b"beyond");
    body[10] = b'x';
    let page = read_page(Some("text/html"), &body, false).unwrap();
    assert_eq!(page.content.fit(ENDLESS), (format!("x{MARK}"), true));
    let page = read_page(Some("text/plain"), b"x", true).unwrap();
    assert_eq!(page.content.fit(ENDLESS), (format!("x{MARK}"), true));
}

#[test]
fn pages_that_are_made_to_be_slow_are_read() {
    let fill = |piece: &str| piece.repeat(PAGE_BYTES / piece.len());
    for body in [
        fill("<div>"),
        fill("<b><i>"),
        fill("</x>"),
        fill("<nav>"),
        fill("<p><table><tr><td>"),
        fill("<ul><li>"),
        fill("<svg>"),
        fill("<a b=c d=e>"),
        format!("<a {}>", fill("b=c ")),
        format!(
            "<a {}",
            (0..30_000).map(|index| format!("b{index} ")).collect::<String>()
        ),
        fill("&amp"),
        fill("&#x"),
        fill("&CounterClockwiseContourIntegra"),
        fill("<!--"),
        fill("<"),
        fill("</"),
        fill("<title>"),
        fill("<script><!--<script>"),
        fill("<pre>\n"),
        fill("<td>"),
        fill("\u{e0041}"),
        format!("{}{}", "<x>".repeat(40_000), "</y>".repeat(30_000)),
        format!("{}<p>Text", "<div>".repeat(50_000)),
    ] {
        // Most of them have nothing to say: what counts is that there is an end.
        if let Ok(page) = read_page(Some("text/html"), body.as_bytes(), false) {
            assert!(units(&page.content.fit(ENDLESS).0) <= CONTENT_UNITS);
        }
    }
}

#[test]
fn text_that_is_nested_deeper_than_is_kept_track_of_is_still_read() {
    let body = format!(
        "{}<p>Deep</p>{}<p>After",
        "<div>".repeat(5_000),
        "</div>".repeat(5_000)
    );
    assert_eq!(html(&body).content.fit(ENDLESS).0, "Deep\n\nAfter");
    let hidden = format!(
        "<nav>{}Menu{}</nav><p>Text",
        "<div>".repeat(5_000),
        "</div>".repeat(5_000)
    );
    assert_eq!(html(&hidden).content.fit(ENDLESS).0, "Text");
}

fn tag_soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "<p>",
            "</p>",
            "<div>",
            "</div>",
            "<table>",
            "<tr>",
            "<td>",
            "</td>",
            "</table>",
            "<ul>",
            "<ol>",
            "<li>",
            "</ul>",
            "<pre>",
            "</pre>",
            "<nav>",
            "</nav>",
            "<svg>",
            "</svg>",
            "<title>",
            "</title>",
            "<script>",
            "</script>",
            "<h1>",
            "</h1>",
            "<br>",
            "<form>",
            "</form>",
            "<p hidden>",
            "<!--",
            "-->",
            "<textarea>",
            "<plaintext>",
            "<![CDATA[",
            "]]>",
            "<",
            ">",
            "&",
            "&amp;",
            "&#0;",
            "&#xd800;",
            " ",
            "\n",
            "a",
            "雨",
            "🌧",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,6}",
    ];
    prop::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_body_makes_it_panic_and_no_text_is_too_long(
        body in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..400),
            tag_soup().prop_map(String::into_bytes),
        ],
        times in prop_oneof![Just(1_usize), 1_usize..30],
        content_type in prop::sample::select(vec![
            "", "text/html", "text/plain", "text/html; charset=utf-16le", "text/html; charset=shift_jis",
            "text/html; charset=gb18030", "text/html; charset=iso-2022-jp", "application/json", ";;=", "text/html;charset",
        ]),
        goes_on in any::<bool>(),
        room in prop_oneof![Just(ENDLESS), 0_usize..20_000],
    ) {
        let content_type = Some(content_type).filter(|value| !value.is_empty());
        if let Ok(page) = read_page(content_type, &body.repeat(times), goes_on) {
            let (text, truncated) = page.content.fit(room);
            prop_assert!(units(&text) <= CONTENT_UNITS);
            prop_assert!(json!(text).to_string().chars().count() - 2 <= room.max(MARK.len() + 1));
            prop_assert_eq!(truncated, text.ends_with(MARK) && (goes_on || truncated));
            prop_assert!(truncated || !text.trim().is_empty());
            prop_assert!(page.title.is_none_or(|title| (1..=201).contains(&title.chars().count())));
        }
    }

    /// What is hidden stays hidden, and what is shown is read, whatever stands around it.
    #[test]
    fn soup_before_a_page_of_its_own_hides_nothing_in_it_for_ever(soup in tag_soup()) {
        let ends = "</svg></table></nav></form>".repeat(120);
        let closing = format!("</script></style></textarea></title>-->]]></script>{ends}");
        let soup = soup.replace("<plaintext>", "");
        let body = format!("<div>{soup}{closing}</div><p>the very end</p>");
        let text = html(&body).content.fit(ENDLESS).0;
        prop_assert!(text.contains("the very end"), "{text}");
    }
}
