//! One step of an answer: a call of the model, then the tools that it asked for.

use super::approval::Course;
use super::{Activity, Answering, Ending, Progress};
use crate::action::ActionResult;
use crate::model_view::beginning;
use crate::turn::answer::{Kind, Room};
use crate::turn::incident::MAXIMUM_MODEL_CALLS;
use crate::turn::model_call::ModelCall;
use crate::turn::state::Overflow;
use crate::turn::tools::{OpenCalls, Report};
use crate::turn::{Effect, MAXIMUM_STEPS, StopReason, notice};
use flarebot_model::{
    MAXIMUM_OUTPUT_TOKENS, ModelMessage, ModelRequest, ToolCall, ToolChoice, ToolDefinition,
};
use flarebot_protocol::chunk::{Chunk, FinishReason};
use flarebot_protocol::message::ToolPart;
use flarebot_tool::ToolDescriptor;
use serde_json::{Value, json};

/// What asks a model to go on with an answer that was cut off. It is part of no transcript.
const GO_ON: &str = "Your answer above was cut off by a technical problem. Go on exactly where it stops. Repeat nothing, \
                     do not mention the interruption, and finish the answer.";

/// How much is repeated of a name that a model made up.
const NAME_CHARACTERS: usize = 100;

impl Answering {
    /// Begins the answer: announces it and calls the model.
    pub(in crate::turn) fn begin(&mut self, now: i64, effects: &mut Vec<Effect>) -> Progress {
        let opening = vec![self.announcement(), Chunk::StartStep];
        self.call(opening, now, effects)
    }

    /// The first chunk of the answer.
    pub(super) fn announcement(&self) -> Chunk {
        let mut metadata = self.state.metadata();
        if metadata.model.is_none() {
            metadata.model = Some(self.context.model.clone()).filter(|model| !model.is_empty());
        }
        Chunk::Start {
            message_id: self.state.message_id.clone(),
            message_metadata: Some(metadata),
        }
    }

    /// Calls the model, after a checkpoint: for a new step with the chunks that open it, or for the rest of one. The turn's
    /// claim is the checkpoint of its first call ([`crate::turn::TurnState::claimed`]).
    pub(super) fn call(&mut self, opening: Vec<Chunk>, now: i64, effects: &mut Vec<Effect>) -> Progress {
        self.activity = Activity::Nothing;
        self.make_room();
        if self.state.model_calls >= MAXIMUM_MODEL_CALLS {
            return Progress::Ends(Ending::Failed(notice::TOO_MUCH_WORK.to_owned()));
        }
        let follows_from_the_claim = self.state.model_calls == 0 && self.state.overflow.is_none();
        self.state.model_calls = self.state.model_calls.saturating_add(1);
        self.state.model = Some(self.context.model.clone());
        if !follows_from_the_claim {
            effects.push(Effect::Checkpoint(self.state.clone()));
        }
        for chunk in opening {
            self.send(chunk, now, effects);
        }
        if let Overflow::Summarising { through } = self.state.overflow {
            return self.ask_for_summary(through, now, effects);
        }
        let partial = self.answer.partial_text();
        let mut messages = self.history().messages();
        let mut answer = self.answer.for_model();
        self.state.thinking.give_back(&mut answer);
        messages.extend(answer);
        if !partial.trim().is_empty() {
            messages.push(ModelMessage::User {
                text: GO_ON.to_owned(),
            });
        }
        let tool_choice = if self.answer.steps() < MAXIMUM_STEPS {
            ToolChoice::Automatic
        } else {
            ToolChoice::None
        };
        self.activity = Activity::Model(Box::new(ModelCall::new(partial, tool_choice, now)));
        effects.push(Effect::CallModel(ModelRequest {
            model: self.context.model.clone(),
            system: self.context.system.clone(),
            messages,
            max_output_tokens: MAXIMUM_OUTPUT_TOKENS,
            tools: self.context.tools.iter().map(definition).collect(),
            tool_choice,
        }));
        Progress::GoesOn
    }

    /// The model begins to write a call.
    pub(super) fn announce_call(
        &mut self,
        id: &str,
        tool_name: String,
        now: i64,
        effects: &mut Vec<Effect>,
    ) -> Progress {
        let Activity::Model(call) = &mut self.activity else {
            return Progress::GoesOn;
        };
        let tool_call_id = call.id(id, |id| self.answer.has_call(id));
        let held = call.take_held();
        if let full @ Progress::Ends(_) = self.extend(Kind::Text, &held, now, effects) {
            return full;
        }
        if let Some(end_of_part) = self.answer.close() {
            self.send(end_of_part, now, effects);
        }
        let announced = Chunk::ToolInputStart {
            tool_call_id,
            tool_name,
        };
        self.send(announced, now, effects);
        Progress::GoesOn
    }

