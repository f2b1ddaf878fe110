//! What the owner may see of the calls of tools without what went into them or came out: the public side of an answer's tool
//! parts, kept in a table of its own that outlives the live view.
//!
//! A record follows from what the turn machine says anyway, and is written in the same transaction: with the log for what
//! chunks say ([`Watch::append`]), with the claim of a call for its start ([`Watch::begin`]), with the settlement of a turn
//! for what its end leaves open. It is no second transcript and no ledger: what may run again is decided by
//! [`crate::action`] alone.
//!
//! A record that has ended never changes, with one exception: of a call that was lost with its instance nothing is known, so
//! a later start reopens it and a result that is found settles it.

mod news;
mod observed;
mod record;
mod rows;
mod text;

pub use news::{News, Pace};

use crate::action::{self, ActionResult, Claim};
use crate::turn::StopReason;
use crate::{ConversationError, stream_log};
use flarebot_model::ToolCall;
use flarebot_protocol::chunk::Chunk;
use flarebot_protocol::message::{Message, Part, ToolState};
use flarebot_protocol::tool_activity::{
    ACTIVITY_PAGE, ActivityFailure, ActivityPage, ConversationState, LIVE_ACTIVITIES, ToolActivity,
};
use flarebot_protocol::{MessageId, RequestId};
use flarebot_sql::Sql;
use flarebot_tool::{CallOutcome, Repetition, Toolbox};
use observed::Observed;
use record::{Record, Step};

/// Above every sequence; the largest number that crosses to the database exactly.
const AFTER_EVERYTHING: i64 = (1 << 53) - 1;

/// Follows the calls of one running answer.
pub struct Watch<'a, S> {
    /// Where they are recorded.
    pub sql: &'a S,
    /// The tools, which say what may be shown of their calls.
    pub toolbox: &'a Toolbox,
    /// The request that is answered.
    pub request_id: &'a RequestId,
    /// The answer.
    pub message_id: &'a MessageId,
}

impl<S: Sql> Watch<'_, S> {
    /// Makes chunks durable ([`stream_log::append`]) together with what they say of calls.
    ///
    /// # Errors
    /// When the database refuses. Nothing is stored then.
    pub fn append(&self, first_seq: u64, chunks: &[Chunk], now: i64) -> Result<News, ConversationError> {
        let observed: Vec<Observed<'_>> = chunks.iter().filter_map(observed::of_chunk).collect();
        if observed.is_empty() {
            stream_log::append(self.sql, self.request_id, first_seq, chunks)?;
            return Ok(News::Nothing);
        }
        self.sql.transaction(|| {
            stream_log::append(self.sql, self.request_id, first_seq, chunks)?;
            let mut news = News::Nothing;
            for seen in observed {
                news = news.max(self.observe(&seen, now)?);
            }
            Ok(news)
        })
    }

    /// Says whether a call may run, and records that it does: before it does. A call that must not be repeated is claimed in
    /// the ledger of actions; what that knows of an earlier run settles its record.
    ///
    /// # Errors
    /// When the database refuses. The call must not run then.
    pub fn begin(
        &self,
        call: &ToolCall,
        repetition: Repetition,
        now: i64,
    ) -> Result<(Claim, News), ConversationError> {
        self.sql.transaction(|| {
            let claim = match repetition {
                Repetition::Harmless => Claim::Run,
                Repetition::Never => action::claim(self.sql, self.request_id, &call.id, &call.name, now)?,
            };
            let tool = self.toolbox.find(&call.name);
            let step = match &claim {
                Claim::Run => Some(Step::Started),
                Claim::Settled(ActionResult::Returned(output)) => {
                    Some(Step::Returned(observed::outcome(tool.as_deref(), output)))
                }
                Claim::Settled(ActionResult::Failed(_)) => Some(Step::Returned(CallOutcome::Failed)),
                // It stays what it is: interrupted.
                Claim::Unknown => None,
            };
            let record = rows::find(self.sql, self.message_id, &call.id)?;
            let known = match record {
                Some(known) => Some(known),
                None => self.create(&call.name, &call.id, now)?,
            };
            let news = match (known, step) {
                (Some(known), Some(step)) => take(self.sql, known, step, now)?,
                (Some(_) | None, _) => News::Nothing,
            };
            Ok((claim, news))
        })
    }

    /// Records that nobody waits for a call any more. What it still does changes nothing.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn stop(&self, call_id: &str, reason: StopReason, now: i64) -> Result<News, ConversationError> {
        let step = match reason {
            StopReason::TimedOut => Step::Failed(ActivityFailure::TimedOut),
            StopReason::AnswerEnds => Step::Abandoned,
        };
        match rows::find(self.sql, self.message_id, call_id)? {
            Some(known) => take(self.sql, known, step, now),
            None => Ok(News::Nothing),
        }
    }

    fn observe(&self, seen: &Observed<'_>, now: i64) -> Result<News, ConversationError> {
        let mut news = News::Nothing;
        let known = match rows::find(self.sql, self.message_id, seen.call_id)? {
            Some(known) => known,
            None => {
                let created = seen.tool_name.map(|name| self.create(name, seen.call_id, now));
                let Some(created) = created.transpose()?.flatten() else {
                    return Ok(news);
                };
                news = News::Calls;
                created
            }
        };
        let tool = known.tool.as_deref().and_then(|name| self.toolbox.find(name));
        match seen.step(tool.as_deref()) {
            Some(step) => Ok(news.max(take(self.sql, known, step, now)?)),
            None => Ok(news),
        }
    }

    /// A record of a call that nobody has heard of; none if its answer was erased meanwhile.
    fn create(&self, tool_name: &str, call_id: &str, now: i64) -> Result<Option<Record>, ConversationError> {
        let tool = self.toolbox.find(tool_name).map(|tool| tool.descriptor());
        let record = Record::new(self.message_id, call_id, tool.as_ref(), now);
        rows::insert(self.sql, record)
    }
}

