//! A running installation as a process, for suites that are not written in Rust.
//!
//! Runs the release bundle, or with the argument `fixture` the bundle whose tools do on command what tools do. A second
//! argument, `host:port`, names another server to ask for answers than the scripted provider.
//!
//! Prints one JSON line with its origin when it is ready, and goes away when its standard input ends. Each line of its
//! input is one request, answered with one JSON line:
//!
//! - `cookie`: a `Cookie` header of the owner.
//! - `sign-in`: a sign-in link that works once.
//! - `restart`: kills the runtime at once and starts it again on the same storage.
//! - `release LABEL`: opens the gate of a script.
//! - `exchanges LABEL`: what the provider was asked under that label, and how it ended.
//! - `page ADDRESS HTML`: puts a page of the web at an address under `.example`.
//! - `report-url LABEL`: where the tools of a script report.
//! - `reports LABEL`: what they have reported.

use flarebot_protocol::address;
use flarebot_tests::provider::{ExchangeEnd, Provider, ToolMoment, WebPage};
use flarebot_tests::{Entry, Installation};
use serde_json::{Value, json};
use std::io::{self, BufRead};

fn main() -> io::Result<()> {
    let entry = match std::env::args().nth(1).as_deref() {
        Some("fixture") => Entry::Fixture,
        Some(_) | None => Entry::Production,
    };
    let mut installation = Installation::start_towards(entry, std::env::args().nth(2), |_| {});
    println!("{}", json!({ "origin": installation.origin() }));
    for line in io::stdin().lock().lines() {
        let line = line?;
        println!("{}", answer(&mut installation, &line));
    }
    Ok(())
}

fn answer(installation: &mut Installation, line: &str) -> Value {
    let (request, label) = line.split_once(' ').unwrap_or((line, ""));
    match request {
        "cookie" => json!(installation.credentials.cookie()),
        "sign-in" => json!(format!(
            "{}{}#{}",
            installation.origin(),
            address::SIGN_IN,
            installation.credentials.assertion()
        )),
        "restart" => {
            installation.start_again();
            Value::Null
        }
        "release" => {
            installation.provider.release(label);
            Value::Null
        }
        "page" => {
            let (address, html) = label.split_once(' ').unwrap_or((label, ""));
            installation.provider.put_page(address, WebPage::html(html));
            Value::Null
        }
        "report-url" => json!(installation.provider.report_url(label, "call")),
        "reports" => {
            let reports = installation.provider.reports(label).into_iter();
            let moments = reports.map(|report| match report.moment {
                ToolMoment::Begun => "begun",
                ToolMoment::Ended => "ended",
            });
            moments.collect()
        }
        "exchanges" => exchanges(&installation.provider, label),
        _ => json!({ "error": "unknown request" }),
    }
}

fn exchanges(provider: &Provider, label: &str) -> Value {
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
