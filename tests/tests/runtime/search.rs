//! Searching everything that an installation has left behind for what must not be there, in every spelling that a
//! program might have given it.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use flarebot_tests::Installation;
use flarebot_tests::client::Record;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs;

/// What is searched for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Secret {
    /// Its name in the test's messages.
    pub(crate) name: &'static str,
    /// All of it.
    pub(crate) whole: &'static str,
    /// A part of it that alone gives it away, of letters and digits.
    pub(crate) part: &'static str,
}

/// Something that can be searched.
pub(crate) struct Place {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// All spellings of all secrets.
pub(crate) struct Search {
    patterns: Vec<Pattern>,
    by_beginning: HashMap<[u8; 2], Vec<usize>>,
}

struct Pattern {
    secret: &'static str,
    spelling: &'static str,
    bytes: Vec<u8>,
}

impl Search {
    pub(crate) fn of(secrets: &[Secret]) -> Self {
        let mut patterns = Vec::new();
        let mut by_beginning: HashMap<_, Vec<usize>> = HashMap::new();
        for secret in secrets {
            assert!(secret.whole.contains(secret.part));
            for text in [secret.whole, secret.part] {
                for (spelling, bytes) in spellings(text) {
                    by_beginning
                        .entry([bytes[0], bytes[1]])
                        .or_default()
                        .push(patterns.len());
                    patterns.push(Pattern {
                        secret: secret.name,
                        spelling,
                        bytes,
                    });
                }
            }
        }
        Self {
            patterns,
            by_beginning,
        }
    }

    /// What stands in a place, each find as a line for the test's message.
    pub(crate) fn find(&self, place: &Place) -> Vec<String> {
        let Place { name, bytes } = place;
        let mut found = Vec::new();
        for (at, beginning) in bytes.windows(2).enumerate() {
            let Some(candidates) = self.by_beginning.get(beginning) else {
                continue;
            };
            for pattern in candidates.iter().map(|candidate| &self.patterns[*candidate]) {
                if bytes[at..].starts_with(&pattern.bytes) {
                    let around = &bytes[at.saturating_sub(60)..bytes.len().min(at + 120)];
                    let around = String::from_utf8_lossy(around);
                    let Pattern { secret, spelling, .. } = pattern;
                    found.push(format!("{secret} ({spelling}) in {name} at {at}: {around}"));
                }
            }
        }
        found
    }
}

fn spellings(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let each = |spell: fn(&mut String, u8)| {
        let mut spelt = String::new();
        text.bytes().for_each(|byte| spell(&mut spelt, byte));
        spelt.into_bytes()
    };
    let json = serde_json::to_string(text).unwrap();
    let json = json.trim_start_matches('"');
    let json = json.strip_suffix('"').unwrap();
    let twice = serde_json::to_string(json).unwrap();
    let mut spellings = vec![
        ("raw", text.as_bytes().to_vec()),
        ("JSON", json.as_bytes().to_vec()),
        ("JSON with escaped slashes", json.replace('/', "\\/").into_bytes()),
        ("JSON in JSON", twice.as_bytes()[1..twice.len() - 1].to_vec()),
        (
            "JSON in numbers",
            each(|spelt, byte| write!(spelt, "\\u{byte:04x}").unwrap()),
        ),
        (
            "JSON in capital numbers",
            each(|spelt, byte| write!(spelt, "\\u{byte:04X}").unwrap()),
        ),
        ("hex", each(|spelt, byte| write!(spelt, "{byte:02x}").unwrap())),
        (
            "capital hex",
            each(|spelt, byte| write!(spelt, "{byte:02X}").unwrap()),
        ),
        ("percent", each(|spelt, byte| percent(spelt, byte, true))),
        (
            "percent everywhere",
            each(|spelt, byte| write!(spelt, "%{byte:02X}").unwrap()),
        ),
        ("small percent", each(|spelt, byte| percent(spelt, byte, false))),
        (
            "small percent everywhere",
            each(|spelt, byte| write!(spelt, "%{byte:02x}").unwrap()),
        ),
        ("HTML", each(html)),
        ("UTF-16", text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        (
            "bytes in a list",
            each(|spelt, byte| write!(spelt, "{byte},").unwrap()),
        ),
    ];
    for before in 0..3 {
        let standard = [
            "base64",
            "base64 from the second byte",
            "base64 from the third byte",
        ];
        let url = [
            "base64 for URLs",
            "base64 for URLs from the second byte",
            "base64 for URLs from the third byte",
        ];
        spellings.push((standard[before], base64(&STANDARD_NO_PAD, text, before)));
        spellings.push((url[before], base64(&URL_SAFE_NO_PAD, text, before)));
    }
    spellings
}

/// The letters of base64 that stand for this text and nothing else, where so many bytes of a group come before it.
fn base64(engine: &impl base64::Engine, text: &str, before: usize) -> Vec<u8> {
    let bytes = [&[0_u8; 2][..before], text.as_bytes()].concat();
    let whole_groups = bytes.len() / 3 * 3;
    let foreign = [0, 2, 3][before];
    engine.encode(&bytes[..whole_groups]).as_bytes()[foreign..].to_vec()
}

fn percent(spelt: &mut String, byte: u8, capital: bool) {
    if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
        spelt.push(byte.into());
    } else if capital {
        write!(spelt, "%{byte:02X}").unwrap();
    } else {
        write!(spelt, "%{byte:02x}").unwrap();
    }
}

fn html(spelt: &mut String, byte: u8) {
    match byte {
        b'&' => spelt.push_str("&amp;"),
        b'<' => spelt.push_str("&lt;"),
        b'>' => spelt.push_str("&gt;"),
        b'"' => spelt.push_str("&quot;"),
        b'\'' => spelt.push_str("&#x27;"),
        byte => spelt.push(byte.into()),
    }
}

/// All that there is to search: storage, what clients received, and the log.
#[derive(Default)]
pub(crate) struct Places {
    places: Vec<Place>,
}

impl Places {
    /// Takes every file of the storage as it is now.
    pub(crate) fn storage(&mut self, installation: &Installation, when: &str) {
        for file in installation.storage_files() {
            // A file may go away while the runtime runs.
            let Ok(bytes) = fs::read(&file) else {
                continue;
            };
            self.add(
                format!("storage {when}: {}", kind(&file.to_string_lossy())),
                bytes,
            );
        }
    }

