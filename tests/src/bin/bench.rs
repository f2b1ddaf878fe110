//! Measures what an answer costs and prints the table: `bench turns [--peer FOLDER] [--quick] [--kills N] [--json FILE]
//! [row…]`. Started by `cargo xtask bench`, which knows where everything is.

use flarebot_tests::bench::{Plan, Report, names, run};
use std::path::PathBuf;
use std::process::ExitCode;

const KILLS: usize = 10;

/// What was asked for.
struct Request {
    plan: Plan,
    rows: Vec<String>,
    json: Option<PathBuf>,
}

fn main() -> ExitCode {
    let request = match read(std::env::args().skip(1)) {
        Ok(request) => request,
        Err(fault) => {
            eprintln!("{fault}");
            return ExitCode::FAILURE;
        }
    };
    let wanted = |name: &str| request.rows.is_empty() || request.rows.iter().any(|row| row == name);
    // After every row, so that a run that is ended early has not been for nothing.
    let report = run(&request.plan, wanted, |report| save(&request, report));
    println!("{report}");
    ExitCode::SUCCESS
}

fn read(mut words: impl Iterator<Item = String>) -> Result<Request, String> {
    if words.next().as_deref() != Some("turns") {
        return Err("the one benchmark is `turns`".to_owned());
    }
    let mut request = Request {
        plan: Plan {
            peer: None,
            quick: false,
            kills: KILLS,
        },
        rows: Vec::new(),
        json: None,
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("`{word}` needs a value"));
        match word.as_str() {
            "--quick" => request.plan.quick = true,
            "--peer" => request.plan.peer = Some(value()?.into()),
            "--json" => request.json = Some(value()?.into()),
            "--kills" => {
                let count = value()?;
                let count = count.parse().map_err(|_| format!("`{count}` is not a number"))?;
                request.plan.kills = count;
            }
            row if names().any(|name| name == row) => request.rows.push(word),
            unknown => {
                let names: Vec<_> = names().collect();
                return Err(format!(
                    "there is no row `{unknown}`; there are {}",
                    names.join(", ")
                ));
            }
        }
    }
    Ok(request)
}

fn save(request: &Request, report: &Report) {
    let Some(file) = &request.json else { return };
    let whole = serde_json::json!({
        "quick": request.plan.quick,
        "processors": std::thread::available_parallelism().map_or(0, std::num::NonZero::get),
        "load": std::fs::read_to_string("/proc/loadavg").unwrap_or_default().trim(),
        "lines": report.json(),
    });
    if let Err(error) = std::fs::write(file, format!("{whole:#}\n")) {
        eprintln!("cannot write {}: {error}", file.display());
    }
}
