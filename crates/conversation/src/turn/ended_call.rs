//! What is said of a call whose answer ends before it.

use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::message::ToolPart;

/// Said of a call that the owner was asked about and did not decide.
const UNDECIDED: &str = "The answer ended before the owner had decided on this. It was not run.";

/// The chunk that ends such a call; `may_have_run` is said of one that was begun, or may have been.
pub(super) fn last_word(call: &ToolPart, may_have_run: &str) -> Chunk {
    let tool_call_id = call.tool_call_id.clone();
    if call.state.is_declined() {
        return Chunk::ToolOutputDenied { tool_call_id };
    }
    let error_text = if call.state.waits_for_approval() {
        UNDECIDED
    } else {
        may_have_run
    };
    Chunk::ToolOutputError {
        tool_call_id,
        error_text: error_text.to_owned(),
    }
}
