//! The words of an answer with numbered links to the pages that were read for it, and the list of those pages.

use crate::citation::{Piece, Source, pieces, sources};
use crate::store::Shown;
use leptos::either::Either;
use leptos::prelude::*;

/// What a link to a page of somebody else's gives away of this one: nothing.
const RELATION: &str = "noopener noreferrer nofollow";

/// The pages that were read for a message.
pub(super) fn sources_of(shown: ArcRwSignal<Shown>) -> Memo<Vec<Source>> {
    Memo::new(move |_| shown.with(|shown| sources(&shown.message)))
}

/// A text whose links to these pages can be followed.
pub(super) fn cited(text: String, sources: &[Source]) -> impl IntoView + use<> {
    if sources.is_empty() {
        return Either::Left(text);
    }
    let pieces = pieces(&text, sources).into_iter();
    let views = pieces.map(|piece| match piece {
        Piece::Text(text) => Either::Left(text.to_owned()),
        Piece::Citation { label, source, .. } => Either::Right(citation(label.to_owned(), source)),
    });
    Either::Right(views.collect::<Vec<_>>())
}

fn citation(label: String, source: &Source) -> impl IntoView + use<> {
    view! {
        <a class="citation" href=source.url.clone() title=source.title.clone() target="_blank" rel=RELATION>
            {label}
            <span class="citation-number">{format!("[{}]", source.number)}</span>
        </a>
    }
}

/// The pages, by number.
#[component]
pub(super) fn Sources(sources: Memo<Vec<Source>>) -> impl IntoView {
    let has_any = Memo::new(move |_| sources.with(|sources| !sources.is_empty()));
    move || {
        has_any.get().then(|| {
            view! {
                <div class="sources">
                    <h3>"Pages read for this answer"</h3>
                    <ol>{move || sources.with(|sources| sources.iter().map(row).collect::<Vec<_>>())}</ol>
                </div>
            }
        })
    }
}

fn row(source: &Source) -> impl IntoView + use<> {
    view! {
        <li>
            <a href=source.url.clone() target="_blank" rel=RELATION>
                <span class="citation-number">{format!("[{}] ", source.number)}</span>
                <span dir="auto">{source.title.clone()}</span>
            </a>
            " "
            <span class="source-host" dir="ltr">{host(&source.url)}</span>
        </li>
    }
}

/// Whose page it is, whatever it calls itself.
fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    host.rsplit('@').next().unwrap_or_default().to_owned()
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;

    fn source() -> Source {
        Source {
            number: 1,
            url: "https://docs.example/?a=1&b=\"2".to_owned(),
            title: "<b>Guide</b>".to_owned(),
        }
    }

    #[test]
    fn a_link_gives_nothing_away_and_its_words_are_text() {
        let text = "See [<i>it</i>](https://docs.example/?a=1&b=\"2) and [that](https://docs.example/other).";
        let html = cited(text.to_owned(), &[source()]).to_html();
        assert_eq!(html.matches("<a ").count(), 1, "{html}");
        for expected in [
            "target=\"_blank\"",
            "rel=\"noopener noreferrer nofollow\"",
            "&lt;i&gt;it",
            "[1]",
            "[that](https://docs.example/other)",
        ] {
            assert!(html.contains(expected), "{expected}: {html}");
        }
        assert!(!html.contains("<i>") && !html.contains("<b>"), "{html}");
        assert!(!html.contains("b=\"2"), "{html}");
    }

    #[test]
    fn without_a_page_that_was_read_there_is_no_link() {
        let text = "[it](https://docs.example/)";
        assert_eq!(cited(text.to_owned(), &[]).to_html(), text);
    }

    #[test]
    fn the_list_says_whose_page_it_is_whatever_it_calls_itself() {
        assert_eq!(host("https://docs.example/a/b?c#d"), "docs.example");
        assert_eq!(host("http://docs.example:8080"), "docs.example:8080");
        assert_eq!(host("https://good.example@evil.example/"), "evil.example");
        let html = row(&source()).to_html();
        assert!(html.contains("docs.example</span>"), "{html}");
    }
}
