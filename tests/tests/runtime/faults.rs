//! Everything that a provider does wrong leaves a notice that the owner can read, and the next message works.

use flarebot_protocol::message::Outcome;
use flarebot_tests::client::Socket;
use flarebot_tests::provider::{Ending, ExchangeEnd, Faults, Form, LineEnd, PROVIDER_SECRET, Script, Writes};
use flarebot_tests::{Installation, PATIENCE};
use std::time::{Duration, Instant};

/// Scripts whose answer fails, each with the text that is kept nevertheless.
fn failing() -> Vec<(Script, u32)> {
    let mut scripts = Vec::new();
    for status in [400, 401, 403, 404, 500, 503] {
        scripts.push((
            Script {
                status,
                ..Script::labelled(&format!("status {status}"))
            },
            0,
        ));
    }
    scripts.push((
        Script {
            status: 429,
            retry_after: Some("120".to_owned()),
            ..Script::labelled("status 429")
        },
        0,
    ));
    for (label, ending) in [
        ("error event", Ending::ErrorEvent),
        ("cut", Ending::Cut),
        ("no finish", Ending::NoFinish),
    ] {
        for chunks in [0, 5] {
            scripts.push((
                Script {
                    chunks,
                    ending,
                    ..Script::labelled(&format!("{label} after {chunks}"))
                },
                chunks,
            ));
        }
    }
    scripts
}

/// Scripts that are unusual and yet succeed.
fn unusual() -> Vec<Script> {
    let text = Some("Grüße, 世界! 👋🏽 Ein längerer Satz.".to_owned());
    let mut scripts = vec![
        Script {
            ending: Ending::NoDone,
            ..Script::labelled("no done")
        },
        Script {
            form: Form::Document,
            ..Script::labelled("document")
        },
        Script {
            first_text_after: 2000,
            ..Script::labelled("slow first token")
        },
        Script {
            headers_after: 2000,
            ..Script::labelled("slow headers")
        },
        Script {
            finish_reason: "length".to_owned(),
            ..Script::labelled("cut short by length")
        },
        Script {
            chunks: 4000,
            bytes: 200,
            ..Script::labelled("huge")
        },
        Script {
            chunks: 1,
            bytes: 300_000,
            ..Script::labelled("one huge piece")
        },
        Script {
            reasoning: Some("Let me think.".to_owned()),
            ..Script::labelled("reasoning")
        },
    ];
    for line_end in [LineEnd::Lf, LineEnd::CrLf, LineEnd::Cr] {
        scripts.push(Script {
            text: text.clone(),
            chunks: 6,
            line_end,
            writes: Writes::Bytes,
            ..Script::labelled(&format!("one byte a write, {line_end:?}"))
        });
    }
    scripts
}

/// The notice of the last answer as it is stored.
fn notice(socket: &mut Socket) -> Option<String> {
    let last = socket.history().messages.pop()?;
    last.metadata?.notice
}

#[test]
fn a_failed_answer_leaves_a_notice_and_the_next_message_works() {
    let installation = Installation::start();
    let (id, mut socket) = installation.new_conversation("Faults");
    for (script, kept) in failing() {
        let label = &script.label;
        let answer = socket.ask(&script.to_string());
        assert_eq!(answer.outcome, Some(Outcome::Error), "{label}");
        assert_eq!(answer.text(), script.text_of(kept), "{label}");
        let stored = notice(&mut socket).unwrap_or_else(|| panic!("{label} leaves no notice"));
        assert!(stored.len() > 15 && stored.len() < 300, "{label}: {stored:?}");
        let next = socket.ask(&format!("After {label}"));
        assert_eq!(next.outcome, Some(Outcome::Completed), "after {label}");
    }
    let everything = format!("{:?}", socket.drain(Duration::from_millis(100)));
    let mut late = installation.conversation(id);
    let stored = format!("{:?}{:?}", late.expect_history(), late.history());
    for shown in [everything, stored, installation.host().log()] {
        assert!(
            !shown.contains(PROVIDER_SECRET),
            "the provider's own words are shown"
        );
    }
}

