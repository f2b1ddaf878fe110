//! Tells the model what it cannot know: the time.

use crate::{
    ActivityDescriptor, Approval, DEADLINE_MILLISECONDS, Host, HostFuture, Repetition, Tool, ToolDescriptor,
    ToolFailure, read_arguments,
};
use chrono::{DateTime, Datelike, FixedOffset, SecondsFormat, TimeZone, Weekday};
use flarebot_protocol::tool_activity::ActivityKind;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Display;

/// How far a clock is from UTC at most, in minutes.
const MAXIMUM_OFFSET_MINUTES: i32 = 840;

pub(super) struct CurrentTime;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    utc_offset_minutes: Option<i32>,
}

impl Tool for CurrentTime {
    fn descriptor(&self) -> ToolDescriptor {
        ToolDescriptor {
            name: "current_time",
            description: "Tells the current date, time and weekday in UTC, and at a place if its offset from UTC is \
                          given. Use it whenever an answer depends on today or now.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "utc_offset_minutes": {
                        "type": "integer",
                        "minimum": -MAXIMUM_OFFSET_MINUTES,
                        "maximum": MAXIMUM_OFFSET_MINUTES,
                        "description": "By how many minutes the clock there is ahead of UTC now: 120 for UTC+2, \
                                        -300 for UTC-5. Leave it out for UTC alone.",
                    },
                },
                "additionalProperties": false,
            }),
            repetition: Repetition::Harmless,
            approval: Approval::NotNeeded,
            deadline_milliseconds: DEADLINE_MILLISECONDS,
            activity: ActivityDescriptor::new(ActivityKind::Time, "Look at the clock"),
        }
    }

    fn run<'a>(&'a self, arguments: Value, host: &'a dyn Host) -> HostFuture<'a, Result<Value, ToolFailure>> {
        Box::pin(async move { tell(read_arguments(arguments)?, host.now()) })
    }
}

fn tell(arguments: Arguments, now: i64) -> Result<Value, ToolFailure> {
    let now = DateTime::from_timestamp_millis(now).ok_or_else(beyond_the_calendar)?;
    let (utc, weekday_in_utc) = (iso8601(now), weekday(now));
    let Some(minutes) = arguments.utc_offset_minutes else {
        return Ok(json!({ "utc": utc, "weekday": weekday_in_utc }));
    };
    let offset = offset(minutes)?;
    // On the first and last day of the calendar the local time may not exist, and writing it would panic.
    now.naive_utc()
        .checked_add_offset(offset)
        .ok_or_else(beyond_the_calendar)?;
    let local = now.with_timezone(&offset);
    Ok(json!({
        "utc": utc,
        "weekday": weekday_in_utc,
        "local": { "time": iso8601(local), "weekday": weekday(local) },
    }))
}

fn beyond_the_calendar() -> ToolFailure {
    ToolFailure::Failed("The clock shows a time that no calendar has.".to_owned())
}

fn offset(minutes: i32) -> Result<FixedOffset, ToolFailure> {
    let allowed = (-MAXIMUM_OFFSET_MINUTES..=MAXIMUM_OFFSET_MINUTES).contains(&minutes);
    let offset = allowed.then(|| FixedOffset::east_opt(minutes * 60)).flatten();
    offset.ok_or_else(|| {
        ToolFailure::Arguments(format!(
            "utc_offset_minutes is in minutes and must be from -{MAXIMUM_OFFSET_MINUTES} to {MAXIMUM_OFFSET_MINUTES}. \
             Correct it and call the tool again."
        ))
    })
}

fn iso8601<Zone: TimeZone<Offset: Display>>(time: DateTime<Zone>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn weekday(date: impl Datelike) -> &'static str {
    match date.weekday() {
        Weekday::Mon => "Monday",
        Weekday::Tue => "Tuesday",
        Weekday::Wed => "Wednesday",
        Weekday::Thu => "Thursday",
        Weekday::Fri => "Friday",
        Weekday::Sat => "Saturday",
        Weekday::Sun => "Sunday",
    }
}
