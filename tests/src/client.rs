//! Clients of an installation: plain HTTP, a typed socket, and a conversation as a person sees it.

mod answer;
pub mod http;
mod page;
mod record;
mod sdk;
mod socket;

pub use answer::{Answer, chat_request};
pub use page::{Arrival, Page};
pub use record::{Received, Record};
pub use sdk::SdkAnswer;
pub use socket::{Closed, Connection, Refused, Socket};
