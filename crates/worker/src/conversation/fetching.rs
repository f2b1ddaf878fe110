//! One request of a tool to the web: a `GET` without cookies or credentials that follows no redirect, with one deadline
//! over head and body.

use crate::clock::now;
use crate::fault::Fault;
use crate::timer::Timer;
use flarebot_tool::{FetchFailure, FetchRequest, Fetched};
use futures_util::FutureExt as _;
use futures_util::StreamExt as _;
use worker::{
    AbortController, AbortSignal, Fetch, Headers, Method, Request, RequestInit, RequestRedirect, Response,
};

/// As what sites see the agent.
const USER_AGENT: &str = concat!("Flarebot/", env!("CARGO_PKG_VERSION"));

/// Fetches one address. Dropping the future ends the request.
pub(super) async fn fetch(wanted: FetchRequest) -> Result<Fetched, FetchFailure> {
    if now() >= wanted.deadline {
        return Err(FetchFailure::TimedOut);
    }
    let controller = AbortController::default();
    let signal = controller.signal();
    // Dropped last: whatever is still to come of the body is not wanted.
    let _ends = EndOfRequest(Some(controller));
    let mut timer = Timer::default();
    timer.arm(Some(wanted.deadline));
    futures_util::select_biased! {
        // What is thrown may hold the address, and says nothing that a tool could use.
        fetched = run(&wanted, &signal).fuse() => fetched.map_err(|_| FetchFailure::Unreachable),
        () = timer.ring().fuse() => Err(FetchFailure::TimedOut),
    }
}

/// Ends a request when it is dropped. One that was answered and read to its end is not touched by it.
struct EndOfRequest(Option<AbortController>);

impl Drop for EndOfRequest {
    fn drop(&mut self) {
        if let Some(controller) = self.0.take() {
            controller.abort();
        }
    }
}

async fn run(wanted: &FetchRequest, signal: &AbortSignal) -> Result<Fetched, Fault> {
    let request = Fetch::Request(prepare(wanted)?);
    let mut response = request.send_with_signal(signal).await?;
    let headers = response.headers();
    let (content_type, location) = (headers.get("content-type")?, headers.get("location")?);
    let status = response.status_code();
    let (body, body_goes_on) = match status {
        200..=299 => read(&mut response, wanted.maximum_bytes).await?,
        _ => (Vec::new(), false),
    };
    Ok(Fetched {
        status,
        content_type,
        location,
        body,
        body_goes_on,
    })
}

fn prepare(wanted: &FetchRequest) -> Result<Request, Fault> {
    let headers = Headers::new();
    headers.set("accept", wanted.accept)?;
    headers.set("user-agent", USER_AGENT)?;
    let mut init = RequestInit::new();
    init.with_method(Method::Get)
        .with_headers(headers)
        .with_redirect(RequestRedirect::Manual);
    Ok(Request::new_with_init(wanted.address.as_str(), &init)?)
}

/// The body up to so many bytes, and whether there are more.
async fn read(response: &mut Response, maximum: usize) -> Result<(Vec<u8>, bool), Fault> {
    let Ok(mut pieces) = response.stream() else {
        // A response may have no body at all.
        return Ok((Vec::new(), false));
    };
    let mut body = Vec::new();
    while let Some(piece) = pieces.next().await {
        body.extend_from_slice(&piece?);
        if body.len() > maximum {
            body.truncate(maximum);
            return Ok((body, true));
        }
    }
    Ok((body, false))
}
