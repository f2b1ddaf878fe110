//! What can be read, and what cannot.

use super::ENDLESS;
use flarebot_tool::page::PageFailure::{Empty, Media, Pdf, Unsupported};
use flarebot_tool::page::{PageFailure, read_page};

fn read(content_type: &str, body: &[u8]) -> Result<(Option<String>, String), PageFailure> {
    let content_type = Some(content_type).filter(|value| !value.is_empty());
    let page = read_page(content_type, body, false)?;
    Ok((page.title, page.content.fit(ENDLESS).0))
}

#[test]
fn markdown_and_plain_text_stay_as_they_are() {
    let body = "\n# Rain &amp; shine\n\n* one\n\t* two  \n\n    code <b>\n\n| a | b |\n";
    for content_type in [
        "text/markdown",
        "text/plain; charset=utf-8",
        "TEXT/X-Markdown",
        "text/plain;charset=\"UTF-8\"",
        " text/plain ; a=b",
        "",
    ] {
        let (title, content) = read(content_type, body.as_bytes()).unwrap();
        assert_eq!(content, body.trim_end(), "{content_type}");
        assert_eq!(title.as_deref(), Some("Rain &amp; shine"));
    }
    for (content_type, body) in [
        ("application/json", r#"{"a": "<b>"}"#),
        ("application/ld+json; charset=utf-8", "{}"),
        ("application/xml", "<a>b</a>"),
        ("application/rss+xml", "<rss/>"),
        ("text/csv", "a;b\n1;2"),
    ] {
        assert_eq!(read(content_type, body.as_bytes()), Ok((None, body.to_owned())));
    }
}

#[test]
fn a_page_is_known_by_its_type_or_else_by_its_beginning() {
    let body = "<!DOCTYPE html><title>T</title><p>Text";
    for content_type in [
        "text/html",
        "Text/HTML;charset=utf-8",
        "application/xhtml+xml",
        "",
    ] {
        let read = read(content_type, body.as_bytes());
        assert_eq!(
            read,
            Ok((Some("T".to_owned()), "Text".to_owned())),
            "{content_type}"
        );
    }
    for body in [
        "\n <html><p>Text",
        "<HEAD><title>a</title></HEAD>Text",
        "<!-- a --><p>Text",
        "<body>Text",
    ] {
        assert_eq!(read("", body.as_bytes()).unwrap().1, "Text", "{body}");
    }
    assert_eq!(
        read("", b"a < b, and <p> is a tag").unwrap().1,
        "a < b, and <p> is a tag"
    );
    assert_eq!(read("nonsense", b"Text"), Ok((None, "Text".to_owned())));
}

#[test]
fn what_cannot_be_read_is_named() {
    for (content_type, body, failure) in [
        ("application/pdf", &b"%PDF-1.7"[..], Pdf),
        ("application/pdf; charset=binary", b"", Pdf),
        ("text/html", b"%PDF-1.7 \n", Pdf),
        ("", b"%PDF-1.4", Pdf),
        ("image/png", b"\x89PNG\r\n", Media),
        ("image/svg+xml", b"<svg/>", Media),
        ("audio/mpeg", b"ID3", Media),
        ("video/mp4", b"\0\0\0\x20ftyp", Media),
        ("font/woff2", b"wOF2", Media),
        ("application/zip", b"PK\x03\x04", Unsupported),
        ("application/octet-stream", b"text", Unsupported),
        ("application/msword", b"\xd0\xcf", Unsupported),
        (
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            b"PK",
            Unsupported,
        ),
        ("multipart/form-data", b"--", Unsupported),
        ("application/x-unheard-of", b"text", Unsupported),
        // What says that it is text and is none.
        ("text/html", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Unsupported),
        ("text/plain", b"PK\x03\x04\x14\0\0\0", Unsupported),
        ("", b"\x1f\x8b\x08\0\0\0\0\0", Unsupported),
        ("", b"\x7fELF\x02\x01\x01\0", Unsupported),
        ("", b"", Empty),
        ("text/plain", b" \n\t ", Empty),
    ] {
        assert_eq!(read(content_type, body), Err(failure), "{content_type} {body:?}");
    }
}

#[test]
fn a_failure_says_what_to_do() {
    let sentences: Vec<String> = [Pdf, Media, Unsupported, Empty]
        .iter()
        .map(ToString::to_string)
        .collect();
    insta::assert_snapshot!("failures", sentences.join("\n"));
}
