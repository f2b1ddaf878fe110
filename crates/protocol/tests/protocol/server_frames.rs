//! Every frame of the server as text, and that a client reads the same frame back.

use crate::support::{
    activities, conversation_id, empty_answer, message_id, question, request_id, start, text_delta,
    text_start, tool_activity,
};
use flarebot_protocol::call::{CallFailure, FailureCode};
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::conversation::{ConversationActivity, ConversationSummary, PublicState};
use flarebot_protocol::frame::{
    AgentKind, ChatResponse, ErrorFrame, HistoryFrame, QueueFrame, QueuedTurn, ResumeNoneReason, RpcReply,
    RunningTurn, ServerFrame, SharedState,
};
use flarebot_protocol::message::{
    Approval, Message, Metadata, Outcome, Part, PartState, ToolPart, ToolState, Usage,
};
use flarebot_protocol::settings::SettingsSection;
use insta::assert_snapshot;
use serde_json::json;
use std::collections::BTreeSet;

const TIME: &str = "2026-03-01T08:00:00.000Z";

fn activity() -> ConversationActivity {
    ConversationActivity {
        id: conversation_id(),
        last_activity_at: 1_772_352_000_123,
        running: true,
        unread: false,
    }
}

fn finished_answer() -> Message {
    let (text, state) = ("Hello.".to_owned(), Some(PartState::Done));
    Message {
        parts: vec![
            Part::StepStart,
            Part::Reasoning {
                text: "A greeting.".to_owned(),
                state,
            },
            Part::Text { text, state },
        ],
        metadata: Some(Metadata {
            created_at: Some(1_772_352_000_123),
            outcome: Some(Outcome::Aborted),
            notice: Some("You stopped this answer.".to_owned()),
            model: Some("small".to_owned()),
            usage: Some(Usage {
                input_tokens: 12,
                output_tokens: 3,
                ..Usage::default()
            }),
        }),
        ..empty_answer("answer")
    }
}

/// An answer with a call in each state.
fn answer_with_tools() -> Message {
    let input = || json!({"zone": "UTC"});
    let output = |preliminary, output| ToolState::OutputAvailable {
        input: input(),
        output,
        preliminary,
    };
    let states = [
        ToolState::InputStreaming,
        ToolState::InputAvailable { input: input() },
        output(Some(true), json!("10 %")),
        output(None, json!({"time": "12:00"})),
        ToolState::OutputError {
            input: json!("{zone"),
            error_text: "The input is no JSON object.".to_owned(),
        },
        ToolState::ApprovalRequested {
            input: input(),
            approval: Approval::asked("answer/call-5"),
        },
        ToolState::ApprovalResponded {
            input: input(),
            approval: Approval::asked("answer/call-6").answered(true, None),
        },
        ToolState::OutputDenied {
            input: input(),
            approval: Approval::asked("answer/call-7").answered(false, Some("Not today.".to_owned())),
        },
    ];
    let calls = states.into_iter().enumerate();
    let tools = calls
        .map(|(number, state)| Part::Tool(ToolPart::new(format!("call-{number}"), "current_time", state)));
    Message {
        parts: tools.collect(),
        ..empty_answer("answer")
    }
}

fn response(name: &'static str, response: ChatResponse) -> (&'static str, ServerFrame) {
    (name, ServerFrame::ChatResponse(response))
}

fn identities() -> Vec<(&'static str, ServerFrame)> {
    vec![
        (
            "identity_agent",
            ServerFrame::Identity {
                name: "personal".to_owned(),
                agent: AgentKind::PersonalAgent,
                state_follows: true,
            },
        ),
        (
            "identity_conversation",
            ServerFrame::Identity {
                name: conversation_id().to_string(),
                agent: AgentKind::Conversation,
                state_follows: true,
            },
        ),
        (
            "state",
            ServerFrame::State {
                state: SharedState::Agent(PublicState {
                    schema_version: 1,
                    created_at: TIME.to_owned(),
                }),
            },
        ),
        ("state_conversation", activities(&[tool_activity()])),
        (
            "state_error",
            ServerFrame::StateError {
                error: "State update rejected".to_owned(),
            },
        ),
    ]
}

