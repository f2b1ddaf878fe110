//! Which addresses may be fetched: a table of tricks, each refused on the first hop and after a redirect, and ordinary
//! addresses, each read.

mod tricks;

use super::web::{Answer, FakeWeb, Makes as _};
use flarebot_tool::ToolFailure;
use flarebot_tool::address::AddressRefusal::{Credentials, Name, NotWhole, TooLong};
use flarebot_tool::address::{ADDRESS_BYTES, AddressRefusal, PublicAddress};
use proptest::prelude::*;
use tricks::TRICKS;

fn tricks() -> impl Iterator<Item = (&'static str, AddressRefusal)> {
    TRICKS.iter().flat_map(|(_, rows)| rows.iter().copied())
}

/// What a first address is refused for: one that names no scheme is not a whole one.
fn on_the_first_hop(trick: &str, refusal: AddressRefusal) -> AddressRefusal {
    match trick.starts_with("//") && refusal != Credentials {
        true => NotWhole,
        false => refusal,
    }
}

#[test]
fn every_trick_is_refused_on_the_first_hop_and_nobody_is_asked() {
    let mut astray = Vec::new();
    let mut refused = 0;
    for (trick, refusal) in tricks() {
        let refusal = on_the_first_hop(trick, refusal);
        let web = FakeWeb::default();
        let read = (PublicAddress::parse(trick), web.read(trick), web.asked().len());
        let expected = (Err(refusal), Err(ToolFailure::Arguments(refusal.to_string())), 0);
        if read == expected {
            refused += 1;
        } else {
            astray.push((trick, read));
        }
    }
    assert!(astray.is_empty(), "{astray:#?}");
    println!("{refused} tricks are refused on the first hop");
    assert!(refused >= 60);
}

#[test]
fn every_trick_is_refused_after_a_redirect_and_nobody_is_asked() {
    let mut astray = Vec::new();
    let mut refused = 0;
    for (trick, refusal) in tricks() {
        let start = "https://page.example/";
        let web = FakeWeb::default().with(start, Answer::redirect(302, trick));
        let read = (web.read(start), web.asked());
        let sentence = format!("The site leads on to an address that is not read. {refusal}");
        if read == (Err(ToolFailure::Failed(sentence)), vec![start.to_owned()]) {
            refused += 1;
        } else {
            astray.push((trick, read));
        }
    }
    assert!(astray.is_empty(), "{astray:#?}");
    println!("{refused} tricks are refused after a redirect");
    assert!(refused >= 60);
}

#[test]
fn the_table_has_no_row_twice() {
    let mut rows: Vec<_> = tricks().map(|(trick, _)| trick).collect();
    let all = rows.len();
    rows.sort_unstable();
    rows.dedup();
    assert_eq!(rows.len(), all);
}