    /// The model finished. If it called tools, they run; else the answer is complete.
    pub(super) fn finish_call(
        &mut self,
        reason: FinishReason,
        now: i64,
        effects: &mut Vec<Effect>,
    ) -> Progress {
        let Activity::Model(mut call) = std::mem::replace(&mut self.activity, Activity::Nothing) else {
            return Progress::GoesOn;
        };
        let held = call.take_held();
        if let full @ Progress::Ends(_) = self.extend(Kind::Text, &held, now, effects) {
            return full;
        }
        if call.tool_calls.is_empty() {
            return Progress::Ends(Ending::Completed(reason));
        }
        let may_run = call.tool_choice == ToolChoice::Automatic && reason != FinishReason::Length;
        let thoughts = std::mem::take(&mut call.thoughts);
        let first_call = call.tool_calls.first().map(|first| first.id.clone());
        let mut chunks: Vec<Chunk> = self.answer.close().into_iter().collect();
        for tool_call in call.tool_calls {
            let chunk = if may_run {
                self.called(tool_call)
            } else {
                refused(tool_call)
            };
            if self.answer.take_room(&chunk) == Room::Full {
                return Progress::Ends(Ending::Full);
            }
            chunks.push(chunk);
        }
        if let (true, Some(first)) = (may_run && !thoughts.is_empty(), first_call) {
            // Before the calls: a later instance that finds them must be able to tell what was thought.
            self.state.thinking.keep(&first, thoughts);
            effects.push(Effect::Checkpoint(self.state.clone()));
        }
        // Together, so that a later instance finds all calls of the step or none.
        self.settle(chunks, effects);
        match (may_run, reason) {
            (true, _) => self.run_calls(now, effects),
            (false, FinishReason::Length) => Progress::Ends(Ending::Completed(reason)),
            (false, _) => Progress::Ends(Ending::TooManySteps),
        }
    }

    /// Runs the calls of the last step that have no result, but for those that wait for the owner.
    pub(super) fn run_calls(&mut self, now: i64, effects: &mut Vec<Effect>) -> Progress {
        let unsettled = self.answer.calls().filter(|call| !call.state.is_settled());
        let unsettled: Vec<ToolPart> = unsettled.cloned().collect();
        let mut open = OpenCalls::default();
        let mut questions = Vec::new();
        for call in unsettled {
            let arguments = call.state.input().cloned().unwrap_or_else(|| json!({}));
            match self.course(&call) {
                Course::Runs(tool) => {
                    open.open(call.tool_call_id.clone(), tool, now);
                    effects.push(Effect::RunTool {
                        repetition: tool.repetition_of_a_call(),
                        call: ToolCall {
                            id: call.tool_call_id,
                            name: call.tool_name,
                            arguments,
                        },
                    });
                }
                Course::Asks => questions.push(self.question(&call)),
                Course::Waits => {}
                Course::Declined => self.settle(
                    vec![Chunk::ToolOutputDenied {
                        tool_call_id: call.tool_call_id,
                    }],
                    effects,
                ),
                Course::Unknown => {
                    let error_text = self.no_such_tool(&call.tool_name);
                    self.settle(
                        vec![Chunk::ToolOutputError {
                            tool_call_id: call.tool_call_id,
                            error_text,
                        }],
                        effects,
                    );
                }
            }
        }
        self.settle(questions, effects);
        self.activity = Activity::Tools(open);
        self.go_on_after_tools(now, effects)
    }

    /// A tool tells how far it is.
    pub(super) fn hear_report(&mut self, call_id: &str, report: Value, now: i64, effects: &mut Vec<Effect>) {
        if let Activity::Tools(open) = &mut self.activity {
            open.hear(call_id, report);
            let due = open.due(now);
            self.settle(due.into_iter().map(told).collect(), effects);
        }
    }

    /// A tool returned. What comes after its deadline is not taken.
    pub(super) fn take_result(
        &mut self,
        call_id: &str,
        result: Result<Value, String>,
        now: i64,
        effects: &mut Vec<Effect>,
    ) -> Progress {
        let Activity::Tools(open) = &mut self.activity else {
            return Progress::GoesOn;
        };
        let Some(mut call) = open.close(call_id) else {
            return Progress::GoesOn;
        };
        let mut chunks: Vec<Chunk> = call.take_withheld().map(told).into_iter().collect();
        let tool_call_id = call.id;
        let result = result.map_or_else(ActionResult::Failed, ActionResult::Returned);
        let last = match result.bounded() {
            ActionResult::Returned(output) => Chunk::ToolOutputAvailable {
                tool_call_id,
                output,
                preliminary: None,
            },
            ActionResult::Failed(error_text) => Chunk::ToolOutputError {
                tool_call_id,
                error_text,
            },
        };
        if self.answer.take_room(&last) == Room::Full {
            return Progress::Ends(Ending::Full);
        }
        chunks.push(last);
        self.settle(chunks, effects);
        self.go_on_after_tools(now, effects)
    }

