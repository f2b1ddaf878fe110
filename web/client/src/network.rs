//! Requests to this origin.

use flarebot_app::platform::{Request, Response};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, RequestInit, Window};

/// Makes one request. A cookie travels with it, as with every request to the page's own origin.
///
/// # Errors
/// Whatever the browser says when no answer came.
pub(crate) async fn request(window: &Window, request: Request) -> Result<Response, JsValue> {
    let options = RequestInit::new();
    let path = match request {
        Request::Get(path) => path,
        Request::Post(path, body) => {
            options.set_method("POST");
            if let Some(body) = body {
                let headers = Headers::new()?;
                headers.set("content-type", "application/json")?;
                options.set_headers(&headers);
                options.set_body(&JsValue::from_str(&body));
            }
            path
        }
    };
    let answer = JsFuture::from(window.fetch_with_str_and_init(path, &options)).await?;
    let answer: web_sys::Response = answer.dyn_into()?;
    let body = JsFuture::from(answer.text()?).await?;
    Ok(Response {
        status: answer.status(),
        body: body.as_string().unwrap_or_default(),
    })
}
