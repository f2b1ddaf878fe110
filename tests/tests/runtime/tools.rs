//! Tools inside an answer: they run beside each other, they may fail, hang and tell how far they are, a stop stops them,
//! and a kill neither repeats what was done nor loses what it returned.

use crate::turns::{last_answer, outcome};
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::frame::ServerFrame;
use flarebot_protocol::message::{Message, Outcome, Part, Role, ToolPart, ToolState};
use flarebot_tests::client::Socket;
use flarebot_tests::provider::{Call, Provider, Script, ToolMoment};
use flarebot_tests::{Entry, Installation, PATIENCE, eventually};
use serde_json::{Value, json};
use std::time::Duration;

fn call(provider: &Provider, label: &str, name: &str, tool: &str, milliseconds: u64) -> Call {
    let report = provider.report_url(label, name);
    Call {
        name: tool.to_owned(),
        arguments: json!({ "report": report, "milliseconds": milliseconds, "times": 3 }),
    }
}

/// A script with these tools in its first step.
pub(crate) fn script(installation: &Installation, label: &str, tools: &[(&str, u64)]) -> Script {
    let calls = tools
        .iter()
        .map(|(tool, time)| call(&installation.provider, label, tool, tool, *time));
    Script {
        tools: vec![calls.collect()],
        spoken: 1,
        ..Script::labelled(label)
    }
}

pub(crate) fn tools(message: &Message) -> Vec<&ToolPart> {
    let parts = message.parts.iter();
    parts
        .filter_map(|part| match part {
            Part::Tool(tool) => Some(tool),
            _ => None,
        })
        .collect()
}

pub(crate) fn error(part: &ToolPart) -> &str {
    match &part.state {
        ToolState::OutputError { error_text, .. } => error_text,
        state => panic!("{} did not fail: {state:?}", part.tool_name),
    }
}

pub(crate) fn moments(installation: &Installation, label: &str, call: &str) -> (usize, usize) {
    let reports = installation.provider.reports(label);
    let of_call = reports.iter().filter(|report| report.call == call);
    let (begun, ended): (Vec<_>, Vec<_>) = of_call.partition(|report| report.moment == ToolMoment::Begun);
    (begun.len(), ended.len())
}

#[test]
fn a_tool_s_result_reaches_the_model_and_the_transcript() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (_, mut socket) = installation.new_conversation("Tools");
    let script = script(&installation, "results", &[("count", 50), ("look", 50)]);
    let answer = socket.ask(&script.to_string());
    assert_eq!(
        (answer.outcome, answer.text()),
        (Some(Outcome::Completed), script.whole_text())
    );
    let stored = last_answer(&mut socket);
    assert_eq!(stored.parts, answer.reduction.message.parts);
    let tools = tools(&stored);
    assert_eq!(tools.len(), 2);
    for part in tools {
        assert!(
            matches!(&part.state, ToolState::OutputAvailable { output, preliminary: None, .. } if *output == json!({ "done": true })),
            "{part:?}"
        );
        assert_eq!(moments(&installation, "results", &part.tool_name), (1, 1));
    }
    let asked = installation.provider.labelled("results");
    assert!(asked[0].offered.iter().any(|name| name == "count"));
    assert_eq!(asked[1].standing.results.len(), 2);
    assert!(asked[1].standing.results[0].1.contains("done"));
    // The next question has the calls and their results before it.
    socket.ask("Next");
    let next = installation.provider.wait_for_request("Next", PATIENCE);
    let calls: usize = next.messages.iter().map(|message| message.calls.len()).sum();
    let results = next.messages.iter().filter(|message| message.role == "tool");
    assert_eq!((calls, results.count()), (2, 2));
}

#[test]
fn a_tool_that_fails_and_one_that_hangs_do_not_end_the_answer() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (_, mut socket) = installation.new_conversation("Tools");
    let script = script(
        &installation,
        "failing",
        &[("fail", 0), ("hang", 0), ("no_such_tool", 0)],
    );
    let answer = socket.ask(&script.to_string());
    assert_eq!(
        (answer.outcome, answer.text()),
        (Some(Outcome::Completed), script.whole_text())
    );
    let stored = last_answer(&mut socket);
    let tools = tools(&stored);
    assert_eq!(error(tools[0]), "What was asked for is not there.");
    let errors: Vec<&str> = tools.iter().map(|part| error(part)).collect();
    let [_, too_long, unknown] = errors[..] else {
        panic!("{errors:?}");
    };
    assert!(too_long.contains("too long"), "{too_long}");
    assert!(unknown.contains("no_such_tool"), "{unknown}");
    let told = &installation.provider.labelled("failing")[1].standing.results;
    for ((_, told), error) in told.iter().zip(errors) {
        let told: Value = serde_json::from_str(told).unwrap();
        assert_eq!(told, json!({ "error": error }), "what the model is told");
    }
}

#[test]
fn the_owner_sees_how_far_a_tool_is_and_the_model_sees_the_result() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (_, mut socket) = installation.new_conversation("Tools");
    let script = script(&installation, "progress", &[("progress", 600)]);
    let request = socket.say(&script.to_string());
    let mut steps = Vec::new();
    while steps.len() < 3 {
        let step = socket.expect("progress", |frame| match frame {
            ServerFrame::ChatResponse(response) if response.id == request => {
                match serde_json::from_str(&response.body) {
                    Ok(Chunk::ToolOutputAvailable {
                        output,
                        preliminary: Some(true),
                        ..
                    }) => Some(output["done"].clone()),
                    _ => None,
                }
            }
            _ => None,
        });
        steps.push(step);
    }
    assert_eq!(steps, [json!(1), json!(2), json!(3)]);
    let stored = eventually("the answer", PATIENCE, || {
        let last = socket.history().messages.pop()?;
        (outcome(&last) == Some(Outcome::Completed)).then_some(last)
    });
    assert!(tools(&stored)[0].state.is_settled());
    let told = &installation.provider.labelled("progress")[1].standing.results[0].1;
    assert!(told.contains("true") && !told.contains("of"), "{told:?}");
}

