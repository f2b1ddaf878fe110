//! `dev`: from a fresh checkout to a sign-in link. Builds, makes local secrets, starts the model and the runtime, and
//! stops everything together.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::arguments::Arguments;
use crate::build::{self, Profile};
use crate::checkout;
use crate::failure::{Failure, Result};
use crate::files;
use crate::model::{self, LocalModel};
use crate::parts::{Output, Parts};
use crate::probe;
use crate::process;
use crate::progress;
use crate::randomness;
use crate::setup::{Node, Setup};
use crate::sign_in;
use crate::variables::{INSTALLATION, MODEL_KEY, MODEL_NAMES, MODEL_URL, ORIGIN, SECRET, SUBJECT, Variables};

mod configuration;

const HELP: &str = "\
Usage: cargo xtask dev [--port N] [--model URL [--model-name NAME]] [--no-model] [--fresh] [--watch]

Does all the set-up, builds, creates local secrets in .dev.vars if they are missing, starts the local runtime and a
model, and prints a sign-in link once both answer. Ctrl-C stops everything.

  --port N            where the page is served (8787)
  --model URL         an OpenAI-compatible server of yours, such as http://127.0.0.1:11434/v1 for Ollama
  --model-name NAME   its model; otherwise all that it lists
  --no-model          no model at all
  --fresh             begin with an empty agent: removes the local state
  --watch             build again when a source changes

Without --model, FLAREBOT_COMPATIBLE_BASE_URL of .dev.vars is used if it is set, otherwise a small local model.";

const DEFAULT_PORT: u16 = 8787;
const START_LIMIT: Duration = Duration::from_secs(90);

/// Asks a server for its models; Node speaks TLS, this program does not.
const LIST_MODELS: &str = "\
const [url, key] = process.argv.slice(1);
const headers = key ? { authorization: `Bearer ${key}` } : {};
const response = await fetch(url, { headers, signal: AbortSignal.timeout(10000) });
if (!response.ok) throw new Error(`status ${response.status}`);
const { data } = await response.json();
for (const { id } of data) console.log(id);";

struct Options {
    port: u16,
    model: Option<String>,
    model_name: Option<String>,
    no_model: bool,
    fresh: bool,
    watch: bool,
}

impl Options {
    fn read(mut arguments: Arguments) -> Result<Self> {
        let port = match arguments.value("--port")? {
            Some(text) => text.parse().map_err(|_| {
                Failure::new(
                    format!("`{text}` is no port"),
                    "write a number from 1024 to 65535 after `--port`",
                )
            })?,
            None => DEFAULT_PORT,
        };
        let options = Self {
            port,
            model: arguments.value("--model")?,
            model_name: arguments.value("--model-name")?,
            no_model: arguments.flag("--no-model"),
            fresh: arguments.flag("--fresh"),
            watch: arguments.flag("--watch"),
        };
        arguments.finish()?;
        if options.no_model && options.model.is_some() {
            return Err(Failure::new(
                "`--model` and `--no-model` exclude each other",
                "leave one of them out",
            ));
        }
        Ok(options)
    }
}

pub(crate) fn command(arguments: Arguments) -> Result<()> {
    if arguments.wants_help(HELP) {
        return Ok(());
    }
    let options = Options::read(arguments)?;
    let setup = Setup::complete()?;
    let bundle = build::product(&setup, Profile::Development)?;
    let state = checkout::root().join(".wrangler/state");
    if options.fresh {
        progress::step("removing the local state");
        files::remove_folder(&state)?;
    }
    let mut variables = local_variables()?;
    variables.set(ORIGIN, &format!("http://localhost:{}", options.port));
    let local_model = choose_model(&options, &setup.node, &mut variables)?;
    let configuration = configuration::write(&bundle, &variables)?;
    probe::require_port(options.port)?;

    let asked_to_stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&asked_to_stop)).map_err(|error| {
            Failure::new(format!("cannot catch Ctrl-C: {error}"), "start the command again")
        })?;
    }
    let mut parts = Parts::new(&Profile::Development.folder().join("logs"))?;
    let outcome = (|| {
        if let Some((model, port)) = &local_model {
            parts.start("model", &mut model.serve(*port), Output::LogOnly)?;
        }
        parts.start(
            "wrangler",
            &mut wrangler(&setup.node, &configuration, &state, options.port),
            Output::Shown,
        )?;
        let model_port = local_model.as_ref().map(|(_, port)| *port);
        wait_until_ready(&mut parts, &asked_to_stop, options.port, model_port)?;
        if !asked_to_stop.load(Ordering::Relaxed) {
            progress::step("ready; Ctrl-C stops everything. The link works once and for five minutes:");
            println!("{}", sign_in::link(&variables)?);
        }
        serve(&mut parts, &asked_to_stop, &setup, options.watch)
    })();
    progress::step("stopping");
    parts.stop();
    outcome
}

