//! What a tool may ask of the world.

use crate::{FetchFailure, FetchRequest, Fetched, Question, ToolFailure};
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;

/// A future of the one thread that everything runs on.
pub type HostFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// The world as a tool sees it. All failures are sentences for the model and the owner.
pub trait Host {
    /// The time, in milliseconds since 1970.
    fn now(&self) -> i64;

    /// Tells how far the call is. The owner sees the latest; the model does not.
    fn progress(&self, progress: Value);

    /// Asks the agent something on behalf of this very call; [`ask`] does it with types. A question that changes something
    /// is answered the same however often this call asks it.
    fn ask_agent<'a>(
        &'a self,
        feature: &'static str,
        question: Value,
    ) -> HostFuture<'a, Result<Value, String>>;

    /// Fetches one address, and follows no redirect: where it leads is a request of its own.
    fn fetch<'a>(&'a self, request: FetchRequest) -> HostFuture<'a, Result<Fetched, FetchFailure>>;
}

/// Asks the agent a question of this type.
///
/// # Errors
/// When the agent refuses, with its sentence, or could not be asked.
pub async fn ask<Asked: Question>(host: &dyn Host, question: &Asked) -> Result<Asked::Answer, ToolFailure> {
    let unanswered = || ToolFailure::Failed("The agent could not be asked. Try again.".to_owned());
    let question = serde_json::to_value(question).map_err(|_| unanswered())?;
    let answer = host
        .ask_agent(Asked::FEATURE, question)
        .await
        .map_err(ToolFailure::Failed)?;
    serde_json::from_value(answer).map_err(|_| unanswered())
}