    /// Tells the owner what was withheld, and gives up calls that run for too long; whatever they still do is not waited for.
    pub(super) fn look_after_calls(&mut self, now: i64, effects: &mut Vec<Effect>) -> Progress {
        let Activity::Tools(open) = &mut self.activity else {
            return Progress::GoesOn;
        };
        let expired = open.expire(now);
        let due = open.due(now);
        self.settle(due.into_iter().map(told).collect(), effects);
        if expired.is_empty() {
            return Progress::GoesOn;
        }
        for mut call in expired {
            let withheld = call.take_withheld().map(told);
            self.settle(withheld.into_iter().collect(), effects);
            effects.push(Effect::StopTool {
                call_id: call.id.clone(),
                reason: StopReason::TimedOut,
            });
            let error_text =
                "The tool took too long and was given up. It is not known how far it came.".to_owned();
            self.settle(
                vec![Chunk::ToolOutputError {
                    tool_call_id: call.id,
                    error_text,
                }],
                effects,
            );
        }
        self.go_on_after_tools(now, effects)
    }

    /// Drops the calls that run, since their answer ends.
    pub(super) fn drop_calls(&mut self, mut open: OpenCalls, effects: &mut Vec<Effect>) {
        for mut call in open.abandon() {
            let withheld = call.take_withheld().map(told);
            self.settle(withheld.into_iter().collect(), effects);
            effects.push(Effect::StopTool {
                call_id: call.id,
                reason: StopReason::AnswerEnds,
            });
        }
    }

    fn go_on_after_tools(&mut self, now: i64, effects: &mut Vec<Effect>) -> Progress {
        match &self.activity {
            Activity::Tools(open) if open.is_empty() && self.waits_for_the_owner() => Progress::Pauses,
            Activity::Tools(open) if open.is_empty() && self.answer.is_stuck() => {
                Progress::Ends(Ending::Stuck)
            }
            Activity::Tools(open) if open.is_empty() => {
                self.call(vec![Chunk::FinishStep, Chunk::StartStep], now, effects)
            }
            Activity::Tools(_)
            | Activity::Nothing
            | Activity::Model(_)
            | Activity::Summary(_)
            | Activity::Pause { .. } => Progress::GoesOn,
        }
    }

    /// A result is durable before anybody sees it, so that no tool runs twice for it. So is how far a call is, since what is
    /// public of it is told with the log.
    fn settle(&mut self, chunks: Vec<Chunk>, effects: &mut Vec<Effect>) {
        for chunk in &chunks {
            self.answer.apply(chunk);
        }
        self.outbox.send_together(chunks, effects);
    }

    fn called(&self, call: ToolCall) -> Chunk {
        let (tool_call_id, tool_name, input) = (call.id, call.name, call.arguments);
        if self.tool(&tool_name).is_some() {
            return Chunk::ToolInputAvailable {
                tool_call_id,
                tool_name,
                input,
            };
        }
        Chunk::ToolInputError {
            error_text: self.no_such_tool(&tool_name),
            tool_call_id,
            tool_name,
            input,
        }
    }

    pub(super) fn tool(&self, name: &str) -> Option<&ToolDescriptor> {
        self.context.tools.iter().find(|tool| tool.name == name)
    }

    fn no_such_tool(&self, name: &str) -> String {
        let known: Vec<&str> = self.context.tools.iter().map(|tool| tool.name).collect();
        let name = beginning(name, NAME_CHARACTERS);
        format!("There is no tool {name:?}. The tools are: {}.", known.join(", "))
    }
}

/// How far a call is, as the owner is told.
fn told(report: Report) -> Chunk {
    Chunk::ToolOutputAvailable {
        tool_call_id: report.call_id,
        output: report.report,
        preliminary: Some(true),
    }
}

/// A call that is not run because no further step may follow, or because it may be incomplete.
fn refused(call: ToolCall) -> Chunk {
    Chunk::ToolInputError {
        tool_call_id: call.id,
        tool_name: call.name,
        input: call.arguments,
        error_text: "The answer ended before this call could be run.".to_owned(),
    }
}

fn definition(tool: &ToolDescriptor) -> ToolDefinition {
    ToolDefinition {
        name: tool.name.to_owned(),
        description: tool.description.to_owned(),
        parameters: tool.parameters.clone(),
    }
}
