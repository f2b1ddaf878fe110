//! Which characters the bytes of a page are, by whatever says so.

use super::ENDLESS;
use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, ISO_8859_2, KOI8_R, SHIFT_JIS, UTF_8, WINDOWS_1252,
};
use flarebot_tool::page::read_page;

const TEXTS: [(&Encoding, &str); 9] = [
    (UTF_8, "Grüße aus Köln – 雨 비 🌧"),
    (WINDOWS_1252, "Grüße aus Köln – 5 €, “naïve”"),
    (ISO_8859_2, "Příliš žluťoučký kůň úpěl ďábelské ódy"),
    (KOI8_R, "Съешь же ещё этих мягких булок"),
    (SHIFT_JIS, "月曜日は雨でした。カタカナも"),
    (EUC_JP, "月曜日は雨でした。カタカナも"),
    (EUC_KR, "월요일에는 비가 내렸습니다"),
    (GB18030, "星期一下雨了，𠀀也在"),
    (BIG5, "星期一下雨了，臺灣"),
];

fn content(content_type: &str, body: &[u8]) -> String {
    let page = read_page(Some(content_type), body, false).unwrap();
    page.content.fit(ENDLESS).0
}

fn encoded(encoding: &'static Encoding, text: &str) -> Vec<u8> {
    let (bytes, _, had_errors) = encoding.encode(text);
    assert!(!had_errors, "{text} is in {}", encoding.name());
    bytes.into_owned()
}

#[test]
fn the_server_says_it() {
    for (encoding, text) in TEXTS {
        for label in [
            encoding.name().to_owned(),
            format!("\"{}\"", encoding.name().to_lowercase()),
        ] {
            for kind in ["text/html", "text/plain"] {
                let read = content(&format!("{kind}; charset={label}"), &encoded(encoding, text));
                assert_eq!(read, text, "{kind} {label}");
            }
        }
    }
}

#[test]
fn the_page_says_it() {
    for (encoding, text) in TEXTS {
        for head in [
            format!("<meta charset={}>", encoding.name()),
            format!("<!doctype html><head><META  Charset = '{}' />", encoding.name()),
            format!(
                "<meta name=a content=b><meta http-equiv=content-type content=\"text/html; charset={}\">",
                encoding.name()
            ),
        ] {
            let body = [head.as_bytes(), &encoded(encoding, text)].concat();
            assert_eq!(content("text/html", &body), text, "{head}");
            assert_eq!(content("text/html; charset=unheard-of", &body), text, "{head}");
        }
    }
}

#[test]
fn a_mark_at_the_beginning_says_it_whatever_else_is_said() {
    let text = "Grüße – 雨 비 🌧";
    let units = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    for (mark, bytes) in [
        (&b"\xef\xbb\xbf"[..], text.as_bytes().to_vec()),
        (b"\xff\xfe", units(u16::to_le_bytes)),
        (b"\xfe\xff", units(u16::to_be_bytes)),
    ] {
        let body = [mark, &bytes].concat();
        for content_type in ["text/html", "text/plain", "text/html; charset=shift_jis"] {
            assert_eq!(content(content_type, &body), text, "{content_type} {mark:?}");
        }
    }
    assert_eq!(
        content("text/html; charset=utf-16le", &units(u16::to_le_bytes)),
        text
    );
    assert_eq!(
        content("text/plain; charset=utf-16be", &units(u16::to_be_bytes)),
        text
    );
}

#[test]
fn what_is_said_wrongly_does_no_harm() {
    let german = "Viele Grüße aus Köln";
    let japanese = encoded(SHIFT_JIS, "月曜日は雨でした。火曜日も雨でした。");
    for (content_type, head, bytes, text) in [
        // UTF-8, whatever old name it is given, or none.
        (
            "text/html; charset=iso-8859-1",
            "",
            german.as_bytes().to_vec(),
            german,
        ),
        (
            "text/html; charset=us-ascii",
            "<meta charset=latin1>",
            german.as_bytes().to_vec(),
            german,
        ),
        (
            "text/html",
            "<meta charset=utf-16>",
            german.as_bytes().to_vec(),
            german,
        ),
        ("text/html", "", german.as_bytes().to_vec(), german),
        ("text/plain; charset=", "", german.as_bytes().to_vec(), german),
        (
            "text/html; charset=iso-2022-kr",
            "",
            german.as_bytes().to_vec(),
            german,
        ),
        (
            "text/html",
            "<meta charset=x-user-defined-maybe>",
            german.as_bytes().to_vec(),
            german,
        ),
        // No UTF-8, though somebody says so.
        (
            "text/html; charset=utf-8",
            "",
            encoded(WINDOWS_1252, german),
            german,
        ),
        ("text/html", "", encoded(WINDOWS_1252, german), german),
        (
            "text/html; charset=utf-8",
            "<meta charset=shift_jis>",
            japanese,
            "月曜日は雨でした。火曜日も雨でした。",
        ),
    ] {
        let body = [head.as_bytes(), &bytes].concat();
        assert_eq!(content(content_type, &body), text, "{content_type} {head}");
    }
}

#[test]
fn one_damaged_character_does_not_cost_the_others() {
    let body = [
        &"Grüße ".repeat(100).into_bytes()[..],
        b"\xff",
        " und Köln".as_bytes(),
    ]
    .concat();
    let read = content("text/html; charset=utf-8", &body);
    assert!(
        read.starts_with("Grüße Grüße") && read.ends_with("\u{fffd} und Köln"),
        "{read}"
    );
}

#[test]
fn only_the_beginning_of_a_page_says_it() {
    let text = encoded(KOI8_R, "Съешь же ещё этих мягких булок");
    let body = |before: usize| [" ".repeat(before).as_bytes(), b"<meta charset=koi8-r>", &text].concat();
    assert!(content("text/html", &body(900)).starts_with("Съешь"));
    assert!(!content("text/html", &body(1_100)).starts_with("Съешь"));
}

#[test]
fn a_body_that_was_cut_inside_a_character_is_still_read() {
    for (encoding, text) in TEXTS {
        let whole = encoded(encoding, text);
        let body = &whole[..whole.len() - 1];
        let label = format!("text/html; charset={}", encoding.name());
        let page = read_page(Some(&label), body, true).unwrap();
        let (read, truncated) = page.content.fit(ENDLESS);
        let (read, mark) = read.split_once('\n').unwrap();
        assert!(truncated && mark.starts_with("[Cut here"), "{mark}");
        assert!(!read.is_empty() && text.starts_with(read.trim_end()), "{read}");
    }
    let page = read_page(
        Some("text/html; charset=latin1"),
        "Köln ü".as_bytes().split_last().unwrap().1,
        true,
    );
    assert!(page.unwrap().content.fit(ENDLESS).0.starts_with("Köln\n"));
}
