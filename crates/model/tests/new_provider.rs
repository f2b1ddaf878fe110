//! Adding a provider, walked through: an invented one, Parrot, whose stream has three kinds of events. `docs/models.md`
//! tells the same steps in words. A real one gets a module of its own under `src`, a variant of `Provider`, `Codec` and
//! `Decoder`, models in the catalog and rows in the table of faults; the compiler and the table's test ask for each.
#![allow(
    clippy::unwrap_used,
    reason = "a test may stop where it finds something wrong"
)]

use flarebot_model::{
    Answer, AnswerDecoder, AnswerHead, FailureKind, HttpRequest, KeySlot, ModelEvent, ModelFailure,
    ModelMessage, ModelRequest, ToolChoice, sse,
};
use flarebot_protocol::chunk::FinishReason;
use flarebot_protocol::message::Usage;
use serde_json::{Value, json};

/// The first step: a request in the provider's words. The key's slot is named, the key is not there. A real provider
/// would get a slot of its own.
fn encode(request: &ModelRequest) -> HttpRequest {
    let heard = request.messages.iter().filter_map(|message| match message {
        ModelMessage::User { text } => Some(text.as_str()),
        ModelMessage::Assistant { .. } | ModelMessage::Tool { .. } => None,
    });
    HttpRequest {
        url: "https://parrot.example/v1/repeat".to_owned(),
        headers: vec![("content-type", "application/json".to_owned())],
        body: json!({ "bird": request.model, "heard": heard.collect::<Vec<_>>() }).to_string(),
        key: Some(KeySlot::Compatible),
    }
}

/// The second step: what the events of its stream mean.
#[derive(Debug, Default)]
struct Parrot {
    words: u64,
}

impl Answer for Parrot {
    fn event(
        &mut self,
        event: &sse::Event,
        events: &mut Vec<ModelEvent>,
    ) -> Result<Option<FinishReason>, ModelFailure> {
        match event.name.as_str() {
            "word" => {
                self.words += 1;
                events.push(ModelEvent::Text(event.data.clone()));
                Ok(None)
            }
            "hush" => Ok(Some(FinishReason::Stop)),
            "squawk" => Err(problem(&event.data)),
            // A provider may learn new words.
            _ => Ok(None),
        }
    }

    fn document(&mut self, _: &[u8], _: &mut Vec<ModelEvent>) -> Result<FinishReason, ModelFailure> {
        Err(ModelFailure::new(FailureKind::Malformed))
    }

    /// Its streams end with the event that says so.
    fn finish(&self) -> Option<FinishReason> {
        None
    }

    fn settle(&mut self, _: &mut Vec<ModelEvent>) -> Result<bool, ModelFailure> {
        Ok(false)
    }

    fn usage(&self) -> Option<Usage> {
        Some(Usage {
            output_tokens: self.words,
            ..Usage::default()
        })
    }

    fn refused(&self, status: u16, body: &[u8], retry_after_seconds: Option<u64>) -> ModelFailure {
        ModelFailure {
            status: Some(status),
            retry_after_seconds,
            ..problem(&String::from_utf8_lossy(body))
        }
    }
}

/// The third step: what its errors mean. Its words are looked at here and go no further.
fn problem(words: &str) -> ModelFailure {
    ModelFailure::new(if words.contains("cracker") {
        FailureKind::NoCredit
    } else if words.contains("asleep") {
        FailureKind::Overloaded
    } else {
        FailureKind::Unavailable
    })
}

fn answer(head: AnswerHead<'_>, stream: &str, size: usize) -> Vec<ModelEvent> {
    let mut decoder = AnswerDecoder::of(Parrot::default(), head);
    let mut events: Vec<ModelEvent> = stream
        .as_bytes()
        .chunks(size)
        .flat_map(|piece| decoder.push(piece))
        .collect();
    events.extend(decoder.end());
    events
}

const STREAM: &str = "event: word\ndata: Grüezi\n\nevent: preen\ndata: x\n\nevent: word\ndata:  mitenand\n\nevent: hush\ndata: x\n\n";

fn counted(output_tokens: u64) -> ModelEvent {
    ModelEvent::Usage(Usage {
        output_tokens,
        ..Usage::default()
    })
}

/// The fourth step: golden streams, and that nothing depends on how their bytes are split.
#[test]
fn an_answer_is_read_however_it_is_split() {
    for size in 1..=STREAM.len() {
        assert_eq!(
            answer(AnswerHead::STREAM, STREAM, size),
            [
                ModelEvent::Text("Grüezi".to_owned()),
                ModelEvent::Text(" mitenand".to_owned()),
                counted(2),
                ModelEvent::Finished(FinishReason::Stop)
            ]
        );
    }
}

/// What every provider gets for nothing: one end, whatever comes.
#[test]
fn everything_else_has_one_end_too() {
    let failed = |kind, words| [counted(words), ModelEvent::Failed(ModelFailure::new(kind))];
    let page = "<!doctype html><title>Cage</title>";
    assert_eq!(
        answer(AnswerHead::STREAM, page, 7),
        failed(FailureKind::NotAnAnswer, 0)
    );
    assert_eq!(
        answer(AnswerHead::STREAM, "", 7),
        failed(FailureKind::Truncated, 0)
    );
    let endless = format!("data: {}", "x".repeat(sse::MAXIMUM_EVENT_BYTES));
    assert_eq!(
        answer(AnswerHead::STREAM, &endless, 4096),
        failed(FailureKind::TooLong, 0)
    );
    let squawk =
        "event: word\ndata: a\n\nevent: squawk\ndata: no cracker, no word\n\nevent: word\ndata: b\n\n";
    assert_eq!(
        answer(AnswerHead::STREAM, squawk, 5)[1..],
        failed(FailureKind::NoCredit, 1)
    );
}

/// The fifth step: a row for each fault. The sentences are there already.
#[test]
fn its_faults_have_words_for_the_owner() {
    let head = AnswerHead {
        status: 503,
        content_type: None,
        retry_after: Some("20"),
    };
    let events = answer(head, "the bird is asleep", 3);
    let Some(ModelEvent::Failed(failure)) = events.last() else {
        unreachable!("{events:?}")
    };
    assert_eq!(
        failure.sentence(),
        "The model provider is overloaded. Try again in 20 seconds."
    );
}

#[test]
fn a_request_names_the_key_and_does_not_hold_it() {
    let http = encode(&ModelRequest {
        model: "grey".to_owned(),
        system: None,
        messages: vec![ModelMessage::User {
            text: "Hi".to_owned(),
        }],
        max_output_tokens: 1,
        tools: Vec::new(),
        tool_choice: ToolChoice::Automatic,
    });
    assert_eq!(http.key, Some(KeySlot::Compatible));
    let body: Value = serde_json::from_str(&http.body).unwrap();
    assert_eq!(body, json!({ "bird": "grey", "heard": ["Hi"] }));
}
