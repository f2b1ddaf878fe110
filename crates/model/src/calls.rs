//! The calls of tools in an answer, put together from the pieces that a server sends.
//!
//! Servers number the calls, give them ids and repeat names in many ways. A piece belongs to the latest call at its
//! index. It begins another call if no call is there, if its id is another than that call's, or if it brings a name and
//! arguments although that call's arguments are whole already. A piece without a name cannot begin a call where others
//! have begun: it goes on with the one of its id, or with the latest, whatever its index says.

use crate::{FailureKind, MAXIMUM_CALL_BYTES, MAXIMUM_CALLS, ModelEvent, ModelFailure, ToolCall};
use serde_json::{Map, Value};

#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// In the order in which they began. The one beyond [`MAXIMUM_CALLS`] stands for all that are dropped: it takes the
    /// pieces that belong to none of the others.
    begun: Vec<Call>,
}

#[derive(Debug, Default)]
struct Call {
    index: u64,
    /// Its id at the server, if it has one.
    sent_id: Option<String>,
    /// Its id in the announcement, once there was one. The name does not change after that.
    announced_id: Option<String>,
    name: String,
    arguments: String,
    signature: Option<String>,
}

/// One piece of a call. What the server left out is empty.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    /// Its index, or its place among the pieces that came with it.
    pub(crate) index: u64,
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    /// JSON text.
    pub(crate) arguments: String,
    /// The proof of the thinking behind the call.
    pub(crate) signature: Option<String>,
}

/// What a piece is to the calls that have begun.
enum Place {
    /// More of the call at this position.
    At(usize),
    /// The beginning of the next call.
    Next,
    /// A whole call once more.
    Repeated,
}

impl Calls {
    pub(crate) fn is_empty(&self) -> bool {
        self.begun.is_empty()
    }

    /// Whether a call has begun at this index.
    pub(crate) fn has(&self, index: u64) -> bool {
        self.begun.iter().any(|call| call.index == index)
    }

    /// How many calls have begun.
    pub(crate) fn count(&self) -> usize {
        self.begun.len()
    }

    /// The proofs of thinking that came with calls, with the number of calls before each.
    pub(crate) fn signatures(&self) -> impl Iterator<Item = (usize, &str)> {
        let kept = self.begun.iter().take(MAXIMUM_CALLS).enumerate();
        kept.filter_map(|(position, call)| Some((position, call.signature.as_deref()?)))
    }

