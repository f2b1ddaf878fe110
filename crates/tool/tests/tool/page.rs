//! What is made of a page: its text, whatever it says it is and however it is written.

mod charsets;
mod kinds;
mod limits;

use flarebot_tool::page::{PageFailure, PageText, read_page};

/// Room for any content.
const ENDLESS: usize = usize::MAX;

fn html(body: &str) -> PageText {
    read_page(Some("text/html; charset=utf-8"), body.as_bytes(), false).unwrap()
}

fn text(body: &str) -> String {
    html(body).content.fit(ENDLESS).0
}

#[test]
fn a_page_becomes_its_text() {
    let page = html(include_str!("page/article.html"));
    let (content, truncated) = page.content.fit(ENDLESS);
    assert_eq!(page.title.as_deref(), Some("Rain & shine — a chronicle"));
    assert!(!truncated);
    insta::assert_snapshot!("article", content);
}

#[test]
fn tags_that_are_not_closed_or_never_opened_cost_no_text() {
    for (body, expected) in [
        ("<p>One<p>Two", "One\n\nTwo"),
        ("One</p></div></table></li>Two", "OneTwo"),
        ("<div>One</div>Two", "One\nTwo"),
        ("<b>One<i>Two</b>Three</i>", "OneTwoThree"),
        (
            "<table><tr><td>One</div></td><td>Two</table>Three",
            "One | Two\n\nThree",
        ),
        (
            "<ul><li>One<ul><li>Two</ul><li>Three</ul>",
            "- One\n  - Two\n- Three",
        ),
        ("<li>One<li>Two", "- One\n- Two"),
        ("<nav><div>Menu</nav>Text", "Text"),
        ("<nav><a>Menu<p></nav><p>Text", "Text"),
        ("<header><nav>Menu</header><p>Text", "Text"),
        ("<p hidden>Hidden<p>Shown", "Shown"),
        ("<li hidden>Hidden<li>Shown", "- Shown"),
        ("<svg/><p>Text", "Text"),
        ("<svg><title/><path/></svg>Text", "Text"),
        ("<svg><g><path><p>Text", "Text"),
        ("<svg><text>Drawn<div>Text</div></text></svg>", "Text"),
        (
            "<svg><foreignObject><p>Drawn</p></foreignObject></svg>Text",
            "Text",
        ),
        ("<script/>let a;</script>Text", "Text"),
        ("<script>'<!--<script>'</script>--></script>Text", "Text"),
        ("<style></style >Text", "Text"),
        ("<noframes><p>Frames</noframes>Text", "Text"),
        ("<p/>One<br/>Two", "One\nTwo"),
        ("Text<!-- open", "Text"),
        ("Text <", "Text <"),
        ("1 < 2 && 3 > 2 &", "1 < 2 && 3 > 2 &"),
        ("<a href='>'>Text</a", "Text"),
        ("Text<script>let a = 1;", "Text"),
        ("<h1></h1><h2><br></h2>Text", "Text"),
        ("<tr><td>One<td>Two", "One | Two"),
        ("<pre>a\n  b</pre>c", "a\n  b\n\nc"),
        ("<pre>\n\n a</pre>", "\n a"),
        ("<dl><dt>One<dd>Two</dl>", "One\nTwo"),
        ("a<wbr>b<img alt=c>d", "abd"),
        ("<title>One</title><title>Two</title>Text", "Text"),
    ] {
        assert_eq!(text(body), expected, "{body}");
    }
}

#[test]
fn a_page_that_stands_in_a_form_is_read_all_the_same() {
    let body = "<body><form id=aspnetForm><nav>Menu</nav><h1>Hello</h1><p>World</form>";
    assert_eq!(text(body), "Menu\n\n# Hello\n\nWorld");
}

#[test]
fn a_page_without_text_says_so() {
    for body in [
        "",
        "  \n ",
        "<html><body><div id=app></div><script>run()</script></body></html>",
        "<p hidden>Hidden</p>",
        "<title>Only a title</title>",
    ] {
        let read = read_page(Some("text/html"), body.as_bytes(), false);
        assert_eq!(read, Err(PageFailure::Empty), "{body}");
    }
}

#[test]
fn a_title_is_one_line() {
    for (head, title) in [
        ("<title> One \n\t two </title>", Some("One two")),
        ("<title>a &lt;b&gt; <i>c</i></title>", Some("a <b> <i>c</i>")),
        ("<title>\u{202e}\u{200b}</title>", None),
        ("<title></title>", None),
        ("<svg><title>Drawing</title></svg>", None),
        ("", None),
    ] {
        assert_eq!(html(&format!("{head}<p>Text")).title.as_deref(), title, "{head}");
    }
    let long = html(&format!("<title>{}</title>Text", "ü ".repeat(5_000)))
        .title
        .unwrap();
    assert_eq!(long.chars().count(), 201);
}
