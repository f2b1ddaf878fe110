//! Every JavaScript import that the `worker` crate does not bind, all of them `catch`: an exception that is not
//! caught would reset the memory of every object of the agent.

use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

#[wasm_bindgen(inline_js = "
export function facet_get(context, name, object_class) {
  return context.facets.get(name, () => ({ class: object_class }));
}
export function without_props(object_class) { return object_class({ props: {} }); }
export function random_uuid() { return crypto.randomUUID(); }
export function start_timer(milliseconds) {
  const timer = {};
  timer.rung = new Promise((resolve) => { timer.handle = setTimeout(resolve, milliseconds); });
  return timer;
}
export function random_bytes(bytes) { crypto.getRandomValues(bytes); }
export function binding(environment, name) { return environment[name]; }
export async function run_model(binding, model, input, signal) {
  const answer = await binding.run(model, JSON.parse(input), { signal });
  if (!(answer instanceof ReadableStream)) return Response.json(answer);
  return new Response(answer, { headers: { 'content-type': 'text/event-stream' } });
}
export function timer_rung(timer) { return timer.rung; }
export function stop_timer(timer) { clearTimeout(timer.handle); }
")]
extern "C" {
    #[wasm_bindgen(catch)]
    fn facet_get(
        context: &JsValue,
        name: &str,
        object_class: &JsValue,
    ) -> Result<worker::worker_sys::Fetcher, JsValue>;

    #[wasm_bindgen(catch)]
    fn without_props(object_class: &JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch)]
    fn random_bytes(bytes: &mut [u8]) -> Result<(), JsValue>;

    #[wasm_bindgen(catch, js_name = binding)]
    fn read_binding(environment: &JsValue, name: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_name = run_model)]
    async fn run_bound_model(
        binding: &JsValue,
        model: &str,
        input: &str,
        signal: &JsValue,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch)]
    fn start_timer(milliseconds: f64) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch)]
    fn timer_rung(timer: &JsValue) -> Result<js_sys::Promise, JsValue>;

    #[wasm_bindgen(catch)]
    fn stop_timer(timer: &JsValue) -> Result<(), JsValue>;

    /// A random UUID from the platform's generator, in its hyphenated form.
    ///
    /// # Errors
    /// Whatever the platform throws.
    #[wasm_bindgen(catch)]
    pub fn random_uuid() -> Result<String, JsValue>;
}

#[wasm_bindgen]
extern "C" {
    type StateExtension;
    #[wasm_bindgen(method, getter, catch)]
    fn exports(this: &StateExtension) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, getter, catch)]
    fn facets(this: &StateExtension) -> Result<Facets, JsValue>;
    #[wasm_bindgen(method, catch, js_name = acceptWebSocket)]
    fn accept_web_socket(this: &StateExtension, socket: &JsValue) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch, js_name = getWebSockets)]
    fn get_web_sockets(this: &StateExtension) -> Result<js_sys::Array, JsValue>;

    type Facets;
    #[wasm_bindgen(method, catch, js_name = delete)]
    fn delete_facet(this: &Facets, name: &str) -> Result<JsValue, JsValue>;

    type StorageExtension;
    #[wasm_bindgen(method, catch, js_name = transactionSync)]
    fn transaction_sync(
        this: &StorageExtension,
        body: &mut dyn FnMut() -> Result<JsValue, JsValue>,
    ) -> Result<JsValue, JsValue>;
}

/// The child object of that name, started when its first request arrives. An unknown name silently makes an empty
/// child, so the registry is asked before this is called, always.
///
/// # Errors
/// Whatever the platform throws.
pub fn facet(state: &worker::State, class: &str, name: &str) -> Result<worker::Fetcher, JsValue> {
    let context: &StateExtension = state.as_raw().unchecked_ref();
    let object_class = without_props(&js_sys::Reflect::get(
        &context.exports()?,
        &JsValue::from_str(class),
    )?)?;
    Ok(facet_get(context, name, &object_class)?.into())
}

