//! Words that must not occur in certain sources. Most of the architecture's invariants are absences, and a word that is
//! not there cannot be misused.

use std::path::Path;

use crate::checkout;
use crate::failure::Result;
use crate::files;

/// Words that some folders may not contain outside tests and comments.
struct Absence {
    folders: &'static [&'static str],
    /// Paths inside the folders that are exempt.
    except: &'static [&'static str],
    words: &'static [&'static str],
    reason: &'static str,
}

const DOMAIN: &[&str] = &[
    "crates/sql/src",
    "crates/protocol/src",
    "crates/session/src",
    "crates/model/src",
    "crates/tool/src",
    "crates/durable/src",
    "crates/conversation/src",
    "crates/agent/src",
    "crates/memory/src",
    "crates/task/src",
    "crates/skill/src",
    "crates/link/src",
];

const ABSENCES: [Absence; 5] = [
    Absence {
        folders: DOMAIN,
        except: &[],
        words: &["wasm_bindgen", "js_sys", "web_sys", "worker::"],
        reason: "only the Worker and the page's client touch the platform",
    },
    Absence {
        folders: &["web/app/src"],
        except: &[],
        words: &["use wasm_bindgen", "use js_sys", "use web_sys", "js_sys::"],
        reason: "the page's crate uses what Leptos re-exports",
    },
    Absence {
        folders: DOMAIN,
        except: &["crates/sql/src/native"],
        words: &[
            "SystemTime::now",
            "Instant::now",
            "Utc::now",
            "Local::now",
            "std::fs",
            "TcpStream",
            "TcpListener",
            "UdpSocket",
            "ToSocketAddrs",
            "std::process",
            "std::thread",
            "std::env",
            "new_v4",
            "getrandom",
        ],
        reason: "domain crates have no clock, no randomness and no I/O",
    },
    Absence {
        folders: &["web/app/src", "web/client/src", "crates/worker/src"],
        except: &[],
        words: &[
            "inner_html",
            "set_inner_html",
            "outer_html",
            "insert_adjacent_html",
        ],
        reason: "nothing that was written elsewhere is ever markup",
    },
    Absence {
        folders: &["crates/worker/src"],
        except: &[],
        words: &[".one::<", ".to_array::<", ".abort(\"", "state.abort"],
        reason: "these calls of the platform reset or wedge the isolate; use `exec` and `raw`",
    },
];

/// One complaint for each forbidden word.
pub(super) fn check() -> Result<Vec<String>> {
    let root = checkout::root();
    let mut found = Vec::new();
    for absence in &ABSENCES {
        for folder in absence.folders {
            for file in files::below(&root.join(folder))? {
                let shown = file.strip_prefix(&root).unwrap_or(&file);
                let exempt = absence
                    .except
                    .iter()
                    .any(|path| shown.to_string_lossy().starts_with(path));
                if exempt || !is_product(shown) {
                    continue;
                }
                let text = files::read_text(&file)?;
                for (number, word) in occurrences(&text, absence.words) {
                    found.push(format!(
                        "{}:{number}: `{word}`: {}",
                        shown.display(),
                        absence.reason
                    ));
                }
            }
        }
    }
    Ok(found)
}

fn is_product(path: &Path) -> bool {
    let is_test =
        path.file_stem().is_some_and(|stem| stem == "tests") || path.iter().any(|part| part == "tests");
    path.extension().is_some_and(|extension| extension == "rs") && !is_test
}

/// The line numbers and words, up to the file's own tests and without comments.
fn occurrences<'a>(text: &'a str, words: &'a [&'a str]) -> impl Iterator<Item = (usize, &'a str)> {
    let product = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    product.enumerate().flat_map(move |(index, line)| {
        let code = line.split("//").next().unwrap_or_default();
        words
            .iter()
            .filter(move |word| has_word(code, word))
            .map(move |word| (index + 1, *word))
    })
}

/// Whether the text has the word, not as the end of a longer name.
fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let before = code.get(..at).and_then(|text| text.chars().next_back());
        !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
            || word.starts_with(|letter: char| !letter.is_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::occurrences;

    #[test]
    fn comments_tests_and_longer_names_do_not_count() {
        let text = "// Instant::now is forbidden\nlet a = MyInstant::now();\nlet b = Instant::now();\n\
                    #[cfg(test)]\nlet c = Instant::now();";
        assert_eq!(
            occurrences(text, &["Instant::now"]).collect::<Vec<_>>(),
            [(3, "Instant::now")]
        );
    }
}