#[test]
fn ordinary_addresses_are_read_as_they_are_fetched() {
    for (written, read) in [
        ("https://example.com", "https://example.com/"),
        ("https://example.com/", "https://example.com/"),
        ("  https://example.com/  ", "https://example.com/"),
        ("HTTPS://WWW.Example.COM/Path", "https://www.example.com/Path"),
        ("http://example.com/", "https://example.com/"),
        ("http://example.com:80/", "https://example.com/"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("https://example.com/a/../b/./c", "https://example.com/b/c"),
        (
            "https://example.com/a?b=c&d=%20#part",
            "https://example.com/a?b=c&d=%20",
        ),
        ("https://example.com/a b", "https://example.com/a%20b"),
        ("https://example.com/@name/1", "https://example.com/@name/1"),
        (
            "https://example.com/?to=user@example.org",
            "https://example.com/?to=user@example.org",
        ),
        (
            "https://example.com/https://a@b/",
            "https://example.com/https://a@b/",
        ),
        ("https://example.com/127.0.0.1", "https://example.com/127.0.0.1"),
        ("https://localhost.example.com/", "https://localhost.example.com/"),
        ("https://internal.example.com/", "https://internal.example.com/"),
        ("https://notnip.io/", "https://notnip.io/"),
        ("https://4chan.example.org/", "https://4chan.example.org/"),
        ("https://1.1.1.1.example.net/", "https://1.1.1.1.example.net/"),
        ("https://my_site.example.com/", "https://my_site.example.com/"),
        (
            "https://r3---sn-a5.example.com/",
            "https://r3---sn-a5.example.com/",
        ),
        (
            "https://en.wikipedia.org/wiki/Rust_(programming_language)",
            "https://en.wikipedia.org/wiki/Rust_(programming_language)",
        ),
        (
            "https://de.wikipedia.org/wiki/Köln",
            "https://de.wikipedia.org/wiki/K%C3%B6ln",
        ),
        ("https://müller.example/", "https://xn--mller-kva.example/"),
        ("https://MÜLLER.example/", "https://xn--mller-kva.example/"),
        ("https://faß.example/", "https://xn--fa-hia.example/"),
        ("https://例え.jp/", "https://xn--r8jz45g.jp/"),
        ("https://例え\u{3002}jp/", "https://xn--r8jz45g.jp/"),
        ("https://россия.рф/", "https://xn--h1alffa9f.xn--p1ai/"),
        ("https://도메인.한국/", "https://xn--hq1bm8jm9l.xn--3e0b707e/"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
        (
            "https://flarebot.someone.workers.dev/",
            "https://flarebot.someone.workers.dev/",
        ),
        ("https://a.museum/", "https://a.museum/"),
    ] {
        let address = PublicAddress::parse(written);
        assert_eq!(address.as_ref().map(PublicAddress::as_str), Ok(read), "{written}");
    }
}

#[test]
fn what_is_no_whole_address_is_said_to_be_none() {
    for text in [
        "",
        " ",
        "example.com",
        "www.example.com/path",
        "/path",
        "?query",
        "https:example.com",
        "https:/example.com",
        "https:///example.com",
        "http",
        "a page about rust",
        "1:2",
    ] {
        assert_eq!(PublicAddress::parse(text), Err(NotWhole), "{text:?}");
    }
}

#[test]
fn names_and_addresses_have_an_end() {
    let label = "a".repeat(63);
    let name = |labels: usize| format!("https://{}com/", format!("{label}.").repeat(labels));
    assert!(PublicAddress::parse(&name(3)).is_ok());
    assert_eq!(PublicAddress::parse(&name(4)), Err(Name));
    assert_eq!(PublicAddress::parse(&format!("https://a{label}.com/")), Err(Name));
    let address = |bytes: usize| {
        let beginning = "https://example.com/";
        format!("{beginning}{}", "a".repeat(bytes - beginning.len()))
    };
    assert!(PublicAddress::parse(&address(ADDRESS_BYTES)).is_ok());
    let too_long = Err(TooLong);
    assert_eq!(PublicAddress::parse(&address(ADDRESS_BYTES + 1)), too_long);
    // It grows as it is read.
    let growing = format!("https://example.com/{}", "ü".repeat(400));
    assert_eq!(PublicAddress::parse(&growing), too_long);
    let here = PublicAddress::parse("https://example.com/").unwrap();
    assert_eq!(here.follow(&format!("/{}", "a".repeat(ADDRESS_BYTES))), too_long);
    assert_eq!(here.follow(&"a".repeat(ADDRESS_BYTES - 1)), too_long);
}

#[test]
fn a_redirect_is_read_from_where_it_stands() {
    let here = PublicAddress::parse("https://example.com/a/b?c").unwrap();
    for (location, there) in [
        ("d", "https://example.com/a/d"),
        ("/d", "https://example.com/d"),
        ("?d", "https://example.com/a/b?d"),
        ("", "https://example.com/a/b?c"),
        ("#d", "https://example.com/a/b?c"),
        ("//www.example.com/d", "https://www.example.com/d"),
        ("http://www.example.com/d", "https://www.example.com/d"),
        ("127.0.0.1", "https://example.com/a/127.0.0.1"),
        ("/ü", "https://example.com/%C3%BC"),
        (
            "/go?to=https://user@example.org//x",
            "https://example.com/go?to=https://user@example.org//x",
        ),
    ] {
        let followed = here.follow(location);
        assert_eq!(
            followed.as_ref().map(PublicAddress::as_str),
            Ok(there),
            "{location}"
        );
    }
}

#[test]
fn a_refusal_says_what_to_do_and_repeats_nothing_of_the_address() {
    for (trick, refusal) in tricks() {
        let sentence = refusal.to_string();
        assert!(sentence.len() < 120 && sentence.ends_with('.'), "{sentence}");
        let host = trick.split(['/', ':']).rfind(|part| part.len() > 8);
        assert!(host.is_none_or(|host| !sentence.contains(host)), "{sentence}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn whatever_is_read_stays_what_it_is_and_has_a_public_name(
        text in prop_oneof![
            "\\PC{0,40}",
            "(https?:)?/{0,3}[a-z0-9.@:%\\[\\]\\\\_-]{0,30}(/[a-z0-9.?#@:%-]{0,10})?",
            "https://([0-9]{1,3}|0x[0-9a-f]{1,8}|[a-z]{1,5}|[\u{ff10}-\u{ff19}]{1,3})([.\u{3002}]([0-9]{1,4}|[a-z]{1,9})){0,4}/?",
        ],
    ) {
        let here = PublicAddress::parse("https://example.com/").unwrap();
        for address in [PublicAddress::parse(&text), here.follow(&text)].into_iter().flatten() {
            let again = PublicAddress::parse(address.as_str());
            prop_assert_eq!(again.as_ref(), Ok(&address));
            let (name, end) = address.host().rsplit_once('.').unwrap();
            prop_assert!(!name.is_empty() && !end.bytes().any(|byte| byte.is_ascii_digit()) || end.starts_with("xn--"));
            prop_assert!(address.as_str().starts_with("https://"));
        }
    }
}