fn replies() -> Vec<(&'static str, ServerFrame)> {
    let failure = CallFailure::new(FailureCode::NotFound, "There is no such conversation.");
    vec![
        (
            "rpc_succeeded",
            ServerFrame::Rpc(RpcReply::succeeded("call".to_owned(), json!([1, "two"]))),
        ),
        (
            "rpc_failed",
            ServerFrame::Rpc(RpcReply::failed("call".to_owned(), failure.clone())),
        ),
        ("error", ServerFrame::Error(ErrorFrame::from(failure))),
    ]
}

fn responses() -> Vec<(&'static str, ServerFrame)> {
    let id = || request_id("request");
    vec![
        response(
            "chat_chunk",
            ChatResponse::chunk(id(), 3, &text_delta("text-0", "Hello \"you\"\n")),
        ),
        response(
            "chat_replayed_chunk",
            ChatResponse::replayed_chunk(id(), 0, &start("answer")),
        ),
        response("chat_replay_completed", ChatResponse::replay_completed(id())),
        response(
            "chat_failed",
            ChatResponse::failed(id(), "The model is busy. Try again.".to_owned()),
        ),
        response(
            "chat_refused",
            ChatResponse::refused(id(), "The message is empty.".to_owned()),
        ),
        response(
            "chat_paused",
            ChatResponse::paused(id(), vec![message_id("question")]),
        ),
        response(
            "chat_ended",
            ChatResponse::ended(id(), Outcome::Completed, vec![message_id("question")]),
        ),
        response(
            "chat_ended_aborted",
            ChatResponse::ended(id(), Outcome::Aborted, Vec::new()),
        ),
        response(
            "chat_ended_error",
            ChatResponse::ended(id(), Outcome::Error, Vec::new()),
        ),
        response(
            "chat_ended_interrupted",
            ChatResponse::ended(id(), Outcome::Interrupted, Vec::new()),
        ),
        (
            "chat_messages_connect",
            ServerFrame::ChatMessages {
                messages: Vec::new(),
                connect: Some(true),
            },
        ),
        (
            "chat_messages",
            ServerFrame::ChatMessages {
                messages: vec![question("question", "Hello?"), finished_answer()],
                connect: None,
            },
        ),
        ("chat_clear", ServerFrame::ChatClear),
    ]
}

fn resumptions() -> Vec<(&'static str, ServerFrame)> {
    let probe_id = || Some("probe".to_owned());
    let id = || request_id("request");
    vec![
        (
            "stream_resuming",
            ServerFrame::StreamResuming {
                id: id(),
                probe_id: None,
            },
        ),
        (
            "stream_resuming_probe",
            ServerFrame::StreamResuming {
                id: id(),
                probe_id: probe_id(),
            },
        ),
        (
            "stream_resume_none",
            ServerFrame::StreamResumeNone {
                reason: ResumeNoneReason::Idle,
                probe_id: probe_id(),
            },
        ),
        (
            "stream_pending",
            ServerFrame::StreamPending {
                id: Some(id()),
                probe_id: probe_id(),
            },
        ),
        (
            "stream_pending_unknown",
            ServerFrame::StreamPending {
                id: None,
                probe_id: None,
            },
        ),
    ]
}

