//! What must be true of a conversation once its turn has ended, whatever happened in between.

use crate::conversation::{Conversation, RunningTurn};
use crate::plan::PlannedCall;
use crate::tally::Tally;
use flarebot_protocol::message::{Message, Outcome, Part, Role, ToolPart, ToolState};
use flarebot_tests::Installation;
use flarebot_tests::provider::{ToolMoment, ToolReport};

/// Every sentence is a broken promise.
pub(crate) fn broken(
    installation: &Installation,
    conversation: &Conversation,
    stored: &[Message],
    tally: &mut Tally,
) -> Vec<String> {
    let turn = conversation.turn();
    let mut broken = messages(conversation, stored);
    if let Some(answer) = stored.last() {
        broken.extend(text(turn, answer));
        let exchanges = installation.provider.labelled(turn.plan.label());
        if exchanges.iter().any(|exchange| !exchange.offered.is_empty()) {
            broken.extend(tools(installation, turn, answer, tally));
        }
    }
    let label = turn.plan.label();
    broken
        .into_iter()
        .map(|promise| format!("{label}: {promise}"))
        .collect()
}

/// No message of the owner is lost or doubled, and each has one answer.
fn messages(conversation: &Conversation, stored: &[Message]) -> Vec<String> {
    let mut broken = Vec::new();
    let said: Vec<String> = stored
        .iter()
        .filter(|message| message.role == Role::User)
        .map(Message::text)
        .collect();
    if said != conversation.said {
        broken.push(format!(
            "{} messages were said, but {said:#?} are stored",
            conversation.said.len()
        ));
    }
    let alternate = stored
        .iter()
        .zip([Role::User, Role::Assistant].iter().cycle())
        .all(|(message, role)| message.role == *role);
    if !alternate || stored.len() != 2 * conversation.said.len() {
        broken.push(format!(
            "not each of {} messages has one answer",
            conversation.said.len()
        ));
    }
    broken
}

/// The answer is the script's text, each of its marks once and in order, and it completed.
fn text(turn: &RunningTurn, answer: &Message) -> Vec<String> {
    let mut broken = Vec::new();
    let metadata = answer.metadata.clone().unwrap_or_default();
    if metadata.outcome != Some(Outcome::Completed) || metadata.notice.is_some() {
        broken.push(format!("it ended as {metadata:?}"));
    }
    let (found, expected) = (answer.text(), turn.plan.script.whole_text());
    if found != expected {
        let same = found.bytes().zip(expected.bytes());
        let same = same.take_while(|(found, expected)| found == expected).count();
        broken.push(format!(
            "its text differs from byte {same} of {} on ({:?}): {:?} instead of {:?}",
            expected.len(),
            turn.plan.script.continuation,
            found.get(same..).unwrap_or_default(),
            expected.get(same..).unwrap_or_default(),
        ));
    }
    broken
}

/// Each call is there once with its end, and nothing was done twice that may not be.
fn tools(
    installation: &Installation,
    turn: &RunningTurn,
    answer: &Message,
    tally: &mut Tally,
) -> Vec<String> {
    let parts: Vec<&ToolPart> = answer
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Tool(tool) => Some(tool),
            _ => None,
        })
        .collect();
    let mut broken = Vec::new();
    if parts.len() != turn.plan.calls.len() {
        broken.push(format!(
            "{} calls were planned, and these are there: {parts:#?}",
            turn.plan.calls.len()
        ));
    }
    let reports = installation.provider.reports(turn.plan.label());
    for call in &turn.plan.calls {
        tally.calls += 1;
        let of_call: Vec<&&ToolPart> = parts.iter().filter(|part| is_of(part, call)).collect();
        let [part] = of_call[..] else {
            broken.push(format!("{} is there {} times", call.name, of_call.len()));
            continue;
        };
        let begun = times(&reports, call, ToolMoment::Begun);
        let ended = times(&reports, call, ToolMoment::Ended);
        let once = begun <= 1 && ended <= 1;
        match &part.state {
            ToolState::OutputAvailable {
                preliminary: None, ..
            } if call.tool == "look" && ended > 0 => {}
            ToolState::OutputAvailable {
                preliminary: None, ..
            } if ended == 1 && begun == 1 => {}
            ToolState::OutputError { error_text, .. }
                if call.tool == "count" && once && is_unknown(error_text) =>
            {
                tally.unknown_calls += 1;
            }
            state => broken.push(format!(
                "{} of {} began {begun} and ended {ended} times, and is {state:?}",
                call.name, call.tool
            )),
        }
    }
    broken
}

fn is_of(part: &ToolPart, call: &PlannedCall) -> bool {
    let input = part.state.input();
    part.tool_name == call.tool && input.is_some_and(|input| input["report"] == call.report)
}

fn times(reports: &[ToolReport], call: &PlannedCall, moment: ToolMoment) -> usize {
    let told = reports.iter();
    told.filter(|report| report.call == call.name && report.moment == moment)
        .count()
}

fn is_unknown(error_text: &str) -> bool {
    error_text.to_lowercase().contains("not known")
}
