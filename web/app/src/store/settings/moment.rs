//! Times as people say them.

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// How long ago an ISO 8601 time in UTC was, seen from `now` in milliseconds since 1970: `3 hours ago`, and its date after
/// a week. `None` for what is no such time.
#[must_use]
pub fn relative(iso: &str, now: i64) -> Option<String> {
    let elapsed = now.div_euclid(1_000).saturating_sub(seconds(iso)?);
    Some(match elapsed {
        ..MINUTE => "just now".to_owned(),
        MINUTE..HOUR => ago(elapsed / MINUTE, "minute"),
        HOUR..DAY => ago(elapsed / HOUR, "hour"),
        _ if elapsed < 7 * DAY => ago(elapsed / DAY, "day"),
        _ => format!("on {}", date(iso)?),
    })
}

/// The day of an ISO 8601 date or time: `1 March 2026`.
#[must_use]
pub fn date(iso: &str) -> Option<String> {
    let (year, month, day) = calendar(iso.split('T').next()?)?;
    let month = MONTHS.get(usize::try_from(month).ok()?.checked_sub(1)?)?;
    Some(format!("{day} {month} {year}"))
}

fn ago(count: i64, unit: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural} ago")
}

fn calendar(date: &str) -> Option<(i64, i64, i64)> {
    let mut parts = date.splitn(3, '-').map(str::parse::<i64>);
    let year = parts.next()?.ok()?;
    let month = parts.next()?.ok()?;
    let day = parts.next()?.ok()?;
    let is_date = (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then_some((year, month, day))
}

/// Seconds since 1970.
fn seconds(iso: &str) -> Option<i64> {
    let (date, time) = iso.strip_suffix('Z')?.split_once('T')?;
    let mut parts = time.split('.').next()?.splitn(3, ':').map(str::parse::<i64>);
    let hour = parts.next()?.ok()?;
    let minute = parts.next()?.ok()?;
    let second = parts.next()?.ok()?;
    let is_time = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
    let days = days(calendar(date)?);
    is_time.then_some(days * DAY + hour * HOUR + minute * MINUTE + second)
}

/// Days since 1970 in the Gregorian calendar: years are counted from March, so that the leap day is the last of one.
fn days((year, month, day): (i64, i64, i64)) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let before_the_year = year * 365 + year / 4 - year / 100 + year / 400;
    let within_the_year = (153 * month + 2) / 5 + day - 1;
    before_the_year + within_the_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    #[test]
    fn a_time_is_said_from_where_one_stands() {
        for (iso, words) in [
            ("2027-01-15T08:00:00.000Z", "just now"),
            ("2027-01-15T08:00:30.000Z", "just now"),
            ("2027-01-15T07:59:00Z", "1 minute ago"),
            ("2027-01-15T07:05:30.500Z", "54 minutes ago"),
            ("2027-01-15T06:00:00.000Z", "2 hours ago"),
            ("2027-01-14T07:00:00.000Z", "1 day ago"),
            ("2027-01-08T08:00:01.000Z", "6 days ago"),
            ("2024-02-29T23:59:59.999Z", "on 29 February 2024"),
        ] {
            assert_eq!(relative(iso, NOW).as_deref(), Some(words), "{iso}");
        }
    }

    #[test]
    fn what_is_no_time_is_not_said() {
        for text in [
            "",
            "yesterday",
            "2027-13-01T00:00:00Z",
            "2027-01-15T25:00:00Z",
            "2027-01-15",
        ] {
            assert_eq!(relative(text, NOW), None, "{text}");
        }
    }

    #[test]
    fn a_date_is_said_in_words() {
        assert_eq!(date("2026-03-01").as_deref(), Some("1 March 2026"));
        assert_eq!(date("1 March"), None);
    }
}
