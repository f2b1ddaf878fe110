//! Every call with its reply, as they cross the wire.

use crate::support::{call_id, conversation_id, message_id, question, request_id};
use flarebot_protocol::SubmissionKey;
use flarebot_protocol::call::{
    AgentCall, Call, CallFailure, CancelSubmission, ConversationCall, CreateConversation, DecideApproval,
    DeleteConversation, DeleteQueued, DeleteSubmission, EditQueued, FailureCode, FindSubmission, GetHistory,
    GetInstructionSettings, GetModelCatalog, GetModelSettings, GetStatus, GetSubmission, HistoryPage,
    ListConversations, ListModels, ListSubmissions, RenameConversation, ResetInstructions, SendQueuedNow,
    SetProviderKey, SubmitMessage, TryModel, UpdateInstructions, UpdateModelSettings,
};
use flarebot_protocol::conversation::{ConversationSummary, ModelStatus, Status};
use flarebot_protocol::frame::{ClientFrame, RpcReply, ServerFrame};
use flarebot_protocol::message::Decision;
use flarebot_protocol::settings::{
    Credential, Credentials, InstructionSettings, ModelCatalog, ModelChoice, ModelDescription, ModelList,
    ModelPrices, ModelProvider, ModelSettings, ModelTrial, ProviderKey,
};
use flarebot_protocol::submission::{Submission, SubmissionPage, SubmissionStatus, Submitted};
use insta::assert_snapshot;
use serde_json::{Value, json};

/// Both frames of a call, and the proof that each is read back.
fn exchange<C: Call + Clone + PartialEq + std::fmt::Debug>(
    call: &C,
    reply: &C::Reply,
    parse: impl Fn(&str, Vec<Value>) -> C,
) -> String {
    let request = ClientFrame::Rpc {
        id: call_id("call"),
        method: C::METHOD.to_owned(),
        arguments: call.arguments(),
    };
    let request_text = request.text();
    let Ok(ClientFrame::Rpc {
        method, arguments, ..
    }) = ClientFrame::parse(&request_text)
    else {
        panic!("{request_text} is a call");
    };
    assert_eq!(parse(&method, arguments), *call);

    let reply = serde_json::to_value(reply).unwrap();
    let answer = ServerFrame::Rpc(RpcReply::succeeded("call".to_owned(), reply.clone()));
    let answer_text = serde_json::to_string(&answer).unwrap();
    let Ok(ServerFrame::Rpc(read)) = serde_json::from_str(&answer_text) else {
        panic!("{answer_text} is a reply");
    };
    assert_eq!(read.result.unwrap_or(Value::Null), reply);
    serde_json::from_value::<C::Reply>(reply).expect("the reply is of the call's type");
    format!("{request_text}\n{answer_text}")
}

macro_rules! conversation_exchange {
    ($variant:ident, $call:expr, $reply:expr) => {
        exchange(
            &$call,
            &$reply,
            |method, arguments| match ConversationCall::parse(method, arguments) {
                Ok(ConversationCall::$variant(call)) => call,
                other => panic!("{other:?}"),
            },
        )
    };
}

macro_rules! agent_exchange {
    ($variant:ident, $call:expr, $reply:expr) => {
        exchange(&$call, &$reply, |method, arguments| {
            match AgentCall::parse(method, arguments) {
                Ok(AgentCall::$variant(call)) => call,
                other => panic!("{other:?}"),
            }
        })
    };
}

mod settings;

fn summary() -> ConversationSummary {
    ConversationSummary {
        id: conversation_id(),
        name: "Research".to_owned(),
        created_at: "2026-03-01T08:00:00.000Z".to_owned(),
        updated_at: "2026-03-02T09:30:00.250Z".to_owned(),
    }
}

#[test]
fn get_status() {
    let mut status = Status {
        schema_version: 1,
        created_at: "2026-03-01T08:00:00.000Z".to_owned(),
        model: Some(ModelStatus {
            provider: "openai-compatible".to_owned(),
            model: "small".to_owned(),
        }),
    };
    assert_snapshot!("getStatus", agent_exchange!(GetStatus, GetStatus {}, status));
    status.model = None;
    assert_snapshot!(
        "getStatus_without_model",
        agent_exchange!(GetStatus, GetStatus {}, status)
    );
}

