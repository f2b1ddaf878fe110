//! The page: components, the client store, and the shell that the server renders.
//!
//! The server knows nothing of the owner when it renders: a page is the same bytes for everyone, and what is private
//! arrives later over the sockets.

// The type of a view holds the types of all that is in it, deeper than the compiler looks by itself.
#![recursion_limit = "256"]

mod citation;
pub mod platform;
pub mod store;
mod view;

#[cfg(feature = "ssr")]
pub mod shell;

pub use view::App;