/// The activities that are worth watching: those that have not ended first, then the newest.
///
/// # Errors
/// When the database refuses.
pub fn live(sql: &impl Sql) -> Result<ConversationState, ConversationError> {
    let mut records = rows::newest_open(sql, LIVE_ACTIVITIES)?;
    let room = LIVE_ACTIVITIES.saturating_sub(records.len());
    records.extend(rows::newest_ended(sql, room)?);
    Ok(ConversationState {
        activities: public(records),
    })
}

/// One page of all activities, the newest first: those before the cursor `before`, or from the newest on.
///
/// # Errors
/// When the database refuses.
pub fn page(sql: &impl Sql, before: Option<u64>) -> Result<ActivityPage, ConversationError> {
    let border = before.and_then(|before| i64::try_from(before).ok());
    let border = border.unwrap_or(AFTER_EVERYTHING).min(AFTER_EVERYTHING);
    let limit = ACTIVITY_PAGE as usize;
    let mut records = rows::before(sql, border, limit.saturating_add(1))?;
    let has_more = records.len() > limit;
    records.truncate(limit);
    let activities = public(records);
    let next_cursor = activities.last().filter(|_| has_more).map(|last| last.sequence);
    Ok(ActivityPage {
        activities,
        next_cursor,
    })
}

fn public(records: Vec<Record>) -> Vec<ToolActivity> {
    records.into_iter().map(|record| record.activity).collect()
}

/// What of an answer's calls is open when its instance is gone was interrupted: whether it was carried out is not known.
/// Calls that wait for the owner have lost nothing.
pub(crate) fn interrupt(sql: &impl Sql, message_id: &MessageId, now: i64) -> Result<(), ConversationError> {
    for known in rows::open_of(sql, message_id)? {
        take(sql, known, Step::Interrupted, now)?;
    }
    Ok(())
}

/// Records what the owner has declined in an answer that waits.
pub(crate) fn decline(sql: &impl Sql, message: &Message, now: i64) -> Result<(), ConversationError> {
    for known in rows::open_of(sql, &message.id)? {
        if state(message, &known).is_some_and(ToolState::is_declined) {
            take(sql, known, Step::Failed(ActivityFailure::Declined), now)?;
        }
    }
    Ok(())
}

/// Brings the calls of an answer that has ended to their end: what was still open is cancelled, since nobody waits for it.
pub(crate) fn settle(
    sql: &impl Sql,
    message_id: &MessageId,
    message: Option<&Message>,
    now: i64,
) -> Result<(), ConversationError> {
    for known in rows::open_of(sql, message_id)? {
        let step = match message.and_then(|message| state(message, &known)) {
            // It has returned, and goes on without its call.
            Some(ToolState::OutputAvailable {
                preliminary: None, ..
            }) => continue,
            Some(state) if state.is_declined() => Step::Failed(ActivityFailure::Declined),
            Some(_) | None => Step::Abandoned,
        };
        take(sql, known, step, now)?;
    }
    Ok(())
}

/// Forgets everything, except for which calls may still be told of: that is not listened to.
pub(crate) fn erase(sql: &impl Sql) -> Result<(), ConversationError> {
    rows::erase(sql)
}

fn take(sql: &impl Sql, mut record: Record, step: Step, now: i64) -> Result<News, ConversationError> {
    let news = record.take(step, now);
    if news > News::Nothing {
        rows::update(sql, &record)?;
    }
    Ok(news)
}

fn state<'a>(message: &'a Message, record: &Record) -> Option<&'a ToolState> {
    message.parts.iter().find_map(|part| match part {
        Part::Tool(call) if call.tool_call_id == record.activity.tool_call_id => Some(&call.state),
        Part::Tool(_) | Part::Text { .. } | Part::Reasoning { .. } | Part::StepStart => None,
    })
}
