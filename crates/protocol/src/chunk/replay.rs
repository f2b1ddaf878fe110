//! What a reader is sent who joins an answer late: few chunks, none of them large.

use super::Chunk;
use crate::message::{Approval, Message, Outcome, Part, ToolPart, ToolState};
use serde_json::Value;

/// The most text that one chunk of a replay carries, in bytes.
pub const MAXIMUM_PIECE_BYTES: usize = 64 * 1024;

/// Cuts long deltas, so that no frame of a replay is large. Reducing the result gives the same message.
#[must_use]
pub fn pieces(chunks: impl IntoIterator<Item = Chunk>) -> Vec<Chunk> {
    let mut cut = Vec::new();
    for chunk in chunks {
        if let Chunk::TextDelta { id, delta } = chunk {
            cut.extend(texts(&delta).map(|delta| Chunk::TextDelta {
                id: id.clone(),
                delta,
            }));
        } else if let Chunk::ReasoningDelta { id, delta } = chunk {
            cut.extend(texts(&delta).map(|delta| Chunk::ReasoningDelta {
                id: id.clone(),
                delta,
            }));
        } else {
            cut.push(chunk);
        }
    }
    cut
}

fn texts(mut text: &str) -> impl Iterator<Item = String> {
    std::iter::from_fn(move || {
        let end = text.floor_char_boundary(MAXIMUM_PIECE_BYTES);
        let (piece, rest) = text.split_at_checked(end)?;
        text = rest;
        (!piece.is_empty()).then(|| piece.to_owned())
    })
}

/// The chunks that make this message: what a reader gets who joins an answer that has ended since. Reducing them gives
/// its parts again.
#[must_use]
pub fn replay(message: &Message) -> Vec<Chunk> {
    let mut chunks = vec![Chunk::Start {
        message_id: message.id.clone(),
        message_metadata: message.metadata.clone(),
    }];
    for (number, part) in message.parts.iter().enumerate() {
        let id = format!("replay-{number}");
        match part {
            Part::StepStart => chunks.push(Chunk::StartStep),
            Part::Text { text, .. } => {
                let delta = text.clone();
                chunks.extend([
                    Chunk::TextStart { id: id.clone() },
                    Chunk::TextDelta {
                        id: id.clone(),
                        delta,
                    },
                    Chunk::TextEnd { id },
                ]);
            }
            Part::Reasoning { text, .. } => {
                let delta = text.clone();
                chunks.extend([
                    Chunk::ReasoningStart { id: id.clone() },
                    Chunk::ReasoningDelta {
                        id: id.clone(),
                        delta,
                    },
                    Chunk::ReasoningEnd { id },
                ]);
            }
            Part::Tool(call) => replay_call(call, &mut chunks),
        }
    }
    replay_end(message, &mut chunks);
    chunks
}

fn replay_end(message: &Message, chunks: &mut Vec<Chunk>) {
    let metadata = message.metadata.clone().unwrap_or_default();
    match metadata.outcome {
        None => {}
        Some(Outcome::Completed) => chunks.extend([
            Chunk::FinishStep,
            Chunk::Finish {
                finish_reason: None,
                message_metadata: Some(metadata),
            },
        ]),
        Some(Outcome::Aborted) => chunks.push(Chunk::Abort),
        Some(Outcome::Error | Outcome::Interrupted) => chunks.push(Chunk::Error {
            error_text: metadata.notice.unwrap_or_default(),
        }),
    }
}

fn replay_call(call: &ToolPart, chunks: &mut Vec<Chunk>) {
    let (tool_call_id, tool_name) = (call.tool_call_id.clone(), call.tool_name.clone());
    let called = |input: &Value| Chunk::ToolInputAvailable {
        tool_call_id: tool_call_id.clone(),
        tool_name: tool_name.clone(),
        input: input.clone(),
    };
    match &call.state {
        ToolState::InputStreaming => chunks.push(Chunk::ToolInputStart {
            tool_call_id,
            tool_name,
        }),
        ToolState::InputAvailable { input } => chunks.push(called(input)),
        ToolState::ApprovalRequested { input, approval }
        | ToolState::ApprovalResponded { input, approval }
        | ToolState::OutputDenied { input, approval } => {
            chunks.push(called(input));
            replay_approval(&tool_call_id, approval, chunks);
            if matches!(call.state, ToolState::OutputDenied { .. }) {
                chunks.push(Chunk::ToolOutputDenied { tool_call_id });
            }
        }
        ToolState::OutputAvailable {
            input,
            output,
            preliminary,
        } => chunks.extend([
            called(input),
            Chunk::ToolOutputAvailable {
                tool_call_id,
                output: output.clone(),
                preliminary: *preliminary,
            },
        ]),
        ToolState::OutputError { input, error_text } => chunks.push(Chunk::ToolInputError {
            tool_call_id,
            tool_name,
            input: input.clone(),
            error_text: error_text.clone(),
        }),
    }
}

