//! What a tool may ask of the world.

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

    /// Renames the conversation that the call belongs to. Gives the name as it was stored.
    fn rename_conversation<'a>(&'a self, name: &'a str) -> HostFuture<'a, Result<String, String>>;
}
