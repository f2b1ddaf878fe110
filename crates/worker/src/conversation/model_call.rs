//! One call of the model: the request goes out with its key, bytes come in, and the decoder makes events of them.

use crate::configuration::Deployment;
use crate::fault::Fault;
use flarebot_conversation::turn::Event;
use flarebot_model::compatible::{self, Decoder};
use flarebot_model::{FailureKind, HttpRequest, ModelEvent, ModelFailure, ModelRequest};
use futures_util::FutureExt as _;
use futures_util::StreamExt as _;
use futures_util::future::LocalBoxFuture;
use wasm_bindgen::JsValue;
use worker::{
    AbortController, ByteStream, Fetch, Headers, Method, Request, RequestInit, RequestRedirect, Response,
};

/// A call of the model in progress.
pub(super) struct ModelCall {
    controller: AbortController,
    phase: Phase,
}

enum Phase {
    Connecting(LocalBoxFuture<'static, worker::Result<Response>>),
    Reading { body: ByteStream, decoder: Decoder },
    Ended,
}

impl ModelCall {
    /// Begins a call. A request that cannot even be built is reported as a failed one.
    pub(super) fn begin(deployment: &Deployment, request: &ModelRequest) -> Self {
        let controller = AbortController::default();
        let signal = controller.signal();
        let prepared = match &deployment.endpoint {
            Some(endpoint) => prepare(deployment, &compatible::encode(endpoint, request)),
            None => Err(Fault::internal("no endpoint is configured")),
        };
        let response = async move {
            let request = prepared.map_err(worker::Error::from)?;
            Fetch::Request(request).send_with_signal(&signal).await
        };
        Self {
            controller,
            phase: Phase::Connecting(response.boxed_local()),
        }
    }

    /// Waits for what comes next. Dropping the returned future loses nothing.
    pub(super) async fn next(&mut self) -> Vec<Event> {
        match &mut self.phase {
            Phase::Connecting(response) => match response.await.and_then(open) {
                Ok((body, decoder)) => {
                    self.phase = Phase::Reading { body, decoder };
                    vec![Event::ModelActive]
                }
                Err(error) => {
                    worker::console_error!("the model cannot be reached: {error}");
                    self.phase = Phase::Ended;
                    vec![Event::Model(ModelEvent::Failed(ModelFailure::new(
                        FailureKind::Unreachable,
                    )))]
                }
            },
            Phase::Reading { body, decoder } => match body.next().await {
                Some(Ok(bytes)) => {
                    let mut events = vec![Event::ModelActive];
                    events.extend(decoder.push(&bytes).into_iter().map(Event::Model));
                    events
                }
                // A broken connection may look like a clean end, and the other way round: the decoder knows.
                Some(Err(_)) | None => {
                    let events: Vec<Event> = decoder.end().into_iter().map(Event::Model).collect();
                    self.phase = Phase::Ended;
                    if events.is_empty() {
                        vec![Event::ModelClosed]
                    } else {
                        events
                    }
                }
            },
            Phase::Ended => std::future::pending().await,
        }
    }

    /// Ends the call; the provider sees its connection close.
    pub(super) fn abort(self) {
        self.controller.abort();
    }
}

fn open(mut response: Response) -> worker::Result<(ByteStream, Decoder)> {
    let headers = response.headers();
    let (content_type, retry_after) = (headers.get("content-type")?, headers.get("retry-after")?);
    let decoder = Decoder::new(
        response.status_code(),
        content_type.as_deref(),
        retry_after.as_deref(),
    );
    Ok((response.stream()?, decoder))
}

fn prepare(deployment: &Deployment, http: &HttpRequest) -> Result<Request, Fault> {
    let headers = Headers::new();
    for (name, value) in &http.headers {
        headers.set(name, value)?;
    }
    if let Some(slot) = http.key
        && let Some(key) = deployment.key(slot)
    {
        let (name, value) = slot.header(key.expose());
        headers.set(name, &value)?;
    }
    let mut init = RequestInit::new();
    init.with_method(Method::Post)
        .with_headers(headers)
        .with_redirect(RequestRedirect::Manual)
        .with_body(Some(JsValue::from_str(&http.body)));
    Ok(Request::new_with_init(&http.url, &init)?)
}