#[test]
fn create_conversation() {
    let named = CreateConversation {
        name: Some("Research".to_owned()),
    };
    assert_snapshot!(
        "createConversation",
        agent_exchange!(CreateConversation, named, summary())
    );
    let unnamed = CreateConversation { name: None };
    assert_snapshot!(
        "createConversation_without_name",
        agent_exchange!(CreateConversation, unnamed, summary())
    );
}

#[test]
fn list_conversations() {
    assert_snapshot!(
        "listConversations",
        agent_exchange!(ListConversations, ListConversations {}, vec![summary()])
    );
}

#[test]
fn rename_conversation() {
    let call = RenameConversation {
        id: conversation_id(),
        name: "Research".to_owned(),
    };
    assert_snapshot!(
        "renameConversation",
        agent_exchange!(RenameConversation, call, summary())
    );
}

#[test]
fn delete_conversation() {
    let call = DeleteConversation {
        id: conversation_id(),
    };
    assert_snapshot!(
        "deleteConversation",
        agent_exchange!(DeleteConversation, call, ())
    );
}

#[test]
fn get_history() {
    let page = HistoryPage {
        messages: vec![question("question", "Hello?")],
        has_more: true,
    };
    let older = GetHistory {
        before: Some(message_id("later")),
    };
    assert_snapshot!("getHistory", conversation_exchange!(GetHistory, older, page));
    let newest = GetHistory { before: None };
    assert_snapshot!(
        "getHistory_newest",
        conversation_exchange!(GetHistory, newest, page)
    );
}

#[test]
fn what_waits_is_changed_deleted_and_sent_now() {
    let request_id = || request_id("waiting");
    let edit = EditQueued {
        request_id: request_id(),
        text: "Better".to_owned(),
    };
    assert_snapshot!("editQueued", conversation_exchange!(EditQueued, edit, ()));
    let delete = DeleteQueued {
        request_id: request_id(),
    };
    assert_snapshot!("deleteQueued", conversation_exchange!(DeleteQueued, delete, ()));
    let send = SendQueuedNow {
        request_id: request_id(),
    };
    assert_snapshot!("sendQueuedNow", conversation_exchange!(SendQueuedNow, send, ()));
}

#[test]
fn a_program_submits_a_message_and_asks_what_became_of_it() {
    let key = || SubmissionKey::new("daily-report-7").unwrap();
    let queued = || Submission {
        request_id: request_id("request"),
        key: Some(key()),
        user_message_id: message_id("question"),
        assistant_message_id: message_id("answer"),
        status: SubmissionStatus::Queued,
        attempts: 0,
        created_at: 1_000,
        started_at: None,
        ended_at: None,
    };
    let ended = || Submission {
        key: None,
        status: SubmissionStatus::Completed,
        attempts: 2,
        started_at: Some(2_000),
        ended_at: Some(3_000),
        ..queued()
    };
    let submit = SubmitMessage {
        text: "Report".to_owned(),
        key: Some(key()),
    };
    let submitted = Submitted {
        accepted: true,
        submission: queued(),
    };
    assert_snapshot!(
        "submitMessage",
        conversation_exchange!(SubmitMessage, submit, submitted)
    );
    let find = FindSubmission { key: key() };
    assert_snapshot!(
        "findSubmission",
        conversation_exchange!(FindSubmission, find, queued())
    );
    let request_id = request_id("request");
    let get = GetSubmission {
        request_id: request_id.clone(),
    };
    assert_snapshot!(
        "getSubmission",
        conversation_exchange!(GetSubmission, get, ended())
    );
    let list = ListSubmissions {
        before: Some(request_id.clone()),
    };
    let page = SubmissionPage {
        submissions: vec![ended()],
        has_more: false,
    };
    assert_snapshot!(
        "listSubmissions",
        conversation_exchange!(ListSubmissions, list, page)
    );
    let cancel = CancelSubmission {
        request_id: request_id.clone(),
    };
    assert_snapshot!(
        "cancelSubmission",
        conversation_exchange!(CancelSubmission, cancel, ended())
    );
    let delete = DeleteSubmission { request_id };
    assert_snapshot!(
        "deleteSubmission",
        conversation_exchange!(DeleteSubmission, delete, ())
    );
}