fn own_frames() -> Vec<(&'static str, ServerFrame)> {
    let queued = || QueuedTurn {
        request_id: request_id("waiting"),
        user_message_id: message_id("waiting-question"),
    };
    vec![
        (
            "conversations",
            ServerFrame::Conversations {
                conversations: vec![ConversationSummary {
                    id: conversation_id(),
                    name: "Research".to_owned(),
                    created_at: TIME.to_owned(),
                    updated_at: TIME.to_owned(),
                }],
                activity: vec![activity()],
            },
        ),
        ("activity", ServerFrame::Activity { activity: activity() }),
        (
            "settings_changed",
            ServerFrame::SettingsChanged {
                section: SettingsSection::Instructions,
            },
        ),
        (
            "history_empty",
            ServerFrame::History(HistoryFrame {
                messages: Vec::new(),
                has_more: false,
                running: None,
                queued: Vec::new(),
            }),
        ),
        (
            "history_running",
            ServerFrame::History(HistoryFrame {
                messages: vec![
                    question("question", "Hello?"),
                    question("waiting-question", "And?"),
                ],
                has_more: true,
                running: Some(RunningTurn {
                    request_id: request_id("request"),
                    message_id: message_id("answer"),
                    user_message_id: None,
                    chunks: vec![
                        start("answer"),
                        Chunk::StartStep,
                        text_start("text-0"),
                        text_delta("text-0", "Hel"),
                    ],
                    next_seq: 5,
                }),
                queued: vec![queued()],
            }),
        ),
        (
            "running",
            ServerFrame::Running(RunningTurn {
                request_id: request_id("request").continued(2),
                message_id: message_id("answer"),
                user_message_id: Some(message_id("question")),
                chunks: vec![start("answer"), Chunk::StartStep],
                next_seq: 2,
            }),
        ),
        (
            "message",
            ServerFrame::Message {
                message: finished_answer(),
            },
        ),
        (
            "message_with_tools",
            ServerFrame::Message {
                message: answer_with_tools(),
            },
        ),
        ("queued", ServerFrame::Queued(queued())),
        (
            "queue",
            ServerFrame::Queue(QueueFrame {
                queued: vec![queued()],
                deleted: Vec::new(),
            }),
        ),
        (
            "queue_deleted",
            ServerFrame::Queue(QueueFrame {
                queued: Vec::new(),
                deleted: vec![queued()],
            }),
        ),
    ]
}

/// The type of a frame. A new variant stops this from compiling, and then the examples from sufficing.
fn kind(frame: &ServerFrame) -> &'static str {
    match frame {
        ServerFrame::Identity { .. } => "cf_agent_identity",
        ServerFrame::State { .. } => "cf_agent_state",
        ServerFrame::StateError { .. } => "cf_agent_state_error",
        ServerFrame::Rpc(_) => "rpc",
        ServerFrame::ChatMessages { .. } => "cf_agent_chat_messages",
        ServerFrame::ChatResponse(_) => "cf_agent_use_chat_response",
        ServerFrame::ChatClear => "cf_agent_chat_clear",
        ServerFrame::StreamResuming { .. } => "cf_agent_stream_resuming",
        ServerFrame::StreamResumeNone { .. } => "cf_agent_stream_resume_none",
        ServerFrame::StreamPending { .. } => "cf_agent_stream_pending",
        ServerFrame::Conversations { .. } => "flarebot_conversations",
        ServerFrame::Activity { .. } => "flarebot_activity",
        ServerFrame::SettingsChanged { .. } => "flarebot_settings",
        ServerFrame::History(_) => "flarebot_history",
        ServerFrame::Running(_) => "flarebot_running",
        ServerFrame::Message { .. } => "flarebot_message",
        ServerFrame::Queued(_) => "flarebot_queued",
        ServerFrame::Queue(_) => "flarebot_queue",
        ServerFrame::Error(_) => "flarebot_error",
    }
}

const KINDS: usize = 19;

#[test]
fn every_frame_has_its_text_and_is_read_back() {
    let frames = [identities(), replies(), responses(), resumptions(), own_frames()].concat();
    let mut kinds = BTreeSet::new();
    for (name, frame) in frames {
        let text = serde_json::to_string(&frame).unwrap();
        assert_eq!(
            serde_json::from_str::<ServerFrame>(&text).unwrap(),
            frame,
            "{name}"
        );
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["type"], kind(&frame));
        kinds.insert(kind(&frame));
        assert_snapshot!(format!("server_{name}"), text);
    }
    assert_eq!(kinds.len(), KINDS, "an example of each frame");
}
