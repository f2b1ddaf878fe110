//! Which addresses may be fetched: a table of tricks, each refused on the first hop and after a redirect, and ordinary
//! addresses, each read.

use super::web::{Answer, FakeWeb, Makes as _};
use flarebot_tool::ToolFailure;
use flarebot_tool::address::AddressRefusal::{
    Credentials, IpAddress, LocalName, Name, NotWhole, Port, Scheme, Spelling,
};
use flarebot_tool::address::{ADDRESS_BYTES, AddressRefusal, PublicAddress};
use proptest::prelude::*;

/// Addresses that must never be asked for, by what they try.
const TRICKS: [(&str, &[(&str, AddressRefusal)]); 14] = [
    (
        "plain addresses of the machine and its network",
        &[
            ("https://127.0.0.1/", IpAddress),
            ("http://127.0.0.1/", IpAddress),
            ("https://127.255.255.254/", IpAddress),
            ("https://0.0.0.0/", IpAddress),
            ("https://10.0.0.1/", IpAddress),
            ("https://172.16.0.1/", IpAddress),
            ("https://172.31.255.255/", IpAddress),
            ("https://192.168.1.1/", IpAddress),
            ("https://169.254.1.1/", IpAddress),
            ("https://100.64.0.1/", IpAddress),
            ("https://192.0.0.170/", IpAddress),
            ("https://192.0.2.1/", IpAddress),
            ("https://198.51.100.1/", IpAddress),
            ("https://203.0.113.1/", IpAddress),
            ("https://198.18.0.1/", IpAddress),
            ("https://224.0.0.1/", IpAddress),
            ("https://240.0.0.1/", IpAddress),
            ("https://255.255.255.255/", IpAddress),
        ],
    ),
    (
        "what clouds say of a machine",
        &[
            ("http://169.254.169.254/latest/meta-data/", IpAddress),
            ("http://169.254.170.2/v2/credentials", IpAddress),
            ("http://100.100.100.200/latest/meta-data/", IpAddress),
            ("http://168.63.129.16/", IpAddress),
            ("http://[fd00:ec2::254]/latest/meta-data/", IpAddress),
            ("http://metadata.google.internal/computeMetadata/v1/", LocalName),
            ("http://METADATA.Google.Internal/", LocalName),
            ("http://metadata.goog/", LocalName),
            ("http://metadata/", Name),
            ("http://instance-data/latest/meta-data/", Name),
            ("http://instance-data.ec2.internal/", LocalName),
            ("http://metadata.tencentyun.com/", LocalName),
        ],
    ),
    (
        "an address in other digits",
        &[
            ("https://2130706433/", IpAddress),
            ("https://3232235777/", IpAddress),
            ("https://017700000001/", IpAddress),
            ("https://0x7f000001/", IpAddress),
            ("https://0X7F000001/", IpAddress),
            ("https://0177.0.0.1/", IpAddress),
            ("https://0x7f.0.0.1/", IpAddress),
            ("https://0x7f.0x0.0x0.0x1/", IpAddress),
            ("https://0300.0250.01.01/", IpAddress),
            ("https://0xa9fea9fe/", IpAddress),
            ("https://127.1/", IpAddress),
            ("https://127.0.1/", IpAddress),
            ("https://10.1/", IpAddress),
            ("https://192.168.257/", IpAddress),
            ("https://0/", IpAddress),
            ("https://0x/", IpAddress),
            ("https://00000000000000000177.1/", IpAddress),
            ("https://127.0.0.1.5/", IpAddress),
            ("https://256.256.256.256/", IpAddress),
            ("https://4294967296/", IpAddress),
            ("https://1.2.3.08/", IpAddress),
        ],
    ),
    (
        "an address of version 6",
        &[
            ("https://[::1]/", IpAddress),
            ("https://[::]/", IpAddress),
            ("https://[0:0:0:0:0:0:0:1]/", IpAddress),
            ("https://[0000:0000:0000:0000:0000:0000:0000:0001]/", IpAddress),
            ("https://[fc00::1]/", IpAddress),
            ("https://[fd12:3456:789a::1]/", IpAddress),
            ("https://[fe80::1]/", IpAddress),
            ("https://[fec0::1]/", IpAddress),
            ("https://[ff02::1]/", IpAddress),
            ("https://[2001:db8::1]/", IpAddress),
            ("https://[2606:4700::1111]/", IpAddress),
        ],
    ),
    (
        "an address of version 4 inside one of version 6",
        &[
            ("https://[::ffff:127.0.0.1]/", IpAddress),
            ("https://[::ffff:7f00:1]/", IpAddress),
            ("https://[::FFFF:169.254.169.254]/", IpAddress),
            ("https://[0:0:0:0:0:ffff:10.0.0.1]/", IpAddress),
            ("https://[::127.0.0.1]/", IpAddress),
            ("https://[::ffff:0:127.0.0.1]/", IpAddress),
            ("https://[64:ff9b::127.0.0.1]/", IpAddress),
            ("https://[64:ff9b:1::10.0.0.1]/", IpAddress),
            ("https://[2002:7f00:1::]/", IpAddress),
            ("https://[2001:0:7f00:1::]/", IpAddress),
            ("https://[fe80::5efe:10.0.0.1]/", IpAddress),
        ],
    ),
    (
        "a zone, or brackets that are none",
        &[
            ("https://[fe80::1%25eth0]/", IpAddress),
            ("https://[fe80::1%eth0]/", IpAddress),
            ("https://[::1/", IpAddress),
            ("https://::1/", NotWhole),
            ("https://[127.0.0.1]/", IpAddress),
            ("https://%5B::1%5D/", Name),
        ],
    ),
    (
        "dots and signs",
        &[
            ("https://127.0.0.1./", IpAddress),
            ("https://2130706433./", IpAddress),
            ("https://localhost./", Name),
            ("https://localhost../", Name),
            ("https://metadata.google.internal./", Name),
            ("https://example.com./", Name),
            ("https://.example.com/", Name),
            ("https://example..com/", Name),
            ("https://-example.com/", Name),
            ("https://example-.com/", Name),
            ("https://exa$mple.com/", Name),
            ("https://*.example.com/", Name),
        ],
    ),
    (
        "percent signs",
        &[
            ("https://%31%32%37.0.0.1/", IpAddress),
            ("https://127%2e0%2e0%2e1/", IpAddress),
            ("https://%6c%6f%63%61%6c%68%6f%73%74/", LocalName),
            ("https://localhost%00.example.com/", Name),
            ("https://localhost%2f.example.com/", Name),
            ("https://localhost%23.example.com/", Name),
            ("https://example.com%40127.0.0.1/", Name),
            (
                "https://%E2%93%9B%E2%93%9E%E2%93%92%E2%93%90%E2%93%9B%E2%93%97%E2%93%9E%E2%93%A2%E2%93%A3/",
                LocalName,
            ),
        ],
    ),
    (
        "letters that are read as others",
        &[
            ("https://\u{ff11}\u{ff12}\u{ff17}.0.0.1/", IpAddress),
            ("https://127\u{3002}0\u{3002}0\u{3002}1/", IpAddress),
            ("https://127\u{ff0e}0\u{ff0e}0\u{ff0e}1/", IpAddress),
            ("https://127\u{ff61}1/", IpAddress),
            ("https://\u{2460}\u{2461}\u{2466}.\u{2460}/", IpAddress),
            ("https://\u{1d7cf}\u{1d7d0}\u{1d7d5}.0.0.1/", IpAddress),
            (
                "https://\u{24db}\u{24de}\u{24d2}\u{24d0}\u{24db}\u{24d7}\u{24de}\u{24e2}\u{24e3}/",
                LocalName,
            ),
            ("https://\u{ff4c}ocalhost/", LocalName),
            ("https://localho\u{17f}t/", LocalName),
            ("https://local\u{ad}host/", LocalName),
            ("https://local\u{200b}host/", LocalName),
            ("https://l\u{43e}calhost/", Name),
            ("https://metadata.google\u{3002}internal/", LocalName),
            ("https://example.\u{ff4c}ocal/", LocalName),
            ("https://xn--localhost-/", Name),
            ("https://xn--a/", Name),
            ("https://xn--127-0-0-1-.com/", Name),
        ],
    ),
    (
        "names for local use",
        &[
            ("https://localhost/", LocalName),
            ("https://LOCALHOST/", LocalName),
            ("https://LocalHost/admin", LocalName),
            ("https://a.localhost/", LocalName),
            ("https://localhost.localdomain/", LocalName),
            ("https://printer.local/", LocalName),
            ("https://wiki.internal/", LocalName),
            ("https://router.home.arpa/", LocalName),
            ("https://1.0.0.127.in-addr.arpa/", LocalName),
            ("https://ipv4only.arpa/", LocalName),
            ("https://nas.lan/", LocalName),
            ("https://box.home/", LocalName),
            ("https://mail.corp/", LocalName),
            ("https://portal.intranet/", LocalName),
            ("https://host.docker.internal/", LocalName),
            ("https://kubernetes.default.svc/", LocalName),
            ("https://kubernetes.default.svc.cluster.local/", LocalName),
            ("https://vault.service.consul/", LocalName),
            ("https://expyuzz4wqqyqhjn.onion/", LocalName),
            ("https://a.test/", LocalName),
            ("https://a.invalid/", LocalName),
            ("https://intranet/", LocalName),
            ("https://db/", Name),
            ("https://example/", Name),
            ("https://a.b1/", Name),
            ("https://a.b/", Name),
        ],
    ),
    (
        "public names that spell or lead to a private address",
        &[
            ("https://127.0.0.1.nip.io/", LocalName),
            ("https://10-0-0-1.sslip.io/", LocalName),
            ("https://www.192.168.0.1.xip.io/", LocalName),
            ("https://localtest.me/", LocalName),
            ("https://app.lvh.me/", LocalName),
            ("https://anything.localhost.direct/", LocalName),
        ],
    ),
    (
        "who is before the sign",
        &[
            ("https://user@example.com/", Credentials),
            ("https://user:password@example.com/", Credentials),
            ("https://:password@example.com/", Credentials),
            ("https://@example.com/", Credentials),
            ("https://:@example.com/", Credentials),
            ("https://example.com@127.0.0.1/", Credentials),
            ("https://example.com:443@127.0.0.1/", Credentials),
            ("https://127.0.0.1@example.com/", Credentials),
            ("https://a@b@127.0.0.1/", Credentials),
            ("https://127.0.0.1#@example.com/", IpAddress),
            ("https://127.0.0.1?@example.com/", IpAddress),
            ("//user@example.com/", Credentials),
        ],
    ),
    (
        "ports",
        &[
            ("https://example.com:8443/", Port),
            ("https://example.com:80/", Port),
            ("http://example.com:8080/", Port),
            ("http://example.com:22/", Port),
            ("https://example.com:0/", Port),
            ("https://example.com:65536/", Port),
            ("https://example.com:+443/", Port),
            ("https://example.com:443:443/", Port),
            ("https://example.com:\u{ff18}\u{ff10}/", Port),
        ],
    ),
    (
        "schemes and signs that programs read in different ways",
        &[
            ("ftp://example.com/", Scheme),
            ("file:///etc/passwd", Scheme),
            ("gopher://example.com/", Scheme),
            ("ws://example.com/", Scheme),
            ("data:text/html,hello", Scheme),
            ("javascript:alert(1)", Scheme),
            ("blob:https://example.com/1", Scheme),
            ("about:blank", Scheme),
            ("view-source:https://example.com/", Scheme),
            ("https://example.com\\@127.0.0.1/", Spelling),
            ("https:\\\\127.0.0.1\\", Spelling),
            ("https://127.0.0.1\\.example.com/", Spelling),
            ("https://exam\tple.com/", Spelling),
            ("https://local\nhost/", Spelling),
            ("ht\ntps://127.0.0.1/", Spelling),
            ("https://example.com/\r\nHost: localhost", Spelling),
            ("https://example.com/\0", Spelling),
            ("https://127.0.0.1\u{85}/", Spelling),
            ("https://exam ple.com/", Name),
            ("//127.0.0.1/", IpAddress),
            ("//localhost/", LocalName),
            ("https://", NotWhole),
        ],
    ),
];

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
    let too_long = Err(AddressRefusal::TooLong);
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
    #![proptest_config(ProptestConfig::with_cases(2_000))]

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