#[test]
fn a_stop_while_a_tool_runs_starts_nothing_more() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (_, mut socket) = installation.new_conversation("Tools");
    let script = script(&installation, "stopped", &[("count", 20_000)]);
    let request = socket.say(&script.to_string());
    installation
        .provider
        .wait_for_report("stopped", "count", ToolMoment::Begun, PATIENCE);
    socket.stop(&request);
    let answer = socket.answer(&request);
    assert_eq!(answer.outcome, Some(Outcome::Aborted));
    let stored = last_answer(&mut socket);
    assert!(!error(tools(&stored)[0]).is_empty());
    assert_eq!(socket.ask("And now?").outcome, Some(Outcome::Completed));
    assert_eq!(installation.provider.labelled("stopped").len(), 1);
    assert_eq!(moments(&installation, "stopped", "count"), (1, 0));
}

#[test]
fn a_model_that_never_stops_calling_tools_has_to_answer_in_the_eighth_step() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (_, mut socket) = installation.new_conversation("Tools");
    let provider = &installation.provider;
    let steps = (0..12).map(|step| vec![call(provider, "endless", &format!("look-{step}"), "look", 0)]);
    let script = Script {
        tools: steps.collect(),
        ..Script::labelled("endless")
    };
    let answer = socket.ask(&script.to_string());
    assert_eq!(
        (answer.outcome, answer.text()),
        (Some(Outcome::Completed), script.whole_text())
    );
    let asked = installation.provider.labelled("endless");
    assert_eq!(asked.len(), 8);
    assert!(asked[7].offered.is_empty() && !asked[6].offered.is_empty());
}

/// Waits for the newest answer of a conversation that was interrupted.
pub(crate) fn recovered(socket: &mut Socket) -> Message {
    eventually("the turn ends", Duration::from_secs(30), || {
        let last = socket.history().messages.pop()?;
        (last.role == Role::Assistant && outcome(&last).is_some()).then_some(last)
    })
}

#[test]
fn a_kill_after_a_tool_s_end_does_not_run_it_again() {
    let mut installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Tools");
    let script = Script {
        gate_after: Some(1),
        ..script(&installation, "settled", &[("count", 50), ("look", 50)])
    };
    socket.say(&script.to_string());
    eventually("the step after the tools", PATIENCE, || {
        installation.provider.labelled("settled").get(1).cloned()
    });
    installation.kill();
    installation.provider.release("settled");
    installation.start_again();
    let mut socket = installation.conversation(id);
    let stored = recovered(&mut socket);
    assert_eq!(
        (outcome(&stored), stored.text()),
        (Some(Outcome::Completed), script.whole_text())
    );
    assert!(tools(&stored)[0].state.is_settled() && tools(&stored).len() == 2);
    for tool in ["count", "look"] {
        assert_eq!(moments(&installation, "settled", tool), (1, 1), "{tool}");
    }
    let asked = installation.provider.labelled("settled");
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[2].standing.results, asked[1].standing.results);
}

#[test]
fn a_kill_while_tools_run_repeats_only_what_is_harmless() {
    let mut installation = Installation::start_entry(Entry::Fixture);
    let (id, mut socket) = installation.new_conversation("Tools");
    let script = script(&installation, "lost", &[("count", 1500), ("look", 1500)]);
    socket.say(&script.to_string());
    for tool in ["count", "look"] {
        installation
            .provider
            .wait_for_report("lost", tool, ToolMoment::Begun, PATIENCE);
    }
    installation.kill();
    installation.start_again();
    let mut socket = installation.conversation(id);
    let stored = recovered(&mut socket);
    assert_eq!(
        (outcome(&stored), stored.text()),
        (Some(Outcome::Completed), script.whole_text())
    );
    let tools = tools(&stored);
    assert!(error(tools[0]).contains("not known"), "{:?}", tools[0]);
    assert_eq!(moments(&installation, "lost", "count"), (1, 0));
    assert!(
        matches!(tools[1].state, ToolState::OutputAvailable { .. }),
        "{:?}",
        tools[1]
    );
    assert_eq!(moments(&installation, "lost", "look"), (2, 1));
}

#[test]
fn a_model_that_repeats_a_failure_is_stopped_and_the_conversation_goes_on() {
    let installation = Installation::start_entry(Entry::Fixture);
    let (_, mut socket) = installation.new_conversation("Tools");
    let call = Call {
        name: "fail".to_owned(),
        arguments: json!({ "report": installation.provider.report_url("stuck", "fail") }),
    };
    let script = Script {
        tools: vec![vec![call]; 6],
        spoken: 1,
        ..Script::labelled("stuck")
    };
    let answer = socket.ask(&script.to_string());
    assert_eq!(answer.outcome, Some(Outcome::Completed));
    let stored = last_answer(&mut socket);
    let notice = stored
        .metadata
        .as_ref()
        .and_then(|metadata| metadata.notice.clone());
    assert!(notice.is_some_and(|notice| notice.contains("three times")));
    assert_eq!(tools(&stored).len(), 3);
    assert!(
        stored
            .parts
            .iter()
            .any(|part| matches!(part, Part::Text { text, .. } if !text.is_empty()))
    );
    assert_eq!(installation.provider.labelled("stuck").len(), 3);
    assert_eq!(socket.ask("And now?").outcome, Some(Outcome::Completed));
}
