//! What the installation's own objects say to each other: typed requests and replies that travel as the bodies of
//! internal requests.
//!
//! No path of [`route`] can be reached from outside: the ingress never forwards a request, it builds a new one from
//! its allow-list.

mod grant;
mod request;
pub mod route;

pub use grant::{GRANT_HEADER, GrantError, SocketGrant};
pub use request::{
    AgentReply, AgentRequest, CloseReason, ConsumeAssertion, ConversationReply, ConversationRequest,
    Exchange, ToolQuestion, TurnBeginning, TurnMemory, TurnReport, TurnSettings,
};
