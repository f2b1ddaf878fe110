//! Clients of an installation: plain HTTP, a typed socket, and a conversation as a person sees it.

mod answer;
pub mod http;
mod page;
mod socket;

pub use answer::{Answer, chat_request};
pub use page::{Arrival, Page};
pub use socket::{Closed, Connection, Refused, Socket};