/// Ends the child object of that name and erases its storage.
///
/// # Errors
/// Whatever the platform throws.
pub fn delete_facet(state: &worker::State, name: &str) -> Result<(), JsValue> {
    let context: &StateExtension = state.as_raw().unchecked_ref();
    context.facets()?.delete_facet(name)?;
    Ok(())
}

/// Accepts a socket so that it hibernates with its object. (The `worker` crate panics where the platform throws.)
///
/// # Errors
/// Whatever the platform throws, for one socket too many say.
pub fn accept_socket(state: &worker::State, socket: &worker::WebSocket) -> Result<(), JsValue> {
    let context: &StateExtension = state.as_raw().unchecked_ref();
    let socket: &worker::worker_sys::web_sys::WebSocket = socket.as_ref();
    context.accept_web_socket(socket)
}

/// The open sockets that were accepted so, hibernated ones too.
///
/// # Errors
/// Whatever the platform throws.
pub fn sockets(state: &worker::State) -> Result<Vec<worker::WebSocket>, JsValue> {
    let context: &StateExtension = state.as_raw().unchecked_ref();
    let sockets = context.get_web_sockets()?;
    Ok(sockets
        .iter()
        .map(|socket| {
            socket
                .unchecked_into::<worker::worker_sys::web_sys::WebSocket>()
                .into()
        })
        .collect())
}

/// Runs `body` in a synchronous transaction: an `Err` rolls it back and comes out again.
///
/// # Errors
/// The error of `body`, or whatever the platform throws.
pub fn transaction(
    storage: &worker::Storage,
    body: &mut impl FnMut() -> Result<JsValue, JsValue>,
) -> Result<JsValue, JsValue> {
    let storage: &StorageExtension = storage.as_raw().unchecked_ref();
    storage.transaction_sync(body)
}

/// A nonce from the platform's generator.
///
/// # Errors
/// Whatever the platform throws.
pub fn nonce<const BYTES: usize>() -> Result<[u8; BYTES], JsValue> {
    let mut nonce = [0; BYTES];
    random_bytes(&mut nonce)?;
    Ok(nonce)
}

/// A binding of the environment that the `worker` crate has no type for; nothing where there is none.
pub fn binding(environment: &worker::Env, name: &str) -> Option<JsValue> {
    let found = read_binding(environment.as_ref(), name).ok()?;
    (!found.is_undefined() && !found.is_null()).then_some(found)
}

/// Runs a model of Workers AI. Its answer is given the form of a response, streamed or not.
///
/// # Errors
/// The message of what the platform throws.
pub async fn run_model(
    binding: &JsValue,
    model: &str,
    input: &str,
    signal: &worker::AbortSignal,
) -> Result<worker::Response, String> {
    match run_bound_model(binding, model, input, signal.as_ref()).await {
        Ok(response) => {
            let response: worker::worker_sys::web_sys::Response = response.unchecked_into();
            Ok(response.into())
        }
        Err(thrown) => Err(message_of(&thrown)),
    }
}

fn message_of(thrown: &JsValue) -> String {
    let message = js_sys::Reflect::get(thrown, &JsValue::from_str("message")).ok();
    let message = message.and_then(|message| message.as_string());
    message.or_else(|| thrown.as_string()).unwrap_or_default()
}

/// A timer of the platform, stopped when it is dropped. (The `worker` crate's own takes the platform's handle for a
/// number, which it is not everywhere.)
pub struct PlatformTimer {
    timer: JsValue,
}

impl PlatformTimer {
    /// Starts a timer.
    ///
    /// # Errors
    /// Whatever the platform throws.
    pub fn start(milliseconds: f64) -> Result<Self, JsValue> {
        Ok(Self {
            timer: start_timer(milliseconds)?,
        })
    }

    /// Waits until it rings. Dropping the returned future loses nothing: the next one still hears it.
    ///
    /// # Errors
    /// Whatever the platform throws.
    pub async fn rung(&self) -> Result<(), JsValue> {
        wasm_bindgen_futures::JsFuture::from(timer_rung(&self.timer)?).await?;
        Ok(())
    }
}

impl Drop for PlatformTimer {
    fn drop(&mut self) {
        // A timer that cannot be stopped rings for nobody.
        let _ = stop_timer(&self.timer);
    }
}
