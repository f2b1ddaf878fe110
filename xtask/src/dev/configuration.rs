//! What wrangler is given: the deployment's own `wrangler.toml`, pointed at the development bundle, and the variables of
//! this run. Both are written beside the bundle, so that neither the file in version control nor `.dev.vars` changes.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::build::{Bundle, Profile};
use crate::checkout;
use crate::failure::{Failure, Result};
use crate::files;
use crate::variables::Variables;

/// The generated files.
pub(super) struct Files {
    pub(super) wrangler: PathBuf,
    pub(super) variables: PathBuf,
}

pub(super) fn write(bundle: &Bundle, variables: &Variables) -> Result<Files> {
    let source = checkout::root().join("wrangler.toml");
    let unreadable = |error: String| {
        Failure::new(
            format!("wrangler.toml cannot be read: {error}"),
            "mend the line that it names",
        )
    };
    let table: toml::Table = files::read_text(&source)?
        .parse()
        .map_err(|error: toml::de::Error| unreadable(error.to_string()))?;
    let mut configuration = serde_json::to_value(table).map_err(|error| unreadable(error.to_string()))?;
    point_at(&mut configuration, bundle);

    let folder = Profile::Development.folder();
    let files = Files {
        wrangler: folder.join("wrangler.json"),
        variables: folder.join("variables.env"),
    };
    files::write(&files.wrangler, format!("{configuration:#}\n"))?;
    variables.write(&files.variables)?;
    Ok(files)
}

/// Replaces the release bundle's paths.
fn point_at(configuration: &mut Value, bundle: &Bundle) {
    let Some(top) = configuration.as_object_mut() else {
        return;
    };
    top.insert("main".to_owned(), json!(bundle.worker.join("entry.mjs")));
    if top.contains_key("base_dir") {
        top.insert("base_dir".to_owned(), json!(bundle.worker));
    }
    if let Some(assets) = top.get_mut("assets").and_then(Value::as_object_mut) {
        assets.insert("directory".to_owned(), json!(bundle.assets));
    }
}
