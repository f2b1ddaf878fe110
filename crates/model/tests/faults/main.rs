//! What the owner sees when a provider fails: one table for all providers, kept as a golden file. Every fault repeats the
//! key in the provider's words, and nothing of it may come through.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop where it finds something wrong"
)]

mod providers;

use flarebot_model::catalog::Catalog;
use flarebot_model::{
    AnswerHead, Codec, CompatibleEndpoint, FailureKind, ModelEvent, ModelFailure, Provider, sse, workers_ai,
};
use flarebot_protocol::chunk::FinishReason;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The key of every request here. Providers quote it in what they send.
const CANARY: &str = "sk-canary-5cf1a2-do-not-show";

/// What a provider does.
enum Fault {
    /// Answers with this status and body.
    Status(u16, &'static str),
    /// Answers so, and asks to wait for this long.
    Wait(u16, &'static str, &'static str),
    /// Begins well and sends this.
    Stream(&'static str),
    /// Sends an event that is larger than any may be.
    Endless,
    /// Answers with a page.
    Page,
    /// Throws this instead of an answer. Only the binding does.
    Throws(&'static str),
    /// Nothing that could be read: the caller says so.
    Caller(FailureKind),
}

/// One row of a provider's faults: in words, and as it is.
type Row = (&'static str, Fault);

fn events(codec: &Codec, fault: &Fault) -> Vec<ModelEvent> {
    let read = |head: AnswerHead<'_>, body: &str| {
        let mut decoder = codec.decoder("model", head);
        let mut events = decoder.push(body.replace("KEY", CANARY).as_bytes());
        events.extend(decoder.end());
        events
    };
    let json = |status, retry_after| AnswerHead {
        status,
        content_type: Some("application/json"),
        retry_after,
    };
    match *fault {
        Fault::Status(status, body) => read(json(status, None), body),
        Fault::Wait(status, body, seconds) => read(json(status, Some(seconds)), body),
        Fault::Stream(body) => read(AnswerHead::STREAM, body),
        Fault::Endless => read(
            AnswerHead::STREAM,
            &format!("data: KEY {}", "x".repeat(sse::MAXIMUM_EVENT_BYTES)),
        ),
        Fault::Page => {
            let head = AnswerHead {
                content_type: Some("text/html; charset=utf-8"),
                ..AnswerHead::STREAM
            };
            read(head, "<!doctype html><title>Sign in, KEY</title>")
        }
        Fault::Throws(message) => {
            let failure = workers_ai::thrown(&message.replace("KEY", CANARY)).of(codec.provider());
            vec![ModelEvent::Failed(failure)]
        }
        Fault::Caller(kind) => vec![ModelEvent::Failed(ModelFailure::new(kind).of(codec.provider()))],
    }
}

/// What the owner sees: a kind and a sentence.
fn seen(events: &[ModelEvent]) -> (String, String) {
    match events.last() {
        Some(ModelEvent::Failed(failure)) => {
            let kind = serde_json::to_value(failure.kind).unwrap();
            (kind.as_str().unwrap().to_owned(), failure.sentence())
        }
        Some(ModelEvent::Finished(FinishReason::ContentFilter)) => (
            "content-filter".to_owned(),
            "(the words so far, and the notice that the provider's filter ended this answer)".to_owned(),
        ),
        other => panic!("no fault: {other:?}"),
    }
}

fn codecs() -> Vec<(Codec, Vec<Row>)> {
    let endpoint = CompatibleEndpoint::read(Some("http://127.0.0.1:8080/v1"), Some("small")).unwrap();
    let catalog = Catalog::new(endpoint.map(CompatibleEndpoint::with_key));
    let rows = |provider| match provider {
        Provider::Anthropic => providers::anthropic(),
        Provider::WorkersAi => providers::workers_ai(),
        Provider::Compatible => providers::compatible(),
    };
    Provider::ALL
        .into_iter()
        .map(|provider| (catalog.codec(provider).unwrap(), rows(provider)))
        .collect()
}

#[test]
fn the_table_of_faults() {
    let mut table = String::new();
    for (codec, rows) in codecs() {
        writeln!(table, "{}", codec.provider().id()).unwrap();
        for (words, fault) in rows {
            let (kind, sentence) = seen(&events(&codec, &fault));
            writeln!(table, "  {words}\n    {kind}: {sentence}").unwrap();
        }
    }
    insta::assert_snapshot!("table", table);
}

#[test]
fn the_table_is_complete() {
    let all: BTreeSet<String> = FailureKind::ALL
        .iter()
        .map(|kind| serde_json::to_value(kind).unwrap().as_str().unwrap().to_owned())
        .collect();
    let mut rows_in_all = 0;
    for (codec, rows) in codecs() {
        let kinds: BTreeSet<String> = rows
            .iter()
            .map(|(_, fault)| seen(&events(&codec, fault)).0)
            .collect();
        rows_in_all += rows.len();
        let missing: Vec<&String> = all.difference(&kinds).collect();
        assert!(
            missing.is_empty(),
            "{:?} has no row for {missing:?}",
            codec.provider()
        );
    }
    assert!(rows_in_all >= 75, "{rows_in_all}");
}

#[test]
fn nothing_that_a_provider_said_comes_through() {
    for (codec, rows) in codecs() {
        for (words, fault) in rows {
            let events = events(&codec, &fault);
            let (_, sentence) = seen(&events);
            assert!(
                sentence.len() <= ModelFailure::MAXIMUM_SENTENCE_BYTES,
                "{sentence}"
            );
            let failure = events.last().unwrap();
            for shown in [sentence, format!("{failure:?}")] {
                for part in ["canary", "5cf1a2", "SAID"] {
                    assert!(!shown.contains(part), "{words}: {shown}");
                }
            }
        }
    }
}

#[test]
fn a_failure_names_the_provider_that_was_asked_and_no_other() {
    for (codec, rows) in codecs() {
        for (words, fault) in rows {
            if let Some(ModelEvent::Failed(failure)) = events(&codec, &fault).last() {
                assert_eq!(failure.provider, Some(codec.provider()), "{words}");
                let others = Provider::ALL
                    .into_iter()
                    .filter(|provider| *provider != codec.provider());
                for other in others {
                    let name = match other {
                        Provider::Anthropic => "Anthropic",
                        Provider::WorkersAi => "Workers AI",
                        Provider::Compatible => "FLAREBOT_COMPATIBLE",
                    };
                    assert!(
                        !failure.sentence().contains(name),
                        "{words}: {}",
                        failure.sentence()
                    );
                }
            }
        }
    }
}
