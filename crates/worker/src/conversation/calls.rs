//! The calls that a client may make on a conversation's socket.

use super::Chat;
use crate::clock::{now, random_uuid};
use crate::fault::{Fault, log};
use flarebot_conversation::ledger::queue::{self, QueueRefusal};
use flarebot_conversation::ledger::{Refusal, check_text};
use flarebot_conversation::submission::{self, Deletion, Submittal};
use flarebot_conversation::{ConversationError, transcript};
use flarebot_protocol::call::{
    CallFailure, CancelSubmission, ConversationService, DecideApproval, DeleteQueued, DeleteSubmission,
    EditQueued, FailureCode, FindSubmission, GetHistory, GetSubmission, HistoryPage, ListSubmissions,
    ListToolActivities, SendQueuedNow, SubmitMessage,
};
use flarebot_protocol::frame::{ChatRequest, ChatResponse, ClientKind, QueuedTurn, ServerFrame, Trigger};
use flarebot_protocol::message::{Message, Outcome, Part, Role};
use flarebot_protocol::submission::{Submission, SubmissionPage, Submitted};
use flarebot_protocol::tool_activity::ActivityPage;
use flarebot_protocol::{HISTORY_PAGE, MessageId, RequestId};
use std::rc::Rc;

/// A conversation as clients may call it.
pub(super) struct Service(pub(super) Rc<Chat>);

impl ConversationService for Service {
    async fn get_history(&self, call: GetHistory) -> Result<HistoryPage, CallFailure> {
        transcript::page(&self.0.sql, call.before.as_ref(), HISTORY_PAGE).map_err(|error| {
            log("a page of history could not be read", &error.into());
            CallFailure::new(
                FailureCode::Internal,
                "Older messages could not be read. Try again.",
            )
        })
    }

    async fn edit_queued(&self, call: EditQueued) -> Result<(), CallFailure> {
        let chat = &self.0;
        let message = changed(queue::edit(&chat.sql, &call.request_id, &call.text))?;
        chat.sockets
            .send_to_pages(&chat.state, &ServerFrame::Message { message });
        chat.tell_transcripts();
        Ok(())
    }

    async fn delete_queued(&self, call: DeleteQueued) -> Result<(), CallFailure> {
        let chat = &self.0;
        let request_id = call.request_id;
        let user_message_id = changed(queue::delete(&chat.sql, &request_id, now()))?;
        let ended = ChatResponse::ended(request_id.clone(), Outcome::Aborted, Vec::new());
        chat.sockets
            .send(&chat.state, &ServerFrame::ChatResponse(ended), |socket| {
                socket.client() == ClientKind::Sdk
            });
        chat.tell_queue(vec![QueuedTurn {
            request_id,
            user_message_id,
        }]);
        Ok(())
    }

    async fn send_queued_now(&self, call: SendQueuedNow) -> Result<(), CallFailure> {
        changed(queue::move_to_front(&self.0.sql, &call.request_id))?;
        self.0.tell_queue(Vec::new());
        self.0.stop_running();
        Ok(())
    }

    async fn list_tool_activities(&self, call: ListToolActivities) -> Result<ActivityPage, CallFailure> {
        self.0.list_activities(&call)
    }

    async fn decide_approval(&self, call: DecideApproval) -> Result<(), CallFailure> {
        self.0.serve_decision(&call)
    }

    async fn submit_message(&self, call: SubmitMessage) -> Result<Submitted, CallFailure> {
        let chat = &self.0;
        check_text(&call.text).map_err(refused)?;
        let request = request(call.text).map_err(failed)?;
        let answer = MessageId::from_uuid(random_uuid().map_err(failed)?);
        let submittal = submission::submit(&chat.sql, call.key.as_ref(), &request, &answer, now())
            .map_err(|error| failed(error.into()))?;
        match submittal {
            Submittal::New { message, submission } => {
                chat.announce_accepted(request.id, message, None)
                    .map_err(failed)?;
                chat.begin_work();
                chat.watched().await;
                Ok(Submitted {
                    accepted: true,
                    submission,
                })
            }
            Submittal::Known(submission) => Ok(Submitted {
                accepted: false,
                submission,
            }),
            Submittal::Refused(refusal) => Err(refused(refusal)),
        }
    }

    async fn get_submission(&self, call: GetSubmission) -> Result<Submission, CallFailure> {
        found(submission::inspect(&self.0.sql, &call.request_id))
    }

    async fn find_submission(&self, call: FindSubmission) -> Result<Submission, CallFailure> {
        found(submission::find(&self.0.sql, &call.key))
    }

    async fn list_submissions(&self, call: ListSubmissions) -> Result<SubmissionPage, CallFailure> {
        submission::list(&self.0.sql, call.before.as_ref()).map_err(|error| failed(error.into()))
    }

    async fn cancel_submission(&self, call: CancelSubmission) -> Result<Submission, CallFailure> {
        let known = found(submission::inspect(&self.0.sql, &call.request_id))?;
        self.0.cancel(&known.request_id).map_err(failed)?;
        found(submission::inspect(&self.0.sql, &known.request_id))
    }

    async fn delete_submission(&self, call: DeleteSubmission) -> Result<(), CallFailure> {
        match submission::delete(&self.0.sql, &call.request_id).map_err(|error| failed(error.into()))? {
            Deletion::Deleted => Ok(()),
            Deletion::NotEnded => Err(CallFailure::new(
                FailureCode::Unsupported,
                "Its answer has not ended; cancel it first.",
            )),
            Deletion::Unknown => Err(no_such_submission()),
        }
    }
}

/// A request that nobody waits for on a socket.
fn request(text: String) -> Result<ChatRequest, Fault> {
    Ok(ChatRequest {
        id: RequestId::from_uuid(random_uuid()?),
        message: Message {
            id: MessageId::from_uuid(random_uuid()?),
            role: Role::User,
            parts: vec![Part::Text { text, state: None }],
            metadata: None,
        },
        trigger: Trigger::Submit,
    })
}

fn found(read: Result<Option<Submission>, ConversationError>) -> Result<Submission, CallFailure> {
    read.map_err(|error| failed(error.into()))?
        .ok_or_else(no_such_submission)
}

fn no_such_submission() -> CallFailure {
    CallFailure::new(FailureCode::NotFound, "There is no such submission.")
}

fn refused(refusal: Refusal) -> CallFailure {
    let code = match refusal {
        Refusal::Empty | Refusal::TooLarge | Refusal::MessageIdTaken => FailureCode::InvalidArguments,
        Refusal::QueueFull | Refusal::Regenerate => FailureCode::Unsupported,
    };
    CallFailure::new(code, refusal.sentence())
}

fn failed(fault: Fault) -> CallFailure {
    log("a call could not be served", &fault);
    fault.for_client()
}

/// What came of a change of the queue, in words for the owner if nothing did.
fn changed<T>(change: Result<Result<T, QueueRefusal>, ConversationError>) -> Result<T, CallFailure> {
    match change {
        Ok(Ok(made)) => Ok(made),
        Ok(Err(refusal)) => {
            let code = match refusal {
                QueueRefusal::NotWaiting => FailureCode::NotFound,
                QueueRefusal::Empty | QueueRefusal::TooLong => FailureCode::InvalidArguments,
            };
            Err(CallFailure::new(code, refusal.sentence()))
        }
        Err(error) => {
            log("the queue could not be changed", &error.into());
            Err(CallFailure::new(
                FailureCode::Internal,
                "The change could not be stored. Nothing was lost: try again.",
            ))
        }
    }
}
