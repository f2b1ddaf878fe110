//! Every JavaScript function that the Worker calls is declared in one place and catches exceptions: one that is not
//! caught resets the memory of all objects in the isolate.

use crate::checkout;
use crate::failure::Result;
use crate::files;

const WORKER: &str = "crates/worker/src";

/// Adds one complaint for each extern that is elsewhere or does not catch.
pub(super) fn check(mut found: Vec<String>) -> Result<Vec<String>> {
    let root = checkout::root();
    for file in files::below(&root.join(WORKER))? {
        let shown = file
            .strip_prefix(&root)
            .unwrap_or(&file)
            .to_string_lossy()
            .into_owned();
        if !shown.ends_with(".rs") {
            continue;
        }
        let text = files::read_text(&file)?;
        let in_sys =
            shown.starts_with("crates/worker/src/sys.rs") || shown.starts_with("crates/worker/src/sys/");
        if text.contains("extern \"C\"") && !in_sys {
            found.push(format!("{shown}: externs belong in crates/worker/src/sys"));
        }
        for (number, name) in uncaught(&text) {
            found.push(format!(
                "{shown}:{number}: the extern `{name}` is not marked `catch`"
            ));
        }
    }
    Ok(found)
}

/// Functions in `extern "C"` blocks whose attributes do not say `catch`.
fn uncaught(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    let mut attributes = String::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("extern \"C\"") {
            inside = true;
            attributes.clear();
        } else if line == "}" {
            inside = false;
        } else if inside && !line.starts_with("//") {
            match line.split_once("fn ") {
                Some((_, declaration)) => {
                    if !attributes.contains("catch") {
                        let name = declaration.split(['(', '<']).next().unwrap_or_default();
                        found.push((index + 1, name.to_owned()));
                    }
                    attributes.clear();
                }
                None => attributes.push_str(line),
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::uncaught;

    #[test]
    fn an_extern_without_catch_is_found() {
        let text = "#[wasm_bindgen]\nextern \"C\" {\n    type Facets;\n    #[wasm_bindgen(method, catch)]\n    \
                    fn delete(this: &Facets);\n    #[wasm_bindgen(method)]\n    pub(crate) fn clone(this: &Facets);\n}\n\
                    fn ours() {}\n";
        assert_eq!(uncaught(text), [(7, "clone".to_owned())]);
    }
}