#[test]
fn what_waits_for_the_owner_is_decided() {
    let decide = DecideApproval {
        message_id: message_id("answer"),
        tool_call_id: "call-0".to_owned(),
        decision: Decision::Approved,
    };
    assert_snapshot!(
        "decideApproval",
        conversation_exchange!(DecideApproval, decide, ())
    );
}

#[test]
fn an_optional_argument_may_be_missing_or_null() {
    for arguments in [vec![], vec![Value::Null]] {
        let call = AgentCall::parse("createConversation", arguments);
        assert_eq!(
            call,
            Ok(AgentCall::CreateConversation(CreateConversation { name: None }))
        );
    }
}

#[test]
fn wrong_calls_are_refused_with_a_reason() {
    let id = conversation_id().to_string();
    let table: [(&str, Value, FailureCode); 9] = [
        ("noSuchMethod", json!([]), FailureCode::UnknownMethod),
        ("GetStatus", json!([]), FailureCode::UnknownMethod),
        ("getHistory", json!([]), FailureCode::UnknownMethod),
        ("getStatus", json!([1]), FailureCode::InvalidArguments),
        ("createConversation", json!([7]), FailureCode::InvalidArguments),
        ("renameConversation", json!([id]), FailureCode::InvalidArguments),
        (
            "renameConversation",
            json!(["x", "name"]),
            FailureCode::InvalidArguments,
        ),
        (
            "deleteConversation",
            json!([id.to_uppercase()]),
            FailureCode::InvalidArguments,
        ),
        (
            "deleteConversation",
            json!([id, id]),
            FailureCode::InvalidArguments,
        ),
    ];
    for (method, arguments, code) in table {
        let Value::Array(arguments) = arguments else {
            unreachable!()
        };
        let failure = AgentCall::parse(method, arguments).unwrap_err();
        assert_eq!(failure.code, code, "{method}");
        assert!(failure.message.ends_with(['.', 't']), "{}", failure.message);
    }
}

#[test]
fn a_hostile_method_name_is_not_repeated_whole() {
    let failure = AgentCall::parse(&"x".repeat(100_000), Vec::new()).unwrap_err();
    assert!(failure.message.len() < 200);
}

#[test]
fn every_failure_code_has_a_name_on_the_wire() {
    let codes = [
        (FailureCode::UnknownMethod, "unknown_method"),
        (FailureCode::InvalidArguments, "invalid_arguments"),
        (FailureCode::NotFound, "not_found"),
        (FailureCode::InvalidFrame, "invalid_frame"),
        (FailureCode::Unsupported, "unsupported"),
        (FailureCode::Disconnected, "disconnected"),
        (FailureCode::Internal, "internal"),
    ];
    for (code, name) in codes {
        let reply = RpcReply::failed("call".to_owned(), CallFailure::new(code, "Sentence."));
        let json = serde_json::to_value(ServerFrame::Rpc(reply)).unwrap();
        assert_eq!(
            json,
            json!({"type": "rpc", "id": "call", "success": false, "error": "Sentence.", "code": name})
        );
    }
}

#[test]
fn a_failure_code_of_a_newer_server_does_not_hide_the_failure() {
    let text = r#"{"type":"rpc","id":"call","success":false,"error":"Sentence.","code":"brand_new"}"#;
    let Ok(ServerFrame::Rpc(reply)) = serde_json::from_str(text) else {
        panic!("a reply");
    };
    assert_eq!((reply.error.as_deref(), reply.code), (Some("Sentence."), None));
}
