//! wasm-bindgen's generator as a program: as much of its published command line as the builds here use, the page's and
//! worker-build's. The published one brings a runner of tests with an HTTP client and TLS, which takes longer to compile
//! than the generator itself.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let mut words = env::args_os().skip(1);
    let mut bindgen = Bindgen::new();
    // The library's own default is another one than the command line's.
    bindgen.omit_default_module_path(false);
    let mut folder = None;
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--out-dir") => folder = Some(PathBuf::from(value(&word, words.next())?)),
            Some("--out-name") => {
                bindgen.out_name(&text(value(&word, words.next())?)?);
            }
            Some("--target") => {
                match text(value(&word, words.next())?)?.as_str() {
                    "web" => bindgen.web(true)?,
                    "module" => bindgen.module(true)?,
                    other => bail!("the target `{other}` is not used here"),
                };
            }
            Some("--debug") => {
                bindgen.debug(true);
            }
            // Nothing else is offered.
            Some("--no-typescript") => {}
            Some("--experimental-reset-state-function") => {
                bindgen.reset_state_function(true);
            }
            Some("--force-enable-abort-handler") => {
                bindgen.force_enable_abort_handler(true);
            }
            Some(option) if option.starts_with("--") => bail!("the option `{option}` is not used here"),
            _ => {
                bindgen.input_path(PathBuf::from(word));
            }
        }
    }
    bindgen.generate(folder.context("`--out-dir` is missing")?)
}

fn value(option: &OsString, next: Option<OsString>) -> Result<OsString> {
    next.with_context(|| format!("`{}` needs a value", option.display()))
}

fn text(word: OsString) -> Result<String> {
    word.into_string()
        .map_err(|word| anyhow::anyhow!("`{}` is not UTF-8", word.display()))
}
