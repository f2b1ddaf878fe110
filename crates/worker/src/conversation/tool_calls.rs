//! The tool calls of a turn: they run side by side, each under its own name, and report what comes of them.

use super::Chat;
use super::fetching::fetch;
use crate::clock::now;
use crate::fault::log;
use crate::object;
use crate::tools::toolbox;
use flarebot_conversation::action::{self, ActionResult, Claim};
use flarebot_conversation::turn::Event;
use flarebot_link::{AgentReply, AgentRequest, ToolQuestion};
use flarebot_model::ToolCall;
use flarebot_protocol::RequestId;
use flarebot_tool::{FetchFailure, FetchRequest, Fetched, Host, HostFuture, Repetition};
use futures_util::StreamExt as _;
use futures_util::future::{AbortHandle, Abortable, LocalBoxFuture};
use futures_util::stream::FuturesUnordered;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::task::Poll;

/// What a call is answered with that was begun in an earlier life of this object, and whose end nobody saw.
const UNKNOWN: &str = "The runtime restarted while this ran. It is not known whether it was carried out: check before you \
                       do it again.";

/// The calls of one turn that are under way.
pub(super) struct ToolCalls {
    running: FuturesUnordered<Abortable<LocalBoxFuture<'static, Event>>>,
    handles: BTreeMap<String, AbortHandle>,
    ended: VecDeque<Event>,
    reports: Rc<Reports>,
}

/// What calls have reported of themselves and nobody has heard: of each call the latest, since that is all that counts.
#[derive(Default)]
struct Reports(RefCell<BTreeMap<String, Value>>);

impl Reports {
    fn tell(&self, call_id: &str, report: Value) {
        self.0.borrow_mut().insert(call_id.to_owned(), report);
    }

    fn take(&self) -> Option<Event> {
        let (call_id, progress) = self.0.borrow_mut().pop_first()?;
        Some(Event::ToolProgress { call_id, progress })
    }

    fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }
}

impl ToolCalls {
    pub(super) fn new() -> Self {
        Self {
            running: FuturesUnordered::new(),
            handles: BTreeMap::new(),
            ended: VecDeque::new(),
            reports: Rc::default(),
        }
    }

    /// Begins a call that was claimed, unless it was begun before.
    pub(super) fn begin(
        &mut self,
        chat: &Rc<Chat>,
        request_id: &RequestId,
        call: ToolCall,
        repetition: Repetition,
        claim: Claim,
    ) {
        let id = call.id.clone();
        let ended: LocalBoxFuture<'static, Event> = match claim {
            Claim::Run => {
                let host = ToolHost {
                    chat: Rc::clone(chat),
                    request_id: request_id.clone(),
                    call_id: id.clone(),
                    reports: Rc::clone(&self.reports),
                };
                Box::pin(run(host, call, repetition))
            }
            Claim::Settled(result) => Box::pin(std::future::ready(finished(call.id, result))),
            Claim::Unknown => {
                let unknown = ActionResult::Failed(UNKNOWN.to_owned());
                Box::pin(std::future::ready(finished(call.id, unknown)))
            }
        };
        let (handle, registration) = AbortHandle::new_pair();
        self.handles.insert(id, handle);
        self.running.push(Abortable::new(ended, registration));
    }

    /// Drops a call at the place where it waits.
    pub(super) fn stop(&mut self, call_id: &str) {
        if let Some(handle) = self.handles.remove(call_id) {
            handle.abort();
        }
    }

    /// Waits for what a call reports next; its last report comes before its end. Dropping the returned future loses nothing.
    pub(super) async fn next(&mut self) -> Event {
        loop {
            if let Some(event) = self.reports.take().or_else(|| self.ended.pop_front()) {
                return event;
            }
            // Calls report while they are polled, and at no other time.
            std::future::poll_fn(|context| match self.running.poll_next_unpin(context) {
                Poll::Ready(Some(ended)) => {
                    self.ended.extend(ended);
                    Poll::Ready(())
                }
                Poll::Ready(None) | Poll::Pending if self.reports.is_empty() => Poll::Pending,
                Poll::Ready(None) | Poll::Pending => Poll::Ready(()),
            })
            .await;
        }
    }
}

async fn run(host: ToolHost, call: ToolCall, repetition: Repetition) -> Event {
    let toolbox = toolbox();
    let result = match toolbox.find(&call.name) {
        Some(tool) => tool.run(call.arguments, &host).await,
        None => return finished(call.id, ActionResult::Failed("There is no such tool.".to_owned())),
    };
    let result = match result {
        Ok(value) => ActionResult::Returned(value),
        Err(failure) => ActionResult::Failed(failure.to_string()),
    };
    let result = result.bounded();
    if repetition == Repetition::Never
        && let Err(error) = action::settle(&host.chat.sql, &host.request_id, &call.id, &result)
    {
        log("the result of an action could not be stored", &error.into());
    }
    finished(call.id, result)
}

fn finished(call_id: String, result: ActionResult) -> Event {
    Event::ToolFinished {
        call_id,
        result: match result {
            ActionResult::Returned(value) => Ok(value),
            ActionResult::Failed(sentence) => Err(sentence),
        },
    }
}

/// The world as a tool of this conversation sees it.
struct ToolHost {
    chat: Rc<Chat>,
    request_id: RequestId,
    call_id: String,
    reports: Rc<Reports>,
}

impl Host for ToolHost {
    fn now(&self) -> i64 {
        now()
    }

    fn progress(&self, progress: Value) {
        self.reports.tell(&self.call_id, progress);
    }

    fn ask_agent<'a>(
        &'a self,
        feature: &'static str,
        question: Value,
    ) -> HostFuture<'a, Result<Value, String>> {
        Box::pin(async move {
            let failed = || "The agent could not do that. Try again.".to_owned();
            let Some(conversation) = self.chat.id.get() else {
                return Err(failed());
            };
            let question = AgentRequest::ToolQuestion(ToolQuestion {
                conversation,
                request_id: self.request_id.clone(),
                tool_call_id: self.call_id.clone(),
                feature: feature.to_owned(),
                question,
            });
            match object::ask_agent(&self.chat.environment, &question).await {
                Ok(AgentReply::ToolAnswer { answer }) => Ok(answer),
                Ok(AgentReply::Refused { sentence }) => Err(sentence),
                Ok(AgentReply::Done | AgentReply::AssertionUsed | AgentReply::TurnSettings(_)) => {
                    Err(failed())
                }
                Err(fault) => {
                    log("the agent could not answer a tool", &fault);
                    Err(failed())
                }
            }
        })
    }

    fn fetch<'a>(&'a self, request: FetchRequest) -> HostFuture<'a, Result<Fetched, FetchFailure>> {
        Box::pin(fetch(request))
    }
}