/// `.dev.vars`, with everything that an installation must have.
fn local_variables() -> Result<Variables> {
    let path = checkout::root().join(".dev.vars");
    let mut variables = Variables::read(&path)?;
    let mut missing = false;
    let mut provide = |name: &str, value: String| {
        if variables.get(name).is_none_or(|value| value.is_empty()) {
            variables.set(name, &value);
            missing = true;
        }
    };
    provide(SECRET, hexadecimal(&randomness::bytes::<32>()?));
    provide(SUBJECT, "owner".to_owned());
    provide(
        INSTALLATION,
        format!("local-{}", hexadecimal(&randomness::bytes::<4>()?)),
    );
    provide(ORIGIN, format!("http://localhost:{DEFAULT_PORT}"));
    if missing {
        progress::step("creating local secrets in .dev.vars");
        variables.write(&path)?;
    }
    Ok(variables)
}

/// Puts the model's address into the variables, and answers with the local model if that is the choice.
fn choose_model(
    options: &Options,
    node: &Node,
    variables: &mut Variables,
) -> Result<Option<(LocalModel, u16)>> {
    if options.no_model {
        variables.remove(MODEL_URL);
        variables.remove(MODEL_NAMES);
        return Ok(None);
    }
    if let Some(url) = &options.model {
        let url = url.trim_end_matches('/');
        let names = match &options.model_name {
            Some(name) => name.clone(),
            None => list_models(node, url, variables.get(MODEL_KEY))?,
        };
        progress::step(&format!("using {url} with {names}"));
        variables.set(MODEL_URL, url);
        variables.set(MODEL_NAMES, &names);
        return Ok(None);
    }
    if variables.get(MODEL_URL).is_some_and(|url| !url.is_empty()) {
        progress::step("using the model server of .dev.vars");
        return Ok(None);
    }
    let model = LocalModel::find()?;
    let port = probe::free_port()?;
    variables.set(MODEL_URL, &format!("http://127.0.0.1:{port}/v1"));
    variables.set(MODEL_NAMES, model::NAME);
    Ok(Some((model, port)))
}

fn list_models(node: &Node, url: &str, key: Option<String>) -> Result<String> {
    let mut list = node.command();
    list.args(["--input-type=module", "-e", LIST_MODELS, "--"])
        .arg(format!("{url}/models"))
        .args(key);
    let next =
        "start that server, check the address (it usually ends in /v1), or name a model with `--model-name`";
    let text = process::capture(&mut list)
        .map_err(|_| Failure::new(format!("{url}/models gives no list of models"), next))?;
    let names: Vec<&str> = text.lines().filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return Err(Failure::new(format!("{url} has no models"), next));
    }
    Ok(names.join(","))
}

fn wrangler(node: &Node, configuration: &configuration::Files, state: &Path, port: u16) -> Command {
    let mut command = node.script("wrangler/bin/wrangler.js");
    command
        .args([
            "dev",
            "--local",
            "--show-interactive-dev-session=false",
            "--ip",
            "127.0.0.1",
        ])
        .args(["--inspector-port", "0", "--port", &port.to_string(), "--config"])
        .arg(&configuration.wrangler)
        .arg("--env-file")
        .arg(&configuration.variables)
        .arg("--persist-to")
        .arg(state)
        .env("WRANGLER_SEND_METRICS", "false")
        .env("WRANGLER_HIDE_BANNER", "true")
        .env("CLOUDFLARE_CF_FETCH_ENABLED", "false")
        .env("NO_COLOR", "1");
    command
}

/// Waits for the runtime's first page and for the model; a part that ends meanwhile ends the wait.
fn wait_until_ready(parts: &mut Parts, stop: &AtomicBool, port: u16, model: Option<u16>) -> Result<()> {
    let deadline = Instant::now() + START_LIMIT;
    let mut last = None;
    while Instant::now() < deadline && !stop.load(Ordering::Relaxed) {
        parts.check()?;
        last = probe::status(port, "/");
        let model_answers = model.is_none_or(|port| probe::status(port, "/health") == Some(200));
        if last == Some(200) && model_answers {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(200));
    }
    if stop.load(Ordering::Relaxed) {
        return Ok(());
    }
    let mut what = format!("not ready after {} s", START_LIMIT.as_secs());
    if let Some(status) = last {
        let _ = write!(what, ": the page answers with status {status}");
    }
    Err(Failure::new(
        what,
        "read the lines behind `wrangler |` above and build/dev/logs",
    ))
}

/// Runs until Ctrl-C, or until a part ends; builds again when a source changes if that is wanted.
fn serve(parts: &mut Parts, stop: &AtomicBool, setup: &Setup, watch: bool) -> Result<()> {
    let mut seen = if watch { sources()? } else { BTreeMap::new() };
    while !stop.load(Ordering::Relaxed) {
        parts.check()?;
        thread::sleep(Duration::from_millis(if watch { 500 } else { 200 }));
        if !watch {
            continue;
        }
        let present = sources()?;
        if present != seen {
            seen = present;
            match build::product(setup, Profile::Development) {
                Ok(_) => progress::step("built; the runtime takes it over"),
                Err(failure) => eprintln!("{failure}"),
            }
        }
    }
    Ok(())
}

/// When each source was last written.
fn sources() -> Result<BTreeMap<PathBuf, Option<SystemTime>>> {
    let root = checkout::root();
    let mut found = BTreeMap::new();
    for part in ["crates", "web", "Cargo.toml", "Cargo.lock"] {
        for file in files::below(&root.join(part))? {
            let written = file.metadata().and_then(|metadata| metadata.modified()).ok();
            found.insert(file, written);
        }
    }
    Ok(found)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
