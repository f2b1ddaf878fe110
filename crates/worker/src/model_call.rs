//! One call of a model: the request goes out with its key, bytes come in, and the codec's decoder makes events of them.

use crate::fault::Fault;
use crate::model::Model;
use crate::sys;
use flarebot_model::workers_ai;
use flarebot_model::{
    AnswerHead, BindingRequest, Decoder, FailureKind, HttpRequest, ModelEvent, ModelFailure, ModelRequest,
    Outgoing,
};
use futures_util::FutureExt as _;
use futures_util::StreamExt as _;
use futures_util::future::LocalBoxFuture;
use wasm_bindgen::JsValue;
use worker::{
    AbortController, AbortSignal, ByteStream, Fetch, Headers, Method, Request, RequestInit, RequestRedirect,
    Response,
};

/// A call of the model in progress.
pub(crate) struct ModelCall {
    controller: AbortController,
    phase: Phase,
}

/// What a call brings.
pub(crate) enum Heard {
    /// Bytes came, and this is what they mean, perhaps nothing yet.
    Events(Vec<ModelEvent>),
    /// Nothing comes any more.
    Closed,
}

enum Phase {
    Connecting(LocalBoxFuture<'static, Result<Reading, ModelFailure>>),
    Reading(Reading),
    Failed(ModelFailure),
    Ended,
}

struct Reading {
    body: ByteStream,
    decoder: Decoder,
}

impl ModelCall {
    /// Begins a call. A request that cannot even be built is reported as a failed one.
    pub(crate) fn begin(model: &Model, request: &ModelRequest) -> Self {
        let controller = AbortController::default();
        let phase = match connect(model, request, controller.signal()) {
            Ok(connecting) => Phase::Connecting(connecting),
            Err(failure) => Phase::Failed(failure),
        };
        Self { controller, phase }
    }

    /// Waits for what comes next. Dropping the returned future loses nothing.
    pub(crate) async fn next(&mut self) -> Heard {
        match &mut self.phase {
            Phase::Connecting(connecting) => match connecting.await {
                Ok(reading) => {
                    self.phase = Phase::Reading(reading);
                    Heard::Events(Vec::new())
                }
                Err(failure) => self.fail(failure),
            },
            Phase::Failed(failure) => {
                let failure = *failure;
                self.fail(failure)
            }
            Phase::Reading(Reading { body, decoder }) => match body.next().await {
                Some(Ok(bytes)) => Heard::Events(decoder.push(&bytes)),
                // A broken connection may look like a clean end, and the other way round: the decoder knows.
                Some(Err(_)) | None => {
                    let events = decoder.end();
                    self.phase = Phase::Ended;
                    if events.is_empty() {
                        Heard::Closed
                    } else {
                        Heard::Events(events)
                    }
                }
            },
            Phase::Ended => std::future::pending().await,
        }
    }

    /// Ends the call; the provider sees its connection close.
    pub(crate) fn abort(self) {
        self.controller.abort();
    }

    fn fail(&mut self, failure: ModelFailure) -> Heard {
        self.phase = Phase::Ended;
        Heard::Events(vec![ModelEvent::Failed(failure)])
    }
}

type Connecting = LocalBoxFuture<'static, Result<Reading, ModelFailure>>;

fn connect(model: &Model, request: &ModelRequest, signal: AbortSignal) -> Result<Connecting, ModelFailure> {
    let provider = model.codec().provider();
    let unreachable = move |fault: Fault| {
        worker::console_error!("the model cannot be reached: {fault}");
        ModelFailure::new(FailureKind::Unreachable).of(provider)
    };
    let (codec, name) = (model.codec().clone(), request.model.clone());
    let read =
        move |response: Response| read(response, |head| codec.decoder(&name, head)).map_err(unreachable);
    Ok(match model.codec().encode(request) {
        Outgoing::Http(http) => {
            let request = prepare(model, &http).map_err(unreachable)?;
            async move {
                let response = Fetch::Request(request).send_with_signal(&signal).await;
                read(response.map_err(|error| unreachable(error.into()))?)
            }
            .boxed_local()
        }
        Outgoing::Binding(BindingRequest { model: name, input }) => {
            let Some(binding) = model.binding() else {
                return Err(ModelFailure::new(FailureKind::MissingKey).of(provider));
            };
            async move {
                // What the binding throws may hold words of the provider: only their kind is kept.
                let ran = sys::run_model(&binding, &name, &input.to_string(), &signal).await;
                read(ran.map_err(|message| workers_ai::thrown(&message).of(provider))?)
            }
            .boxed_local()
        }
    })
}

fn read(mut response: Response, decoder: impl FnOnce(AnswerHead<'_>) -> Decoder) -> Result<Reading, Fault> {
    let headers = response.headers();
    let (content_type, retry_after) = (headers.get("content-type")?, headers.get("retry-after")?);
    let decoder = decoder(AnswerHead {
        status: response.status_code(),
        content_type: content_type.as_deref(),
        retry_after: retry_after.as_deref(),
    });
    Ok(Reading {
        body: response.stream()?,
        decoder,
    })
}

fn prepare(model: &Model, http: &HttpRequest) -> Result<Request, Fault> {
    let headers = Headers::new();
    for (name, value) in &http.headers {
        headers.set(name, value)?;
    }
    if let Some((name, value)) = http.key.and_then(|slot| model.key_header(slot)) {
        headers.set(name, &value)?;
    }
    let mut init = RequestInit::new();
    init.with_method(Method::Post)
        .with_headers(headers)
        .with_redirect(RequestRedirect::Manual)
        .with_body(Some(JsValue::from_str(&http.body)));
    Ok(Request::new_with_init(&http.url, &init)?)
}
