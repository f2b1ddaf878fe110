//! Which part of a script one request is answered with: the next step, the rest of one, or a fault.

use super::exchange::Standing;
use super::protocol::Protocol;
use super::script::{Call, Continuation, Ending, Script};
use std::ops::Range;

/// In how many pieces the arguments of a call come.
const ARGUMENT_PIECES: usize = 3;

/// What a request asks for, and how.
pub(super) struct Asked<'a> {
    pub(super) protocol: Protocol,
    pub(super) standing: &'a Standing,
    /// Whether it offers tools.
    pub(super) may_call: bool,
    /// The model that it names.
    pub(super) model: String,
    /// What errors say.
    pub(super) complaint: String,
}

/// What is written to one caller.
pub(super) struct Passage<'a> {
    pub(super) asked: Asked<'a>,
    pub(super) script: &'a Script,
    /// The pieces of text.
    pub(super) pieces: Range<u32>,
    /// How many bytes of these are left out at the beginning.
    pub(super) skipped: usize,
    /// The calls after the text.
    pub(super) calls: &'a [Call],
    /// How it ends.
    pub(super) ending: Ending,
    /// Makes the ids of the calls unique.
    number: usize,
}

impl<'a> Passage<'a> {
    /// The passage for the exchange `number`, before which the provider was asked `earlier` times under the label.
    pub(super) fn of(script: &'a Script, asked: Asked<'a>, number: usize, earlier: usize) -> Self {
        let (mut pieces, mut calls) = script.step(asked.standing.step, asked.may_call);
        let mut ending = script.ending;
        if let Some(faults) = script.faults
            && u32::try_from(earlier).is_ok_and(|earlier| earlier < faults.requests)
            && (faults.before_piece < pieces.end || calls.is_empty())
        {
            pieces.end = faults.before_piece.clamp(pieces.start, pieces.end);
            (calls, ending) = (&[], faults.ending);
        } else if !calls.is_empty() {
            ending = Ending::Done;
        }
        let partial = asked.standing.partial.as_deref().unwrap_or_default();
        Self {
            script,
            pieces,
            skipped: match script.continuation {
                Continuation::Continues => partial.len(),
                Continuation::StartsOver => 0,
                Continuation::Overlaps(bytes) => {
                    partial.floor_char_boundary(partial.len().saturating_sub(bytes))
                }
            },
            calls,
            ending,
            number,
            asked,
        }
    }

    /// Piece number `index` as far as it is written here; see [`Script::piece`]. `skipped` counts down.
    pub(super) fn piece(&self, index: u32, micros: u64, skipped: &mut usize) -> String {
        let mut piece = self.script.piece(index, micros);
        let left_out = piece.ceil_char_boundary(*skipped);
        *skipped = skipped.saturating_sub(left_out);
        piece.split_off(left_out)
    }

    /// The whole text.
    pub(super) fn whole_text(&self) -> String {
        let mut skipped = self.skipped;
        let pieces = self.pieces.clone();
        pieces.map(|index| self.piece(index, 0, &mut skipped)).collect()
    }

    /// Why the model says that it stopped.
    pub(super) fn finish_reason(&self) -> &str {
        if self.calls.is_empty() {
            &self.script.finish_reason
        } else {
            "tool_calls"
        }
    }

    /// The id of a call.
    pub(super) fn call_id(&self, place: usize) -> String {
        format!("call-{}-{place}", self.number)
    }

    /// The arguments of a call in pieces.
    pub(super) fn argument_pieces(&self, place: usize) -> Vec<String> {
        let arguments: Vec<char> = self.calls[place].arguments.to_string().chars().collect();
        let length = arguments.len().div_ceil(ARGUMENT_PIECES).max(1);
        arguments
            .chunks(length)
            .map(|piece| piece.iter().collect())
            .collect()
    }

    /// What proves that the thinking of this answer is the model's. Its caller must not change a letter of it.
    pub(super) fn proof(&self) -> String {
        format!("EqQBCgIYAhIM/proof+{}==", self.number)
    }
}