#[test]
fn a_notice_says_what_to_do_for_a_key_a_model_and_a_limit() {
    let installation = Installation::start();
    let (_, mut socket) = installation.new_conversation("Faults");
    let mut notices = Vec::new();
    for status in [401, 404, 429, 500] {
        let script = Script {
            status,
            ..Script::labelled(&format!("status {status}"))
        };
        socket.ask(&script.to_string());
        notices.push(notice(&mut socket).unwrap());
    }
    let distinct: std::collections::BTreeSet<_> = notices.iter().collect();
    assert_eq!(distinct.len(), notices.len(), "{notices:#?}");
}

#[test]
fn an_unusual_answer_is_an_answer() {
    let installation = Installation::start();
    let (_, mut socket) = installation.new_conversation("Unusual");
    for script in unusual() {
        let label = &script.label;
        let request = socket.say(&script.to_string());
        let answer = socket.answer_within(&request, PATIENCE * 2);
        assert_eq!(
            answer.outcome,
            Some(Outcome::Completed),
            "{label}: {:?}",
            answer.error
        );
        assert_eq!(answer.text(), script.whole_text(), "{label}");
        let last = socket.history().messages.pop().unwrap();
        assert_eq!(last.text(), script.whole_text(), "{label} as it is stored");
    }
}

#[test]
fn an_empty_answer_ends_in_words_for_the_owner() {
    let installation = Installation::start();
    let (_, mut socket) = installation.new_conversation("Empty");
    let script = Script {
        chunks: 0,
        ..Script::labelled("empty")
    };
    let answer = socket.ask(&script.to_string());
    assert_eq!(answer.text(), "");
    assert!(
        notice(&mut socket).is_some(),
        "the owner is told that nothing came: {answer:?}"
    );
    assert_eq!(socket.ask("Next").outcome, Some(Outcome::Completed));
}

#[test]
fn one_malformed_event_does_not_cost_the_text_around_it() {
    let installation = Installation::start();
    let (_, mut socket) = installation.new_conversation("Malformed");
    let script = Script {
        chunks: 10,
        malformed_after: Some(4),
        ..Script::labelled("malformed")
    };
    let answer = socket.ask(&script.to_string());
    assert!(answer.outcome.is_some());
    assert!(
        answer.text().starts_with(&script.text_of(4)),
        "{:?}",
        answer.text()
    );
    assert_eq!(socket.ask("Next").outcome, Some(Outcome::Completed));
}

#[test]
fn a_provider_that_cannot_be_reached_is_a_notice() {
    let installation = Installation::start_with(flarebot_tests::Entry::Production, |variables| {
        variables.insert(
            "FLAREBOT_COMPATIBLE_BASE_URL".to_owned(),
            "https://models.example/v1".to_owned(),
        );
    });
    let (_, mut socket) = installation.new_conversation("Unreachable");
    let answer = socket.ask("Hello");
    assert_eq!(answer.outcome, Some(Outcome::Error));
    assert!(notice(&mut socket).is_some());
}

/// A minute of patience: the watchdog is a promise of the product and has no switch for tests.
#[test]
fn a_minute_of_silence_is_followed_by_another_call_of_the_model() {
    let installation = Installation::start();
    let (_, mut before_text) = installation.new_conversation("Silent from the start");
    let (_, mut after_text) = installation.new_conversation("Silent in the middle");
    let silent_before = |label, before_piece| Script {
        faults: Some(Faults {
            requests: 1,
            before_piece,
            ending: Ending::Silence,
        }),
        ..Script::labelled(label)
    };
    let (nothing, some) = (silent_before("nothing", 0), silent_before("some", 2));
    let asked = Instant::now();
    let first = before_text.say(&nothing.to_string());
    let second = after_text.say(&some.to_string());
    let patience = Duration::from_secs(90);
    let first = before_text.answer_within(&first, patience);
    let second = after_text.answer_within(&second, patience);
    assert!(
        asked.elapsed() > Duration::from_secs(55),
        "the watchdog is impatient"
    );
    for (answer, script) in [(first, &nothing), (second, &some)] {
        assert_eq!(
            (answer.outcome, answer.text()),
            (Some(Outcome::Completed), script.whole_text())
        );
        let asked = installation.provider.labelled(&script.label);
        assert_eq!(asked.len(), 2, "{}", script.label);
        assert_eq!(
            asked[0].end,
            Some(ExchangeEnd::ClosedByCaller),
            "{}",
            script.label
        );
    }
    assert!(notice(&mut before_text).is_none() && notice(&mut after_text).is_none());
    assert_eq!(after_text.ask("Next").outcome, Some(Outcome::Completed));
}
