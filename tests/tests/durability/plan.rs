//! What is asked in one turn: a script whose answer is known in advance to the last byte.

use flarebot_tests::chance::Chance;
use flarebot_tests::provider::{Call, Continuation, Provider, Script};
use serde_json::json;

/// One turn as it is meant to go.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    pub(crate) script: Script,
    pub(crate) calls: Vec<PlannedCall>,
}

/// One call of a tool, known by a name that survives every repetition of the model's step.
#[derive(Debug, Clone)]
pub(crate) struct PlannedCall {
    pub(crate) name: String,
    pub(crate) tool: &'static str,
    /// Where the tool reports; it is among its arguments, so it tells which call a part of the message is.
    pub(crate) report: String,
}

/// How much a turn does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    /// The most steps of calls.
    pub(crate) steps: u64,
    /// About how long the text takes, in milliseconds.
    pub(crate) duration: u64,
}

impl Turn {
    pub(crate) fn plan(chance: &mut Chance, provider: &Provider, label: &str, extent: Extent) -> Self {
        let mut calls = Vec::new();
        let steps = chance.below(extent.steps + 1);
        let tools = (0..steps).map(|_| plan_step(chance, provider, label, &mut calls));
        let tools: Vec<Vec<Call>> = tools.collect();
        // Some come fast enough for a kilobyte to come before a quarter of a second has passed.
        let chunks = if chance.percent(20) {
            chance.within(200..400)
        } else {
            chance.within(15..80)
        };
        let duration = extent.duration + chance.below(extent.duration / 2);
        let script = Script {
            tools,
            spoken: u32::try_from(chance.below(6)).unwrap(),
            chunks: u32::try_from(chunks).unwrap(),
            // A longer mark would be padded with more than a model repeats by chance.
            bytes: usize::try_from(chance.within(9..22)).unwrap(),
            gap: duration / chunks,
            first_text_after: if chance.percent(30) { chance.below(400) } else { 0 },
            continuation: match chance.below(3) {
                0 => Continuation::Continues,
                1 => Continuation::StartsOver,
                _ => Continuation::Overlaps(usize::try_from(chance.within(24..400)).unwrap()),
            },
            ..Script::labelled(label)
        };
        Self { script, calls }
    }

    pub(crate) fn label(&self) -> &str {
        &self.script.label
    }
}

fn plan_step(
    chance: &mut Chance,
    provider: &Provider,
    label: &str,
    calls: &mut Vec<PlannedCall>,
) -> Vec<Call> {
    let count = chance.within(1..3);
    let planned = (0..count).map(|_| {
        let name = format!("call-{}", calls.len());
        let tool = if chance.percent(70) { "count" } else { "look" };
        let report = provider.report_url(label, &name);
        let arguments = json!({ "report": report, "milliseconds": chance.within(10..400) });
        calls.push(PlannedCall { name, tool, report });
        Call {
            name: tool.to_owned(),
            arguments,
        }
    });
    planned.collect()
}
