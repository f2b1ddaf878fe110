//! The scripted provider as a process of its own, for suites that are not written in Rust.
//!
//! Prints one JSON line with its base URL and its authority, and stops when its standard input ends. Each further line
//! of its input is a question, answered with one JSON line: `exchanges LABEL`, or `release LABEL`.

use flarebot_tests::provider::{ExchangeEnd, Provider};
use serde_json::json;
use std::io::{self, BufRead};

fn main() -> io::Result<()> {
    let provider = Provider::start()?;
    println!(
        "{}",
        json!({ "baseUrl": provider.base_url(), "authority": provider.authority() })
    );
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (question, label) = line.split_once(' ').unwrap_or((line.as_str(), ""));
        let answer = match question {
            "exchanges" => exchanges(&provider, label),
            "release" => {
                provider.release(label);
                json!(null)
            }
            _ => json!({ "error": "unknown question" }),
        };
        println!("{answer}");
    }
    Ok(())
}

fn exchanges(provider: &Provider, label: &str) -> serde_json::Value {
    let exchanges = provider.labelled(label);
    let exchanges = exchanges.iter().map(|exchange| {
        json!({
            "conversation": exchange.conversation(),
            "pieces": exchange.pieces,
            "end": exchange.end.map(|end| match end {
                ExchangeEnd::Played => "played",
                ExchangeEnd::ClosedByCaller => "closed by caller",
            }),
        })
    });
    exchanges.collect()
}