    /// Takes the pieces of one event. A call is announced once its name is certain: with the first of its arguments, or
    /// when the next call begins.
    ///
    /// # Errors
    /// When the calls take more than [`MAXIMUM_CALL_BYTES`].
    pub(crate) fn take(
        &mut self,
        pieces: impl IntoIterator<Item = Piece>,
        events: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelFailure> {
        for piece in pieces {
            if !piece.is_empty() {
                self.add(piece, events);
            }
        }
        if self.begun.iter().map(Call::bytes).sum::<usize>() > MAXIMUM_CALL_BYTES {
            return Err(ModelFailure::new(FailureKind::TooLong));
        }
        Ok(())
    }

    /// Hands out the calls of an answer that is complete, after the announcements that are still owed. Tells whether
    /// there are any.
    ///
    /// # Errors
    /// When there are arguments for a tool that was not named.
    pub(crate) fn settle(&mut self, events: &mut Vec<ModelEvent>) -> Result<bool, ModelFailure> {
        let unnamed = |call: &Call| call.name.is_empty() && !call.arguments.is_empty();
        if self.begun.iter().take(MAXIMUM_CALLS).any(unnamed) {
            return Err(ModelFailure::new(FailureKind::Malformed));
        }
        self.announce_all(events);
        let announced = events.len();
        events.extend(self.begun.drain(..).filter_map(Call::into_event));
        Ok(events.len() > announced)
    }

    fn add(&mut self, piece: Piece, events: &mut Vec<ModelEvent>) {
        let position = match self.place(&piece) {
            Place::At(position) => position,
            Place::Next => {
                self.announce_all(events);
                self.begun.truncate(MAXIMUM_CALLS);
                self.begun.push(Call::at(piece.index));
                self.begun.len() - 1
            }
            Place::Repeated => return,
        };
        if let Some(call) = self.begun.get_mut(position) {
            call.add(piece);
            if !call.arguments.is_empty() {
                self.announce(position, events);
            }
        }
    }

    fn place(&self, piece: &Piece) -> Place {
        let mut latest_first = self.begun.iter().enumerate().rev();
        match latest_first.find(|(_, call)| call.may_go_on_with(piece)) {
            None => self.place_by_id(piece),
            Some((_, call)) if piece.brings_a_call() && call.is_whole() => {
                if piece.id.is_some() && piece.id == call.sent_id {
                    Place::Repeated
                } else {
                    Place::Next
                }
            }
            Some((position, _)) => Place::At(position),
        }
    }

    /// The place of a piece at whose index there is no call, or only another one.
    fn place_by_id(&self, piece: &Piece) -> Place {
        if !piece.name.is_empty() {
            return Place::Next;
        }
        let known = |call: &Call| match &piece.id {
            Some(id) => call.sent_id.as_ref() == Some(id),
            None => !call.is_whole(),
        };
        match self.begun.iter().rposition(known) {
            Some(position) => Place::At(position),
            None => Place::Next,
        }
    }

    fn announce_all(&mut self, events: &mut Vec<ModelEvent>) {
        for position in 0..self.begun.len() {
            self.announce(position, events);
        }
    }

    fn announce(&mut self, position: usize, events: &mut Vec<ModelEvent>) {
        let owed = self.begun.get(position).is_some_and(Call::is_unannounced);
        if !owed || position >= MAXIMUM_CALLS {
            return;
        }
        let id = self.unique_id(position);
        if let Some(call) = self.begun.get_mut(position) {
            call.announced_id = Some(id.clone());
            events.push(ModelEvent::ToolCallStarted {
                id,
                name: call.name.clone(),
            });
        }
    }

    /// The call's own id; `call_` and a number where it has none, or where another call took it before.
    fn unique_id(&self, position: usize) -> String {
        let announced = |id: &str| {
            self.begun
                .iter()
                .any(|call| call.announced_id.as_deref() == Some(id))
        };
        let sent = |id: &str| self.begun.iter().any(|call| call.sent_id.as_deref() == Some(id));
        let own = self.begun.get(position).and_then(|call| call.sent_id.clone());
        let numbered = || (position + 1..).map(|number| format!("call_{number}"));
        own.filter(|id| !announced(id))
            .or_else(|| numbered().find(|id| !announced(id) && !sent(id)))
            .unwrap_or_default()
    }
}

impl Call {
    fn at(index: u64) -> Self {
        Self {
            index,
            ..Self::default()
        }
    }

    fn may_go_on_with(&self, piece: &Piece) -> bool {
        let same_id = self.sent_id.is_none() || piece.id.is_none() || self.sent_id == piece.id;
        self.index == piece.index && same_id
    }

    fn is_unannounced(&self) -> bool {
        self.announced_id.is_none() && !self.name.is_empty()
    }

    /// A name comes at once or in pieces, and some servers repeat it with every piece of the arguments.
    fn add(&mut self, piece: Piece) {
        self.sent_id = self.sent_id.take().or(piece.id);
        if self.announced_id.is_none() && self.name != piece.name {
            self.name.push_str(&piece.name);
        }
        self.arguments.push_str(&piece.arguments);
        self.signature = self.signature.take().or(piece.signature);
    }

    /// Whether nothing is missing of its arguments.
    fn is_whole(&self) -> bool {
        // Most arguments in progress are told apart without being read.
        self.arguments.trim_end().ends_with('}')
            && serde_json::from_str::<Map<String, Value>>(&self.arguments).is_ok()
    }

    fn bytes(&self) -> usize {
        let optional = [&self.sent_id, &self.signature]
            .into_iter()
            .flatten()
            .map(String::len);
        optional.sum::<usize>() + self.name.len() + self.arguments.len()
    }

    fn into_event(self) -> Option<ModelEvent> {
        let call = ToolCall {
            id: self.announced_id?,
            name: self.name,
            arguments: object(&self.arguments),
        };
        Some(ModelEvent::ToolCall(call))
    }
}

impl Piece {
    fn is_empty(&self) -> bool {
        self.id.is_none() && self.name.is_empty() && self.arguments.is_empty()
    }

    fn brings_a_call(&self) -> bool {
        !self.name.is_empty() && !self.arguments.is_empty()
    }
}

/// The arguments as the object that every tool takes. Some servers write an object's text as a JSON string once more;
/// what is no object at all becomes an empty one, of which the tool can say what it misses.
fn object(text: &str) -> Value {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    let mut arguments = read(text);
    if let Value::String(text) = &arguments {
        arguments = read(text);
    }
    if arguments.is_object() {
        arguments
    } else {
        Map::new().into()
    }
}