fn replay_approval(tool_call_id: &str, approval: &Approval, chunks: &mut Vec<Chunk>) {
    chunks.push(Chunk::ToolApprovalRequest {
        approval_id: approval.id.clone(),
        tool_call_id: tool_call_id.to_owned(),
    });
    chunks.extend(approval.approved.map(|approved| Chunk::ToolApprovalResponse {
        approval_id: approval.id.clone(),
        approved,
        reason: approval.reason.clone(),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::merge;
    use crate::message::{Metadata, PartState, Role};
    use crate::{MessageId, reduce};
    use serde_json::json;

    fn message(parts: Vec<Part>, outcome: Option<Outcome>) -> Message {
        Message {
            id: MessageId::new("answer").unwrap(),
            role: Role::Assistant,
            parts,
            metadata: Some(Metadata {
                outcome,
                notice: Some("Mind the gap.".to_owned()),
                ..Metadata::default()
            }),
        }
    }

    #[test]
    fn a_replayed_message_reduces_to_itself() {
        let state = Some(PartState::Done);
        let input = json!({ "key": 1 });
        let tool = |id: &str, state| Part::Tool(ToolPart::new(id, "look", state));
        let parts = vec![
            Part::StepStart,
            Part::Reasoning {
                text: "Hm.".to_owned(),
                state,
            },
            Part::Text {
                text: "One".to_owned(),
                state,
            },
            tool(
                "a",
                ToolState::OutputAvailable {
                    input: input.clone(),
                    output: json!([1, 2]),
                    preliminary: None,
                },
            ),
            tool(
                "b",
                ToolState::OutputError {
                    input: input.clone(),
                    error_text: "No.".to_owned(),
                },
            ),
            tool(
                "asked",
                ToolState::ApprovalRequested {
                    input: input.clone(),
                    approval: Approval::asked("1"),
                },
            ),
            tool(
                "allowed",
                ToolState::ApprovalResponded {
                    input: input.clone(),
                    approval: Approval::asked("2").answered(true, None),
                },
            ),
            tool(
                "declined",
                ToolState::OutputDenied {
                    input: input.clone(),
                    approval: Approval::asked("3").answered(false, Some("Too late.".to_owned())),
                },
            ),
            tool("c", ToolState::InputAvailable { input }),
            tool("d", ToolState::InputStreaming),
            Part::StepStart,
            Part::Text {
                text: "Two".to_owned(),
                state,
            },
        ];
        for outcome in [
            None,
            Some(Outcome::Completed),
            Some(Outcome::Aborted),
            Some(Outcome::Error),
        ] {
            let message = message(parts.clone(), outcome);
            let empty = Message {
                parts: Vec::new(),
                metadata: None,
                ..message.clone()
            };
            assert_eq!(reduce(empty, &replay(&message)), message);
        }
    }

    #[test]
    fn what_a_tool_told_on_its_way_is_kept_once() {
        let told = |output: u32, preliminary| Chunk::ToolOutputAvailable {
            tool_call_id: "call".to_owned(),
            output: json!(output),
            preliminary,
        };
        let under_way = [told(1, Some(true)), Chunk::StartStep, told(2, Some(true))];
        assert_eq!(merge(under_way.clone()), [Chunk::StartStep, told(2, Some(true))]);
        let ended = under_way.into_iter().chain([told(3, None)]);
        assert_eq!(merge(ended), [Chunk::StartStep, told(3, None)]);
    }

    #[test]
    fn long_text_is_cut_between_characters_and_lost_nowhere() {
        let delta = "漢字 and more ".repeat(20_000);
        let chunk = Chunk::TextDelta {
            id: "text-0".to_owned(),
            delta,
        };
        let cut = pieces([chunk.clone(), Chunk::StartStep]);
        assert!(cut.len() > 4);
        assert!(
            cut.iter()
                .all(|piece| piece.payload_bytes() <= MAXIMUM_PIECE_BYTES)
        );
        assert_eq!(merge(cut), [chunk, Chunk::StartStep]);
    }
}