    pub(crate) fn received(&mut self, record: &Record) {
        let received = record.received();
        self.add(
            "frames of all sockets".to_owned(),
            received.frames.join("\n").into_bytes(),
        );
        self.add(
            "responses, heads and bodies".to_owned(),
            received.responses.join(&b'\n'),
        );
    }

    pub(crate) fn log(&mut self, log: String) {
        self.add("log of host and runtime".to_owned(), log.into_bytes());
    }

    fn add(&mut self, name: String, bytes: Vec<u8>) {
        self.places.push(Place { name, bytes });
    }

    /// Makes sure that a place whose name begins so holds what it must hold; without that the search proves nothing.
    pub(crate) fn must_hold(&self, beginning: &str, search: &Search) {
        let mut of_kind = self
            .places
            .iter()
            .filter(|place| place.name.starts_with(beginning));
        assert!(
            of_kind.any(|place| !search.find(place).is_empty()),
            "what is in {beginning} for certain is not found there"
        );
    }

    /// Searches everywhere and says where, with how much was searched.
    pub(crate) fn find(&self, search: &Search) -> Vec<String> {
        let mut searched: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for place in &self.places {
            let (places, bytes) = searched.entry(&place.name).or_default();
            (*places, *bytes) = (*places + 1, *bytes + place.bytes.len());
        }
        println!("searched for {} spellings in", search.patterns.len());
        for (name, (places, bytes)) in searched {
            println!("{bytes:>10} bytes in {places:>2} of {name}");
        }
        self.places.iter().flat_map(|place| search.find(place)).collect()
    }
}

/// What kind of file it is: databases have names of their own.
fn kind(path: &str) -> &'static str {
    let endings = [
        (".sqlite-wal", "write-ahead logs"),
        (".sqlite-shm", "indexes of write-ahead logs"),
        (".sqlite-journal", "journals"),
        (".sqlite", "databases"),
    ];
    let ending = endings.into_iter().find(|(ending, _)| path.ends_with(ending));
    ending.map_or("other files", |(_, kind)| kind)
}

#[test]
fn the_search_finds_a_secret_in_every_spelling_and_place() {
    let secret = Secret {
        name: "the secret",
        whole: "sk-\"q\\uote\"/+&<canary0123456789abcdef>'%~",
        part: "canary0123456789abcdef",
    };
    let search = Search::of(&[secret]);
    let finds = |bytes: Vec<u8>| {
        let name = "a place".to_owned();
        !search.find(&Place { name, bytes }).is_empty()
    };
    for before in ["", "x", "xy", "xyz"] {
        let text = format!("{before}{}yz", secret.whole);
        let part = format!("{before}{}", secret.part);
        for text in [text, part] {
            assert!(finds(text.clone().into_bytes()));
            assert!(finds(serde_json::json!({ "a": [text] }).to_string().into_bytes()));
            assert!(finds(STANDARD_NO_PAD.encode(&text).into_bytes()));
            assert!(finds(URL_SAFE_NO_PAD.encode(&text).into_bytes()));
            assert!(finds(text.encode_utf16().flat_map(u16::to_le_bytes).collect()));
        }
    }
    assert!(!finds(
        b"sk-canary, and nothing else that matters: 0123456789abcdef".to_vec()
    ));
}
