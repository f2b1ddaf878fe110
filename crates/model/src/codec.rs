//! One front for all providers: what to send, and a decoder for what comes back.

use crate::decode::AnswerHead;
use crate::{
    BindingRequest, CompatibleEndpoint, HttpRequest, KeySlot, ModelEvent, ModelRequest, Provider, anthropic,
    compatible, workers_ai,
};

/// How one provider is spoken with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Codec {
    /// [`workers_ai`].
    WorkersAi,
    /// [`anthropic`].
    Anthropic,
    /// [`compatible`], with the deployment's endpoint.
    Compatible(CompatibleEndpoint),
}

/// A request on its way out.
#[derive(Debug, Clone, PartialEq)]
pub enum Outgoing {
    /// Over HTTP.
    Http(HttpRequest),
    /// Through the AI binding. What that throws is read by [`workers_ai::thrown`].
    Binding(BindingRequest),
}

/// Reads the answer to one request; see [`crate::AnswerDecoder`]. Its failures name the provider.
#[derive(Debug)]
pub enum Decoder {
    /// An answer of [`Codec::WorkersAi`].
    WorkersAi(workers_ai::Decoder),
    /// An answer of [`Codec::Anthropic`].
    Anthropic(anthropic::Decoder),
    /// An answer of [`Codec::Compatible`].
    Compatible(compatible::Decoder),
}

impl Codec {
    /// Who is spoken with.
    #[must_use]
    pub const fn provider(&self) -> Provider {
        match self {
            Self::WorkersAi => Provider::WorkersAi,
            Self::Anthropic => Provider::Anthropic,
            Self::Compatible(_) => Provider::Compatible,
        }
    }

    /// The key without which nothing should be sent: the call has failed with [`crate::FailureKind::MissingKey`].
    #[must_use]
    pub fn key(&self) -> Option<KeySlot> {
        match self {
            Self::WorkersAi => None,
            Self::Anthropic => Some(KeySlot::Anthropic),
            Self::Compatible(endpoint) => endpoint.key(),
        }
    }

    /// What to send.
    #[must_use]
    pub fn encode(&self, request: &ModelRequest) -> Outgoing {
        match self {
            Self::WorkersAi => Outgoing::Binding(workers_ai::encode(request)),
            Self::Anthropic => Outgoing::Http(anthropic::encode(request)),
            Self::Compatible(endpoint) => Outgoing::Http(compatible::encode(endpoint, request)),
        }
    }

    /// What reads the answer of `model`, the model of the request.
    #[must_use]
    pub fn decoder(&self, model: &str, head: AnswerHead<'_>) -> Decoder {
        match self {
            Self::WorkersAi => {
                Decoder::WorkersAi(workers_ai::Decoder::of(workers_ai::Answer::default(), head))
            }
            Self::Anthropic => {
                let answer = anthropic::Answer::of(model.to_owned());
                Decoder::Anthropic(anthropic::Decoder::of(answer, head))
            }
            Self::Compatible(_) => {
                let answer = compatible::Answer::of(model.to_owned());
                Decoder::Compatible(compatible::Decoder::of(answer, head))
            }
        }
    }
}

impl Decoder {
    /// Takes the next bytes of the body, split anywhere.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<ModelEvent> {
        match self {
            Self::WorkersAi(decoder) => named(Provider::WorkersAi, decoder.push(bytes)),
            Self::Anthropic(decoder) => named(Provider::Anthropic, decoder.push(bytes)),
            Self::Compatible(decoder) => named(Provider::Compatible, decoder.push(bytes)),
        }
    }

    /// Takes the end of the body, clean or not.
    pub fn end(&mut self) -> Vec<ModelEvent> {
        match self {
            Self::WorkersAi(decoder) => named(Provider::WorkersAi, decoder.end()),
            Self::Anthropic(decoder) => named(Provider::Anthropic, decoder.end()),
            Self::Compatible(decoder) => named(Provider::Compatible, decoder.end()),
        }
    }
}

fn named(provider: Provider, mut events: Vec<ModelEvent>) -> Vec<ModelEvent> {
    if let Some(ModelEvent::Failed(failure)) = events.last_mut() {
        *failure = failure.of(provider);
    }
    events
}
